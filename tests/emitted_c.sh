#!/bin/bash
# The C that dtgc emits is C for everybody: each golden .c is accepted by every compiler that is here, with all
# warnings as errors. 77: there is nothing to check, or nothing to check it with.
set -u
here=$(cd "$(dirname "$0")" && pwd)
shopt -s globstar nullglob
files=("$here"/golden/**/*.c)
compilers=()
for cc in gcc clang clang-19; do command -v $cc >/dev/null && compilers+=($cc); done
[ ${#files[@]} -gt 0 ] && [ ${#compilers[@]} -gt 0 ] || { echo "no golden .c, or no compiler"; exit 77; }
bad=0
for cc in "${compilers[@]}"; do
  "$cc" -std=c11 -Wall -Wextra -Werror -O1 -fsyntax-only -I"$here/../include" "${files[@]}" || { echo "FAIL $cc"; bad=1; }
done
echo "${#files[@]} files, compilers: ${compilers[*]}"
exit $bad
