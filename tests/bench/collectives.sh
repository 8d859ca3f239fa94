#!/bin/bash
# collectives.sh BIN MPIEXEC [ROUNDS]: all-reduce of f32 on threads, on MPI ranks of this machine, and by
# MPI_Allreduce between as many processes, in rounds by turns; medians and best in microseconds.
set -eu
bin=$1 mpiexec=$2 rounds=${3:-7}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for ((r = 0; r < rounds; r++)); do
  "$bin/bench_collectives" threads 2 >>"$dir/2-threads"
  if [ -x "$bin/bench_mpich" ]; then
    "$mpiexec" -n 2 "$bin/bench_mpich" >>"$dir/2-MPI_Allreduce"
    "$mpiexec" -n 2 "$bin/bench_collectives" mpi 2 >>"$dir/2-ranks"
    "$mpiexec" -n 8 "$bin/bench_mpich" 4096 >>"$dir/8-MPI_Allreduce"
    "$mpiexec" -n 8 "$bin/bench_collectives" mpi 8 1048576 >>"$dir/8-ranks"
  fi
  "$bin/bench_collectives" threads 8 1048576 >>"$dir/8-threads"
done
cd "$dir"
for file in *; do sort -k1,1n -k2,2n "$file" | sed "s/^/${file/-/ } /"; done | awk '
  { key = $1 " " $2 " " $3; if (!(key in n)) order[++keys] = key; v[key, ++n[key]] = $4 }
  function median(key) { return n[key] % 2 ? v[key, (n[key] + 1) / 2] : (v[key, n[key] / 2] + v[key, n[key] / 2 + 1]) / 2 }
  END {
    for (i = 1; i <= keys; i++) {
      split(order[i], part, " ")
      other = part[1] " MPI_Allreduce " part[3]
      printf "all-reduce of %8d B, %d %-13s  best %10.1f us  median %10.1f us", part[3], part[1], part[2], v[order[i], 1], median(order[i])
      if (part[2] != "MPI_Allreduce" && other in n) printf "  MPI_Allreduce takes %.2f times as long", median(other) / median(order[i])
      printf "\n"
    }
  }'
