#!/bin/bash
# updates.sh DTGC DIR [MPIEXEC]: updates that devices share give the bits of updates that each makes whole: gradients are
# summed in the same order, and the rest is elementwise.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 dir=$2 mpiexec=${3:-}
model=$(cd "$(dirname "$0")/updates" && pwd)/adam.dtg
rm -rf "$dir"
mkdir -p "$dir" && cd "$dir" || exit 99

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

moments='"opt\.[mv].*\.w.*"=[data, _]'
for n in 2 3 4; do
  run "shared-$n" --mesh "data=$n" --layout model.w=replicated --layout "$moments"
  run "left-$n" --mesh "data=$n" # to the model of costs: on 3 and 4 devices they are shared
  run "whole-$n" --mesh "data=$n" --layout model.w=replicated
  same "shared-$n" "whole-$n"
  same "left-$n" "whole-$n"
  count=$("$dtgc" "$model" --mesh "data=$n" --layout "$moments" --dump=comm | grep -c '^    reduce-scatter .* f32\[1024, 1024\]')
  [ "$count" -eq 1 ] || fail "on $n devices the update is not shared"
done
# Who writes `replicated` of the weights gets what Adam remembers whole as well; `info` names what is split unasked.
"$dtgc" run "$model" --mesh data=4 info >left.info
grep -q 'shared weight update' left.info || fail "info does not name shared updates: $(cat left.info)"
"$dtgc" run "$model" --mesh data=4 --layout model.w=replicated info >whole.info
grep -q 'shared weight update' whole.info && fail 'info names shared updates of replicated weights'
grep -E '^  (model|opt).* \[_, _\] ' whole.info | grep -c '\[1024, 1024\]  4.00 MiB' | grep -qx 3 ||
  fail "of replicated weights the moments are split: $(cat whole.info)"
if [ "$mpiexec" ]; then
  launcher="$mpiexec -n 2" run ranks-2 --mesh data=2 --layout model.w=replicated --layout "$moments"
  same shared-2 ranks-2
  DTRT_MPI_SHARED=0 launcher="$mpiexec -n 2" run messages-2 --mesh data=2 --layout model.w=replicated --layout "$moments"
  same shared-2 messages-2
fi
[ $failed -eq 0 ] && echo 'shared updates give the same bits'
exit $failed
