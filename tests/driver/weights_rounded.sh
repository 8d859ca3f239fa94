#!/bin/bash
# Weights of f32 become bf16 or f16 as products pack them: no step casts one that two products read; and the bits are those of casts that are
# stored (--disable=inline).   weights_rounded.sh DTGC FOLDER
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
fresh_folder "$2"

cat >m.dtg <<'E'
import "nn"
import "optim"
param w: f32[96, 72] = normal() * 0.1
param layers: f32[3, 72, 72] = normal() * 0.1
param twice: f32[72, 72] = normal() * 0.1
param again: f32[72, 40] = normal() * 0.1
opt = sgd([w, layers, twice, again], lr=1e-3)
fn net(x) {
  h = tanh(x @ w)
  for i in 0..3 { h = tanh(h @ layers[i]) }
  for i in 0..2 { h = tanh(h @ twice) }
  return einsum("kc,nk->nc", again, h)
}
entry train(x: f32[50, 96]) {
  y = net(x)
  loss = mean(y * y)
  opt.minimize(loss)
  return loss
}
entry one(x: f32[1, 96]) { return y = net(x) }
E
for t in bf16 f16; do
  for more in '' ', master f32'; do
    "$dtgc" m.dtg --precision "$t$more" --dump=loops | sed '/^entry one/,$d' >loops
    is "casts of weights in $t$more" "$(grep -c '= cast(\(w\|layers\|again\)\[' loops)" 0
    grep -q '= cast(twice\[' loops || fail "what four products read is packed from f32 in $t$more"
  done
done
grep -q "dtrt_gemm_half(DTRT_F16, 2, 0, 0, 50, 72, 96, .*, w, 72" loops || fail "no product of w itself: $(grep gemm_half loops)"

awk 'BEGIN { for (i = 0; i < 50; i++) for (j = 0; j < 96; j++) printf "%.5f%s", sin(i * 7 + j * j), j < 95 ? "," : "\n" }' >x.csv
head -1 x.csv >one.csv
bits() {
  "$dtgc" run m.dtg "$@" fit train --feed x=x.csv --epochs 3 --save ck >out 2>&1 || fail "$*: $(cat out)"
  "$dtgc" checkpoint cat ck/step-000003 layers -o layers.npy && "$dtgc" checkpoint cat ck/step-000003 w -o w.npy
  cat layers.npy w.npy | md5sum
  rm -rf ck
}
for t in bf16 f16; do
  for kernel in '' portable avx2; do
    export DTRT_GEMM=$kernel
    [ -n "$kernel" ] || unset DTRT_GEMM
    want=$(bits --precision $t --disable=inline)
    is "bits of $t, ${kernel:-best kernel}" "$(bits --precision $t)" "$want"
    is "bits of $t on 3 cores, ${kernel:-best kernel}" "$(DTRT_CORES=3 bits --precision $t)" "$want"
  done
done
unset DTRT_GEMM
is 'one row' "$("$dtgc" run m.dtg --precision bf16 call one --feed x=one.csv 2>&1)" \
  "$("$dtgc" run m.dtg --precision bf16 --disable=inline call one --feed x=one.csv 2>&1)"
exit $failed
