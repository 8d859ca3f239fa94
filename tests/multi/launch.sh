#!/bin/bash
# launch.sh DTGC DIR MPIEXEC [KILLS]: ranks under `dtgc launch` are killed at random instants, and training ends with the bits of one that
# was never broken; failures of the program's own are not restarted again and again; signals save and end.
. "$(dirname "$0")/../checkpoint/kit.sh" "$1" "$2"
here=$here/../checkpoint
mpiexec=$3 kills=${4:-3}
evidence=(err.txt)
RANDOM=${SEED:-7} # the instants differ anyway
"$dtgc" "$here/model.dtg" "$here/4.dtg" --also batch=2 -o model || fail 'no executable'
fit="./model fit train $feed --shuffle 5 --plain"
launch() { "$dtgc" launch "$@" >out.txt 2>err.txt </dev/null; }
says() { grep -qF -- "$1" err.txt || fail "err.txt lacks: $1"; }
# Ranks of this test: those whose command is the model in this folder.
ranks() { for p in $(pgrep -x model); do [ "$(readlink "/proc/$p/cwd")" = "$PWD" ] && echo "$p"; done; }

# -------- the command line
expect 2 'no command to start' "$dtgc" launch -n 4
expect 2 '-n is not given' "$dtgc" launch -- ./model info
expect 2 'unknown option --restart ' "$dtgc" launch -n 4 --restart 3 -- ./model info
expect 2 'expected LEAST:MOST' "$dtgc" launch -n 4 --elastic 5 -- ./model info
expect 2 '-n 4 is outside of --elastic 5:8' "$dtgc" launch -n 4 --elastic 5:8 -- ./model info
expect 2 'expected a mesh' "$dtgc" launch -n 4 --elastic 2:4 --mesh-for 2 a:2 -- "$dtgc" run m.dtg fit
expect 2 'is built in' "$dtgc" launch -n 4 --elastic 2:4 --mesh-for 2 a=2 -- ./model fit
expect 2 '{mesh} requires --mesh-for 4' "$dtgc" launch -n 4 --elastic 2:4 --mesh-for 2 a=2 -- './model-{mesh}' fit
expect 2 'saves no checkpoints' "$dtgc" launch -n 4 --restarts 2 -- ./model fit
expect 2 'no-such-file: No such file' "$dtgc" launch --hosts no-such-file -- ./model fit
printf 'a:2\nb two\n' >hosts.txt
expect 2 'hosts.txt:2: expected host or host:ranks' "$dtgc" launch --hosts hosts.txt -- ./model fit
expect 0 'starts the ranks of a program' "$dtgc" launch --help
expect 1 'no-such-launcher: No such file' "$dtgc" launch -n 2 --with no-such-launcher -- ./model info
expect 2 'did you mean' "$dtgc" launch -n 4 -- ./model fit train --epoch 3

# -------- failures of the program: once more, then never again
launch -n 4 -- ./model fit train --feed x=none.csv:0-4 --feed y=d.csv:5 --epochs 1 --save bad
is 'status of a bad file' $? 1
says 'given up: it fails again at the same place'
is 'a line of the program a start' "$(grep -c '^./model: none.csv: No such file' err.txt)" 2
grep -q 'Abort(\|BAD TERMINATION' err.txt && fail 'the noise of the launcher'
launch -n 2 -- ./no-such-program fit --save bad
is 'status of a missing program' $? 127

# -------- output: whole lines
cat >lines.sh <<'END'
#!/bin/bash
for i in $(seq 300); do printf '%s ' "$PMI_RANK" "$i" a b c d; printf 'e\n'; done
END
launch -n 4 -- bash ./lines.sh || fail "lines.sh: $?"
is 'whole lines' "$(grep -cE '^[0-3] [0-9]+ a b c d e$' out.txt)" 1200

