#!/bin/bash
# command.sh DTGC DIR LIBDTGC: dtgc checkpoint as its pages show it, loading by the options of call and fit, bf16, and what
# --resume makes of damaged checkpoints.
. "$(dirname "$0")/kit.sh" "$1" "$2"
unset PMI_RANK
# shows WHAT ARGS: status 0, and the text of standard input.
shows() {
  local what=$1
  shift
  cat >want.txt
  "$dtgc" checkpoint "$@" >out.txt 2>err.txt || fail "$what: status $?: $(cat err.txt)"
  diff -u want.txt out.txt || fail "$what"
}
# says STATUS TEXT ARGS: on standard error.
says() {
  local status=$1 text=$2
  shift 2
  "$dtgc" checkpoint "$@" >out.txt 2>err.txt
  local got=$?
  [ $got = "$status" ] && grep -qF -- "$text" err.txt || fail "checkpoint $*: status $got, $(cat err.txt)"
}
fit="fit train $feed --shuffle 5"
ok start 2x2 $fit --epochs 2 --save run
shows 'ls of a folder' ls run <<'END'
run/step-000004: model, mesh [a=2, b=2], step 4, epoch 1 done, 22 tensors in 4 files, 7450 bytes
run/step-000008: model, mesh [a=2, b=2], step 8, epoch 2 done, 22 tensors in 4 files, 7450 bytes
END
shows ls ls run/step-000008 <<'END'
run/step-000008: model, mesh [a=2, b=2], step 8, epoch 2 done, 22 tensors in 4 files, 7450 bytes
  path               type          role   layout       pieces         bytes
  bytes              u8[9]         state  [b]               2             9
  empty              f32[0, 4]     state  [_, _]            0             0
  flags              bool[7]       state  [a]               2             7
  half               bf16[3, 5]    param  [b, a]            4            30
  model.d1.b         f32[7]        param  [_]               1            28
  model.d1.w         f32[5, 7]     param  [b, a]            4           140
  model.d2.b         f32[3]        param  [_]               1            12
  model.d2.w         f32[7, 3]     param  [(a, b), _]       4            84
  opt.m[model.d1.b]  f32[7]        state  [_]               1            28
  opt.m[model.d1.w]  f32[5, 7]     state  [b, a]            4           140
  opt.m[model.d2.b]  f32[3]        state  [_]               1            12
  opt.m[model.d2.w]  f32[7, 3]     state  [(a, b), _]       4            84
  opt.t              f32[]         state  []                1             4
  opt.v[model.d1.b]  f32[7]        state  [_]               1            28
  opt.v[model.d1.w]  f32[5, 7]     state  [b, a]            4           140
  opt.v[model.d2.b]  f32[3]        state  [_]               1            12
  opt.v[model.d2.w]  f32[7, 3]     state  [(a, b), _]       4            84
  random.step        i64[]         state  []                1             8
  seen               i64[]         state  []                1             8
  short              f16[2, 3, 4]  state  [_, b, a]         4            48
  small              i8[4, 2]      state  [(a, b), _]       4             8
  wide               f64[11]       param  [(b, a)]          4            88
END
shows 'cat of a scalar' cat run seen <<<40
shows 'cat of nothing' cat run empty <<<'[]'
shows check check run <<<'run/step-000008: good'

