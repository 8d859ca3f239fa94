#!/bin/bash
# --precision: every product and convolution of f32 in the samples rounds both operands and gives f32; variables and checkpoints stay f32 and
# load with and without; losses stay near; layouts stay exact.   precision.sh DTGC FOLDER SOURCES
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 sources=$3
fresh_folder "$2"

# The types of each product's operands and its own: "bf16 bf16 f32".
types_of_products() {
  awk '/ = / { dtype = $0; sub(/.* : /, "", dtype); sub(/\[.*/, "", dtype); of[$1] = dtype }
    / = (contract|conv|conv_input|conv_weight) / { x = $4; sub(/,$/, "", x); print of[x], of[$5], of[$1] }' | sort | uniq -c
}
for t in bf16 f16 f32; do
  for file in transformer/gpt imdb/mlp moe/moe cifar10/cnn; do
    seen=$("$dtgc" "$sources/samples/$file.dtg" --precision=$t --dump=graph | types_of_products)
    if [ -z "$seen" ] || grep -qv " $t $t f32" <<<"$seen"; then fail "$file in $t: $seen"; fi
  done
done

cat >m.dtg <<'E'
import "nn"
import "optim"
const batch = 12
model = sequential([dense(8, 16, act=tanh), dense(16, 4)])
opt = adam(model)
entry train(x: f32[batch, 8], y: f32[batch, 4]) {
  loss = mse(model(x), y)
  opt.minimize(loss)
  return loss
}
entry loss(x: f32[batch, 8], y: f32[batch, 4]) { return loss = mse(model(x), y) }
E
numbers() { # ROWS COLUMNS BY
  awk -v r="$1" -v c="$2" -v by="$3" 'BEGIN {
    for (i = 0; i < r; i++) for (j = 0; j < c; j++) printf "%.4f%s", sin(i * by + j * j), j + 1 < c ? "," : "\n" }'
}
numbers 24 8 3 >x.csv && numbers 24 4 5 >y.csv
head -12 x.csv >one.csv && head -12 y.csv >two.csv
loss() { "$dtgc" run m.dtg "$@" call loss --feed x=one.csv --feed y=two.csv --load short 2>/dev/null | sed -n 's/^loss = //p'; }
"$dtgc" run m.dtg --precision bf16 fit train --feed x=x.csv --feed y=y.csv --epochs 3 --save short >/dev/null 2>&1 ||
  fail 'training in bf16'
"$dtgc" checkpoint ls short/step-000006 >ls
grep -q 'model.layers\[0\].w *f32' ls || fail "no f32 in the checkpoint: $(cat ls)"
grep -q 'f16' ls && fail "short types in the checkpoint: $(cat ls)"
a=$(loss) b=$(loss --precision bf16)
{ [ -n "$a" ] && [ "$a" != "$b" ]; } || fail "losses $a and $b of one checkpoint"
awk -v a="$a" -v b="$b" 'BEGIN { exit !((a - b) ^ 2 < (0.01 * a) ^ 2) }' || fail "losses $a and $b"
for t in bf16 f16; do
  expect 0 'agree' "$dtgc" verify m.dtg --precision $t --mesh d=2,e=2 --layout 'x=[d, _]' --layout 'model.layers[1].w=[e, _]'
done
expect 1 '`i8`' "$dtgc" m.dtg --precision i8
expect 1 'takes bf16, f16 or f32, not `model = bf16`' "$dtgc" m.dtg --precision 'model = bf16'
expect 2 '--precision' "$dtgc" m.dtg --precision bf16 --precision f16
echo 'precision model.layers[5] = bf16' >p.dtg
expect 0 'no effect; did you mean `model.layers[0]`?' "$dtgc" m.dtg p.dtg
expect 1 'no effect' "$dtgc" m.dtg p.dtg --strict-layouts

# What an LSTM carries and keeps of its runs is short, its cell states are f32, and it learns as in f32: losses of 300 steps.
tr -cd '\12\40-\176' <"$sources/docs/language.md" >text
lstm=("$sources/samples/lstm/lstm.dtg" -D width=32 -D batch=8 -D seq=16)
"$dtgc" "${lstm[@]}" --precision 'bf16, master f32' --dump=graph | sed -n '/^entry train/,/^}/p' >graph
stacks=$(grep -c ' = carry .*: bf16\[16, 8, ' graph)
[ "$stacks" -ge 8 ] || fail "$stacks stacks are short"
grep ' = carry .*: f32\[16, 8, ' graph && fail 'what is kept of all runs is not short'
grep -q 'model.first.h.* = carry .*: bf16' graph || fail 'h is not short'
grep -q 'model.first.c.* = carry .*: f32' graph || fail 'c is not f32'
read_text() { # ROWS OPTIONS: leaves its variables in the folder read
  rm -rf read
  "$dtgc" run "${lstm[@]}" "${@:2}" fit train --feed text=text:u8[17]@16:0-15 --feed after=text:u8[17]@16:1-16 --limit $1 \
    --stream start --epochs 1 --save read 2>/dev/null | sed -n 's/.*loss \([0-9.]*\).*/\1/p'
}
# Unoptimized, conversions of halves take three times what clang's optimizer does.
a=$(read_text 2400 -O3)
for t in bf16 f16; do
  b=$(read_text 2400 -O3 --precision "$t, master f32")
  awk -v a="$a" -v b="$b" 'BEGIN { exit !(a > 0 && b != "" && (a - b) ^ 2 < (0.01 * a) ^ 2) }' || fail "losses in f32 $a, in $t $b"
