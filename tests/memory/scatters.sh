#!/bin/bash
# Regression: scatters into a state touched the rows alone that are named, but the arena had room for a second state; with positions
# in several dims, or along another dim than the first, they took a pass over it.   scatters.sh DTGC
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
scratch_folder
cd "$tmp" || exit 1

# A device's block of a state is 4.8 MB, and what is written at once 7 rows.
cat >scatters.dtg <<'END'
mesh [a=4]
state t: f32[1000, 600, 8] on [a, _, _] = 0
state s: f32[1000, 600, 8] on [_, a, _] = 0
entry rows(i: i32[7], u: f32[7, 600, 8]) { t <- scatter_add(t, i, u) }
entry beside(i: i32[7], u: f32[7, 600, 8]) { s <- scatter_mul(s, i, u) }
entry places(k: i32[7, 2], j: i32[7, 2], u: f32[7, 8]) {
  t <- scatter_nd_add(t, k, u)
  t <- scatter_nd_max(t, j, u)
  t <- scatter_nd_set(t, k, u)
}
entry places_cut(k: i32[7, 2], j: i32[7, 2], u: f32[7, 8]) {
  s <- scatter_nd_add(s, k, u)
  s <- scatter_nd_min(s, j, u)
}
entry slope_cut(k: i32[7, 2], u: f32[7, 8]) { s <- s - grad(sum(gather_nd(s, k) * u), s) }
entry write_cut(i: i32[7], j: i32[7], u: f32[7, 8]) { s[i, j] <- u }
entry columns(i: i32[7], u: f32[1000, 7, 8]) { t <- scatter_min(t, i, u, axis=1) }
entry columns_cut(i: i32[7], u: f32[1000, 7, 8]) { s <- scatter_add(s, i, u, axis=1) }
entry after(i: i32[3, 7], u: f32[3, 7, 600, 8]) { scan j in i, v in u { t <- scatter_max(t, j, v) } }
entry carried(k: i32[3, 7, 2], u: f32[3, 7, 8]) {
  x = t
  scan j in k, v in u { x = scatter_nd_mul(x, j, v) }
  t <- x
}
END
"$dtgc" scatters.dtg --dump=memory >memory || fail "no plan"
"$dtgc" scatters.dtg --dump=loops >loops || fail "no loops"
for entry in rows beside places places_cut slope_cut write_cut columns columns_cut after carried; do
  bytes=$(sed -n "s/^entry $entry: arena \([0-9]*\) bytes.*/\1/p" memory)
  [ "${bytes:-9999999}" -le 1200000 ] || fail "$entry: an arena of ${bytes:-unknown} bytes"
  sed -n "/^entry $entry:/,/^\$/p" loops >said
  grep -qE 'if (partial|scatter_max@scatters.dtg:[0-9]+(#[0-9]+)?)\[row\] ==' said || fail "$entry: no rows that are named"
  ! grep -qE 'copy|for .* in ([0-9]{4,}|250, j in|150, j in)' <(sed 's/for j in 1000, k in 8//; /part_from to part_to/d' said) || fail "$entry: a pass over the state"
done
exit $failed
