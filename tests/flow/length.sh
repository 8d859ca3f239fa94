#!/bin/bash
# tests/flow/length.sh DTGC: the code of recurrent layers does not grow with the number of steps; the gradient of their weights is
# one product behind the loop, whose sum over devices is exchanged once a call, not once a step. Neither do code and plan of a
# GPT whose blocks are a stack with their number, on one device and on 65,536; ZeRO-3 gathers one layer's weights in each run.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
at=$(mktemp -d) || exit 2
trap 'rm -rf "$at"' EXIT
for layer in rnn gru lstm; do
  cat >"$at/m.dtg" <<END
import "nn"
import "optim"
const n = 5
layer net() {
  rec = $layer(24, 40)
  apply(x) { return rec(x) }
}
model = net()
opt = sgd(model, lr = 0.1)
entry train(x: f32[8, n, 24], y: f32[8, n, 40]) {
  d = model(x) - y
  loss = mean(d * d)
  opt.minimize(loss)
  return loss
}
END
  for n in 5 1024; do
    "$dtgc" "$at/m.dtg" -D n=$n --dump=loops >"$at/$n" || fail "$layer: --dump=loops"
    # Products by their shapes: one before the loop, one in it; behind it each weight has one, over all steps.
    products=$(grep -c "dtrt_gemm[a-z_]*([^)]" "$at/$n")
    [ "$products" = 5 ] || fail "$layer, $n steps: $products products, not 5"
    deep=$(grep -c "dtrt_gemm[a-z_]*(.*1, 0, [0-9]*, [0-9]*, $((8 * n)), " "$at/$n")
    [ "$deep" = 2 ] || fail "$layer, $n steps: $deep products over all steps, not 2"
  done
  few=$(wc -l <"$at/5") many=$(wc -l <"$at/1024")
  [ $((many - few)) -lt 100 ] || fail "$layer: $few lines for 5 steps, $many for 1024"
  "$dtgc" "$at/m.dtg" --mesh a=2 --layout 'train.x=[a,_,_]' --layout 'train.y=[a,_,_]' --dump=comm >"$at/comm" ||
    fail "$layer: --dump=comm"
  grep -q 'entry train: 1 exchange,' "$at/comm" || fail "$layer: $(grep '^entry train' "$at/comm")"
  ! grep -q ' x 5' "$at/comm" || fail "$layer: exchanges in the loop: $(cat "$at/comm")"
done

gpt=("$(dirname "$0")/../scale/gpt.dtg" -D stacked=true)
large=(--mesh data=4096,model=16 -D batch=65536 -D heads=16 --layout 'text=[data,_]' --layout 'model.block.up.w=[_,model]')
for mesh in one large; do
  flags=()
  [ $mesh = one ] || flags=("${large[@]}")
  for n in 2 96; do
    "$dtgc" "${gpt[@]}" -D blocks=$n "${flags[@]}" --dump=loops >"$at/$n" || fail "gpt, $n blocks, $mesh: --dump=loops"
  done
  few=$(wc -l <"$at/2") many=$(wc -l <"$at/96")
  [ "$few" -gt 300 ] && [ $((many - few)) -lt $((few / 10)) ] || fail "gpt, $mesh: $few lines for 2 blocks, $many for 96"
done
"$dtgc" "${gpt[@]}" -D blocks=96 --mesh data=4 --layout 'text=[data,_]' --layout 'next=[data,_]' \
  --layout '"model\.block.*\.attn\.[qkv]"=[data,...]' --layout '"model\.block\[\d+\]\.up\.w"=[_,data]' --dump=comm >"$at/comm" ||
  fail "gpt: --dump=comm"
grep -q 'exchange [0-9]* x 96' "$at/comm" || fail "gpt: no exchange within the loop: $(grep exchange "$at/comm" | head)"
grep -q 'all-gather.* f32\[256, 1024\] \[_, data\] -> \[_, _\]' <(tr -s ' \n' ' ' <"$at/comm") ||
  fail "gpt: one layer's weights are not gathered: $(grep all-gather "$at/comm" | head)"
exit $failed
