#!/bin/bash
# samples/zero computes what one device computes, learns, and moves and holds what ZeRO's paper says (Rajbhandari et al. 2020).
#   zero.sh DTGC
dtgc=$1
. "$(dirname "$0")/kit.sh"
zero=$root/samples/zero

for l in zero1 zero2 zero3; do as_one "$zero/$l.dtg"; done
learns "$zero/zero3.dtg"

# Section 7: of Y parameters in f32 a device receives 2Y(N-1)/N of them, by a reduce-scatter and an all-gather; in stage 3, which gathers
# forward and backward, 3Y(N-1)/N. Biases and what is added are read in one of the two only.
y=832256
for l in data zero1 zero2; do
  is "$l: bytes" $(sum 2 train ' ' "$gpt/gpt.dtg" "$zero/$l.dtg") $((2 * y * 4 * 3 / 4 + 12)) # 12: the loss
done
is 'zero2: gradients scattered' $(sum 2 train reduce-scatter "$gpt/gpt.dtg" "$zero/zero2.dtg") $((y * 4 * 3 / 4))
stage3=$(sum 2 train ' ' "$gpt/gpt.dtg" "$zero/zero3.dtg")
[ $((stage3 * 100)) -le $((3 * y * 4 * 3 / 4 * 100)) ] && [ $((stage3 * 100)) -ge $((3 * y * 4 * 3 / 4 * 98)) ] ||
  fail "zero3: $stage3 bytes; ZeRO has $((3 * y * 4 * 3 / 4))"

# Section 5: the states' bytes, to 8 % more: what is made or gathered at the moment is whole. Stage 1 need not be worse than stage 2. What is in
# flight while others are computed is whole at the same time, at steps that have room for it: 10 %.
for mesh in data=4 data=8; do for overlap in overlap ""; do
  while read -r stage _ _ _ _ _ gathered ratio; do
    case $stage in
      data) low=1 high=1.001 ;;
      zero1) low=0.5 high=1.08 ;;
      *) low=1 high=1.08 ;;
    esac
    [ -z "$overlap" ] && high=$(awk "BEGIN { print $high + 0.02 }")
    holds "$ratio >= $low && $ratio <= $high && $gathered <= 1.5 * 4 * 512 * 128 * 4" ||
      fail "$stage, $mesh, without "$overlap": $ratio of the formula, $gathered bytes gathered at once"
  done < <(DTGC_FLAGS="${DTGC_FLAGS:-} ${overlap:+--disable=$overlap}" "$zero/states" --mesh $mesh -D heads=8 -D blocks=8 | tail -4)
done; done
exit $failed
