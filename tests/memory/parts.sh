#!/bin/bash
# The gradient of what reads z[:, t] for every t is one pass over z: no element depends on more than its own index, and the C
# grows with t and no faster. A tensor taken apart and put together again likewise.   parts.sh DTGC
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
scratch_folder
cd "$tmp" || exit 1

model() { # T
  cat <<D
param w: f32[8] = normal()
entry read(z: f32[4, $1, 8]) {
  s = 0.0
  for t in 0..$1 { s = s + sum(tanh(z[:, t] * w * (t + 1))) }
  return g = grad(s, z)
}
entry chain(z: f32[4, $1, 8]) {
  h = zeros([4, 8])
  l = 0.0
  for t in 0..$1 { h = tanh(h * w + z[:, t]); l = l + sum(h * h) }
  return g = grad(l, z)
}
entry stacked(z: f32[4, $1, 8]) {
  parts = [z[:, t] * (t + 1) for t in 0..$1]
  return y = stack(parts, axis=1)
}
D
}
for t in 8 32 128; do
  model $t >m.dtg
  "$dtgc" m.dtg --dump=c >c 2>err || fail "$t: $(head -3 err)"
  sed -n '/^DTRT_LOOP/,/^}/p' c | grep -F ' ? ' && fail "$t: an element looks at its index"
  lines[t]=$(wc -l <c)
done
[ "${lines[128]}" -le $((5 * lines[32])) ] || fail "C: ${lines[8]}, ${lines[32]}, ${lines[128]} lines for 8, 32, 128"
exit $failed
