#!/bin/sh
# updates.sh DTGC DIR [MPIEXEC]: updates that devices share give the bits of updates that each makes whole: gradients are
# summed in the same order, and the rest is elementwise.
set -u
dtgc=$1 dir=$2 mpiexec=${3:-}
model=$(cd "$(dirname "$0")/updates" && pwd)/adam.dtg
rm -rf "$dir"
mkdir -p "$dir" && cd "$dir" || exit 99
failures=0

fail() {
  failures=$((failures + 1))
  echo "FAILED: $1"
}

# run NAME ARGUMENTS...: its outputs in folder NAME; under $launcher
run() {
  name=$1
  shift
  mkdir -p "$name"
  timeout 100 ${launcher:-} "$dtgc" run "$model" "$@" call train --seed 5 --out w="$name/w.npy" --out b="$name/b.npy" \
    >"$name/printed" 2>log.txt </dev/null || {
    fail "$name does not run"
    cat log.txt
  }
}

same() {
  for o in w.npy b.npy printed; do cmp -s "$1/$o" "$2/$o" || fail "$o differs between $1 and $2"; done
}

for n in 2 3 4; do
  run "shared-$n" --mesh "data=$n"
  run "whole-$n" --mesh "data=$n" --layout '"opt\..*"=[]'
  same "shared-$n" "whole-$n"
  count=$("$dtgc" "$model" --mesh "data=$n" --dump=comm | grep -c '^    reduce-scatter .* f32\[1024, 1024\]')
  [ "$count" -eq 1 ] || fail "on $n devices the update is not shared"
done
if [ "$mpiexec" ]; then
  launcher="$mpiexec -n 2" run ranks-2 --mesh data=2
  same shared-2 ranks-2
  DTRT_MPI_SHARED=0 launcher="$mpiexec -n 2" run messages-2 --mesh data=2
  same shared-2 messages-2
fi
[ $failures -eq 0 ] && echo 'shared updates give the same bits'
exit $((failures > 0))
