#!/bin/bash
# tests/flow/in_place.sh DTGC: a window of a state is written in its place: no entry has memory for a copy of the state, and none
# copies it, on one device and where the state is split; in loops, branches, one window after another, and with reads of parts
# before and after.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
at=$(mktemp -d) || exit 2
trap 'rm -rf "$at"' EXIT
cat >"$at/m.dtg" <<'END'
const t = 4096
state cache: f32[2, 4, t, 8] = 0
entry once(at: i32[], key: f32[4, 8]) {
  was = cache[0, :, at]
  for l in 0..2 { cache[l, :, at] <- key + f32(l) }
  cache[1, 2, at : at + 2, 3] <- 5
  return 2 * was, now = sum(cache[1, :, at])
}
entry write(n: i32[], key: f32[4, 8]) {
  k = i32(0)
  total = 0.0
  while k < n {
    repeat l in 0..2 {
      old = cache[l, :, k]
      cache[l, :, k] <- key * f32(k) + old
      total = total + sum(cache[l, :, k : k + 2])
    }
    if k % 2 == 0 { cache[0, 0, k] <- 1; cache[0, 1, k] <- cache[0, 0, k] * 2 }
    cache[0, 2, k] <- cache[1, 2, k]
    k = k + 1
  }
  return total
}
entry collected(x: f32[8]) {
  repeat i in 0..t { collect rows = x * f32(i) }
  rows[3] <- x
  rows[5:7] <- rows[2:4]
  return rows
}
END
echo 'mesh [a=2, b=2]
layout cache = [_, a, b, _]' >"$at/on.dtg"
for more in "" "$at/on.dtg"; do
  "$dtgc" "$at/m.dtg" $more --dump=memory >"$at/memory" || fail "--dump=memory"
  for entry in once write; do
    arena=$(sed -n "s/^entry $entry: arena \([0-9]*\) bytes.*/\1/p" "$at/memory")
    [ "${arena:-99999}" -lt 8192 ] || fail "$entry takes $arena bytes beside the state ($more)"
  done
  rows=$(sed -n "s/^entry collected: arena \([0-9]*\) bytes.*/\1/p" "$at/memory")
  [ "${rows:-999999}" -lt 140000 ] || fail "collected takes $rows bytes, which is more than its rows once"
  "$dtgc" "$at/m.dtg" $more --dump=c >"$at/c" || fail "--dump=c"
  grep 'dtrt_copy.*, [0-9]\{4,\});' "$at/c" && fail "something large is copied ($more)"
  # No loop goes over all of the cache, but the one that gives it its first value.
  # shellcheck disable=SC2086
  n=$("$dtgc" "$at/m.dtg" $more --dump=c | grep -c 'loop[0-9]*_[a-z_]*(\(dev, \)\?\(262144\|65536\), ')
  [ "$n" -le 1 ] || fail "$n loops go over the whole state"
done
# What a loop computes from its neighbours is not copied back, nor is a device's block copied beside its halo.
printf 'const n = 1024\nentry f(u: f32[n, n], k: i32[]) {\n  repeat i in 0..k { p = pad(u, [1, 1], [1, 1]); u = u + p[:-2, 1:-1] + p[2:, 1:-1] - p[1:-1, 2:] }\n  return u\n}\n' >"$at/h.dtg"
echo 'mesh [a=2, b=2]
layout f.u = [a, b]' >"$at/h_on.dtg"
for more in "" "$at/h_on.dtg"; do
  # shellcheck disable=SC2086
  "$dtgc" "$at/h.dtg" $more --dump=memory >"$at/memory" || fail "--dump=memory"
  grep -q 'change places after each run' "$at/memory" || fail "no buffers change places ($more)"
  # shellcheck disable=SC2086
  "$dtgc" "$at/h.dtg" $more --dump=c | sed -n '/^  while (1)/,/^  }/p' | grep dtrt_copy && fail "a loop copies ($more)"
