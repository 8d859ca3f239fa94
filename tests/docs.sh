#!/bin/bash
# Every block ```dtg of the documents is a program that compiles. Blocks that lean on an earlier one say so themselves
# by being whole.       tests/docs.sh DTGC
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
dtgc=$1 failed=0 n=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for doc in "$root"/README.md "$root"/docs/*.md; do
  awk -v out="$tmp/$(basename "$doc" .md)" '/^```dtg$/ { on = 1; k++; next } /^```$/ { on = 0 } on { print > (out "-" k ".dtg") }' "$doc"
done
for file in "$tmp"/*.dtg; do
  n=$((n + 1))
  if ! "$dtgc" "$file" >"$tmp/out" 2>&1; then
    echo "FAIL $(basename "$file" .dtg) (document and number of the block):"
    cat "$tmp/out"
    failed=1
  fi
done
echo "$n programs of the documents"
[ "$n" -ge 8 ] || { echo "FAIL: there should be more"; failed=1; }
exit $failed
