#!/bin/bash
# Regression: values whose sizes are powers of two lay a multiple of 256 MiB apart, where AMD's first caches keep a line of one of
# them at a time: loops over several, as of solvers and optimizers, took up to twice the time.   places.sh DTGC SAMPLES
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 samples=$2
scratch_folder
cd "$tmp" || exit 1

cat >adam.dtg <<'END'
import "optim"
const n = 1024
layer scale() { param w: f32[n, n] = ones(); apply(x) { return w * x } }
model = scale()
opt = adam(model)
entry train(x: f32[n, n]) {
  loss = sum(model(x))
  opt.minimize(loss)
  return loss
}
END
cat >many.dtg <<'END'
const n = 1024
entry step(count: i32[]) {
  a = [zeros([n, n]) + i for i in 0..9]
  repeat count { a = [a[i] + 0.5 * a[(i + 1) % 9] for i in 0..9] }
  return out = sum(stack(a))
}
END

# apart WHAT FILES OPTIONS...: of each table no two large values are at places alike.
apart() {
  local what=$1 told
  shift
  "$dtgc" "$@" --dump=memory >dump.txt 2>err.txt || { fail "$what: $(cat err.txt)"; return; }
  told=$(awk '
    / offset  *bytes/ { n = 0; tables++ }
    $1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ && $2 >= 1048576 {
      for (i = 0; i < n; i++) {
        d = ($1 > at[i] ? $1 - at[i] : at[i] - $1)
        seen += d >= 268435456
        d %= 268435456
        if ($1 != at[i] && (d < 192 || d > 268435456 - 192)) print "bytes at", at[i], "and", $1
      }
      at[n++] = $1
    }
    END { if (!tables) print "no tables"; if (!seen) print "all values are close together" }' dump.txt)
  is "$what" "$told" ""
}

for n in 4096 8192; do apart "solver $n" "$samples/solver/solver.dtg" -D n=$n; done
for n in 8192 16384; do apart "adam $n" adam.dtg -D n=$n; done
for n in 4096 8192; do apart "many $n" many.dtg -D n=$n; done
exit $failed
