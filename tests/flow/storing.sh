#!/bin/bash
# storing.sh DTGC: reductions in tiles that store what the loop before them would, on a machine whose caches hold next to nothing:
# the bits of loops apart, for sums, maxima and means along rows, columns and all, in place or not, lines that are whole lanes or
# not, several types, meshes and cores. Then which do so: those whose tile is more than L1 has.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
machine=$(cd "$(dirname "$0")" && pwd)/tiny.machine
scratch_folder
cd "$tmp" || exit 1
export XDG_CACHE_HOME=$tmp/cache
cat >bits.dtg <<'END'
fn numbers(s, type) {
  x = zeros(s, f64)
  for d in 0..len(s) { x = x * 1.7 + sin(f64(iota(s, axis=d)) * (0.7 + d)) }
  return cast(x, type)
}
state x: f32[37, 333] = numbers([37, 333], f32)
state z: f64[64, 288] = numbers([64, 288], f64)
state h: f16[70, 290] = numbers([70, 290], f16)
state t: f32[12, 20, 150] = numbers([12, 20, 150], f32)
fn norm(x) {
  y = x * 0.5 + 1
  d = y - mean(y, axis=-1, keepdims=true)
  return d * rsqrt(mean(d * d, axis=-1, keepdims=true) + cast(1e-5, x.dtype))
}
# In place, and two values at once, each made of both as they were.
entry solver() {
  a = z; b = z * 0.3 + 1; s = cast(1, f64)
  repeat 4 {
    c = a - 0.1 * s * b
    s = sum(c * c) * 1e-4
    b = b * 0.7 + c * 0.1
    a = c
  }
  p = x; q = x + 1; total = cast(0, f32)
  repeat 3 { r = p - 0.2 * q; v = q + 0.1 * p; total = total + sum(r * v); p = r; q = v }
  return a = a, b = b, c = s, d = p, e = q, f = total
}
entry rows() {
  y = where(x > 0.3, x, -1e9) * 1.5
  return a = softmax(y), b = norm(x), c = norm(z), d = norm(h), e = logsumexp(z * z, axis=1) + sum(z * z), f = softmax(t * 2 + 1, axis=-1)
}
# A gradient reads again what the sums read.
entry slopes() {
  e = tanh(x) * 2
  f = z * z
  return a = grad(sum(e * e * e), x), b = e, c = f, d = sum(f * z), e = max(f + z), f = grad(sum(softmax(t) ** 2), t)
}
END
for how in '' --disable=storing; do
  "$dtgc" bits.dtg --mesh d=1 --machine "$machine" $how --dump=c >"c${how:+.apart}" 2>err.txt || fail "$(head -3 err.txt)"
done
[ "$(grep -c '^DTRT_LOOP' c)" -lt "$(grep -c '^DTRT_LOOP' c.apart)" ] || fail 'no reduction stores'
outs='--out a=a.npy --out b=b.npy --out c=c.npy --out d=d.npy --out e=e.npy --out f=f.npy'
for mesh in 'd=1' 'd=2' 'd=3' 'd=2,m=2'; do
  layouts="--layout x=[d,_] --layout z=[_,d] --layout h=[d,_]"
  case $mesh in *m*) layouts="--layout x=[d,m] --layout z=[m,d] --layout t=[_,m,_]" ;; esac
  for entry in solver rows slopes; do
    for cores in 1 2; do
      for how in '' --disable=storing; do
        "$dtgc" run bits.dtg --mesh $mesh --machine "$machine" $layouts $how call $entry --cores $cores $outs 2>err.txt ||
          fail "$entry on $mesh: $(head -c 300 err.txt)"
        cat a.npy b.npy c.npy d.npy e.npy f.npy >"bits${how:+.apart}"
      done
      cmp -s bits bits.apart || fail "$entry on $mesh, $cores cores: other bits"
    done
  done
done

# together COUNT STATES ENTRY: how many loops less there are than loops apart.
together() {
  printf '%s\n' "$2" "$3" >which.dtg
  for how in '' --disable=storing; do
    "$dtgc" which.dtg --machine=generic $how --dump=c >"c${how:+.apart}" 2>err.txt || { fail "$3: $(head -3 err.txt)"; return; }
  done
  is "$3" $(($(grep -c '^DTRT_LOOP' c.apart) - $(grep -c '^DTRT_LOOP' c))) "$1"
}
large='state r: f64[4096, 4096] = 1
state q: f64[4096, 4096] = 1'
together 1 "$large" 'entry far() { a = r - 0.1 * q; return s = sum(a * a), a }'
together 1 '' 'entry rows(x: f32[64, 100000]) { h = x * 2 + 1; return y = h - mean(h, axis=1, keepdims=true), h }'
together 1 '' 'entry lanes(x: f32[4096, 768]) { h = x * 2 + 1; return y = h - mean(h, axis=1, keepdims=true), h }'
# The rest of each short line would wait for stores; the maximum has brought all that exp reads.
together 0 '' 'entry rests(x: f32[4096, 777]) { h = x * 2 + 1; return y = h - mean(h, axis=1, keepdims=true), h }'
together 0 '' 'entry soft(x: f32[64, 100000]) { return y = softmax(x) }'
# What is small has no tiles; what asks for its index would ask in each lane.
together 0 '' 'entry near(x: f32[10, 100]) { return y = softmax(x) }'
together 0 "$large" 'entry moved() { a = pad(r, [1, 1], [1, 1])[:-2, 1:-1] - r; return s = sum(a * r), a }'
# What is read in another order than it is stored.
together 0 "$large" 'entry turned() { a = r - 0.1 * q; return s = sum(a * transpose(a)), a }'

# Norms of rows that a reshape makes are tiles of these, and those of groups of channels are not: a turn would read a few numbers
# of each row.
behind() {
  printf 'entry f(x: f32[64, 56, 56, 64]) {\n  r = reshape(x, %s)\n  c = r - mean(r, axis=%s, keepdims=true)\n' "$1" "$2" >which.dtg
  printf '  return y = c * rsqrt(mean(c * c, axis=%s, keepdims=true) + 1)\n}\n' "$2" >>which.dtg
  is "tiles of a norm of $1" "$("$dtgc" which.dtg --machine=generic --dump=loops 2>&1 | sed -n '/^entry f/,$p' | grep -c 'for tile0')" "$3"
}
behind '[3136, 4096]' 1 1
behind '[64, 3136, 8, 8]' '[1, 3]' 0
exit $failed
