#!/bin/bash
# tests/flow/length.sh DTGC: the code of recurrent layers does not grow with the number of steps; the gradient of their weights is
# one product behind the loop, whose sum over devices is exchanged once a call, not once a step.
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
    products=$(grep -c "dtrt_gemm" "$at/$n")
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
exit $failed
