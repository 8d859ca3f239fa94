#!/bin/sh
# bits.sh MPIEXEC REDUCES N: threads, MPI by shared memory and MPI by messages give the same bits.
mpiexec=$1 reduces=$2 n=$3
a=$(timeout 100 "$reduces" threads "$n") || exit 1
b=$(timeout 100 "$mpiexec" -n "$n" "$reduces" mpi "$n") || exit 1
c=$(DTRT_MPI_SHARED=0 timeout 100 "$mpiexec" -n "$n" "$reduces" mpi "$n") || exit 1
echo "threads         $a"
echo "mpi, shared     $b"
echo "mpi, messages   $c"
[ -n "$a" ] && [ "$a" = "$b" ] && [ "$a" = "$c" ]
