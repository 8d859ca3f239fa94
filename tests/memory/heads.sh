#!/bin/bash
# Attention whose heads are made by reshape takes the memory of one whose heads are letters of an einsum, forward and in
# training, on several meshes, and has the values that an unfused program has.   heads.sh DTGC
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
scratch_folder
cd "$tmp" || exit 1

body='
  past = iota([n, n], axis=0) >= iota([n, n], axis=1)
  s = einsum("bshe,bthe->bhst", qs, ks) * 0.1
  p = softmax(where(past, s, -1e9))
  y = einsum("bhst,bthe->bshe", p, vs)'
head='const b = 2
const n = 384
const h = 4
const c = 16
'
entries='
entry look(x: f32[b, n, h * c]) { return y = attend(x) }
entry train(x: f32[b, n, h * c]) {
  loss = sum(attend(x) ** 2)
  q <- q - 0.1 * grad(loss, q)
  k <- k - 0.1 * grad(loss, k)
  v <- v - 0.1 * grad(loss, v)
  return loss
}'
weights() { for w in q k v; do echo "param $w: f32[h * c, $1] = normal()"; done; }
# By letters.
{ echo "$head"; weights 'h, c'; echo "fn attend(x) {
  qs = einsum(\"bsw,whe->bshe\", x, q); ks = einsum(\"bsw,whe->bshe\", x, k); vs = einsum(\"bsw,whe->bshe\", x, v)$body
  return y
}$entries"; } >letters.dtg
# By reshape, and joined again; with a transpose in between; by one weight for all three, sliced.
{ echo "$head"; weights 'h * c'; echo "fn heads(x) { return reshape(x, [b, n, h, c]) }
fn attend(x) {
  qs = heads(x @ q); ks = heads(x @ k); vs = heads(x @ v)$body
  return reshape(y, [b, n, h * c])
}$entries"; } >reshape.dtg
{ echo "$head"; weights 'h * c'; echo "fn heads(x) { return transpose(reshape(x, [b, n, h, c]), [0, 2, 1, 3]) }
fn attend(x) {
  past = iota([n, n], axis=0) >= iota([n, n], axis=1)
  s = heads(x @ q) @ transpose(heads(x @ k), [0, 1, 3, 2]) * 0.1
  y = softmax(where(past, s, -1e9)) @ heads(x @ v)
  return reshape(transpose(y, [0, 2, 1, 3]), [b, n, h * c])
}$entries"; } >transposed.dtg

arena() { # MODEL ENTRY ARGS: bytes of the entry's arena
  "$dtgc" "$1" "${@:3}" --dump=memory | sed -n "s/^entry $2: arena \([0-9]*\) .*/\1/p"
}
for mesh in '' 'mesh [a=2]' 'mesh [a=2, t=2]'; do
  : >batch.dtg
  if [ -n "$mesh" ]; then printf '%s\nlayout look.x = [a, _, _]\nlayout train.x = [a, _, _]\n' "$mesh" >batch.dtg; fi
  for entry in look train; do
    want=$(arena letters.dtg $entry batch.dtg)
    for how in reshape transposed; do
      got=$(arena $how.dtg $entry batch.dtg)
      # heads that a transpose keeps are copied: as much again as the activations, and no scores
      most=$((want * 11 / 10))
      [ $how = transposed ] && most=$((want + 4 * 2 * 384 * 64 * 4))
      [ -n "$got" ] && [ "$got" -le $most ] || fail "$how, $entry, ${mesh:-one device}: arena $got, by letters $want"
    done
  done
  [ "$mesh" = 'mesh [a=2]' ] || expect 0 'they agree' "$dtgc" verify reshape.dtg batch.dtg train --steps 1
done
exit $failed
