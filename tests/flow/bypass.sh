#!/bin/bash
# bypass.sh DTGC: stores past the caches, on a machine whose caches hold next to nothing: the bits of usual stores, for rows that are
# whole lines and rows that are not, several types, borders, meshes and cores. Then which values are written so: what is read when
# the last cache has lost it, and nothing else.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
machine=$(cd "$(dirname "$0")" && pwd)/tiny.machine
dir=$(mktemp -d) && cd "$dir" || exit 99
trap 'rm -rf "$dir"' EXIT
export XDG_CACHE_HOME=$dir/cache
cat >bits.dtg <<'END'
fn numbers(s, type) {
  x = zeros(s, f64)
  for d in 0..len(s) { x = x * 1.7 + sin(f64(iota(s, axis=d)) * (0.7 + d)) }
  return cast(x * 50, type)
}
state x: f32[37, 101] = numbers([37, 101], f32)
state z: f64[64, 48] = numbers([64, 48], f64)
state i: i32[50, 33] = numbers([50, 33], i32)
state q: i64[19, 40] = numbers([19, 40], i64)
state h: f16[70, 90] = numbers([70, 90], f16)
state g: f32[67, 96] = numbers([67, 96], f32)
state v: f64[777] = numbers([777], f64)
entry elementwise() { return a = tanh(x) * 2 + 0.5, b = x[:, 1:] - x[:, :-1], c = z * z + 1.0, d = i * 3 + 1, e = q // 2, f = f64(x) * 2 }
entry stencil() {
  repeat 5 { g <- g + 0.1 * (roll(g, 1, axis=0) + roll(g, -1, axis=0) + roll(g, 1, axis=1) + roll(g, -1, axis=1) - 4 * g) }
  return a = g, b = softmax(g), c = transpose(g) + 1, d = flip(g, 1) * 2, e = h * 2, f = v * v
}
END
for entry in elementwise stencil; do
  "$dtgc" bits.dtg --mesh d=1 --machine "$machine" --dump=loops | awk -v head="entry $entry:" '/^entry/ { on = index($0, head) == 1 } on' |
    grep -q 'dtrt_bypass(' || fail "$entry: nothing is stored past the caches"
done
outs='--out a=a.npy --out b=b.npy --out c=c.npy --out d=d.npy --out e=e.npy --out f=f.npy'
for mesh in 'd=1' 'd=2' 'd=3' 'd=2,m=2'; do
  layouts="--layout x=[d,_] --layout z=[_,d] --layout g=[d,_] --layout v=[d]"
  case $mesh in *m*) layouts="--layout x=[d,m] --layout g=[m,d] --layout q=[_,m]" ;; esac
  for entry in elementwise stencil; do
    for cores in 1 2; do
      for how in '' --disable=bypass; do
        "$dtgc" run bits.dtg --mesh $mesh --machine "$machine" $layouts $how call $entry --cores $cores $outs 2>err.txt ||
          fail "$entry on $mesh: $(head -c 300 err.txt)"
        cat a.npy b.npy c.npy d.npy e.npy f.npy >"bits${how:+.usual}"
      done
      cmp -s bits bits.usual || fail "$entry on $mesh, $cores cores: other bits"
    done
  done
done

cat >which.dtg <<'END'
state x: f32[4096, 4096] = 1
state y: f32[4096, 4096] = 1
state odd: f32[4097, 4099] = 1
state small: f32[256, 256] = 1
state b: f32[4096] = 1
entry far() { y <- x + b; return n = b }
entry far_odd() { z = odd * 2; return z, w = odd + 1 }
entry in_place() { x <- x * 2 + 1; return n = b }
entry near() { z = small + 1; return w = sum(z * transpose(z)), z }
entry grid() { u = x; repeat 3 { u = u + 0.1 * (roll(u, 1, axis=0) + roll(u, -1, axis=0) - 2 * u) }; y <- u; return n = b }
entry rows() { y <- softmax(x); return n = b }
state short: f32[100000, 100] = 1
state lines: f32[100000, 128] = 1
state made: f32[100000, 128] = 1
entry rows_of_lines() { made <- softmax(lines); return n = b }
entry rows_of_the_host() { return y = softmax(lines) }
entry short_rows() { return n = short * 2 + f32(iota([100000, 100], axis=1)) }
END
"$dtgc" which.dtg --machine=generic --dump=loops >loops.txt || fail 'which'
of() { # ENTRY
  awk -v head="entry $1:" '/^entry/ { on = index($0, head) == 1 } on' loops.txt
}
count() { # ENTRY
  of "$1" | grep -c 'dtrt_bypass('
}
is() { # ENTRY COUNT
  [ "$(count "$1")" = "$2" ] || fail "entry $1: $(count "$1") stores past the caches, not $2"
}
is far 1
is far_odd 2
is in_place 0
is near 0
is rows 1
[ "$(count grid)" -ge 2 ] || fail 'entry grid: the next state of a grid is stored as usual'
# Regression: rows of some lines that begin and end within lines took up to twice the time.
is short_rows 0
is rows_of_lines 1
# Memory of the host need not begin with a line.
is rows_of_the_host 0
# Rows of whole lines have no loops for what is in front of the first or behind the last.
of far | grep -q 'for rest' && fail 'entry far: a loop over no elements'
of far_odd | grep -q 'for rest' || fail 'entry far_odd: no loop over what is left'
"$dtgc" which.dtg --machine=generic --disable=bypass --dump=loops | grep -q dtrt_bypass && fail '--disable=bypass'
exit $failed
