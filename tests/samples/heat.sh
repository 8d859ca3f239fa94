#!/bin/bash
# samples/heat does what its page describes: the plate cools by the known factor, to the same bits on any mesh and with MPI, and a step
# makes one exchange, of the edges of a block.
#   heat.sh DTGC
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
sample=$(cd "$(dirname "$0")/../.." && pwd)/samples/heat
scratch_folder

# check LAYOUTS STEPS REAL [LAUNCHER...]: "left error"
check() {
  "${@:4}" "$dtgc" run -D n=62 -D real="$3" "$sample/heat.dtg" ${1:+"$sample/$1.dtg"} call check --feed steps="$2" --out left=- --out error=- 2>&1 |
    awk '{ v[$1] = $3 } END { print v["left"], v["error"] }'
}
one=$(check '' 500 f64)
read -r left error <<<"$one"
holds "$left > .60 && $left < .61 && $error < 1e-12" || fail "one device: $one"
read -r left error <<<"$(check '' 500 f32)"
holds "$error < 2e-5" || fail "f32: $left $error"
[ "$(check grid 0 f64)" = '1 0' ] || fail "no step: $(check grid 0 f64)"
for l in grid rows; do
  got=$(check $l 500 f64)
  [ "$got" = "$one" ] || fail "$l: $got, one device: $one"
done
if have_mpi; then
  mpi=$(check grid 500 f64 mpiexec -n 4) || fail mpi
  [ "$mpi" = "$one" ] || fail "MPI: $mpi, one device: $one"
fi
kinds=$("$dtgc" "$sample/heat.dtg" "$sample/grid.dtg" --disable=halos --dump=comm | awk '/^entry/ { entry = $2; sub(":", "", entry) } /^  exchange .* x [?]/ { loop = 1; next }
  /^  exchange/ { loop = 0 } loop && /^    [a-z-]+ over/ { print entry, $1 }' | sort | uniq -c | xargs)
[ "$kinds" = '1 check halo 1 run halo' ] || fail "exchanges of a step: $kinds"
exit $failed
