#!/bin/bash
# tests/flow/bounds.sh DTGC: a position that is not within its dim ends the program with the index, the size, the line and the
# device, for all that reads or writes at positions, inside and outside of loops, also where the dim is split; never does it
# read or write elsewhere. One within runs.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
at=$(mktemp -d) || exit 2
trap 'rm -rf "$at"' EXIT
cat >"$at/m.dtg" <<'END'
const at = 0
state s: f32[8, 4] = 1
entry index() { i = i32(sum(s)) * 0 + at; return s[i] }
entry part() { i = i32(sum(s)) * 0 + at; return s[i : i + 3] }
entry down() { i = i32(sum(s)) * 0 + at; return s[i : i - 3 : -1] }
entry column() { i = i32(sum(s)) * 0 + at; return s[2:4, i] }
entry write() { i = i32(sum(s)) * 0 + at; s[i] <- 2; return sum(s) }
entry strided() { i = i32(sum(s)) * 0 + at; s[i : i + 5 : 2, 1:3] <- 2; return sum(s) }
entry loop() { repeat i in 0..i32(sum(s)) * 0 + at { s[i] <- f32(i) }; return sum(s) }
END
echo 'mesh [a=2, b=2]
layout s = [a, b]' >"$at/on.dtg"
check() { # ENTRY AT TEXT: what the program says, or nothing where it runs
  for more in "" "$at/on.dtg"; do
    # shellcheck disable=SC2086
    out=$("$dtgc" run "$at/m.dtg" $more -D at="$2" call "$1" 2>&1 </dev/null)
    status=$?
    line=$(grep -n "^entry $1(" "$at/m.dtg" | cut -d: -f1)
    if [ -z "$3" ]; then
      [ $status -eq 0 ] || fail "$1 at $2 ($more): $out"
    else
      [ $status -ne 0 ] && grep -q "device [0-3] failed.*m.dtg:$line" <<<"$out" && grep -qF -- "$3" <<<"$out" ||
        fail "$1 at $2 ($more): not '$3': $out"
    fi
  done
}
check index 7 ""
check index 8 "index 8 is outside [0, 8)"
check index -1 "index -1 is outside [0, 8)"
check part 5 ""
check part 6 "a window from index 6 to 8 is not inside [0, 8)"
check part -1 "a window from index -1 to 1 is not inside [0, 8)"
check down 2 ""
check down 1 "a window from index -1 to 1 is not inside [0, 8)"
check column 4 "index 4 is outside [0, 4)"
check write 8 "index 8 is outside [0, 8)"
check strided 3 ""
check strided 4 "a window from index 4 to 8 is not inside [0, 8)"
check loop 8 ""
check loop 9 "index 8 is outside [0, 8)"
exit $failed
