#!/bin/bash
# tests/flow/stacks.sh DTGC: the variables of a stack of layers begin as those of a list of layers do, bit for bit, on any mesh:
# of all depths of nesting, of numbers with one and with two digits, of halves, and where one depends on another.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
at=$(mktemp -d) || exit 2
trap 'rm -rf "$at"' EXIT
program() { # NAME INNER OUTER W V U H G: the layers, and the values that `show` gives
  cat >"$at/$1.dtg" <<END
layer cell(n) {
  param w: f32[n, 3] = normal() + uniform()
  param v: f32[2]    = w[0, 0:2] * 2
  param u: f64[2, 2] = normal(mean=2)
  param h: bf16[2]   = uniform(seed=3)
}
layer outer(n) {
  c = $2
  param g: f32[n] = uniform()
}
m = $3
entry show() { return w = $4, v = $5, u = $6, h = f32($7), g = $8 }
END
}
rows() { echo "stack([stack([m[i].c[k].$1 for k in 0..2]) for i in 0..11])"; }
program stack 'stack(2) cell(n)' 'stack(11) outer(4)' m.c.w m.c.v m.c.u m.c.h m.g
program list '[cell(n) for i in 0..2]' '[outer(4) for i in 0..11]' "$(rows w)" "$(rows v)" "$(rows u)" "$(rows h)" \
  'stack([m[i].g for i in 0..11])'
program inner '[cell(n) for i in 0..2]' 'stack(11) outer(4)' 'stack([m.c[0].w, m.c[1].w], axis=1)' \
  'stack([m.c[0].v, m.c[1].v], axis=1)' 'stack([m.c[0].u, m.c[1].u], axis=1)' 'stack([m.c[0].h, m.c[1].h], axis=1)' m.g
run() { # DIR NAME FLAGS...
  mkdir -p "$at/$1"
  local out=()
  for v in w v u h g; do out+=(--out "$v=$at/$1/$v.npy"); done
  "$dtgc" run "$at/$2.dtg" "${@:3}" --seed 7 call show "${out[@]}" >/dev/null 2>"$at/$1/err" || fail "$1: $(cat "$at/$1/err")"
}
run list list
run stack stack
run inner inner
run cut stack --mesh a=2,b=3 --layout 'm.c.w=[a,_,b,_]' --layout 'm.g=[_,a]' --layout 'm.c.u=[(a,b),...]'
for v in w v u h g; do
  [ -s "$at/list/$v.npy" ] || fail "no $v"
  for other in stack inner cut; do cmp "$at/list/$v.npy" "$at/$other/$v.npy" || fail "$other: $v begins with other values"; done
done

# Variables of families, parts of a row, rows at numbers known while running, layers given to each and to all: as in a list.
kept() { # NAME OF_TWO OF_THREE BACKWARDS SCAN REPEAT N M K
  cat >"$at/$1.dtg" <<END
layer d() {
  param w: f32[2] = uniform()
  apply(x) { return x * w }
}
layer c(k) {
  state n: i32[] = 0
  state m[1]: f32[2] = 0
  inner = k
  apply(x) {
    n <- n + 1; m[1] <- m[1] + x; m[1][0] <- 5.0
    return inner.apply(x)
  }
  twice(x) { m[1] <- 2 * m[1] }
}
z = [$2 for i in 0..2]
shared = d()
y = $3
entry f() {
  x = f32(iota([2])) + 1.0; i = i32(x[0] * 0.0) + 1
  for b in z {
    $4 {
      x = l(x)
      l.twice(x)
    }
  }
  $5 q in y { x = q(x) }
  $6 j in 0..2 { x = z[0][j](x) }
  return x, n = $7, m = $8, k = $9, a = y[${10}].m[1], b = y[-1].n, c = i
}
END
}
kept rows 'stack(2) c(d())' 'stack(3) c(shared)' 'scan l in b reverse' scan repeat 'z[0].n' 'z[1].m[1]' 'z[1].inner.w' i
kept items '[c(d()) for k in 0..2]' '[c(shared) for k in 0..3]' 'for l in [b[1], b[0]]' for for 'stack([z[0][0].n, z[0][1].n])' \
  'stack([z[1][0].m[1], z[1][1].m[1]])' 'stack([z[1][0].inner.w, z[1][1].inner.w])' 1
for v in rows items; do
  out=()
  for o in x n m k a b c; do out+=(--out "$o=-"); done
  "$dtgc" run "$at/$v.dtg" call f "${out[@]}" >"$at/$v.out" 2>&1 || fail "$v: $(cat "$at/$v.out")"
done
grep -q '^n = ' "$at/rows.out" || fail "nothing was printed"
diff "$at/items.out" "$at/rows.out" || fail "a stack keeps other values than a list"
exit $failed