# -------- kill -9
steps=4000
[ $kills -gt 10 ] && steps=$((100 * kills))
# The newest checkpoint's step; 0: there is none.
newest() { # into $at, by the shell alone: what trains is to have the cores
  local all=("$1"/step-*)
  at=${all[-1]##*step-}
  [[ $at == [0-9]* ]] && at=$((10#${at%%[!0-9]*})) || at=0
}
$fit --steps $steps --save whole --every 50 >/dev/null || fail 'unbroken'
last=$(printf 'step-%06d' $steps)
broken() { # NAME KILLS ARGS...
  local name=$1 left=$2 job p seen=0
  shift 2
  "$dtgc" launch "$@" -- $fit --steps $steps --save "$name" --every 50 --log-ranks "$name.csv" >out.txt 2>err.txt </dev/null &
  job=$!
  while [ $seen -lt "$left" ] && kill -0 $job 2>/dev/null; do
    # Each at a random instant after more of the training, however fast the machine is.
    while newest "$name" && [ $at -lt $((seen * steps / (left + 1))) ] && kill -0 $job 2>/dev/null; do sleep 0.01; done
    sleep 0.0$((RANDOM % 10))
    p=$(ranks | shuf -n 1)
    [ -n "$p" ] && kill -KILL "$p" 2>/dev/null && seen=$((seen + 1))
  done
  wait $job
  is "$name: status" $? 0
  echo "$name: $seen killed, $(grep -c restart err.txt) restarts"
  [ $seen -ge $((left * 9 / 10)) ] || fail "$name: only $seen were killed"
  [ -d "$name/$last" ] || { fail "$name: $last is missing"; return; }
  same "$name" whole/$last "$name/$last"
  # Every step once, whichever rank was killed, of however many.
  awk -F, 'NR > 1 && $3 == 0 { print $1 }' "$name.csv" | cmp -s - <(seq $steps) || fail "$name: the log of ranks lacks steps, or has some twice"
  [ "$(grep -c 'was killed by SIGKILL\|is gone with its watcher\|were not started' err.txt)" -ge 1 ] || fail "$name: nothing was killed"
  [ -z "$(ranks)" ] || fail "$name: ranks are left"
}
broken killed "$kills" -n 4 --restarts 100000
grep -q 'left  loss' err.txt && fail 'progress without --progress'
# An executable keeps its mesh, and its bits, on ranks of more devices.
broken fewer 2 -n 4 --elastic 1:4 --progress
grep -qE '^epoch [0-9]+/[0-9]+ [0-9]+/[0-9]+  [0-9.]+ steps/s  [0-9]+:[0-9]+ left  loss [0-9.e-]+$' err.txt || fail '--progress: no line in the log'
# On a terminal it is one line, which other output does not break. Trained until it has been drawn, however fast the machine is.
if command -v script >/dev/null; then
  drawn=$'\r\033\\[Kepoch [0-9]+/[0-9]+ [0-9]+/[0-9]+  [0-9.]+ steps/s'
  TERM=xterm script -qfc "echo \$\$ >tty.pid; exec '$dtgc' launch -n 2 --progress -- $fit --epochs 1000000" tty.txt >/dev/null </dev/null &
  job=$!
  for _ in $(seq 600); do grep -qE "$drawn" tty.txt 2>/dev/null && break || sleep 0.05; done
  kill -TERM "$(cat tty.pid)"
  wait $job
  grep -qE "$drawn" tty.txt || fail '--progress: no line on a terminal'
  grep -qE $'left  loss [0-9.e-]+[^0-9.e\r\033-]' tty.txt && fail '--progress: other output in its line'
  grep -qE "^epoch [0-9]+/[0-9]+  loss" <(sed $'s/.*\033\\[K//' tty.txt) || fail '--progress: no line of an epoch'
fi
says 'restart 1 of 5 with 2 ranks'

# -------- other meshes, by rule and by itself
elastic() { # what it prints, and launch's arguments
  local words=$1 job
  shift
  rm -rf other
  "$dtgc" launch -n 4 --elastic 2:4 "$@" -- "$dtgc" run "$here/model.dtg" "$here/4.dtg" fit train $feed --shuffle 5 --plain \
    --steps 3000 --save other --every 50 >out.txt 2>err.txt </dev/null &
  job=$!
  for _ in $(seq 600); do compgen -G 'other/step-*' >/dev/null && break || sleep 0.05; done
  for p in $(pgrep -x dtgc); do [ "$(readlink "/proc/$p/cwd")" = "$PWD" ] && [ -d "/proc/$p/task" ] && echo "$p"; done | tail -1 | xargs kill -KILL
  wait $job
  is "$words: status" $? 0
  says "$words"
  [ -d other/step-003000 ] || fail "$words: not trained to the end"
}
elastic 'restart 1 of 5 with 3 ranks, mesh a=3 from step-'
elastic 'restart 1 of 5 with 2 ranks, mesh a=2 from step-' --mesh-for 2 a=2

# -------- signals
"$dtgc" launch -n 4 -- $fit --epochs 1000000 --save signal --every 50 >out.txt 2>err.txt </dev/null &
job=$!
for _ in $(seq 600); do compgen -G 'signal/step-*' >/dev/null && break || sleep 0.05; done
kill -TERM $job
wait $job
is 'SIGTERM: status' $? 143
says 'stopped by SIGTERM after step'
grep -q restart err.txt && fail 'restarted after a signal'
# A rank that stays behind when the others have ended, as in MPI_Finalize now and then, was waited for without end.
cat >behind <<'END'
#!/bin/sh
[ "$PMI_RANK" = 0 ] && trap 'exit 143' TERM || trap '' TERM
: >"up.$PMI_RANK"
while :; do sleep 0.05; done
END
chmod +x behind
"$dtgc" launch -n 2 -- ./behind >out.txt 2>err.txt </dev/null &
job=$!
for _ in $(seq 600); do [ -e up.0 ] && [ -e up.1 ] && break || sleep 0.05; done
kill -TERM $job
wait $job
is 'a rank that stays behind: status' $? 143
# Without the launcher ranks save and end.
rm -rf signal out.txt
"$dtgc" launch -n 4 -- $fit --epochs 1000000 --save signal --every 1000000 >out.txt 2>err.txt </dev/null &
job=$!
for _ in $(seq 600); do grep -q 'epoch 2/' out.txt && break || sleep 0.05; done
kill -KILL $job
wait $job 2>/dev/null
for _ in $(seq 200); do [ -z "$(ranks)" ] && break || sleep 0.05; done
[ -z "$(ranks)" ] || fail 'ranks go on without the launcher'
[ "$(ls signal | grep -c step-)" = 1 ] || fail 'ranks without the launcher did not save'

# -------- inside an allocation of Slurm: the words of srun
mkdir -p bin
cat >bin/srun <<END
#!/bin/bash
echo "\$*" >>"$PWD/srun.txt"
while [[ \$1 == --* ]]; do shift; done
exec "$mpiexec" "\$@"
END
chmod +x bin/srun
PATH=$PWD/bin:$PATH SLURM_JOB_ID=1 launch -n 2 -- ./model info || fail 'as inside an allocation'
grep -q '^--mpi=pmi2 --kill-on-bad-exit=0 --no-kill -n 2 .*dtgc-launch --watch-rank ./model info$' srun.txt || fail "srun: $(cat srun.txt)"
done_testing
