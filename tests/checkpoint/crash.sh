#!/bin/bash
# crash.sh DTGC DIR BREAK.so: a training that is killed at each call by which it changes its checkpoints' folder, or has
# that call fail, leaves a folder from which training goes on to the same bits and the same log of steps.
. "$(dirname "$0")/kit.sh" "$1" "$2"
broken() { LD_PRELOAD=$lib BREAK_IN=$PWD/work "$@"; }
lib=$3
"$dtgc" "$here/model.dtg" "$here/4.dtg" --also batch=2 --transport=threads -o model || fail 'no executable'
fit="./model fit train $feed --shuffle 5 --epochs 3 --every 5 --keep 1 --resume"
$fit --save "$PWD/whole" --log-steps "$PWD/whole.csv" >/dev/null || fail 'without a crash'

# After every crash: exactly the good checkpoints, one of which is the newest; what is passed over is nothing.
try() {
  local how=$1 n=$2
  rm -rf work work.csv
  BREAK_AT=$n BREAK_HOW=$how broken $fit --save "$PWD/work" --log-steps "$PWD/work.csv" >out.txt 2>err.txt
  local status=$?
  [ $status -eq $([ "$how" = kill ] && echo 137 || echo 1) ] || [ "$how" = fail ] || fail "$how at $n: status $status"
  for step in work/step-*; do
    [ -e "$step" ] || continue
    "$dtgc" checkpoint check "$step" >/dev/null 2>check.txt || fail "$how at $n left half a checkpoint: $(cat check.txt)"
  done
  $fit --save "$PWD/work" --log-steps "$PWD/work.csv" >out.txt 2>err.txt || fail "$how at $n: cannot go on: $(cat err.txt)"
  [ -s err.txt ] && fail "$how at $n: it had to pass over a checkpoint: $(cat err.txt)"
  same "$how at $n" whole/step-000012 work/step-000012
  # Lines between a checkpoint and the next flush were lost once.
  cmp -s whole.csv work.csv || fail "$how at $n: the log of steps has lost or doubled lines: $(diff whole.csv work.csv)"
  [ "$(ls -A work)" = step-000012 ] || fail "$how at $n leaves behind: $(ls -A work)"
}
BREAK_COUNT=$PWD/count broken $fit --save "$PWD/work" --log-steps "$PWD/work.csv" >/dev/null
calls=$(cat count)
[ "$calls" -gt 60 ] || fail "only $calls calls were seen"
# Every call of the first two checkpoints and the first removal, and some of the rest.
for n in $(seq 1 "$calls"); do
  [ "$n" -le "${CRASH_ALL:-45}" ] || [ $((n % 7)) = 0 ] || continue
  try kill "$n"
  [ $((n % 3)) = 0 ] && try fail "$n"
done
done_testing
