#!/bin/bash
# many.sh TOY DIR: steps in one call of the devices (--steps-per-call) change no number, and what is due after a step
# finds the variables as that step left them.
set -u
. "$(dirname "$0")/../lib.sh"
toy=$1
dir=$2
rm -rf "$dir"
mkdir -p "$dir" && cd "$dir" || exit 99
evidence=(out.txt err.txt)
LC_ALL=C TOY_VARIANTS=3
unset PMI_RANK PMIX_RANK OMPI_COMM_WORLD_RANK
export LC_ALL TOY_VARIANTS

run() { "$toy" "$@" >out.txt 2>err.txt </dev/null; }
same() { cmp -s "$1" "$2" || fail "$3: $1 and $2 differ"; }

# 75 rows: 9 steps of 8 and one of 3
awk 'BEGIN { for (i = 0; i < 75; i++) print i % 5 "," i * 3 % 7 "," i % 2 ",1," i }' >d.csv
feed='--feed image=d.csv:0-3 --feed label=d.csv:4 --feed rate=0.5'
fit="fit train $feed --shuffle 3 --eval eval --eval-feed image=d.csv:0-3 --eval-feed label=d.csv:4"

# logs NAME OPTIONS...: of a training, all that does not depend on time
logs() {
  name=$1
  shift
  run $fit "$@" --log l.csv --log-steps s.csv --log-ranks r.csv || fail "$name: $*"
  { cut -d, -f1,2,4- l.csv; cat s.csv; cut -d, -f1-3,9- r.csv; } >"$name"
}
logs one.txt --epochs 4 --steps-per-call 1
[ "$(wc -l <one.txt)" = 87 ] || fail 'a line for each step'
for axis in 1 2 3; do
  TOY_AXIS=$axis
  export TOY_AXIS
  for n in 2 4 9 50; do
    logs many.txt --epochs 4 --steps-per-call $n
    same one.txt many.txt "$n steps in a call, $axis devices"
    logs many.txt --epochs 4 --steps-per-call $n --prefetch 0 --check-nan=off
    same one.txt many.txt "$n steps in a call, $axis devices, not read ahead"
  done
  logs many.txt --epochs 4
  same one.txt many.txt "by cost, $axis devices"
done
unset TOY_AXIS

# --steps, --check-replicas and --stragglers cut calls short
logs cut1.txt --steps 27 --steps-per-call 1 --check-replicas 5
logs cut.txt --steps 27 --steps-per-call 8 --check-replicas 5 --stragglers
same cut1.txt cut.txt 'steps, replicas and stragglers'
run fit train $feed --steps 250 --steps-per-call 7 --stragglers || fail 'stragglers'
[ "$(grep -c 'stragglers:' out.txt err.txt | cut -d: -f2 | paste -sd+ | sed 's/^/expr /;s/+/ + /' | sh)" = 3 ] || fail 'after 100 and 200 steps, and at the end'

# Checkpoints of steps 6, 12, ... are those of one step in a call; training goes on within an epoch
for n in 1 4 9; do
  run $fit --epochs 3 --steps-per-call $n --save run$n --every 6 --keep 99 || fail "saving, $n"
done
ls run1 >names.txt
for n in 4 9; do
  ls run$n | cmp -s names.txt - || fail "checkpoints of $n steps in a call: $(ls run$n)"
  for f in $(cd run1 && find . -name '*.safetensors'); do
    same run1/$f run$n/$f "a checkpoint, $n steps in a call"
  done
done
run $fit --steps 14 --steps-per-call 5 --save part --every 4 --log-steps p.csv || fail 'the first part'
run $fit --steps 25 --steps-per-call 7 --save part --every 4 --log-steps p.csv --resume || fail 'the second part'
run $fit --steps 25 --steps-per-call 1 --log-steps q.csv || fail 'in one'
same p.csv q.csv 'resumed in other calls'

# A loss that is not finite is told with its step, and what --stop-on-nan leaves is the log up to there
awk -F, 'BEGIN { OFS = "," } NR == 46 { $5 = -1 } { print }' d.csv >bad.csv
bad='fit train --feed image=bad.csv:0-3 --feed label=bad.csv:4 --feed rate=0.5'
for n in 1 4 8; do
  run $bad --epochs 1 --steps-per-call $n --log-steps bad$n.csv || fail "not finite, $n"
  cp err.txt said$n.txt
  run $bad --epochs 2 --steps-per-call $n --stop-on-nan && fail "--stop-on-nan, $n"
  cp err.txt stop$n.txt
done
grep -q 'at step 6 of epoch 1' said1.txt || fail 'the step is not told'
for n in 4 8; do
  same said1.txt said$n.txt "a warning, $n steps in a call"
  same stop1.txt stop$n.txt "--stop-on-nan, $n steps in a call"
  same bad1.csv bad$n.csv "the log, $n steps in a call"
done

# A profile counts steps
TOY_AXIS=2
export TOY_AXIS
run fit train $feed --limit 72 --epochs 2 --steps-per-call 5 --profile || fail profile
grep -q 'train.* 18 ' out.txt err.txt || fail 'a profile of 18 calls'
unset TOY_AXIS

for n in 0 -3 x 1001; do
  run $fit --epochs 1 --steps-per-call $n && fail "--steps-per-call $n is taken"
  grep -q -- '--steps-per-call' err.txt || fail "--steps-per-call $n is not named"
done
exit $failed
