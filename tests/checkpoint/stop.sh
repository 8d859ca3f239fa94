#!/bin/bash
# stop.sh DTGC DIR [MPIEXEC]: signals that end a training have it save first, under a launcher too, whichever rank gets
# them; and a folder belongs to one training at a time, as long as that one is alive.
. "$(dirname "$0")/kit.sh" "$1" "$2"
mpiexec=${3:-}
"$dtgc" "$here/model.dtg" "$here/4.dtg" --also batch=2 -o model 2>err.txt ||
  "$dtgc" "$here/model.dtg" "$here/4.dtg" --also batch=2 --transport=threads -o model || fail 'no executable'
fit="./model fit train $feed --shuffle 5"
set -m # without it a shell has its background jobs ignore Ctrl-C

# begin FOLDER COMMAND...: in the background, $job; until it trains
begin() {
  local to=$1
  shift
  "$@" --epochs 1000000 --save "$to" --keep 1 --plain >"$to.out" 2>"$to.err" &
  job=$!
  for _ in $(seq 1200); do grep -q 'epoch 2/' "$to.out" && return || sleep 0.05; done
  fail "$to does not begin: $(cat "$to.out" "$to.err")"
}
# It has ended with a status, saved once, and goes on to the bits of one that was never stopped.
stopped() {
  local what=$1 to=$2 status=$3 name=$4 step more
  wait $job
  local got=$?
  # hydra loses the status now and then after it has passed a signal on, of any MPI program.
  [ $got = "$status" ] || { [ "${to#ranks}${to#ctrl}" != "$to$to" ] && [ $got = 0 ]; } || fail "$what: status $got: $(cat "$to.err")"
  [ "$(grep -c "stopped by $name after step" "$to.err")" = 1 ] || fail "$what: not told once: $(cat "$to.err")"
  grep -q 'BAD TERMINATION\|Abort(' "$to.err" && fail "$what: the launcher says more: $(cat "$to.err")"
  step=$(sed -n 's/.*: saved .*\/step-0*\([0-9]*\)$/\1/p' "$to.err")
  [ -n "$step" ] && [ -d "$(printf '%s/step-%06d' "$to" "$step")" ] || fail "$what: $(cat "$to.err"; ls "$to")"
  more=$((step + 3))
  $fit --steps $more --save "$to" --resume >out.txt 2>err.txt || fail "$what: cannot go on: $(cat err.txt)"
  [ -e "$to/.lock" ] && fail "$what: its lock stays"
  [ $more -le 100000 ] || return
  $fit --steps $more --save "$to-whole" >out.txt 2>err.txt || fail "$what: $(cat err.txt)"
  same "$what" "$(printf '%s-whole/step-%06d' "$to" $more)" "$(printf '%s/step-%06d' "$to" $more)"
}

for signal in TERM:143:SIGTERM HUP:129:SIGHUP INT:130:Ctrl-C; do
  IFS=: read -r sig status name <<<"$signal"
  begin "on-$sig" $fit
  kill -$sig $job
  stopped "$name" "on-$sig" "$status" "$name"
done
# Ignored signals stay ignored (nohup).
begin nohup nohup $fit
kill -HUP $job
sleep 0.3
kill -TERM $job
stopped nohup nohup 143 SIGTERM

# Two trainings wrote into one folder, each removing what the other had kept.
begin held $fit
$fit --epochs 3 --save held --resume >out.txt 2>err.txt && fail 'a second training into one folder'
grep -q "held: another training run is writing into it: process $job on host $(hostname), since 20" err.txt || fail "the first is not named: $(cat err.txt)"
[ -n "$mpiexec" ] && { $mpiexec -n 2 $fit --epochs 3 --save held --resume >out.txt 2>err.txt && fail 'a second training of ranks'
  grep -q "another training run is writing into it: process $job " err.txt || fail "ranks: the first is not named: $(cat err.txt)"; }
kill -KILL $job
wait $job 2>/dev/null
$fit --epochs 3 --save held --resume >out.txt 2>err.txt || fail "the lock of a dead one is kept: $(cat err.txt)"
[ -e held/.lock ] && fail 'a lock stays'

if [ -n "$mpiexec" ]; then
  # Slurm ends a job by SIGTERM to all its processes; mpiexec passes its own on.
  begin ranks $mpiexec -n 4 $fit
  kill -TERM $job
  stopped 'SIGTERM of mpiexec' ranks 143 SIGTERM
  for shared in 1 0; do
    export DTRT_MPI_SHARED=$shared
    begin ranks-$shared $mpiexec -n 2 sh -c 'echo $$ >"pid-$PMI_RANK"; exec "$@"' sh $fit
    kill -TERM "$(cat pid-1)"
    stopped "SIGTERM of one rank, shared $shared" ranks-$shared 143 SIGTERM
  done
  unset DTRT_MPI_SHARED
  begin ctrl-c $mpiexec -n 2 $fit
  kill -INT $job
  stopped 'Ctrl-C of mpiexec' ctrl-c 130 Ctrl-C
fi
done_testing
