#!/bin/bash
# samples/solver does what its page describes: the steps and the solution are the same on any mesh, a looser tolerance takes
# fewer steps, a right side that is 0 takes none, and a step exchanges the edges of a block at once, and two sums. A stored
# matrix, too, takes the same steps on any mesh.
#   solver.sh DTGC
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
sample=$(cd "$(dirname "$0")/../.." && pwd)/samples/solver
scratch_folder

# check LAYOUTS TOL [LAUNCHER...]: steps residual error
check() {
  "${@:3}" "$dtgc" run -D n=48 "$sample/solver.dtg" ${1:+"$sample/$1.dtg"} call check --feed tol="$2" --out steps=- --out residual=- --out error=- 2>&1 |
    awk '{ v[$1] = $3 } END { print v["steps"], v["residual"], v["error"] }'
}
one=$(check '' 1e-10)
read -r steps residual error <<<"$one"
holds "$steps > 50 && $steps < 300 && $residual <= 1e-10 && $error < 1e-9" || fail "one device: $one"
for l in grid rows; do
  got=$(check $l 1e-10)
  read -r s r e <<<"$got"
  holds "$s == $steps && $r <= 1e-10 && $e < 1e-9" || fail "$l: $got, one device: $one"
done
read -r fewer _ <<<"$(check grid 1e-3)"
holds "$fewer > 10 && $fewer < $steps" || fail "to 1e-3 in $fewer steps, to 1e-10 in $steps"
if have_mpi; then
  mpi=$(check grid 1e-10 mpiexec -n 4) || fail mpi
  [ "$mpi" = "$(check grid 1e-10)" ] || fail "MPI: $mpi"
fi
header="{'descr': '<f8', 'fortran_order': False, 'shape': (48, 48), }"
{ printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$header" && head -c $((8 * 48 * 48)) /dev/zero; } >"$tmp/b.npy"
out=$("$dtgc" run -D n=48 "$sample/solver.dtg" "$sample/grid.dtg" call solve --feed b="$tmp/b.npy" --feed tol=1e-6 --out steps=- --out residual=- 2>&1 |
  grep -v discarded)
[ "$out" = $'steps = 0\nresidual = 0' ] || fail "a right side of 0: $out"
kinds=$("$dtgc" "$sample/solver.dtg" "$sample/grid.dtg" --dump=comm | awk '/^entry/ { entry = $2; sub(":", "", entry) } /^  exchange .* x [?]/ { loop = 1; next }
  /^  exchange/ { loop = 0 } loop && /^    (halo|all-reduce) over/ { print entry, $1 }' | sort | uniq -c | xargs)
[ "$kinds" = '2 check all-reduce 1 check halo 2 solve all-reduce 1 solve halo' ] || fail "exchanges of a step: $kinds"

# dense N MESH: steps residual error, with the stored matrix in blocks
dense() {
  "$dtgc" run -D n="$1" "$sample/dense.dtg" "$sample/blocks.dtg" --mesh "$2" call check --feed tol=1e-10 2>&1 |
    awk '{ v[$1] = $3 } END { print v["steps"], v["residual"], v["error"] }'
}
for n in 47 48; do # 47: blocks of two sizes
  read -r steps residual error <<<"$(dense $n row=1,col=1)"
  holds "$steps > 20 && $steps <= $n && $residual <= 1e-10 && $error < 1e-8" || fail "dense, n=$n, one device: $steps $residual $error"
  for mesh in row=2,col=2 row=4,col=1 row=1,col=3; do
    read -r s r e <<<"$(dense $n $mesh)"
    holds "$s == $steps && $r <= 1e-10 && $e < 1e-8" || fail "dense, n=$n, $mesh: $s $r $e, one device: $steps"
  done
done
exit $failed