# Whole tensors for others, and back; what numpy or safetensors would read is what the entries say.
"$dtgc" checkpoint reshard run/ plain.safetensors && "$dtgc" checkpoint reshard run three --files 3 || fail reshard
[ "$(ls three | wc -l)" = 4 ] || fail "three files and an index: $(ls three)"
for other in plain.safetensors three; do
  shows "diff with $other" diff run $other <<<'22 equal, 0 different, 0 on one side only'
  ok "from $other" 2x2 call keep --load $other --save from-$other
  cp -r run/step-000008 was
  shows "from $other" diff from-$other was <<<'22 equal, 0 different, 0 on one side only'
  for f in was/part*; do # the same elements, under metadata of another step
    cmp -s <(tail -c 1000 $f) <(tail -c 1000 from-$other/${f##*/}) || fail "from $other: ${f##*/}"
  done
  rm -rf was
done
"$dtgc" checkpoint reshard run params.safetensors --params || fail params
shows 'ls of a plain file' ls params.safetensors <<'END'
params.safetensors: 6 tensors in 1 file, 1006 bytes
  path        type        role   pieces         bytes
  half        bf16[3, 5]              1            30
  model.d1.b  f32[7]                  1            28
  model.d1.w  f32[5, 7]               1           140
  model.d2.b  f32[3]                  1            12
  model.d2.w  f32[7, 3]               1            84
  wide        f64[11]                 1            88
END
"$dtgc" checkpoint cat run model.d2.w -o w.npy && [ "$(wc -c <w.npy)" = $((128 + 84)) ] || fail 'cat -o'
cat >npy.dtg <<'END'
param w: f32[7, 3] = zeros()
entry load(x: f32[7, 3]) { w <- x; return y = w }
entry look() { return s = sum(w) }
END
"$dtgc" run npy.dtg call load --feed x=w.npy --out y=- --save as-w >y.txt || fail 'the .npy is read'
"$dtgc" checkpoint cat as-w w >x.txt; sed 's/^y = //' y.txt | tail -n +2 | diff - x.txt || fail 'cat is what call prints'

# Partial loads and maps.
refused 'a file of params alone' 'no value for variable opt.t and 15 more (a partial load allows it)' 4 call keep --load params.safetensors --save p
ok 'a partial load' 4 call keep --load params.safetensors --load-partial --save p
[ "$(grep -c 'not in params.safetensors: .* keeps its value' err.txt)" = 16 ] || fail "told: $(cat err.txt)"
cat >names.map <<'END'
# theirs -> ours
w -> model.d2.w
END
ok 'a map' 4 call keep --load as-w --load-map names.map --load-partial --save q
"$dtgc" checkpoint cat q model.d2.w | diff - x.txt || fail 'the map was not used'
# A folder of others' files with their index, and names by pattern.
mkdir hf && cp params.safetensors hf/two.safetensors && "$dtgc" checkpoint reshard as-w hf/one.safetensors || fail 'no files of others'
index() { printf '{"metadata": {"total_size": 1}, "weight_map": {"w": "%s", "model.d1.b": "two.safetensors", "wide": "two.safetensors"}}' "$1" >hf/model.safetensors.index.json; }
index one.safetensors
"$dtgc" checkpoint ls hf | head -1 >out.txt && grep -q '^hf: 7 tensors in 2 files' out.txt || fail "hf: $(cat out.txt)"
cat >names.map <<'END'
model.d2.* -> -
w          -> model.d2.w
END
ok 'others and their index' 4 call keep --load hf --load-map names.map --load-partial --save r
"$dtgc" checkpoint cat r model.d2.w | diff - x.txt || fail 'hf: w'
[ "$("$dtgc" checkpoint cat r wide)" = "$("$dtgc" checkpoint cat run wide)" ] || fail 'hf: wide'
echo 'opt.m[model.*] -> model.*' >names.map
refused 'a pattern that makes one name twice' 'are mapped to model.d1.b' 4 call keep --load run --load-map names.map --load-partial
for outside in ../run/x.safetensors /etc/passwd .. ''; do
  index "$outside"
  says 1 'names a file that does not exist beside it' ls hf
done
index none.safetensors
says 1 'hf/none.safetensors: No such file' ls hf
echo 'w => x' >names.map
refused 'a wrong map' 'names.map: line 1: expected `theirs -> ours`' 4 call keep --load as-w --load-map names.map --load-partial
# A type that only others have: it is named.
printf '\076\0\0\0\0\0\0\0{"model.d2.b":{"dtype":"F6","shape":[4],"data_offsets":[0,3]}}abc' >f6.safetensors
refused 'a foreign type' 'model.d2.b is of a type (F6) or a number of dims' 4 call keep --load f6.safetensors --load-partial
refused 'no map' 'none.map: No such file' 4 call keep --load as-w --load-map none.map
refused 'a map alone' 'require --load PATH' 4 call keep --load-map names.map
refused 'options of --save' 'require --save FOLDER' 4 $fit --epochs 1 --keep 2
refused 'every' '--every 0: expected a number of steps, or `epoch`' 4 $fit --epochs 1 --save x --every 0
"$dtgc" run npy.dtg call look --save x >out.txt 2>err.txt && fail 'there is nothing to save'
grep -qF "entry 'look' changes no variables" err.txt || fail "nothing to save: $(cat err.txt)"
refused 'no checkpoint' 'there is no checkpoint in it' 4 call keep --load .
ok 'training from params' 4 $fit --epochs 1 --load params.safetensors --load-partial --save tuned --resume
grep -q '^loaded params.safetensors' out.txt || fail "not said: $(cat out.txt)"
ok 'the second time it resumes' 4 $fit --epochs 2 --load params.safetensors --load-partial --save tuned --resume
grep -q '^restored tuned/step-000004' out.txt || fail "not said: $(cat out.txt)"

# bf16: params alone, half the size, each the nearest.
ok bf16 2x2 call keep --load run --save small --save-bf16
"$dtgc" checkpoint ls small >out.txt
grep -q 'model.d1.w *f32\[5, 7\] *param *\[b, a\] *4 *70  as bf16$' out.txt || fail "bf16: $(cat out.txt)"
grep -q 'opt.m\[model.d1.w\].* 140$' out.txt || fail "states stay: $(cat out.txt)"
"$dtgc" checkpoint diff run small >out.txt && fail 'rounding changes something'
grep -q '^18 equal, 4 different' out.txt || fail "bf16: $(cat out.txt)"
awk '/relative/ { if ($(NF - 1) + 0 > 1 / 256) exit 1 }' out.txt || fail "bf16 is further than half a step: $(cat out.txt)"
ok 'bf16 back' one call keep --load small --save again --save-bf16
"$dtgc" checkpoint diff small again >/dev/null || fail 'rounding twice'
"$dtgc" checkpoint reshard run small2 --bf16 --files 2 && "$dtgc" checkpoint diff small small2 >/dev/null || fail 'reshard --bf16'

# Damaged ones are passed over.
cp -r run whole
part=run/step-000008/part-00002-of-00004.safetensors # its last byte
tail -c 1 $part | tr '\000-\377' '\001-\377\000' | dd of=$part bs=1 seek=$(($(stat -c %s $part) - 1)) conv=notrunc 2>/dev/null
says 1 'damaged: the checksum of' check run
ok 'one before the newest' 2x2 $fit --epochs 2 --save run --resume
grep -q '^restored run/step-000004: continuing with epoch 2' out.txt || fail "not said: $(cat out.txt)"
grep -q 'warning: skipping a checkpoint: run/step-000008/part-00002-of-00004.safetensors: damaged: the checksum of' err.txt || fail "not told: $(cat err.txt)"
same 'and to the same end' whole/step-000008 run/step-000008
rm run/step-00000?/model*
refused 'none is good' 'none of its 2 checkpoints can be restored' 2x2 $fit --epochs 2 --save run --resume

# Ctrl-C saves where it stopped. (set -m: without it a shell has its background jobs ignore the signal.)
set -m
"$dtgc" run "$here/model.dtg" "$here/4.dtg" $fit --epochs 1000000 --save stopped --plain >out.txt 2>err.txt &
for _ in $(seq 600); do grep -q 'epoch 2/' out.txt && break || sleep 0.1; done
kill -INT $!
wait $!
[ $? = 130 ] || fail "Ctrl-C: $(cat err.txt)"
set +m
step=$(sed -n 's/.*Ctrl-C after step \([0-9]*\) of 4 of epoch \([0-9]*\) .*/\1 \2/p' err.txt)
step=$((${step#* } * 4 - 4 + ${step% *}))
grep -q "saved stopped/$(printf 'step-%06d' $step)$" err.txt || fail "Ctrl-C: $(cat err.txt)"
[ -d "$(printf 'stopped/step-%06d' $step)" ] || fail "Ctrl-C at step $step: $(ls stopped)"
ok 'after Ctrl-C' 4 $fit --steps $((step + 3)) --save stopped --resume

# Another program.
sed 's/dense(7, 3)/dense(7, 4)/' "$here/model.dtg" >wider.dtg
"$dtgc" run wider.dtg call keep --load whole >out.txt 2>err.txt && fail 'another shape was taken'
grep -qF 'model.d2.b is f32[3]; variable model.d2.b is f32[4]' err.txt || fail "another shape: $(cat err.txt)"

# Streams: batch row b goes on where it ended in the step before (jump is 0), over a stop within an epoch, and with another mesh after it.
cat >streams.dtg <<'END'
const batch = 4
state seen: f32[batch] = full([batch], 99)
entry train(x: f32[batch]) {
  jump = sum(abs(x - seen - 1))
  loss = sum(x * (1 + f32(iota([batch]))))
  seen <- x
  return jump, loss
}
entry start() { seen <- 5 * f32(iota([batch])) - 1 }
entry near(x: f32[batch]) { return gap = sum(abs(x - seen - 1)) }
END
seq 0 21 >x.csv
streams() { "$dtgc" run streams.dtg "$@" --plain >out.txt 2>err.txt || fail "streams: $*: $(cat err.txt)"; }
fails() { # TEXT ARGS
  "$dtgc" run streams.dtg "${@:2}" --plain >out.txt 2>err.txt && fail "streams: $*"
  grep -qF -- "$1" err.txt || fail "streams: expected $1, found $(cat err.txt)"
}
fit="fit train --feed x=x.csv --stream start"
streams $fit --epochs 2 --log-steps whole.csv --eval train --eval-feed x=x.csv
grep -qF 'fit train: 22 rows, 5 steps of 4, as streams of 5 rows, the last 2 rows left out' out.txt || fail "plan of streams: $(cat out.txt)"
grep -q '^epoch 2/2  jump 0  loss 120  train jump 0  train loss 120 ' out.txt || fail "streams and evaluation: $(cat out.txt)"
for k in 0 1 2 3 4; do echo "$((k + 1)),1,0,$((1 * k + 2 * (5 + k) + 3 * (10 + k) + 4 * (15 + k)))"; done | diff - <(sed -n 2,6p whole.csv) || fail 'rows of streams'
streams $fit --epochs 2 --log-steps none.csv --prefetch 0
diff whole.csv none.csv || fail 'streams without reading ahead'
streams $fit --steps 3 --save streams --log-steps parts.csv
streams --mesh a=2 --layout 'x=[a]' $fit --steps 7 --save streams --resume --log-steps parts.csv
streams $fit --steps 10 --save streams --resume --log-steps parts.csv
diff whole.csv parts.csv || fail 'streams that were stopped twice'
# Logs of JSON lines, and of ranks, in parts as in one run
streams $fit --epochs 2 --log whole-e.jsonl --log-steps whole.jsonl --log-ranks whole-r.jsonl
rm -r streams
streams $fit --steps 3 --save streams --log parts-e.jsonl --log-steps parts.jsonl --log-ranks parts-r.jsonl
echo '{"step":4,"epoch":1,"cut o' >>parts-r.jsonl
streams $fit --steps 10 --save streams --resume --log parts-e.jsonl --log-steps parts.jsonl --log-ranks parts-r.jsonl
diff whole.jsonl parts.jsonl || fail 'steps as JSON lines, stopped once'
[ "$(sed -n 2p parts.jsonl)" = "$(awk -F, 'NR == 3 { printf "{\"step\":2,\"epoch\":1,\"jump\":%s,\"loss\":%s}", $3, $4 }' whole.csv)" ] || fail "JSON line: $(sed -n 2p parts.jsonl)"
untimed() { sed 's/"\(time\|seconds\|data_seconds\|rows_per_second\)":[0-9.e+-]*,\{0,1\}//g' "$1"; }
diff <(untimed whole-r.jsonl) <(untimed parts-r.jsonl) || fail 'ranks as JSON lines, stopped once'
[ "$(untimed parts-r.jsonl | sed 's/,"host":"[^"]*"//' | head -1)" = "$(sed -n 1p whole.jsonl | sed 's/"jump/"rank":0,&/')" ] || fail "ranks: $(head -1 parts-r.jsonl)"
diff <(untimed whole-e.jsonl) <(untimed parts-e.jsonl) || fail 'epochs as JSON lines, stopped once'
fails 'name the same file' $fit --epochs 1 --log-steps same.csv --log-ranks same.csv
fails 'a log is CSV, or with the ending .jsonl' $fit --epochs 1 --log-ranks ranks.json
streams $fit --steps 12 --save streams --resume
fails 'saved within an epoch of 4 streams' fit train --feed x=x.csv --steps 15 --save streams --resume --drop-last
fails '--stream and --shuffle exclude each other' $fit --epochs 1 --shuffle 1
fails 'expected an entry without inputs' fit train --feed x=x.csv --stream near --epochs 1
fails 'leaves no batch of the 3 rows' $fit --epochs 1 --limit 3
fails 'give a multiple of 5' $fit --steps 7 --eval train --eval-feed x=x.csv

says 2 "there is no command 'dif' (did you mean 'diff'?)" dif a b
says 2 'diff requires two names' diff run
says 2 "ls: unexpected 'b'" ls a b
says 2 'reshard has no option --file' reshard a b --file 3
says 2 '--files 0: expected a number from 1' reshard a b --files 0
says 1 "there is no tensor 'sen' (did you mean 'seen'?)" cat whole sen
says 1 'a name that ends in .safetensors is one file' reshard whole x.safetensors --files 2
says 1 'is not a checkpoint' reshard whole "$PWD"
says 2 'nowhere: No such file' diff whole nowhere
nm -D --defined-only "$3" | grep ' json_' && fail 'libdtgc exports what is Jansson'\''s'
done_testing
