#!/bin/bash
# The update of a table touches only the rows that are named, where a gradient of zero changes nothing (sgd, adagrad, a lazy adam,
# scatter_add into a variable): the same bits as a pass over the table (--disable=named), on any number of cores. Where a gradient
# of zero changes something (momentum, decay, adam), or something else reads the gradient, it is a pass.
#   named.sh DTGC FOLDER
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
fresh_folder "$2"
on=

# program OPTIMIZER [STATEMENTS]: rows added up in one piece, and some in blocks of 32, as 150 of 200 indices are of few rows.
program() {
  cat <<P
import "nn"
import "optim"
const rows = 500
const batch = 50
layer net() {
  table = embedding(rows, 6)
  top = dense(6, 3)
  apply(i) { return top(sum(tanh(table(i)), axis=1)) }
}
model = net()
opt = $1
entry train(i: i32[batch, 4]) {
  loss = mean(model(i) ** 2)
  ${2:-opt.minimize(loss)}
  return loss
}
P
}
for k in $(seq 600); do
  printf "\\x$(printf %02x $((k % 4 ? k % 5 * 3 : k * 7 % 251)))\\x00\\x00\\x00"
done >i.raw
# table FILE OPTIONS...: what three steps leave of the table, and of what the optimizer has beside it.
table() {
  rm -rf run
  "$dtgc" run -O0 "$@" fit train $on --feed 'i=i.raw:i32[4]' --steps 3 --seed 3 --save run >out 2>&1 || { echo "failed: $(tail -3 out)"; return; }
  "$dtgc" checkpoint cat run model.table.table | cksum
  for state in ${states:-}; do "$dtgc" checkpoint cat run "opt.$state[model.table.table]" | cksum; done
}
steps() { "$dtgc" "$@" --dump=loops | sed -n '/^entry train/,$p' >said; }

while IFS='|' read -r name states optimizer statements; do
  program "$optimizer" "$statements" >"$name.dtg"
  steps "$name.dtg"
  grep -q 'partial\[row\] == ' said || fail "$name: no update of the rows that are named"
  ! grep -q 'for [ij] in \(500\|3000\)' said || fail "$name: a pass over the table"
  usual=$(table "$name.dtg" --disable=named)
  [[ $usual != failed* ]] || fail "$name: $usual"
  is "$name: the bits" "$(table "$name.dtg")" "$usual"
  is "$name: the bits on three cores" "$(on="--cores 3" table "$name.dtg")" "$usual"
done <<'P'
sgd||sgd(model, lr=0.5)|
adagrad|v|adagrad(model, lr=0.5)|
torch|v|adagrad(model, lr=0.5, style="torch")|
lazy|m v|adam(model, lr=0.1, lazy=true)|
amsgrad|m v most|adam(model, lr=0.1, amsgrad=true, lazy=true)|
added||sgd(model)|model.table.table <- scatter_add(model.table.table, i[:, 0], ones([batch, 6], f32) * loss)
old||sgd(model, lr=0.5)|before = model.table.table[3, 1]; opt.minimize(loss); loss = loss + before
P
# A pass, as before.
while IFS='|' read -r name optimizer statements; do
  program "$optimizer" "$statements" >"$name.dtg"
  steps "$name.dtg"
  ! grep -q 'partial\[row\] == ' said || fail "$name: an update of the rows that are named, where others change too"
done <<'P'
momentum|sgd(model, momentum=0.9)|
decay|sgd(model, decay=0.1)|
adam|adam(model)|
clipped|clipped_by_norm(sgd(model), model, 1)|
shifted|sgd(model)|model.table.table <- model.table.table - grad(loss, model.table.table) - 1
scaled|sgd(model)|model.table.table <- 0.5 * model.table.table - grad(loss, model.table.table)
many|sgd(model)|model.table.table <- scatter_add(model.table.table, iota([300]), ones([300, 6], f32) * loss)
P
# Tables of any size: the same loops, but for the numbers.
for rows in 1000 1000000; do
  "$dtgc" sgd.dtg -D rows=$rows --dump=loops | sed -n '/^entry train/,$p' | sed "s/parallel //; s/&partial.[0-9]*., /partial, /; s/\\b$rows\\b/ROWS/g" >"loops-$rows"
done
cmp -s loops-1000 loops-1000000 || fail "loops over 1000 and over 1000000 rows: $(diff loops-1000 loops-1000000 | head -4)"
! grep -v 'for part_from to' loops-1000 | grep -qE 'for .* in ROWS|for [a-z]+ from part_from' || fail "a loop over all rows: $(grep 'in ROWS' loops-1000)"

