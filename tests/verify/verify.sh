#!/bin/bash
# dtgc verify on programs of many kinds, on four meshes each: all agree; its options; its errors for a wrong command line.
#   verify.sh DTGC
set -u
dtgc=$1
. "$(dirname "$0")/../lib.sh"
scratch_folder
evidence=(out err)
cd "$tmp" || exit 2

# A network with dropout, in any type; images through a convolution; attention with a mask; whole numbers; a running sum, a sort.
cat >dense.dtg <<'D'
import "nn"
import "optim"
const real = f32
d1 = dense(12, 24, act = relu)
d2 = dense(24, 5)
opt = adam([d1, d2])
entry train(x: f32[16, 12], label: i64[16]) {
  h = dropout(d1(x), 0.3)
  loss = mean(sparse_softmax_cross_entropy(d2(h), label))
  opt.minimize(loss)
  return loss
}
D
for t in f16 bf16; do
  cat >$t.dtg <<D
param w: $t[12, 24] = normal(stddev=0.3)
param v: $t[24, 5] = normal(stddev=0.3)
entry train(x: $t[16, 12], label: u8[16]) {
  h = tanh(x @ w)
  y = h @ v
  loss = mean(sparse_softmax_cross_entropy(f32(y), i32(label)))
  w <- w - cast(0.1, $t) * grad(loss, w)
  v <- v - cast(0.1, $t) * grad(loss, v)
  return loss, y
}
D
done
cat >conv.dtg <<'D'
import "nn"
import "optim"
c = conv_layer(3, 8, [3, 3])
n = batch_norm(8)
d = dense(4 * 4 * 8, 10)
opt = sgd([c, n, d], lr = 0.1)
entry train(image: u8[8, 8, 8, 3], label: u8[8]) {
  h = max_pool(relu(n(c(f32(image) / 255))), 2, stride = 2)
  loss = mean(sparse_softmax_cross_entropy(d(reshape(h, [8, 4 * 4 * 8])), i32(label)))
  opt.minimize(loss)
  return loss
}
D
cat >attention.dtg <<'D'
param q: f32[8, 8] = normal(stddev=0.5)
param table: f32[20, 8] = normal()
entry f(word: i32[8, 8]) {
  x = gather(table, word)
  s = einsum("bie,bje->bij", x @ q, x)
  seen = iota([8, 8], axis=0) >= iota([8, 8], axis=1)
  p = softmax(where(seen, s, -inf))
  y = einsum("bij,bje->bie", p, x)
  loss = mean(y * y)
  q <- q - grad(loss, q)
  table <- table - grad(loss, table)
  return loss, y
}
D
cat >whole.dtg <<'D'
state count: i64[6] = 0
entry f(x: i32[16, 6], y: i8[16, 6], ok: bool[16, 6]) {
  z = where(ok, x * i32(y), x // 3) + iota([16, 6], axis=0)
  count <- count + i64(sum(z, axis=0))
  return total = sum(z), best = max(z), at = argmax(x, axis=1), run = cumsum(z, axis=0), order = sort(x, axis=0)
}
D
cat >nan.dtg <<'D'
entry f(x: f32[16, 4]) { return s = sum(sqrt(x - 2)), y = 1 / (x - x) }
D
cat >noise.dtg <<'D'
state v: f64[16, 4] = uniform()
entry f(x: f64[16, 4]) {
  y = x + normal([16, 4], 0, 1, f64)
  v <- (v + roll(v, 1, axis=0)) / 2 + 0.01 * y
  return log(1 + v * v), sqrt(exp(y))
}
D
meshes=("a=2" "a=3" "a=2,b=2" "a=4")
for model in dense f16 bf16 conv attention whole noise nan; do
  for k in 0 1 2 3; do
    layouts=()
    case $model in
    nan) layouts=(--layout 'x=[a,b]') ;;
    dense) layouts=(--layout 'x=[a,...]' --layout 'd1.w=[_,b]') ;;
    f16 | bf16) layouts=(--layout 'x=[a,...]' --layout 'v=[b,_]') ;;
    conv) layouts=(--layout 'image=[a,b,...]') ;;
    attention) layouts=(--layout 'word=[a,_]' --layout 'table=[_,b]') ;;
    whole) layouts=(--layout 'x=[a,_]' --layout 'y=[_,b]') ;;
    noise) layouts=(--layout 'v=[a,b]') ;;
    esac
    [[ ${meshes[$k]} == *b=* ]] || layouts=("${layouts[@]//,b/,_}") layouts=("${layouts[@]//\[b/[_}")
    if ! "$dtgc" verify $model.dtg --mesh "${meshes[$k]}" "${layouts[@]}" --steps 2 --seed $k >out 2>&1; then
      fail "$model on ${meshes[$k]}"
    fi
  done
done

# says STATUS PATTERN ARGUMENTS...: of dtgc verify; of stdout and stderr together
verify() { "$dtgc" verify "$@" >&2; }
says() { gives "$1" "$2" verify "${@:3}"; }
split=(dense.dtg --mesh a=2 --layout 'x=[a,...]')
awk 'BEGIN { for (r = 0; r < 48; r++) { for (c = 0; c < 12; c++) printf "%.3f,", (r * 7 + c * 5) % 11 / 11; print r % 5 } }' >d.csv
says 0 'train: .* compared over 3 steps on 2 devices: they agree' "${split[@]}" train --feed x=d.csv:0-11 --feed label=d.csv:12 --steps 3
says 0 'input label, i64\[16\], is drawn from 0 to 4 with seed 9' "${split[@]}" --feed x=d.csv:0-11 --seed 9
says 0 '^\{"entry": "train", "agrees": true, "tensors": [0-9]+, "steps": 1, "worst": [0-9.e-]+, "of": ".*"\}$' "${split[@]}" --json
says 0 'over 1 step on 1 device: they agree bit for bit' whole.dtg
says 2 'unknown entry' "${split[@]}" trian
says 2 'two' "${split[@]}" train train
says 2 'unknown input .y.' "${split[@]}" train --feed y=d.csv
says 2 'nosuch.csv' "${split[@]}" train --feed x=nosuch.csv
says 2 '--tolerance takes' "${split[@]}" --tolerance -1
says 2 '--steps takes' "${split[@]}" --steps 0
says 2 'nowhere.dtg' nowhere.dtg
says 2 'expected a .dtg file'
# Without an exchange something differs, and a line of JSON says what; bounds can be made too narrow.
split+=(--machine generic --drop-exchange 1) # which is the first depends on the computer
says 1 'dense.dtg:[0-9]+:[0-9]+: error: .* differs from the result on one device; it is computed by all-gather over a' "${split[@]}"
says 1 'step 1, device [01], index \[.*\]: .*, and on one device .*; they may differ by' "${split[@]}"
says 1 '^\{"entry": "train", "step": 1, "differs": ".*", "made_by": "all-gather over a", "where": "dtg/nn.dtg:[0-9]+, called at dense.dtg' "${split[@]}" --json
says 0 'is closest to its bound, at 0\.' dense.dtg --mesh a=2 --layout 'd2.w=[a,_]'
says 1 'they differ' dense.dtg --mesh a=2 --layout 'd2.w=[a,_]' --tolerance 1e-9
exit $failed
