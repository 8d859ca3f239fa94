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
  local cc
  n=$((n + 1))
  for cc in "${compilers[@]}"; do
    "$cc" -std=c11 -Wall -Wextra -Werror -O2 -I"$1" -c "$2" -o "$tmp/x.o" || { echo "FAIL $cc: $3"; bad=1; }
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
echo "$n files, compilers: ${compilers[*]}"
exit $bad
