#!/bin/bash
# The C that dtgc emits is C for everybody: that of the samples under each of their layouts, and of golden/emit, is
# accepted by every compiler that is here, with all warnings as errors.   emitted_c.sh DTGC
set -u
dtgc=$1
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/.." || exit 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
shopt -s globstar nullglob
bad=0 n=0
compilers=()
for cc in gcc clang clang-19; do command -v $cc >/dev/null && compilers+=($cc); done
[ ${#compilers[@]} -gt 0 ] || { echo 'FAIL there is no C compiler'; exit 1; }

# accept FOLDER-OF-HEADERS FILE
accept() {
  local cc what
  n=$((n + 1))
  for cc in "${compilers[@]}"; do
    what=(-O2 -c -o "$tmp/x.o") # gcc finds more when it optimizes; clang warns before that
    case $cc in clang*) what=(-fsyntax-only) ;; esac
    "$cc" -std=c11 -Wall -Wextra -Wshadow -Werror "${what[@]}" -I"$1" "$2" || { echo "FAIL $cc: $3"; bad=1; }
  done
}

for model in samples/digits/digits.dtg samples/mnist/mlp.dtg; do
  for layouts in "" data_parallel model_parallel mixed; do
    [ -z "$layouts" ] || layouts=$(dirname "$model")/$layouts.dtg
    rm -rf "$tmp/c"
    "$dtgc" $model $layouts --emit-c "$tmp/c" || { echo "FAIL $model $layouts"; bad=1; continue; }
    for f in "$tmp"/c/*.c; do accept "$tmp/c" "$f" "$model $layouts"; done
  done
done
for model in tests/golden/emit/*.dtg; do
  "$dtgc" $model --emit-c "$tmp/c" || { echo "FAIL $model"; bad=1; continue; }
  accept "$tmp/c" "$tmp/c/$(basename "$model" .dtg).c" "$model"
done
# A tensor may be called whatever emitted loops call their own values: `own` was taken for both, in a sum over rows.
names_of() { # the program whose input is called $1
  cat <<DTG
entry f($1: f32[100, 40], index_: i32[60]) {
  s = cumsum($1, axis=0)
  return a = sum($1, axis=0), b = sum($1), c = argmax($1, axis=1), d = max($1, axis=1), e = s, g = sum(tanh($1), axis=1),
         h = $1[index_], k = grad(sum($1[index_] ** 2), $1), m = exp($1) + 1, o = $1 @ transpose($1)
}
DTG
}
names_of plain >"$tmp/plain.dtg"
"$dtgc" "$tmp/plain.dtg" --dump=c >"$tmp/plain.c" || bad=1
words=$(grep -oE '\b(int64_t|float|int32_t|dtrt_lanes_f32|dtrt_scatter|dtrt_device) \**(const |restrict )?[a-z_0-9]+\b' "$tmp/plain.c" |
  grep -oE '[a-z_0-9]+$' | grep -vE '^(plain|restrict|const)$' | sort -u)
tried=0
for word in $words int64_t linux dtrt_copy exchanges given i; do
  names_of "$word" >"$tmp/name.dtg"
  "$dtgc" "$tmp/name.dtg" --dump=c >"$tmp/name.c" 2>/dev/null || continue # `sum` is a function
  tried=$((tried + 1))
  "${compilers[0]}" -std=c11 -Wall -Wextra -Wshadow -Werror -Iinclude -fsyntax-only "$tmp/name.c" ||
    { echo "FAIL a tensor called $word"; bad=1; }
done
[ $tried -gt 30 ] || { echo "FAIL names of emitted loops: only $tried could be tried"; bad=1; }
# A stencil within its borders asks for them in no element: of nine points it asked four times in each.
cat >"$tmp/stencils.dtg" <<'DTG'
entry plane(u: f32[200, 100]) {
  p = pad(u, [1, 1], [1, 1])
  s = u
  for k in 0..9 { s = s + p[k // 3 : k // 3 + 200, k % 3 : k % 3 + 100] * (k + 1) }
  return s
}
entry space(u: f64[30, 40, 50]) {
  p = pad(u, [1, 1, 1], [1, 1, 1])
  s = u
  for k in 0..27 { s = s + p[k // 9 : k // 9 + 30, k // 3 % 3 : k // 3 % 3 + 40, k % 3 : k % 3 + 50] * (k + 1) }
  return s
}
entry wide(u: f32[90, 80]) {
  p = pad(u, [2, 2], [2, 2])
  return p[:-4, 2:-2] + p[4:, 2:-2] + p[2:-2, :-4] + p[2:-2, 4:] - 4 * u
}
DTG
"$dtgc" "$tmp/stencils.dtg" --dump=c >"$tmp/stencils.c" || bad=1
# Functions with an innermost loop that reads u in other rows and asks nothing.
free=$(awk '/^DTRT_LOOP/ { name = $3 } /^ *DTRT_PLAIN/ { open = 1; text = ""; next } open { text = text $0 }
            /^ *}/ { if (open && text !~ /\?/ && text ~ /\[i [-+] /) print name; open = 0 }' "$tmp/stencils.c" | sort -u | wc -l)
[ "$free" = 3 ] || { echo "FAIL $free of 3 stencils have a loop without conditions"; bad=1; }
# Products that sum nothing, or have neither rows nor columns, call no kernel for each number.
cat >"$tmp/elements.dtg" <<'DTG'
entry f(x: f32[60, 50], y: f32[60, 50], z: f32[60, 1], b: f32[9, 1, 50], c: f32[9, 50, 1]) {
  return a = einsum("ij,ij->ji", x, y), d = einsum("ij,ij->i", x, y), e = einsum("bi,bj->bij", x, y), g = z @ transpose(z), h = b @ c
}
DTG
"$dtgc" "$tmp/elements.dtg" --dump=c >"$tmp/elements.c" || bad=1
grep dtrt_gemm "$tmp/elements.c" && { echo 'FAIL a product of elements calls a kernel of matrices'; bad=1; }
# Products of integers add rows to rows: along a summed dim they read a number of each row of the second matrix.
echo 'entry f(x: i32[60, 50], y: i32[50, 70]) { return x @ y }' >"$tmp/integers.dtg"
"$dtgc" "$tmp/integers.dtg" --dump=c | grep -B1 'for (int64_t i1' | grep -q DTRT_PLAIN || { echo 'FAIL a product of integers'; bad=1; }
# What takes a row of a table does not go over the table: one loop over rows does, not one over columns, 16 at a time.
cat >"$tmp/floyd.dtg" <<'DTG'
entry f(d: f32[512, 512]) {
  repeat k in 0..512 { d = min(d, expand(d[:, k], 1) + d[k]) }
  return d
}
DTG
"$dtgc" "$tmp/floyd.dtg" --machine=generic --dump=c >"$tmp/floyd.c" || bad=1
grep tiles "$tmp/floyd.c" && { echo 'FAIL a row of a table is taken in tiles of the table'; bad=1; }
# A short row that is read by a divided index has a known length, though rows of other lengths are read alike; where other loops
# read it again it is a line that is made once.
cat >"$tmp/groups.dtg" <<'DTG'
entry f(x: f32[4, 9, 16], y: f32[4, 9, 24], a: f32[4, 1, 4, 1], b: f32[4, 1, 6, 1]) {
  return u = x * reshape(broadcast(a, [4, 1, 4, 4]), [4, 1, 16]), v = y * reshape(broadcast(b, [4, 1, 6, 4]), [4, 1, 24])
}
DTG
"$dtgc" "$tmp/groups.dtg" --dump=c >"$tmp/groups.c" || bad=1
[ "$(grep -cE 'k < (16|24);' "$tmp/groups.c") $(grep -cE 'line0_\[k\] = .*k / 4' "$tmp/groups.c")" = '4 2' ] || { echo 'FAIL rows of a divided index'; bad=1; }
# Elements of a short line are computed apart from its sum, whose sequence kept them from being vectors.
echo 'entry f(x: f32[900, 20], y: f32[900, 5]) { return a = sum(exp(x), axis=1), b = sum(exp(y), axis=1) }' >"$tmp/short.dtg"
"$dtgc" "$tmp/short.dtg" --dump=c >"$tmp/short.c" || bad=1
grep -A2 'DTRT_FEW' "$tmp/short.c" | grep -q 'line\[j\] = dtrt_exp_f32' || { echo 'FAIL a short line of 20'; bad=1; }
grep -q 'j < 5;' "$tmp/short.c" || { echo 'FAIL a short line of 5'; bad=1; }
# The instructions of a program's loops, optimized, for a CPU of x86 without masks.
without_masks() {
  DTGC_FLAGS= "$dtgc" "$1" -O2 --cpu haswell --transport threads -o "$tmp/without_masks" || bad=1
  objdump -d --no-show-raw-insn "$tmp/without_masks" | awk '/<loop[^>]*>:/ {on = 1} /^$/ {on = 0} on'
}
if [ "$(uname -m)" = x86_64 ]; then
  # Lines of 20, and the rest of one of 60, were computed one element at a time there.
  echo 'entry f(x: f32[900, 20]) { return sum(exp(x), axis=1) }' >"$tmp/few.dtg"
  without_masks "$tmp/few.dtg" >"$tmp/few.s"
  grep -q 'vfn*m[a-z0-9]*ps' "$tmp/few.s" || { echo 'FAIL a short line without vectors'; bad=1; }
  # Remainders had branches on signs: where they are mixed those took two thirds of the time.
  echo 'entry f(x: f64[900], y: f64[900], i: i64[900], j: i64[900]) { return x % y, i % j }' >"$tmp/signs.dtg"
  without_masks "$tmp/signs.dtg" >"$tmp/signs.s"
  grep -q idiv "$tmp/signs.s" || { echo 'FAIL no remainders'; bad=1; }
  grep -E '\bjn?s\b' "$tmp/signs.s" && { echo 'FAIL a branch on signs'; bad=1; }
fi
# Indices are checked behind the loop that reads by them, which stayed one of single elements with a check in each.
echo 'entry f(x: f32[900], i: i32[700]) { return x[i] * 2, sum(x[i // 2]), where(i > 5, x[i - 5], 0) }' >"$tmp/index.dtg"
"$dtgc" "$tmp/index.dtg" --dump=c >"$tmp/index.c" || bad=1
grep -q 'dtrt_index(dev' "$tmp/index.c" && { echo 'FAIL an index that is checked within a loop'; bad=1; }
grep -q 'farther_i32(farthest, .* ? .* : 0)' "$tmp/index.c" || { echo 'FAIL a guarded index'; bad=1; }
# What is read across is read in blocks, in which its lines stay near: a transposed matrix of 1024 rows took ten times as long.
echo 'entry f(x: f32[1024, 1024]) { return concat([x, transpose(x)], axis=1), transpose(x) * 2 }' >"$tmp/across.dtg"
"$dtgc" "$tmp/across.dtg" --dump=c >"$tmp/across.c" || bad=1
grep -q 'dtrt_transpose_4(&.*\[i\]\[j\], n., &x\[j - 1024\]\[i\], ' "$tmp/across.c" || { echo 'FAIL a matrix copied across'; bad=1; }
grep -q '\[i_\]\[j_\] = x\[j_\]\[i_\] \* 2' "$tmp/across.c" || { echo 'FAIL a matrix read across'; bad=1; }
# A tile of rows has channels as half of L2 holds, not the few whose pixels a sixteenth does: pieces of lines lie far apart.
echo 'entry f(x: f32[16, 28, 28, 64]) { m = mean(x, axis=[1, 2], keepdims=true); return (x - m) * rsqrt(mean((x - m) ** 2, axis=[1, 2], keepdims=true)) }' >"$tmp/norm.dtg"
"$dtgc" "$tmp/norm.dtg" --machine generic --dump=c >"$tmp/norm.c" || bad=1
grep -q 'tile0 = ' "$tmp/norm.c" && ! grep -q 'tile1' "$tmp/norm.c" || { echo 'FAIL tiles of an instance norm'; bad=1; }
# What a loop writes and reads back as vectors begins a line of the cache: where it lay in two pages, one process in thirty, sums took 8 times as long.
echo 'entry f(x: f32[90, 64], y: f32[90, 64]) { return sum(abs(expand(x, 1) - y), axis=2), argmax(x, axis=0) }' >"$tmp/line.dtg"
"$dtgc" "$tmp/line.dtg" --dump=c >"$tmp/line.c" || bad=1
grep -q '_Alignas(64) float line\[32\];' "$tmp/line.c" || { echo 'FAIL a line that is not aligned'; bad=1; }
grep '^ *[a-z0-9_]* [a-z_]*\[[0-9]*\];' "$tmp/line.c" && { echo 'FAIL an array that is not aligned'; bad=1; }
echo "$n files, $tried names, compilers: ${compilers[*]}"
exit $bad
