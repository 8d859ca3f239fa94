#!/bin/bash
# profile.sh DTGC TRACE DIR [MPIEXEC]: --profile of call and fit, on one device, on threads and on ranks: the trace is what
# tests/profile/trace.c says, the table adds up, and a file that cannot be written is an error before anything runs.
set -u
dtgc=$1 trace=$2 dir=$3 mpiexec=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"
rm -rf "$dir"
mkdir -p "$dir" && cd "$dir" || exit 1
awk 'BEGIN { for (i = 0; i < 72; i++) { for (j = 0; j < 64; j++) printf "%s%d", j ? "," : "", (i * j) % 7; print "" } }' >image.csv
head -32 image.csv >batch.csv
awk 'BEGIN { for (i = 0; i < 72; i++) print i % 16 }' >label.csv
fit="fit train --feed image=image.csv --feed label=label.csv --epochs 3 --plain"
two="--mesh batch=2 --layout train.image=[batch,_] --layout train.label=[batch]"
four="--mesh batch=4 --layout train.image=[batch,_] --layout train.label=[batch]"
product='model.d1.y = contract(image, model.d1.w)'
line="dtg/nn.dtg:27, called at mlp.dtg:7"

# adds_up NAME ENTRY: the shares of each entry's rows are 100 % of its calls, as rounded as they are
adds_up() {
  awk -v name="$1" '
    function close_table() { if (rows && (sum < 100 - rows * 0.05 - 0.1 || sum > 100 + rows * 0.05 + 0.1)) { print name ": shares add up to " sum " %"; bad = 1 } rows = sum = 0 }
    /^profile of / { close_table(); tables++ }
    /^ *[0-9.]+ % / { rows++; sum += $1 }
    END { close_table(); if (!tables) { print name ": no table"; bad = 1 } exit bad }' "$1" || fail "the table of $1 does not add up"
}

