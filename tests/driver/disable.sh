#!/bin/bash
# --disable: without any optimization, and without all of them, programs compute what one device computes; where an optimization
# changes no layout the bits stay. The manual lists the names; wrong ones are errors. DTGC_FLAGS does the same for hosts.
#   disable.sh DTGC FOLDER MANUAL
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 manual=$3
export DTGC_FLAGS=${DTGC_FLAGS:-}
fresh_folder "$2"

# Repeated blocks, masks of indices, norms over rows, a product with an epilogue, a variable that is split, values shared by readers.
cat >m.dtg <<'E'
mesh [a=2]
const n = 256
param w: f32[96, 96] = normal(stddev=0.1)
param v: f32[96, 96] = normal(stddev=0.1)
entry train(x: f32[12, n, 96]) {
  h = x
  for i in 0..5 { h = h + tanh(h @ w) * 0.5 }
  q = h @ v
  s = einsum("bie,bje->bij", q, h)
  p = softmax(where(iota([n, n], axis=0) >= iota([n, n], axis=1), s, -inf))
  y = einsum("bij,bje->bie", p, h)
  m = mean(y, axis=-1, keepdims=true)
  z = (y - m) * rsqrt(mean((y - m) ** 2, axis=-1, keepdims=true) + 1e-5)
  loss = mean((z + roll(z, 1, axis=1)) ** 2 * exp(-z * z))
  w <- w - 0.1 * grad(loss, w)
  v <- v - 0.1 * grad(loss, v)
  return loss, top = max(z, axis=1), run = cumsum(z, axis=1)
}
layout x = [_, a, _]
layout v = [a, _]
E
# Tiled attention, with a mask.
cat >attention.dtg <<'E'
param k: f32[2, 600, 4, 16] = normal()
entry train(q: f32[2, 600, 4, 16]) {
  score = einsum("bshe,bthe->bhst", q, k)
  score = where(iota([600, 600], axis=0) >= iota([600, 600], axis=1), score, -1e9)
  mixed = einsum("bhst,bthe->bshe", softmax(score), k)
  loss = sum((mixed - mean(mixed)) ** 2)
  k <- k - grad(loss, k)
  return loss, mixed, g = grad(loss, q)
}
E
names=$("$dtgc" m.dtg --disable=none 2>&1 | sed -n 's/.*; there are //p')
IFS=', ' read -ra names <<<"$names"
[ ${#names[@]} -ge 12 ] || fail "too few names: ${names[*]}"
exchanges=' refetch contest updates outputs carries '
head -c $((12 * 256 * 96 * 4)) /dev/zero | tr '\0' '\276' >x.raw # each -0.37...
head -c $((2 * 600 * 64 * 4)) /dev/zero | tr '\0' '\276' >q.raw
# bits MODEL OPTIONS...: sums of what a call computes
bits() {
  local call=(train --feed 'x=x.raw:f32[24576]' --out loss=out-1.npy --out top=out-2.npy --out run=out-3.npy)
  [ "$1" = m.dtg ] || call=(train --feed 'q=q.raw:f32[38400]' --out loss=out-1.npy --out mixed=out-2.npy --out g=out-3.npy)
  rm -f out-*
  "$dtgc" run "$1" -O0 "${@:2}" call "${call[@]}" --seed 3 >said 2>&1 || { echo "failed: $(cat said)"; return; }
  cat out-* | cksum
}
for model in m.dtg attention.dtg; do
  usual=$(bits $model)
  [[ $usual != failed* ]] || fail "$usual"
  for name in "${names[@]}" tile,inline,fuse; do
    [[ $exchanges == *" $name "* ]] && continue
    is "the bits of $model without $name" "$(bits $model --disable="$name")" "$usual"
  done
done
all=$(IFS=,; echo "${names[*]}")
sed 's/n = 256/n = 24/; s/96/16/g' m.dtg >small.dtg
for name in $exchanges "$all"; do
  expect 0 'they agree' "$dtgc" verify small.dtg -O0 --disable="$name"
done
for name in "${names[@]}"; do expect 0 'no errors' "$dtgc" small.dtg --mesh a=3 --disable="$name"; done
for name in "${names[@]}"; do
  sed -n '/^\.It Fl -disable/,/^\.It Fl O/p' "$manual" | grep -qE "^\.Cm .*\b$name\b" || fail "dtgc(1) does not list $name"
done

# what each of them leaves out is not there
# without NAME PATTERN MODEL OPTIONS...: the C has it, and without the optimization it has not
without() {
  "$dtgc" "${@:3}" --dump=c | grep -cE -- "$2" >/dev/null || fail "$3: there is no $2 to begin with"
  "$dtgc" "${@:3}" --dump=c --disable="$1" | grep -E -- "$2" && fail "$3: without $1 there is $2"
}
without epilogue '&\(dtrt_epilogue\)' m.dtg
without repeat 'times more the like of them' m.dtg --repeat-saves=2
without band dtrt_gemm_band attention.dtg
without tile dtrt_gemm_band attention.dtg
"$dtgc" m.dtg --dump=c >usual.c
for name in "${names[@]}"; do
  "$dtgc" m.dtg --dump=c --disable="$name" | cmp -s - usual.c || changed+=("$name")
done
[ ${#changed[@]} -ge 5 ] || fail "only these change the code: ${changed[*]}"
[ "$("$dtgc" m.dtg --dump=c --disable=rows,inline)" = "$("$dtgc" m.dtg --dump=c --disable rows --disable=inline)" ] ||
  fail 'two options are another thing than two names'
[ "$("$dtgc" m.dtg --dump=c --disable=inline)" = "$(DTGC_FLAGS="$DTGC_FLAGS --disable=inline" "$dtgc" m.dtg --dump=c)" ] ||
  fail 'the environment is another thing than the option'

# Without fuse, a sum was scaled before its all-reduce instead of after: layouts and exchanges were chosen by the cost of what
# was left of later passes.
cat >chosen.dtg <<'E'
import "nn"
param p0: f32[128, 64] = uniform([128, 64], -0.1, 0.1)
param p1: f32[64, 256] = uniform([64, 256], -0.1, 0.1)
param p2: f32[256] = uniform([256], -1, 1)
mesh [batch=2]
entry f(x: f32[37, 16, 128] on [batch, _, _]) {
  v0 = x * 0.5
  v1 = v0 @ p0
  v2 = dropout(v1, 0.25)
  v3 = mean(v2 * v1)
  v4 = v2 @ p1
  v5 = (v4 - mean(v4, axis=-1, keepdims=true)) * rsqrt(mean(v4 * v4, axis=-1, keepdims=true) + 1e-3)
  v6 = (v5 - mean(v5, axis=-1, keepdims=true)) * rsqrt(mean(v5 * v5, axis=-1, keepdims=true) + 1e-3)
  v7 = v4 + p2
  v8 = dropout(v4, 0.25)
  v9 = sum(v8, axis=2)
  loss = mean(v8 * v8)
  g0 = grad(loss, p0)
  g1 = grad(loss, p1)
  p0 <- p0 - 0.05 * g0
  p1 <- p1 - 0.05 * g1
  return o0 = v1, o1 = v4, o2 = v3, o3 = v5, o4 = loss
}
E
for name in "${names[@]}"; do
  [[ $exchanges == *" $name "* ]] && continue
  "$dtgc" chosen.dtg --dump=spmd >usual
  "$dtgc" chosen.dtg --dump=spmd --disable="$name" | cmp -s - usual || fail "--disable=$name changes the device's graph"
done

# wrong ones
expect 2 'do you mean `overlap`' "$dtgc" m.dtg --disable=overlpa
expect 2 'there are inline, ' "$dtgc" m.dtg --disable=rows,
expect 2 'requires a value' "$dtgc" m.dtg --disable
expect 2 '-O takes 0, 1, 2 or 3' "$dtgc" m.dtg -O4
expect 2 '--loader takes own, llvm or perf' "$dtgc" m.dtg --loader=elsewhere
expect 2 '--sums takes fixed or fast' "$dtgc" m.dtg --sums=any
expect 0 'sums fast' "$dtgc" m.dtg --sums=fast --dump=comm
expect 0 ', DTRT_SUMS_FAST, ' "$dtgc" m.dtg --sums fast --dump=c
expect 2 '--repeat-saves takes an integer from 1' "$dtgc" m.dtg --repeat-saves=0
expect 2 '--drop-exchange takes an integer from 1' "$dtgc" m.dtg --drop-exchange=x
expect 1 'drop_exchange is 999999, and the program has ' "$dtgc" m.dtg --drop-exchange=999999 --dump=c
expect 2 'calibrate takes' "$dtgc" calibrate --disable=rows
expect 2 'calibrate takes' "$dtgc" calibrate --no-lines
DTGC_FLAGS='--disable=partition' expect 1 'cannot be disabled' "$dtgc" m.dtg
# Line tables lead from the code to the .dtg.
tables() { # FLAGS-OF-THE-ENVIRONMENT OPTIONS...: how many lines of the executable's tables name the program
  rm -f made
  DTGC_FLAGS=$1 "$dtgc" small.dtg --mesh a=1 -O0 --transport=threads -o made "${@:2}" && readelf --debug-dump=rawline made | grep -c 'small\.dtg'
}
[[ $(tables '') == [1-9]* ]] || fail 'no line tables'
is 'line tables with --no-lines' "$(tables '' --no-lines)" 0
is 'line tables with --no-lines in the environment' "$(tables --no-lines)" 0
DTGC_FLAGS='--drop=3' expect 1 '`--drop=3` in the environment variable DTGC_FLAGS' "$dtgc" m.dtg
DTGC_FLAGS='  -O9  ' expect 1 'optimize is `9`' "$dtgc" m.dtg
DTGC_FLAGS='  -O1   --disable=rows  ' expect 0 'no errors' "$dtgc" m.dtg
[ $failed = 0 ] && echo "${#names[@]} optimizations, of which ${changed[*]} change this program's code"
exit $failed
