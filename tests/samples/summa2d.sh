#!/bin/bash
# samples/summa2d computes what one device computes, learns, moves what its page says beside SUMMA, and no layouts written by hand are modelled
# to be quicker than those found.
#   summa2d.sh DTGC
dtgc=$1
. "$(dirname "$0")/kit.sh"
summa=$root/samples/summa2d

as_one "$summa/summa.dtg"
learns "$summa/summa.dtg"

# By name would be by number here: blocks of X are [16, 64, 64] of f32[32, 64, 128], or of the heads' f32[32, 64, 4, 32].
x=262144 blocks=4
s="$gpt/gpt.dtg $summa/summa.dtg"
X='f32.32, 64, (128|4, 32). '
W='f32.(128, 4, 32|4, 32, 128|128, 512|512, 128). '
panels=$(sum 2 train "(all-gather|reduce-scatter) over .col. of 2 . $X" $s)
is 'panels of X, forward and backward' "$panels" $(((8 * blocks + 2) * x)) # the head's among them
w=$((16384 * 4 + 65536)) # bytes of a device's q, k, v, out and up of a block
is 'panels of W' $(sum 2 train "all-gather over .row. of 2 . $W" $s) $((blocks * w))
is 'panels of dW' $(sum 2 train "reduce-scatter over .row. of 2 . $W" $s) $((blocks * w))
is 'down' $(sum 2 train "over .row, col. of 4 . f32.512, 128." $s) $((blocks * 4 * 65536))
is 'weights gathered whole' $(sum 1 train "all-gather over .row, col. of 4 . $W" $s) 0

# A quarter of the parameters and moments of 832256, with what every device has a whole copy of: t, 16 bytes at most.
variables=$("$dtgc" $s --dump=memory | awk '/^variables/ { print $2 }')
holds "$variables >= 12 * 832256 / 4 && $variables <= 12 * 832256 / 4 * 1.01" || fail "variables take $variables bytes"

for size in '' '-D width=512 -D heads=8 -D batch=4'; do
  table=$("$summa/compare" $size) || fail "compare $size"
  awk 'NR > 1 { step = $2 * ($3 == "s" ? 1000 : $3 == "us" ? .001 : 1) } NR == 2 { found = step } NR > 2 && step < found * .998 { exit 1 } END { if (NR < 8) exit 1 }' <<<"$table" ||
    fail "found layouts are not the quickest: $table"
done
exit $failed
