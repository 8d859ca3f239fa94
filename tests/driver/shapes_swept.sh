#!/bin/bash
# No cliff between neighbouring shapes of products, by what is planned: each product is one call of a kernel, and nothing is copied, converted or
# transposed in a step of its own; a step more rows costs no more than they are by the model. (How kernels cut what they are called with:
# tests/runtime/blocks.c.)   shapes_swept.sh DTGC FOLDER
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 machine=$(cd "$(dirname "$0")/.." && pwd)/tiny.machine
fresh_folder "$2"

# sweep NAME CALLS PRECISION DIMS...: entries of a layer x[m,k] @ w[k,n], DIMS being m,k,n: forward, or with both gradients and an update.
sweep() {
  local name=$1 calls=$2 precision=$3 at=0
  shift 3
  echo 'import "optim"' >"$name.dtg"
  for dims in "$@"; do
    IFS=, read -r m k n <<<"$dims"
    echo "param w$at: f32[$k, $n] = ones([$k, $n])"
    echo "opt$at = sgd(w$at, lr=1e-3)"
    echo "entry forward$at(x: f32[$m, $k]) { return y = x @ w$at }"
    echo "entry train$at(x: f32[$m, $k], v: f32[$k, $k]) {"
    echo "  y = (x @ v) @ w$at"
    echo "  opt$at.minimize(sum(y * y))"
    echo '}'
    at=$((at + 1))
  done >>"$name.dtg"
  "$dtgc" "$name.dtg" --machine generic --precision "$precision" --dump=loops >"$name.loops" || fail "$name: no loops"
  "$dtgc" "$name.dtg" --machine generic --precision "$precision" --dump=cost:json >"$name.cost" || fail "$name: no costs"
  # An entry: how many products, kernel calls, other calls that copy or transpose, and steps.
  awk '/^entry / { e = $2; sub(/:/, "", e); next } e ~ /^(forward|train)/ {
      if ($0 ~ /^ +[0-9]+  /) steps[e]++
      if ($0 ~ /contract [^ ]+ [a-z0-9]+\[.*\] of /) products[e]++
      gsub(/dtrt_gemm_nest/, ""); calls[e] += gsub(/dtrt_(gemm|vector)[a-z_]*\(/, "&")
      other[e] += gsub(/dtrt_(transpose|copy)[a-z_]*\(/, "&") }
    END { for (e in steps) print e, products[e] + 0, calls[e] + 0, other[e] + 0, steps[e] }' "$name.loops" | sort >"$name.steps"
  is "$name: entries" "$(wc -l <"$name.steps")" $((2 * at))
  awk -v calls="$calls" '$2 != $3 || $4 || ($1 ~ /^forward/ && $3 != 1) || ($1 ~ /^train/ && $3 != calls) { bad = 1; print }
    END { exit bad }' "$name.steps" || fail "$name: products, calls, copies, steps"
  # From a quarter of L2 on what follows a product is in its epilogue: a step less, once.
  sed 's/^\([a-z]*\)/\1 /' "$name.steps" | sort -k1,1 -k2,2n | awk '
    ($1 in steps) && $6 != steps[$1] && ($6 != steps[$1] - 1 || less[$1]++) { print $0, "after", steps[$1]; bad = 1 }
    { steps[$1] = $6 } END { exit bad }' || fail "$name: a neighbour has other steps"
  # Neighbours: `time` is that of the work, or of the bytes, whichever is more.
  grep -o '"name":"[a-z]*[0-9]*","time":[^,]*' "$name.cost" | tr -d '"' | sed 's/name:\([a-z]*\)\([0-9]*\),time:/\1 \2 /' |
    awk 'NF == 3' >times
  is "$name: times" "$(wc -l <times)" $((2 * at))
  printf '%s\n' "$@" | tr , ' ' | awk 'NR == FNR { work[NR - 1] = $1 * $2 * $3; next }
    ($1 in before) && ($3 > before[$1] * work[$2] / work[$2 - 1] * 1.02 || $3 < before[$1] * 0.98) {
      print $0, "after", before[$1]; bad = 1 }
    { before[$1] = $3 } END { exit bad }' - times || fail "$name: a neighbour takes more"
}
heads=() about=() odd=() few=() columns=()
for m in 32 48 64 96 127 128 129 192 256 384 512; do heads+=("$m,768,50257"); done
for m in 952 959 960 961 968 1024 1032 1039 1040 1041 1048; do about+=("$m,1024,4096"); done
for m in $(seq 3 2 65); do odd+=("$m,$m,$m"); done
for n in $(seq 2 16); do few+=("$n,1024,1024") columns+=("1024,1024,$n"); done
for precision in f32 'bf16, master f32'; do
  name=${precision%%,*}
  sweep "heads_$name" 3 "$precision" "${heads[@]}"
  sweep "about_$name" 3 "$precision" "${about[@]}"
  sweep "few_$name" 3 "$precision" "${few[@]}"
  sweep "columns_$name" 3 "$precision" "${columns[@]}"
done
sweep odd 3 f32 "${odd[@]}"

# Attention is one tile nest however its mask is written, and without one.
at=0
for mask in true 'iota([256, 256], axis=0) >= iota([256, 256], axis=1)' 'expand(iota([256]), 1) >= iota([256])' \
  'expand(iota([256]) // 16, 1) == iota([256]) // 16' 'abs(expand(iota([256]), 1) - iota([256])) <= 16' m 'expand(own, 1) == own' \
  'expand(each, [1, 3]) == expand(each, [1, 2])'; do
  echo "entry f$at(q: f32[8, 256, 8, 64], k: f32[8, 256, 8, 64], v: f32[8, 256, 8, 64], m: bool[256, 256], own: i32[256], each: i32[8, 256]) {"
  echo "  score = where($mask, einsum(\"bthd,bshd->bhts\", q, k), -inf)"
  echo '  return y = einsum("bhts,bshd->bthd", softmax(score), v)'
  echo '}'
  at=$((at + 1))
done >masks.dtg
"$dtgc" masks.dtg --machine generic --dump=loops >masks.loops || fail 'masks: no loops'
is 'masks: entries of one step' "$(grep -c '^entry f[0-9]*: 1 step$' masks.loops)" "$at"

# A nest that reads a product, and what that sums over, does not add it up: a check of the compiler took it for that.
cat >read.dtg <<'END'
entry f(q: f32[2, 3, 40, 1], k: f32[2, 3, 520, 1], v: f32[2, 3, 520, 1], m: bool[40, 520]) {
  score = einsum("bhtd,bhsd->bhts", q, k)
  a = einsum("bhts,bhsd->bhtd", where(m, score, 0), v)
  b = einsum("bhts,bhtd->bhsd", score, q)
  l = sum(a * a) + sum(b * b)
  return a, b, gk = grad(l, k), gv = grad(l, v)
}
END
"$dtgc" read.dtg --machine "$machine" --dump=loops >read.loops || fail 'read: no loops'
exit $failed