# One index (no loop), indices of several dims, none; other types; an old value that is read later.
cat >shapes.dtg <<'P'
param a: f32[100] = normal()
param b: f64[100, 3] = normal()
param c: bf16[100, 4] = normal()
state d: i32[100, 2] = zeros()
param e: f32[100, 2, 3] = normal()
param f: f32[100, 4] = normal()
param h: f32[100, 4] = normal()
entry train(from: i32[1, 40]) {
  w = where(iota([40]) < 36, 5, from[0]); i = w[0]; k = reshape(w[36:40], [1, 4])
  a <- scatter_add(a, w, ones([40], f32) * 0.1)
  b <- b - 0.1 * grad(sum(gather(b, k) ** 2), b)
  c <- c - bf16(0.5) * grad(sum(f32(gather(c, w)) ** 2), c)
  d <- scatter_add(d, w, ones([40, 2], i32))
  e <- scatter_add(e, i, ones([2, 3], f32))
  f <- f - grad(sum(gather(f, zeros([0], i32)) ** 2), f)
  old = h
  h <- h - 0.1 * grad(sum(gather(h, w) ** 2), h)
  return a2 = a + 0, b2 = b + 0, c2 = f32(c), d2 = d + 0, e2 = e + 0, f2 = f + 0, h2 = h, h1 = old
}
P
head -c 160 i.raw >w.raw
of=$(for name in a2 b2 c2 d2 e2 f2 h2 h1; do echo "--out $name=$name.npy"; done)
shapes() {
  "$dtgc" run -O0 shapes.dtg "$@" call train --feed 'from=w.raw:i32[40]' --seed 3 $of >said 2>&1 || { echo "failed: $(tail -3 said)"; return; }
  cat ??.npy | cksum
}
steps shapes.dtg
[ "$(grep -c 'partial\[row\] == ' said)" -ge 4 ] || fail "shapes: $(grep -c 'partial\[row\] == ' said) updates of rows that are named"
usual=$(shapes --disable=named)
[[ $usual != failed* ]] || fail "shapes: $usual"
is 'shapes: the bits' "$(shapes)" "$usual"

# Tables of one shape, small and large: each is updated in its own rows, not all in one pass. A pass where that saves less than a loop.
for optimizer in 'sgd(model, lr=0.5)' 'adagrad(model, lr=0.5)' 'adam(model, lr=0.1, lazy=true)'; do
  cat >alike.dtg <<P
import "nn"
import "optim"
const rows = 500
layer net() {
  table = embedding(rows, 6)
  other = embedding(rows, 6)
  third = embedding(rows, 6)
  apply(i) { return table(i[:, 0]) * other(i[:, 1]) + third(i[:, 2]) }
}
model = net()
opt = $optimizer
entry train(i: i32[50, 4]) {
  loss = mean(model(i) ** 2)
  opt.minimize(loss)
  return loss
}
P
  for rows in 1000 100000; do
    steps alike.dtg -D rows=$rows
    is "updates of named rows of three tables of $rows, $optimizer" "$(grep -c 'partial\[row\] == ' said)" 3
    ! grep -v 'for part_from to' said | grep -qE "for .* in ($rows|$((rows * 6)))\b|for [a-z]+ from part_from" || fail "$rows, $optimizer: a pass over a table"
  done
  steps alike.dtg -D rows=102
  is "updates of named rows of three tables of 102, $optimizer" "$(grep -c 'partial\[row\] == ' said)" 0
  is "$optimizer: the bits of tables of one shape" "$(table alike.dtg)" "$(table alike.dtg --disable=named)"
done

# Positions in several dims and along another dim than the first, so many to a place that sums are in blocks of 32: a row for each index
# alone is in memory, and bits are those of a pass, on meshes that cut those dims, too.
cat >places.dtg <<'P'
mesh [a=1, b=1]
state t: f32[40, 60, 3] = normal()
state s: f32[40, 200, 3] = normal()
entry train(n: i32[1]) {
  i = iota([150]) * n[0]
  t <- scatter_nd_add(t, stack([i * 7 % 2, i * 11 % 3], axis=1), normal([150, 3]))
  s <- scatter_add(s, i[:90] * 5 % 3, normal([40, 90, 3]), axis=1)
  return t2 = t + 0, s2 = s + 0
}
P
printf '\1\0\0\0' >n.raw
places() {
  "$dtgc" run -O0 places.dtg "$@" call train $on --feed 'n=n.raw:i32[1]' --seed 3 --out t2=t2.npy --out s2=s2.npy >said 2>&1 || { echo "failed: $(tail -3 said)"; return; }
  cat t2.npy s2.npy | cksum
}
steps places.dtg
is 'places: updates of named rows' "$(grep -c 'partial\[row\] == ' said)" 2
usual=$(places --disable=named)
[[ $usual != failed* ]] || fail "places: $usual"
is 'places: the bits' "$(places)" "$usual"
is 'places: the bits on three cores' "$(on="--cores 3" places)" "$usual"
is 'places: the bits on four devices' "$(places --mesh a=4,b=1 --layout 't=[_, a, _]' --layout 's=[_, a, _]')" "$usual"
is 'places: the bits on 2 x 2 devices' "$(places --mesh a=2,b=2 --layout 't=[b, a, _]' --layout 's=[a, b, _]')" "$usual"

# Rows or columns of the table on devices of their own, also unevenly: the same as by passes.
while IFS='|' read -r name a layout; do
  words=("$name.dtg" -D rows=1501 --mesh "a=$a" --layout "model.table.table = $layout")
  steps "${words[@]}"
  grep -q 'partial\[row\] == ' said || fail "$name on $layout: no update of the rows that are named"
  is "$name, $layout on $a devices" "$(table "${words[@]}")" "$(table "${words[@]}" --disable=named)"
done <<'P'
sgd|3|[a, _]
adagrad|2|[_, a]
lazy|2|[a, _]
P
exit $failed
