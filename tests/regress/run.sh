#!/bin/bash
# tests/regress/run.sh DTGC: each NAME.dtg has an entry `f` without inputs whose outputs `wrong...` must all print 0.
set -u
cd "$(dirname "$0")" || exit 1
failed=0 n=0
for file in *.dtg; do
  n=$((n + 1))
  out=$("$1" run "$file" call f 2>&1)
  if [ $? -ne 0 ] || ! grep -q '^wrong' <<<"$out" || grep '^wrong' <<<"$out" | grep -qv '= -\?0$'; then
    echo "FAIL $file:"
    echo "$out"
    failed=1
  fi
done
echo "$n regressions looked for"
exit $failed
