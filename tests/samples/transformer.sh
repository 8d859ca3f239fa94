#!/bin/bash
# samples/transformer computes what one device computes, learns, writes, and moves what Megatron-LM moves.
#   transformer.sh DTGC SAMPLE       (SAMPLE: samples/transformer/sample.c, built)
dtgc=$1 sample=$2
. "$(dirname "$0")/kit.sh"

# Megatron-LM (Shoeybi et al. 2019, section 3): two all-reduces of [batch, seq, width] a block in each direction, and one for the
# gradient of what the head reads (the one that reaches the embedding is only scattered). With the sequence cut an all-gather and a
# reduce-scatter in place of each.
for l in data tensor sequence; do
  as_one "$gpt/$l.dtg"
done
learns "$gpt/sequence.dtg"
b=16 s=32 h=32 blocks=2
bsh=$((b / 2 * s * h * 4)) # bytes of a device's rows
t="$gpt/gpt.dtg $gpt/tensor.dtg $small"
q="$gpt/gpt.dtg $gpt/sequence.dtg $small"
activation="f32.$b, $s, $h. "
is 'tensor: sums of activations, forward' $(sum 1 eval "all-reduce over .model. of 2 . $activation" $t) $((2 * blocks))
is 'tensor: sums of activations, a step' $(sum 1 train "(all-reduce|reduce-scatter) over .model. of 2 . $activation" $t) $((4 * blocks + 1))
is 'tensor: their bytes, forward' $(sum 2 eval "over .model. of 2 . $activation" $t) $((2 * blocks * bsh))
is 'sequence: gathers of activations, forward' $(sum 1 eval "all-gather over .model. of 2 . $activation" $q) $((2 * blocks + 1))
is 'sequence: sums of activations, forward' $(sum 1 eval "reduce-scatter over .model. of 2 . $activation" $q) $((2 * blocks))
is 'sequence: their bytes, forward' $(sum 2 eval "over .model. of 2 . $activation" $q) $(((4 * blocks + 1) * bsh / 2))
is 'sequence: no activation is summed whole, forward' $(sum 1 eval "all-reduce over .* $activation" $q) 0
# The whole step at the sample's own size: at the small one an all-reduce of gradients, one message instead of two, is cheaper.
q="$gpt/gpt.dtg $gpt/sequence.dtg"
b=32 s=64 h=128 blocks=4
bsh=$((b / 2 * s * h * 4))
activation="f32.$b, $s, $h. "
is 'sequence: gathers of activations, a step' $(sum 1 train "all-gather over .model. of 2 . $activation" $q) $((4 * blocks + 1))
is 'sequence: sums of activations, a step' $(sum 1 train "reduce-scatter over .model. of 2 . $activation" $q) $((4 * blocks + 1))
is 'sequence: their bytes' $(sum 2 train "over .model. of 2 . $activation" $q) $(((8 * blocks + 2) * bsh / 2))
is 'sequence: no activation is summed whole' $(sum 1 train "all-reduce over .* $activation" $q) 0

# What was trained on four devices writes the same text on one and, cut otherwise, on four.
with="--save $tmp/trained" losses "$gpt/gpt.dtg" "$gpt/tensor.dtg" 1 149 -D blocks=1 >/dev/null || fail 'nothing is saved'
for l in '' sequence; do
  "$sample" "$tmp/trained" 'Shall I ' 40 0.7 "$gpt/gpt.dtg" ${l:+"$gpt/$l.dtg"} seq=32 width=32 blocks=1 batch=16 rate=3e-3 \
    >"$tmp/wrote$l" 2>"$tmp/told$l" || fail "sample, ${l:-one device}: $(cat "$tmp/told$l")"
  [ "$(head -c 8 "$tmp/wrote$l")" = 'Shall I ' ] && [ "$(wc -c <"$tmp/wrote$l")" -eq 49 ] && cmp "$tmp/wrote" "$tmp/wrote$l" ||
    fail "sample, ${l:-one device}: $(od -c "$tmp/wrote$l")"
done
head -c -1 "$text" >"$tmp/none" # no checkpoint
"$sample" "$tmp/none" a 1 1 "$gpt/gpt.dtg" >/dev/null 2>"$tmp/told" && fail 'sample takes what is no checkpoint'

exit $failed