done
"$dtgc" "$at/h.dtg" "$at/h_on.dtg" --dump=c | grep -A1 'DTRT_HALO' | grep -q ', 1};$' || fail "a halo brings the block, too"
# A product reads a layer of a cache where it lies, also between two windows that are written.
cat >"$at/p.dtg" <<'END'
const t = 512
param w: f32[4, 64, 64] = 0.01
entry write(n: i32[], x: f32[1, 64]) {
  keys = zeros([4, t, 64])
  at = 0 * n
  while at < n {
    for l in 0..4 {
      keys[l, at] <- (x @ w[l])[0]
      x = tanh(softmax(einsum("bd,td->bt", x, keys[l])) @ keys[l])
      repeat j in 0..at // 64 + 1 { x = x + einsum("bd,td->bt", x, keys[l, 64 * j : 64 * j + 64]) @ keys[l, 64 * j : 64 * j + 64] }
    }
    at = at + 1
  }
  return x
}
END
"$dtgc" "$at/p.dtg" --dump=loops | grep 'slice@\|window@' && fail "layers of a cache are copied"
# Rows that an index names alone are updated in a loop, too, in the table's place.
cat >"$at/r.dtg" <<'END'
const users = 100000
state p: f32[users, 16] = 0
state q: f32[20000, 16] = 0
entry epoch(us: i32[20, 256], is: i32[20, 256], rs: f32[20, 256]) {
  total = 0.0
  scan u in us, i in is, r in rs {
    pu = p[u]; qi = q[i]
    e = sum(pu * qi, axis=1) - r
    p <- scatter_add(p, u, -0.05 * expand(e, 1) * qi)
    q <- scatter_add(q, i, -0.05 * expand(e, 1) * pu)
    total = total + mean(e * e)
  }
  return total
}
END
[ "$("$dtgc" "$at/r.dtg" --dump=loops | grep -c 'if partial\[row\] == i32(i)')" = 2 ] || fail "a loop updates a table as a whole"
"$dtgc" "$at/r.dtg" --dump=memory | sed -n '/^entry epoch/,$p' | grep 'updated by a copy' && fail "a loop copies a table"
# So are rows and places that are written, and other scatters: a buffer of what was seen, whose tables have one list of places.
cat >"$at/w.dtg" <<'END'
const room = 50000
state seen: f32[room, 8] = 0
state reward: f32[room] = 0
state done: bool[room] = false
state board: i32[room, 4] = 0
state best: f32[room, 8] = 0
entry put(at: i32[32], x: f32[32, 8], r: f32[32], end: bool[32]) {
  seen[at] <- x
  reward[at] <- r
  done[at] <- end
}
entry play(at: i32[32], column: i32[32]) { board[at, column] <- 1 }
entry better(at: i32[32], x: f32[32, 8]) { best <- scatter_max(best, at, x) }
entry last(at: i32[32], x: f32[32]) { seen[at, 7] <- x }
state cache: f32[4, 16, 8, 1024, 16] = 0
entry keys(block: i32[], row: i32[16], at: i32[16], k: f32[16, 8, 16]) {
  cache[2, row, :, at] <- k
  cache[block, row, :, at] <- 2 * k
}
state grid: i32[room, 4] = 0
entry move(old: i32[32], new: i32[32], column: i32[32]) {
  grid[old, column] <- 0
  grid[new, column] <- 1
}
entry twice(a: i32[32], b: i32[32], x: f32[32, 8]) {
  seen <- scatter_add(seen, a, x)
  seen <- scatter_max(seen, b, x)
  t = zeros([room, 8])
  repeat i in 0..3 { y = x * f32(i); t = scatter_add(t, a, y); t = scatter_add(t, b, y) }
  return t
}
param half: f16[room, 8] = 0.5
entry train(at: i32[32], x: f16[32, 8]) {
  g = grad(sum(f32(half[at]) * f32(x)), half)
  half <- f16(f32(half) - 0.1 * f32(g))
}
END
[ "$("$dtgc" "$at/w.dtg" --dump=loops | grep -cE 'if (partial|scatter_max@[^ ]*)\[row\] == i32\(i\)')" = 15 ] || fail "rows are written by a pass over all"
"$dtgc" "$at/w.dtg" --dump=memory | sed -n '/^entry put/,$p' | grep 'updated by a copy' && fail "a table whose rows are written is copied"
# A window is read where it is written.
printf 'state x: f32[4, 100, 8] = 1\nentry f(k: i32[], y: f32[100, 8]) {\n  x[2] <- x[2] * 2 + y\n  x[k] <- tanh(x[k])\n  x[1:3, 5:9] <- where(x[1:3, 5:9] > 0, x[1:3, 5:9], 0)\n}\n' >"$at/b.dtg"
"$dtgc" "$at/b.dtg" --dump=loops | sed -n '/^entry f/,$p' | grep 'slice@\|window@\|dtrt_copy' && fail "a window that is written back is copied"
# Rows that have a position of their own each are written in place, by the devices that have them, without an exchange.
cat >"$at/c.dtg" <<'END'
mesh [a=2, b=2]
state keys: f32[3, 16, 4, 512, 8] on [_, a, b, _, _] = 0
state values: bf16[3, 16, 4, 512, 8] on [_, a, b, _, _] = 0
entry step(x: f32[16, 4, 8] on [a, b, _], y: bf16[16, 4, 2, 8], at: i32[16]) {
  for i in 0..3 {
    keys[i, iota(16), :, at] <- x * i
    values[i, iota(16), :, at : at + 2] <- y * i
  }
}
END
"$dtgc" "$at/c.dtg" --dump=memory | sed -n '/^entry step/,$p' | grep 'updated by a copy' && fail "a cache whose rows are written is copied"
"$dtgc" "$at/c.dtg" --dump=comm | grep -q '^entry step: 0 exchanges' || fail "rows that are written are exchanged"
[ "$("$dtgc" "$at/c.dtg" --dump=c | grep -c '^  loop.*_put(\|^  loop.*_values(\|^  loop.*_keys(')" = 6 ] || fail "rows are written otherwise"
# What is read of a variable behind its update, and not computed from that, is read before it is overwritten.
cat >"$at/u.dtg" <<'END'
const batch = 512
state p: f32[3000, 16] = 1
state q: f32[2000, 16] = 1
state bias: f32[3000] = 0
state seen: f32[3000] = 0
entry rows(u: i32[batch], i: i32[batch], rating: f32[batch]) {
  pu = p[u]; qi = q[i]
  e = sum(pu * qi, axis=1) + bias[u] - rating
  p <- scatter_add(p, u, -0.05 * (expand(e, 1) * qi + 0.02 * pu))
  q <- scatter_add(q, i, -0.05 * (expand(e, 1) * pu + 0.02 * qi))
  bias <- scatter_add(bias, u, -0.05 * e)
  return error = mean(e * e)
}
entry whole(x: f32[3000]) {
  was = seen * 2
  seen <- seen + x
  return now = sum(seen), was = cumsum(was)
}
END
"$dtgc" "$at/u.dtg" --dump=memory >"$at/memory" || fail "--dump=memory"
for entry in rows whole; do
  sed -n "/^entry $entry/,/^entry/p" "$at/memory" | grep 'updated by a copy' && fail "$entry copies a variable"
done
printf 'param w: f32[50, 30] = 1\nentry f(x: f32[20, 30]) { return transpose(x) @ (x @ transpose(w)) }\n' >"$at/t.dtg"
"$dtgc" "$at/t.dtg" --dump=loops | grep 'transpose@' && fail "a product has its operand transposed"
exit $failed