done
# What is recomputed under --memory is rounded as what it is a copy of: the same bits.
read -r vars arena <<<"$("$dtgc" "${lstm[@]}" --precision 'bf16, master f32' --dump=cost |
  sed -n 's/.* bytes a device: variables \([0-9]*\), arena \([0-9]*\)$/\1 \2/p' | sort -n -k 2 | tail -1)"
left() {
  read_text 80 --precision 'bf16, master f32' "$@" >/dev/null && "$dtgc" checkpoint cat read/step-000010 model.first.u -o u.npy && md5sum <u.npy
}
"$dtgc" "${lstm[@]}" --precision 'bf16, master f32' --memory $((vars + arena * 8 / 10)) --dump=memory | grep -q 'one in .* keeps what it carries' ||
  fail 'nothing is recomputed'
a=$(left) b=$(left --memory $((vars + arena * 8 / 10)))
{ [ -n "$a" ] && [ "$a" = "$b" ]; } || fail "kept $a, recomputed $b"
expect 0 'agree' "$dtgc" verify "${lstm[@]}" "$sources/samples/lstm/rows.dtg" --precision 'bf16, master f32' train

# Convolutions: losses of 300 steps are near those in f32, and the same on any number of cores; plans agree.
cat >c.dtg <<'E'
import "nn"
import "optim"
const batch = 12
layer net() {
  c1 = conv_layer(3, 8, [3, 3], act=tanh)
  c2 = conv_layer(8, 15, [3, 3], act=tanh, stride=2)
  c3 = conv_layer(15, 15, [3], groups=5, padding="valid")
  top = dense(15, 4)
  apply(x) { return top(mean(c3(reshape(c2(c1(x)), [batch, 16, 15])), axis=1)) }
}
model = net()
opt = adam(model, lr=0.002)
entry train(x: f32[batch, 192], y: f32[batch, 4]) {
  loss = mse(model(reshape(x, [batch, 8, 8, 3])), y)
  opt.minimize(loss)
  return loss
}
E
numbers 24 192 3 >c.csv
last_loss() { "$dtgc" run c.dtg "$@" fit train --feed x=c.csv --feed y=y.csv --epochs 150 --log c.log >/dev/null 2>&1; tail -1 c.log | cut -d, -f4; }
a=$(last_loss) b=$(last_loss --precision bf16)
awk -v a="$a" -v b="$b" 'BEGIN { exit !(a > 0 && a != b && (a - b) ^ 2 < (0.01 * a) ^ 2) }' || fail "losses of convolutions after 300 steps: $a and $b"
[ "$(DTRT_CORES=3 last_loss --precision bf16)" = "$b" ] || fail 'convolutions in bf16 on 3 cores'
for t in bf16 f16; do
  expect 0 'agree' "$dtgc" verify c.dtg --precision $t --mesh d=2,e=2 --layout 'x=[d, _]' --layout 'model.c2.w=[_, _, _, e]'
done

# With `master f32` activations take half; losses are near, the same on any number of cores; plans agree; checkpoints are f32.
arena() { "$dtgc" deep.dtg --precision "$1" --dump=memory | sed -n 's/^entry train: arena \([0-9]*\) bytes.*/\1/p'; }
sed 's/sequential(\[/sequential([layer_norm(8), /; s/dense(8, 16, act=tanh)/dense(8, 32, act=gelu), batch_norm(32), dense(32, 16, act=gelu)/
  s/batch = 12/batch = 4800/' m.dtg >deep.dtg
