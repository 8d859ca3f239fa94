#!/bin/sh
# bits.sh MPIEXEC REDUCES N [OTHER]: threads, MPI by shared memory and MPI by messages give the same bits; so do two ranks of
# N/2 devices, where N is even; and so do exchanges that are started and awaited, with a progress thread, too;
# and so do ranks of OTHER, the launcher of another MPI.
mpiexec=$1 reduces=$2 n=$3
a=$(timeout 100 "$reduces" threads "$n") || exit 1
b=$(timeout 100 "$mpiexec" -n "$n" "$reduces" mpi "$n") || exit 1
c=$(DTRT_MPI_SHARED=0 timeout 100 "$mpiexec" -n "$n" "$reduces" mpi "$n") || exit 1
f=$(timeout 100 "$reduces" threads "$n" flights) || exit 1
g=$(DTRT_PROGRESS=thread DTRT_MPI_SHARED=0 timeout 100 "$mpiexec" -n "$n" "$reduces" mpi "$n" flights) || exit 1
echo "threads         $a"
echo "mpi, shared     $b"
echo "mpi, messages   $c"
echo "flights         $f"
echo "flights, apart  $g"
if [ $((n % 2)) -eq 0 ]; then
  d=$(timeout 100 "$mpiexec" -n 2 "$reduces" mpi "$n") || exit 1
  e=$(DTRT_MPI_SHARED=0 timeout 100 "$mpiexec" -n 2 "$reduces" mpi "$n") || exit 1
  echo "2 ranks         $d"
  echo "2 ranks, apart  $e"
  [ "$a" = "$d" ] && [ "$a" = "$e" ] || exit 1
fi
if [ $# -gt 3 ]; then
  o=$(DTRT_MPI_SHARED=0 timeout 100 "$4" -n "$n" "$reduces" mpi "$n") || exit 1
  echo "another MPI     $o"
  [ "$a" = "$o" ] || exit 1
fi
[ -n "$a" ] && [ "$a" = "$b" ] && [ "$a" = "$c" ] && [ "$a" = "$f" ] && [ "$a" = "$g" ]
