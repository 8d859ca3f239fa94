#!/bin/bash
# faults.sh DTGC DIR BREAK.so [MPIEXEC]: what the world does to a training that saves: its disk is full for a while, or to the end.
. "$(dirname "$0")/kit.sh" "$1" "$2"
lib=$3 mpiexec=${4:-}
broken() { LD_PRELOAD=$lib BREAK_IN=$PWD/work "$@"; }
"$dtgc" "$here/model.dtg" "$here/4.dtg" --also batch=2 --transport=threads -o model || fail 'no executable'
fit="./model fit train $feed --shuffle 5 --epochs 6 --keep 2"
logs() { echo "--log $PWD/$1.csv --log-steps $PWD/$1.steps.csv"; }
BREAK_COUNT=$PWD/count broken $fit --save "$PWD/work" $(logs work) >/dev/null || fail 'without a fault'
calls=$(cat count)
cp -r work whole && cp work.steps.csv whole.steps.csv && cp work.csv whole.csv && cut -d, -f1,2,4- work.csv >whole.bits

# A full disk ended the training: it is reported, older checkpoints stay, and the next one is written.
for from in 20 $((calls / 4)) $((calls / 3)) $((calls / 2)); do
  rm -rf work*
  BREAK_AT=$from BREAK_TO=$((from + 3)) BREAK_HOW=fail broken $fit --save "$PWD/work" $(logs work) >out.txt 2>err.txt ||
    fail "a disk full from call $from: status $?: $(cat err.txt)"
  grep -q '^./model: warning: .*No space left on device.*' err.txt || fail "a disk full from call $from is not told: $(cat err.txt)"
  same "a disk full from call $from" whole/step-000024 work/step-000024
  cmp -s whole.steps.csv work.steps.csv || fail "a disk full from call $from: $(diff whole.steps.csv work.steps.csv)"
  cut -d, -f1,2,4- work.csv | cmp -s - whole.bits || fail "a disk full from call $from: the log: $(diff whole.csv work.csv)"
  [ -z "$(ls -A work | grep -v '^step-')" ] || fail "a disk full from call $from leaves behind: $(ls -A work)"
done

# Full to the end: the last whole checkpoint stays, and the status is a failure.
rm -rf work*
BREAK_AT=$((calls / 2)) BREAK_TO=1000000 BREAK_HOW=fail broken $fit --save "$PWD/work" >out.txt 2>err.txt
[ $? = 1 ] || fail "full to the end: status $?"
grep -q 'model: not saved: .*No space left on device (step-0000[0-9]* stays the newest)' err.txt || fail "full to the end: $(cat err.txt)"
[ "$(grep -c '^epoch' out.txt)" = 6 ] || fail "full to the end: it did not train to the end: $(cat out.txt)"
for step in work/step-*; do
  "$dtgc" checkpoint check "$step" >/dev/null 2>check.txt || fail "full to the end: $(cat check.txt)"
done
$fit --save "$PWD/work" --resume >out.txt 2>err.txt || fail "full to the end: cannot go on: $(cat err.txt)"
same 'full to the end, and gone on with' whole/step-000024 work/step-000024

# Training goes on while a checkpoint is written, with the same files in the end as when it waits; what kills it then loses that one only.
beside() { # the checkpoint of step 8 waits at its call number $1
  rm -rf work go out.txt
  (export LD_PRELOAD=$lib BREAK_IN=$PWD/work BREAK_AT=$1 BREAK_TO=$1 BREAK_HOW=wait BREAK_UNTIL=$PWD/go
    exec $fit --every 8 "${@:2}" --plain --save "$PWD/work" >out.txt 2>err.txt) &
  job=$!
}
rm -rf work out.txt
$fit --every 8 --save-sync --save "$PWD/work" >/dev/null && mv work sync || fail '--save-sync'
for at in 6 8 11; do
  beside $at
  for _ in $(seq 600); do grep -qs '^epoch 3/' out.txt && break || sleep 0.02; done
  grep -q '^epoch 3/' out.txt || fail "training waits for call $at of a checkpoint: $(cat out.txt)"
  [ -e work/step-000008 ] && fail "call $at of the checkpoint does not wait"
  if [ $at = 8 ]; then
    kill -KILL $job
    wait $job 2>/dev/null
    $fit --every 8 --save "$PWD/work" --resume >out.txt 2>err.txt || fail "killed beside training: $(cat err.txt)"
    grep -q '^no checkpoint in' out.txt || fail "a checkpoint that was not committed: $(cat out.txt)"
  else
    touch go
    wait $job || fail "beside training: $(cat err.txt)"
  fi
  for step in 16 24; do same "beside training, call $at" sync/step-0000$step work/step-0000$step; done
  cmp -s {sync,work}/step-000024/model.safetensors.index.json || fail 'the index differs from that of --save-sync'
done
beside 6 --save-sync
for _ in $(seq 600); do grep -qs '^epoch 2/' out.txt && break || sleep 0.02; done
sleep 0.2
grep -q '^epoch 3/' out.txt && fail '--save-sync does not wait'
touch go
wait $job || fail "--save-sync: $(cat err.txt)"

# Under MPI the ranks agree on it, whichever could not write.
if [ -n "$mpiexec" ]; then
  "$dtgc" "$here/model.dtg" "$here/4.dtg" --also batch=2 -o ranks || fail 'no executable with MPI'
  fit="./ranks ${fit#./model }"
  for rank in 0 1; do
    rm -rf work*
    $mpiexec -n 2 sh -c '[ $PMI_RANK = '$rank' ] && export LD_PRELOAD='"$lib"' BREAK_IN='"$PWD"'/work BREAK_HOW=fail BREAK_AT=20 BREAK_TO=23; exec "$@"' \
      sh $fit --save "$PWD/work" $(logs work) >out.txt 2>err.txt || fail "a disk full on rank $rank: status $?: $(cat err.txt)"
    grep -q '^./ranks: warning: not saved after step .*No space left on device.*' err.txt || fail "a disk full on rank $rank is not told: $(cat err.txt)"
    same "a disk full on rank $rank" whole/step-000024 work/step-000024
    cmp -s whole.steps.csv work.steps.csv || fail "a disk full on rank $rank: $(diff whole.steps.csv work.steps.csv)"
  done
fi
done_testing