f32=$(arena f32) short=$(arena 'bf16, master f32')
[ "$short" -gt 0 ] && [ $((short * 100)) -lt $((f32 * 60)) ] || fail "activations take $short bytes, $f32 in f32"
for t in bf16 f16; do
  c=$(last_loss --precision "$t, master f32")
  awk -v a="$a" -v b="$b" -v c="$c" 'BEGIN { exit !(a > 0 && a != c && b != c && (a - c) ^ 2 < (0.01 * a) ^ 2) }' ||
    fail "losses of convolutions after 300 steps: $a and $c in $t with master f32"
  [ "$(DTRT_CORES=3 last_loss --precision "$t, master f32")" = "$c" ] || fail "$t with master f32 on 3 cores"
  expect 0 'agree' "$dtgc" verify c.dtg --precision "$t, master f32" --mesh d=2,e=2 --layout 'x=[d, _]' --layout 'model.c2.w=[_, _, _, e]'
done
"$dtgc" run m.dtg --precision 'bf16, master f32' fit train --feed x=x.csv --feed y=y.csv --epochs 1 --save kept >out 2>&1 || fail "$(cat out)"
"$dtgc" checkpoint ls kept/step-000002 >ls
grep -q 'f16' ls && fail "short types in the checkpoint: $(cat ls)"
expect 1 'kept in f32' "$dtgc" m.dtg --precision 'bf16, master bf16'

# In f16 with `master f32` losses are scaled by themselves, as `loss_scaled` does; steps that are not finite change nothing but the scale.
sed 's/adam(model)/loss_scaled(adam(model), model)/' m.dtg >scaled.dtg
sixteen() { # PROGRAM STATE
  rm -rf sixteen
  "$dtgc" run "$1" --precision 'f16, master f32' fit train --feed x=x.csv --feed y=y.csv --epochs 3 --save sixteen >out 2>&1 || cat out
  for of in 'model.layers[0].w' "$2.scale" "$2.good"; do
    "$dtgc" checkpoint cat sixteen/step-000006 "$of" -o w.npy && md5sum <w.npy
  done
}
want=$(sixteen scaled.dtg opt) got=$(sixteen m.dtg opt.loss_scaled)
{ [ -n "$want" ] && [ "$got" = "$want" ]; } || fail "scaled by itself: $got, by the layer: $want"
"$dtgc" m.dtg --precision f16 --dump=statements | grep -q loss_scaled && fail 'losses are scaled without `master f32`'
"$dtgc" scaled.dtg --precision 'f16, master f32' --dump=statements | grep -q 'opt.loss_scaled' && fail 'losses are scaled twice'
cat >skipped.dtg <<'E'
import "optim"
precision f16, master f32
param w: f32[4, 4] = ones([4, 4])
opt = adam(w)
entry train(x: f32[4, 4]) {
  opt.minimize(sum(x @ w))
  return scale = opt.loss_scaled.scale, moved = sum(i32(not (w == 1))), t = opt.t, m = sum(opt.m[w])
}
E
for _ in 1 2 3 4; do echo "inf,1,1,1"; done >huge.csv
for mesh in '' '--mesh=d=2 --layout=x=[d,_]'; do
  expect 0 'scale = 16384' "$dtgc" run skipped.dtg $mesh call train --feed x=huge.csv
  "$dtgc" run skipped.dtg $mesh call train --feed x=huge.csv 2>&1 | tr '\n' ' ' | grep -q 'moved = 0 t = 0 m = 0' || fail 'a step was not skipped'
done
{
  sed 's/adam(w)/own()/; /^entry/,$d' skipped.dtg
  echo 'layer own() { minimize(loss) { w <- w - grad(loss, w) } }'
  echo 'entry train(x: f32[4, 4]) { opt.minimize(sum(x @ w)) }'
} >own.dtg
expect 0 'losses that opt minimizes are not scaled' "$dtgc" own.dtg

# A matrix that all tiles of a nest read is packed once a nest: each step packs it anew, on any number of cores.
sed 's/16, act=tanh/256, act=tanh), dense(256, 256, act=tanh/; s/dense(16/dense(256/' m.dtg >wide.dtg
sed 's/size=1600B/size=16KB/; s/size=64B/size=8KB/' "$sources/tests/tiny.machine" >small.machine
"$dtgc" wide.dtg --precision bf16 --machine small.machine --dump=loops >loops
grep -q 'dtrt_gemm_half(DTRT_BF16, 0, 1, 0, len0, 256, 12, .*, 1, 0)' loops || fail 'no product in a nest of tiles'
trained() {
  rm -rf wide
  "$dtgc" run wide.dtg --precision bf16 "$@" fit train --feed x=x.csv --feed y=y.csv --epochs 3 --save wide >out 2>&1 || cat out
  "$dtgc" checkpoint cat wide/step-000006 'model.layers[1].w' -o w.npy && md5sum <w.npy
}
want=$(trained --disable=tile)
for cores in 1 3; do
  [ "$(DTRT_CORES=$cores trained --machine small.machine)" = "$want" ] || fail "tiles on $cores cores: $want"
done
exit $failed
