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
entry rows() { i = i32(sum(s)) * 0 + at + iota(8) // 7; s[iota(8), i] <- 2; return sum(s) }
entry spans() { i = i32(sum(s)) * 0 + at + iota(8) // 7; s[iota(8), i : i + 2] <- 2; return sum(s) }
entry spans_read() { i = i32(sum(s)) * 0 + at + iota(8) // 7; return s[iota(8), i : i + 2] }
entry strided() { i = i32(sum(s)) * 0 + at; s[i : i + 5 : 2, 1:3] <- 2; return sum(s) }
state most: i64[] = 9223372036854775807
entry far() { return s[most : most + 3] }
entry loop() { repeat i in 0..i32(sum(s)) * 0 + at { s[i] <- f32(i) }; return sum(s) }
END
echo 'mesh [a=2, b=2]
layout s = [a, b]' >"$at/on.dtg"
check() { # ENTRY AT TEXT: what the program says, or nothing where it runs
  for more in "" "$at/on.dtg"; do
    # shellcheck disable=SC2086
    out=$("$dtgc" run "$at/m.dtg" $more -D at=$2 call "$1" 2>&1 </dev/null)
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
check far 0 "a window from index 9223372036854775807 to 9223372036854775807 is not inside [0, 8)" # not to a negative one
check down 2 ""
check down 1 "a window from index -1 to 1 is not inside [0, 8)"
check column 4 "index 4 is outside [0, 4)"
check write 8 "index 8 is outside [0, 8)"
check rows 2 ""
check rows 3 "index 4 is outside [0, 4)"
check rows -1 "index -1 is outside [0, 4)"
check spans 1 ""
check spans 2 "a window from index 3 to 4 is not inside [0, 4)"
check spans -1 "a window from index -1 to 0 is not inside [0, 4)"
check spans_read 1 ""
check spans_read 2 "index 4 is outside [0, 4)"
check spans_read -1 "index -1 is outside [0, 4)"
check strided 3 ""
check strided 4 "a window from index 4 to 8 is not inside [0, 8)"
check loop 8 ""
check loop 9 "index 8 is outside [0, 8)"
# Of many indices, where loops go on and the farthest is checked behind them; a bad one in the middle, the first, the last.
cat >"$at/m.dtg" <<'END'
const at = 0
const place = 0
const far = 0
state t: f32[40, 3] = 1
state s: f32[3, 70] = 1
fn indices() { return where(iota([64]) == place, i32(sum(t)) * 0 + at, iota([64]) % 40) }
fn longs() { return where(iota([64]) == place, i64(sum(t)) * 0 + at + far, i64(iota([64]) % 40)) }
fn guarded() { return iota([64]) != place }
entry line() { return t[:, 0][indices()] }
entry wide() { return t[:, 1][longs()] }
entry twice() { i = indices(); return t[:, 0][i] + s[0][i] }
entry total() { return sum(t[:, 0][indices()]) }
entry along() { return take_along_axis(s, expand(indices(), 0) + i32(s[:, 0:64]) * 0, axis=1) }
entry nested() { return t[:, 0][i32(s[0])[indices()]] }
entry both() { i = indices(); return s[i32(sum(s[:, 0])) - 3 + i * 0, i] }
entry guard() { return where(guarded(), t[:, 0][indices()], 0) }
END
echo 'mesh [a=2, b=2]
layout t = [a, _]
layout s = [_, b]' >"$at/on.dtg"
for place in 0 31 63; do
  check line "39 -D place=$place" ""
  check line "40 -D place=$place" "index 40 is outside [0, 40)"
  check line "-1 -D place=$place" "index -1 is outside [0, 40)"
done
check line -2147483648 "index -2147483648 is outside [0, 40)"
check wide "39 -D place=31" ""
check wide "-1 -D place=31" "index -1 is outside [0, 40)"
check wide "0 -D far=5000000000" "index 5000000000 is outside [0, 40)"
check total "40 -D place=31" "index 40 is outside [0, 40)"
check twice "40 -D place=31" "index 40 is outside [0, 40)"
for entry in nested along both; do
  check $entry "69 -D place=31" ""
  check $entry "70 -D place=31" "index 70 is outside [0, 70)"
done
check nested "-3 -D place=31" "index -3 is outside [0, 70)"
check guard "40" ""
exit $failed
