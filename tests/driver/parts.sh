#!/bin/bash
# Loops over what is put together of parts (concat, stack, pad, roll, the gradients of split and of slices) ask for no element in
# which part it is: they are loops over the parts. So do sums, epilogues of products, rows in tiles, and reshapes of them.
#   parts.sh DTGC FOLDER
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
fresh_folder "$2"

# program PARTS WIDTH DIM: one entry. Part k is its slice of x, times k + 2, so that all joined are x * by.
program() {
  local parts=$1 width=$2 dim=$3 n=$(($1 * $2)) k list= loss= each= shape=(6 5 4) name=$1_$2_$3
  shape[dim]=$n
  local size="${shape[0]}, ${shape[1]}, ${shape[2]}" rows=$((shape[0] * shape[1])) last=${shape[2]} spread=(1 1 1)
  spread[dim]=$n
  for ((k = 0; k < parts; k++)); do
    local at=(: : :)
    at[dim]=$((k * width)):$(((k + 1) * width))
    list+="${list:+, }x[${at[0]}, ${at[1]}, ${at[2]}] * $((k + 2))"
    loss+="${loss:+ + }sum(s[$k] * s[$k] * $((k + 1)))"
    at[dim]=$((k * width))
    each+="${each:+, }x[${at[0]}, ${at[1]}, ${at[2]}] + $k"
  done
  cat <<P
param x_$name: f32[$size] = f32(reshape(iota([$((shape[0] * shape[1] * shape[2]))]) * 7 % 11, [$size]))
param a_$name: f32[$rows, 3] = f32(iota([$rows, 3], axis=0) % 5)
entry join_$name() {
  x = x_$name; a = a_$name
  by = reshape(f32(iota([$n]) // $width + 2), [${spread[0]}, ${spread[1]}, ${spread[2]}])
  c = concat([$list], axis=$dim)
  d = x * by
  s = split(x, $parts, axis=$dim)
  loss = $loss
  many = stack([$each], axis=$dim)
  l2 = sum(many * many)
  m = a @ (f32(iota([3, 4])) + 1)
  wide = concat([m, 2 * m, reshape(c, [$rows, $last]) + 1, a], axis=1)
  sides = sum(m, axis=1) * 3 + sum(reshape(d, [$rows, $last]) + 1, axis=1) + sum(a, axis=1)
  return joined = c + 1, wrong = sum(i32(c != d)), wrong2 = max(abs(sum(c, axis=$dim) - sum(d, axis=$dim))),
    wrong3 = max(abs(grad(loss, x) - 2 * x * (by - 1))), wrong4 = abs(sum(c * c) - sum(d * d)),
    wrong5 = sum(i32(reshape(c, [$rows * $last]) * 3 != reshape(d, [$rows * $last]) * 3)),
    wrong6 = i32(max(abs(softmax(c, axis=$dim) - softmax(d, axis=$dim))) > 1e-6),
    wrong7 = sum(i32((wide @ ones([$((11 + last)), 1], f32))[:, 0] != sides)),
    wrong8 = i32(sum(grad(l2, x)) != 2 * sum(many))
}
P
}
for dim in 0 1 2; do
  for parts in 2 5 16; do for width in 1 3 16; do program $parts $width $dim; done; done
done >joins.dtg

# What a loop stores by where its index is; sums ask by == whether they begin, locals are ends of blocks, and lanes end with a line,
# behind which is what changes nothing.
conditions() { "$dtgc" "$@" --dump=loops | sed 's/select([a-z]* == [a-z]*, 0, //g; s/select(lane < ([a-z0-9]* - lane0), //g; s/line\[\([a-z]*\)\] = select(\1 < [0-9]*, \(.*\), \(0\|-inf\))$/line[\1] = \2/' | grep '\] = .*select(\|sum + select(\|line\[.*select('; }
found=$(conditions joins.dtg)
[ -z "$found" ] || fail "elements ask for their part: $found"
for entry in 2_16_0 5_3_1 16_1_2 5_16_2 16_3_1 2_1_0; do
  "$dtgc" run joins.dtg call join_$entry >out 2>&1 || fail "join_$entry: $(tail -3 out)"
  [ "$(grep -c '^wrong.* = -\?0$' out)" = 8 ] || fail "join_$entry: $(grep ^wrong out)"
done

# Borders in several dims.
cat >borders.dtg <<'P'
param x: f32[4, 9, 8] = normal()
entry f() {
  y = tanh(x)
  p = pad(y, [1, 2, 3], [0, 2, 1]) * 2
  q = roll(roll(y, 3, axis=1), 2, axis=2) * 2
  r = grad(sum(y[1:3, 2:, 1:7] ** 2), x)
  back = q[:, 3:, 2:] - 2 * y[:, :-3, :-2]
  return wrong = max(abs(p[1:, 2:11, 3:11] - 2 * y)), wrong2 = max(abs(p[:, :2])), wrong3 = max(abs(back)),
    wrong4 = max(abs(r[0])) + max(abs(r[:, :2])) + max(abs(r[:, :, 7])), p, q, r
}
P
found=$(conditions borders.dtg)
[ -z "$found" ] || fail "elements ask whether they are in the border: $found"
"$dtgc" run borders.dtg call f >out 2>&1 || fail "borders: $(tail -3 out)"
[ "$(grep -c '^wrong.* = -\?0$' out)" = 4 ] || fail "borders: $(grep ^wrong out)"
exit $failed