# run NAME RANKS DEVICES CALLS WORDS...: a fit under --profile
run() {
  local name=$1 ranks=$2 devices=$3 calls=$4
  shift 4
  "$@" --profile "$name.json" >"$name.out" 2>"$name.err" || { fail "$name: $(cat "$name.err")"; return; }
  [ -s "$name.err" ] && fail "$name says: $(cat "$name.err")"
  "$trace" "$name.json" "$ranks" "$devices" "$calls" "$product" "$line" || fail "the trace of $name"
  adds_up "$name.out"
  grep -q "^the trace is in $name.json" "$name.out" || fail "$name: the file is not named"
  grep -q "^between calls: " "$name.out" || fail "$name: no time between calls"
}
cp "$here/mlp.dtg" .
# 72 rows are two steps of 32 and one of 8 an epoch.
run one 1 1 9 "$dtgc" run mlp.dtg $fit
# (Where devices wait long for each other, a product may be too small a share for a row of its own.)
grep -qE "GFLOP/s +[0-9]+ %  model.d1.y = contract\(image, model.d1.w\)    $line" one.out || fail "one: no rate of the product"
# Beside the rate stands which part of the time the machine's own rates allow, which are in a line above.
awk '/^bound: / { cores = $2; flops = $7; named = /\(machine generic\)/ }
     / = contract\(/ && match($0, /[0-9.]+ GFLOP\/s +[0-9]+ %/) {
       split(substr($0, RSTART, RLENGTH), at, / +/)
       rows++
       if (at[3] < 100 * at[1] / (cores * flops) - 1) { print "too low: " $0; exit 1 }
     }
     END { exit !(rows && named && flops == 50 && cores >= 1) }' one.out || fail "one: bounds: $(head -12 one.out)"
run two 1 2 9 "$dtgc" run mlp.dtg $two $fit
run four 1 4 9 "$dtgc" run mlp.dtg $four $fit
grep -q '^profile of train: 6 calls of .* us on 2 devices$' two.out || fail "two: the whole batches"
grep -q '^profile of train of batch=8: 3 calls of .* us on 2 devices$' two.out || fail "two: the short batches"
grep -q '% (of which waiting [0-9.]* %)$' two.out || fail "two: no share of waiting"
grep -q 'of which waiting' one.out && fail "one: a single device waits"
if [ -n "$mpiexec" ]; then
  for shared in 1 0; do
    export DTRT_MPI_SHARED=$shared
    run ranks$shared 2 2 9 "$mpiexec" -n 2 "$dtgc" run mlp.dtg $two $fit
    run threads$shared 2 4 9 "$mpiexec" -n 2 "$dtgc" run mlp.dtg $four $fit
  done
  unset DTRT_MPI_SHARED
fi

# What runs a number of times in a call is counted so: its rate is that of all runs (2 x 4 MB each), on the same two lines of time.
printf 'entry f(x: f32[1, 1000000]) {\n  u = x\n  repeat i in 0..50 { u = u * 0.5 + f32(i) }\n  return u\n}\n' >often.dtg
head -c 4000000 /dev/zero >often.bin
"$dtgc" run often.dtg call f --feed x=often.bin:f32[1000000] --profile >often.out 2>&1 || fail "often: $(cat often.out)"
awk '/, 50 runs a call / { rows++; rate = $7 * $3; if (rate < 0.9 * 50 * 8 || rate > 1.1 * 50 * 8) { print; exit 1 } } END { exit !rows }' often.out || fail "often: $(cat often.out)"

# A row that is written in its place was counted as the whole (2 x 16 kB a run, and not 2 x 8 MB).
printf 'state x: f32[500, 4000] = 1\nentry f(n: i32[]) {\n  repeat i in 0..500 { x[i] <- x[i] * 0.5 + f32(n) }\n  return sum(x)\n}\n' >rows.dtg
printf '\1\0\0\0' >rows.bin
"$dtgc" run rows.dtg call f --feed 'n=rows.bin:i32[1]' --profile >rows.out 2>&1 || complain "rows: $(cat rows.out)"
awk '/put\(.*, 500 runs a call / { rows++; rate = $6 * $3; if (rate < 0.9 * 16 || rate > 1.1 * 16) { print; exit 1 } } END { exit !rows }' rows.out || complain "rows: $(cat rows.out)"

# Steps of layers that repeat are one function in the code, and steps of their own in the profile.
cp "$here/deep.dtg" .
"$dtgc" deep.dtg --mesh batch=2 --layout 'x=[batch, _]' --dump=c | grep -q 'dtrt_begin_step(dev, [a-z]' || fail "deep: nothing repeats"
"$dtgc" run deep.dtg --mesh batch=2 --layout 'x=[batch, _]' fit train --feed x=batch.csv --epochs 4 --plain --profile deep.json >deep.out || fail "deep"
"$trace" deep.json 1 2 4 'model.block[1].up.y = contract(model.x, model.block[1].up.w)' "dtg/nn.dtg:27, called at deep.dtg:7" \
  'model.block[6].up.y = contract(model.x, model.block[6].up.w)' "dtg/nn.dtg:27, called at deep.dtg:7" || fail "the trace of deep"
adds_up deep.out

# An executable, and call; the table alone, before another option and at the end.
"$dtgc" mlp.dtg $two -o model || fail "no executable"
./model call scores --profile=call.json --feed image=batch.csv --out best=- >call.out || fail "call"
"$trace" call.json 1 2 1 'grad(model.d1.w) = contract(image, grad(model.d1.y))' "$line" 2>/dev/null && fail "a step of train is in a trace of scores"
"$trace" call.json 1 2 2 2>/dev/null && fail "one call passes for two"
"$trace" call.json 1 2 1 "$product" "$line" || fail "the trace of call"
./model call scores --profile --feed image=batch.csv --out best=- >alone.out || fail "--profile before an option"
adds_up alone.out
grep -q 'the trace is in' alone.out && fail "a trace without --profile FILE"
./model call scores --feed image=batch.csv --out best=- --profile >last.out || fail "--profile as the last word"
adds_up last.out
./model call scores --feed image=batch.csv --out best=- >plain.out || fail "call without --profile"
grep -q 'profile' plain.out && fail "a profile without --profile"
sed '/^$/,$d' last.out | cmp -s - plain.out || fail "--profile changes what call prints"

# Results are the same with and without --profile.
"$dtgc" run mlp.dtg $two $fit >untimed.out
loss() { awk '/^epoch/ { print $2, $3, $4 }' "$1"; }
[ "$(loss untimed.out)" = "$(loss two.out)" ] || fail "--profile changes the losses"

# refused WHAT MESSAGE WORDS...
refused() {
  local what=$1 message=$2
  shift 2
  "$@" >refused.out 2>refused.err && fail "$what is not refused"
  grep -qF -- "$message" refused.err || fail "$what: $(cat refused.err)"
  grep -q '^epoch' refused.out && fail "$what is found after training"
}
refused "a folder that is not there" "nowhere/x.json: cannot write: No such file or directory" "$dtgc" run mlp.dtg $two $fit --profile nowhere/x.json
mkdir -p folder.json
refused "a folder" "folder.json: cannot write: Is a directory" "$dtgc" run mlp.dtg $two $fit --profile=folder.json
refused "--profile of info" "--profile is not an option of 'info'" ./model info --profile

# --stragglers: no row of one device; of two ranks the one whose products are slower is in the first.
"$dtgc" run mlp.dtg $fit --stragglers >late.out || fail "--stragglers"
[ "$(grep -c '^stragglers: no device has waited for another$' late.out)" = 1 ] || fail "a single device is waited for"
refused "--stragglers of call" "--stragglers is not an option of 'call'" ./model call scores --stragglers
if [ -n "$mpiexec" ]; then
  cat >slow.dtg <<'END'
const batch = 16
param w: f32[512, 512] = normal()
entry train(x: f32[batch, 64]) {
  l = mean((w @ w) @ (w @ w)) + mean(x)
  w <- w * 0.5
  return loss = l
}
END
  printf 'mesh [a=2]\nlayout w = replicated\nlayout x = [a, _]\n' >slow_two.dtg
  "$dtgc" slow.dtg slow_two.dtg -o slow || fail "no slow executable"
  steps="fit train --feed x=image.csv --drop-last --steps 24 --plain --stragglers"
  for shared in 1 0; do
    DTRT_MPI_SHARED=$shared "$mpiexec" -n 1 ./slow $steps : -n 1 sh -c 'echo $$ >slow.pid; exec env DTRT_GEMM=portable "$@"' sh ./slow $steps >slow.out ||
      fail "slow: no fit"
    awk -v pid="$(cat slow.pid)" '
      row == 2 { exit !($1 > 20 && $4 == 1 && $5 == 1 && $6 == pid && /train: .* over a: .* slow.dtg:4$/) }
      row || /^stragglers: / { row++ }
      END { if (row < 2) exit 1 }' slow.out || fail "the slow rank is not the first: $(cat slow.out)"
  done
fi

# Killed at any instant the file is a trace, if an empty one. (set -m: without it a shell has its background jobs ignore Ctrl-C.)
set -m
echo '{"traceEvents": [' >cut.json
"$dtgc" run mlp.dtg $two fit train --feed image=image.csv --feed label=label.csv --epochs 100000000 --plain --profile cut.json >cut.out 2>&1 &
pid=$!
for i in $(seq 1200); do grep -q '^epoch 2/' cut.out && break; sleep 0.1; done
kill -9 $pid
wait $pid 2>/dev/null
"$trace" cut.json 1 2 0 2>&1 | grep -q '^cut.json' && fail "the trace of a killed run is no JSON"
ls cut.json.* 2>/dev/null && fail "something lies beside the trace"
rm cut.out # or the loop below finds the line of the run before
"$dtgc" run mlp.dtg $two fit train --feed image=image.csv --feed label=label.csv --epochs 100000000 --plain --profile cut.json >cut.out 2>cut.err &
pid=$!
for i in $(seq 1200); do grep -q '^epoch 2/' cut.out && break; sleep 0.1; done
kill -INT $pid
wait $pid
[ $? = 130 ] || fail "the exit status of Ctrl-C"
"$trace" cut.json 1 2 0 "$product" "$line" || fail "the trace after Ctrl-C"
adds_up cut.out
exit $failed
