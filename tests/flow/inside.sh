#!/bin/bash
# Loops over blocks of several sizes, whose conditions change at places known while running alone: on meshes that do not divide
# the dims, values have the bits of one device. What is inside of all conditions asks nothing there.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
scratch_folder
cat >"$tmp/shapes.dtg" <<'END'
const n = 21
const m = 13
fn five(u) {
  p = pad(u, [1, 1], [1, 1])
  return u + 0.2 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * u)
}
fn wide(u, k) { # points that lie k apart, on one side further
  p = pad(u, [k, k], [2 * k, 2 * k])
  return 0.5 * u + 0.125 * (p[:n, k : k + m] + p[3 * k :, k : k + m] + p[k : k + n, :m] - p[k : k + n, 3 * k :])
}
fn values(shape) { return f32(sin(f64(iota(shape, axis=0) * 5 + iota(shape, axis=-1) * 3))) }
entry grids() {
  u = values([n, m])
  a = u
  b = u
  repeat i in 0..5 {
    old = a
    a = five(a)
    b = wide(b, 2) + 0.1 * old
  }
  return a, b
}
entry lines() {
  x = values([n * m])
  repeat i in 0..3 {
    p = pad(x, [2], [1])
    x = p[:-3] + 2 * p[1:-2] + p[3:]
  }
  return x, odd = concat([x[3:], x[:3] * 2, -x[5:8]], axis=0) * 3, pairs = x[::2] - pad(x[1::2], [0], [n * m % 2])
}
entry parts() {
  u = values([n, m])
  v = values([5, m])
  c = concat([u, v, 2 * u], axis=0)
  d = concat([u, u[:, 2:7] + 1], axis=1)
  return c = c * c + 1, d = d - 1, e = reverse(u, axis=0) * pad(u[:, 1:], [0, 0], [0, 1]), g = pad(u[1:-1, 1:-1], [1, 1], [1, 1], value=7) + u,
         h = sum(pad(u, [3, 0], [0, 2])[:n, 2:] * u, axis=1)
}
entry rolls() {
  u = values([n, m])
  repeat i in 0..4 { u = 0.25 * (roll(u, 1, 0) + roll(u, -1, 0) + roll(u, 2, 1) - roll(u, -1, 1)) }
  return u
}
entry solids() {
  u = values([n, m, 6])
  w = u
  repeat i in 0..2 {
    p = pad(w, [1, 1, 1], [1, 1, 1])
    w = w + 0.1 * (p[:-2, 1:-1, 1:-1] + p[2:, 1:-1, 1:-1] + p[1:-1, :-2, 1:-1] + p[1:-1, 2:, 1:-1] + p[1:-1, 1:-1, :-2] + p[1:-1, 1:-1, 2:] - 6 * w)
  }
  return w
}
END
run() { # FOLDER MESH SIZES...
  local to=$tmp/$1 mesh=$2 entry name
  shift 2
  mkdir -p "$to"
  for entry in grids:a,b lines:x,odd,pairs parts:c,d,e,g,h rolls:u solids:w; do
    local outs=()
    for name in $(tr , ' ' <<<"${entry#*:}"); do outs+=(--out "$name=$to/${entry%:*}.$name.npy"); done
    "$dtgc" run "$tmp/shapes.dtg" "$tmp/on.dtg" "$@" --mesh "$mesh" call "${entry%:*}" "${outs[@]}" >"$tmp/said" 2>&1 ||
      fail "${entry%:*} on $mesh, $*: $(cat "$tmp/said")"
  done
}
cat >"$tmp/on.dtg" <<'END'
mesh [h=1, w=1]
layout grids.u = [h, w]
layout lines.x = [h]
layout parts.u = [h, w]
layout parts.v = [_, w]
layout rolls.u = [h, w]
layout solids.u = [h, w, _]
END
for size in "21 13" "6 5" "17 32"; do
  sizes=(-D "n=${size% *}" -D "m=${size#* }")
  run one h=1,w=1 "${sizes[@]}"
  for mesh in h=2,w=2 h=1,w=3 h=5,w=1; do
    run many $mesh "${sizes[@]}"
    for file in "$tmp"/one/*; do cmp -s "$file" "$tmp/many/${file##*/}" || fail "$size on $mesh: ${file##*/} differs"; done
  done
done
# What is inside: nothing is asked there, whatever the sizes of blocks.
"$dtgc" "$tmp/shapes.dtg" "$tmp/on.dtg" -D n=1023 -D m=511 --mesh h=2,w=2 --dump=loops | sed '/^entry parts/,$d' >"$tmp/loops"
grep -q "for j from begin_j to end_j" "$tmp/loops" || fail "there is no loop over the inside of a grid"
! grep -A1 "for j from begin_j to end_j" "$tmp/loops" | grep -q "select" || fail "the inside of a grid asks"

# Loops that are split at conditions, or at where parts of a concat begin, are shared by the cores of a device.
cat >"$tmp/long.dtg" <<'END'
const n = 200001
entry line() {
  x = sin(f32(iota([n])))
  repeat i in 0..3 {
    p = pad(x, [1], [2])
    x = x + 0.2 * (p[:-3] + p[3:] - 2 * x)
  }
  return x, y = pad(reverse(x * 2, axis=0), [3], [0])
}
entry rows() {
  a = sin(f32(iota([300, 201])))
  return c = concat([a, a * a, a[:7]], axis=0), d = pad(a, [1, 1], [2, 0]) * 3
}
END
echo 'mesh [h=3]
layout line.x = [h]
layout rows.a = [h, _]' >"$tmp/three.dtg"
for entry in line:x,y rows:c,d; do
  for how in "--cores 1" "--cores 2" "--cores 1 $tmp/three.dtg" "--cores 2 $tmp/three.dtg"; do
    for name in $(tr , ' ' <<<"${entry#*:}"); do
      # shellcheck disable=SC2086
      "$dtgc" run "$tmp/long.dtg" $how call "${entry%:*}" --out "$name=$tmp/$name.npy" >"$tmp/said" 2>&1 || fail "${entry%:*}, $how: $(cat "$tmp/said")"
      [ "$how" != "--cores 1" ] || cp "$tmp/$name.npy" "$tmp/$name.first"
      cmp -s "$tmp/$name.npy" "$tmp/$name.first" || fail "${entry%:*}, $how: $name differs"
    done
  done
done
[ "$("$dtgc" "$tmp/long.dtg" --machine=generic --dump=loops | grep -c "= select(1 < part_from\|= select(.* < part_to")" -ge 4 ] ||
  fail "loops that are split are not shared by cores"
exit $failed
