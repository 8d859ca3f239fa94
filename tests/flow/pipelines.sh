#!/bin/bash
# tests/flow/pipelines.sh DTGC [MPIEXEC]: a GPT whose blocks are a stack. On stages, beside data and model axes, in any number
# of microbatches, its gradients are those of the stack gone through by a scan, and steps with dropout have the losses of one
# device; ranks have the bits of threads. A tick moves one microbatch to the next stage, each device has the weights and
# optimizer's states of its layers alone. And what cannot be a pipeline is an error.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 mpiexec=${2:-}
at=$(mktemp -d) || exit 2
trap 'rm -rf "$at"' EXIT
model=$(cd "$(dirname "$0")" && pwd)/pipelines/gpt.dtg
cut='layout "model\.blocks.*" = [stage, ...]'
echo "$cut" >"$at/stage.dtg"
{ echo "$cut" && echo 'layout "compare.x|train.x" = [data, _]'; } >"$at/data.dtg"
cat >"$at/model.dtg" <<'END'
layout "model\.blocks.*(query|key|value|up)\.w" = [stage, _, model]
layout "model\.blocks.*(down|out)\.w" = [stage, model, _]
layout "model\.blocks.*(norms.*|\.b)" = [stage, _]
END

run() { # LAYOUTS MESH MICROBATCHES ENTRY [OPTIONS]
  "$dtgc" run -O0 -D micro="$3" "$model" "$at/$1.dtg" --mesh "$2" "${@:5}" call "$4" 2>&1 </dev/null
}
same() { # WHAT LOSSES OTHERS: up to the order of sums
  paste -d' ' <(grep -o '[0-9]\.[0-9]*' <<<"$2") <(grep -o '[0-9]\.[0-9]*' <<<"$3") |
    awk 'NF != 2 { exit 1 } { d = $1 - $2; n++ } d * d > 1e-24 { exit 1 } END { exit n != 3 }' || fail "$1: $3, one stage: $2"
}
s2=stage:stage=2 s4=stage:stage=4 data=data:stage=2,data=2 model2=model:stage=2,model=2
# Each mesh with two numbers of microbatches.
for each in "1 $s4 $model2" "2 $data" "4 $s2 $model2" "8 $s4 $s2 $data"; do
  read -r micro meshes <<<"$each"
  one=$(run stage stage=1 $micro train)
  for on in $meshes; do
    out=$(run "${on%%:*}" "${on#*:}" $micro compare)
    [ "$out" = 'wrong = 0' ] || fail "$on, $micro microbatches: $out"
    same "$on, $micro microbatches" "$one" "$(run "${on%%:*}" "${on#*:}" $micro train)"
  done
done
[ "$(run stage stage=1 1 train)" != "$(run stage stage=1 2 train)" ] || fail 'no dropout'
if [ -n "$mpiexec" ]; then
  for on in stage:stage=4 data:stage=2,data=2; do
    threads=$(run "${on%%:*}" "${on#*:}" 4 train)
    ranks=$("$mpiexec" -n 4 "$dtgc" run -O0 -D micro=4 "$model" "$at/${on%%:*}.dtg" --mesh "${on#*:}" --transport mpi call train 2>&1 </dev/null)
    [ "$ranks" = "$threads" ] || fail "$on: threads have $threads, ranks $ranks"
  done
fi

# 4 microbatches of 4 x 8 x 16 f64 through 4 stages: 7 ticks, a permute of 4096 bytes each way in each; all of them once to
# what comes behind, and once back. Nothing else moves within the loops.
moved=$("$dtgc" "$model" "$at/stage.dtg" --mesh stage=4 --dump=comm |
  awk '/^entry/ { e = $2 } e != "step:" { next } / x [0-9]+: / { n = $4 } / over \(stage\)/ && n { print n, $1, $6; n = "" }')
loops=$(sort <<<"$moved" | uniq -c | awk '{ print $1, $2, $3, $4 }')
is 'exchanges in loops' "$loops" '2 7: permute 4096'

"$dtgc" "$model" "$at/stage.dtg" --mesh stage=4 --dump=memory >"$at/memory"
own=$(awk '/opt\.m\[model\.blocks\.up\.w\]|model\.blocks\.up\.w/ { print $2 }' "$at/memory" | sort -u | head -1)
is 'bytes of a layer of up.w' "$own" 4096

rejects() { # PART-OF-THE-MESSAGE LAYERS MICRO APPLY: what the layer's method does
  cat >"$at/bad.dtg" <<END
layer block() {
  param w: f32[3, 3] = uniform()
  state s: f32[] = 0
  apply(x) { $4 }
}
mesh [stage=2]
layout "blocks.*w" = [stage, ...]
blocks = stack($2) block()
entry f(x: f32[8, 3]) { return y = pipeline(blocks, x, microbatches=$3) }
END
  expect 1 "$1" "$dtgc" "$at/bad.dtg" --dump=comm
}
rejects 'bad.dtg:9:45: error: blocks has 3 layers, which its layout deals to 2 stages' 3 2 'return x @ w'
# A layout of the command line is pointed at, too.
expect 1 '--layout:1:20: note: the layout is here' "$dtgc" "$at/bad.dtg" --layout '"blocks.*w"=[stage,...]'
rejects 'bad.dtg:9:69: error: a batch of 8 rows cannot be divided into 3 equal microbatches' 4 3 'return x @ w'
rejects 'error: `microbatches` is a number from 1 on' 4 0 'return x @ w'
rejects 'of f32[4, 3] this one makes a tensor f32[4, 2]' 4 2 'return (x @ w)[:, :2]'
rejects 'this one assigns a variable' 4 2 's <- 1; return x @ w'
rejects 'this one has a loop or a branch that runs' 4 2 'repeat i in 0..2 { x = x @ w }; return x'
rejects 'this one checks or prints a tensor' 4 2 'return print(x @ w)'
rejects '`pool_max` cannot be computed for several rows at once' 4 2 'return x * max_pool(reshape(x, [1, 4, 3, 1]), [1, 1])[0, :, :, 0]'
exit $failed
