#!/bin/bash
# tests/flow/told.sh DTGC [MPIEXEC]: checks and prints, in entries, fns, layers, loops and branches: what is printed comes once,
# in the order of the program, on any mesh, on threads and ranks, from the compiler and from executables; a check that does not
# hold ends the run with its line, text and values; without them (--disable) nothing is said and values are the same.
#   f prints in each; g has nothing behind its loop that reads what that leaves.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 mpiexec=${2:-}
model=$(cd "$(dirname "$0")" && pwd)/told/told.dtg
scratch_folder
cd "$tmp" || exit 2
cat >expected <<'END'
told.dtg:3: twice: f32[2] = [0, 1]
told.dtg:7: y: f32[4, 6] =
  [[0, 1, 2, 3, 4, 5],
   [6, 7, 8, 9, 10, 11],
   [12, 13, 14, 15, 16, 17],
   [18, 19, 20, 21, 22, 23]]
told.dtg:10: i32[] = 2
told.dtg:10: i32[] = 3
told.dtg:13: bool[1, 2] =
  [[true, false]]
told.dtg:15: s: i64[] = 1
told.dtg:15: s: i64[] = 2
END
call() { # WHAT MOST COMMAND...
  local what=$1 most=$2
  shift 2
  "$@" call f --feed n=4 --feed most="$most" >out 2>err </dev/null
  [ $? -eq $((most < 400)) ] || fail "$what: the exit status with most=$most: $(cat out err)"
  sed 's|^.*/told.dtg|told.dtg|' err >said
}
both() { # WHAT COMMAND...
  call "$1" 4000 "${@:2}"
  cmp -s expected said || fail "$1 prints otherwise: $(diff expected said)"
  [ "$(grep z out)" = "z = 372" ] || fail "$1: $(cat out)"
  call "$1" 320 "${@:2}"
  says='told.dtg:11): the sum grew: sum(y) < most and i < 100 is false, where sum(y) = 324, most = 320, i = 1'
  [ "$(grep -cF "$says" err)" = 1 ] || fail "$1: the check is not told once: $(cat err)"
  # Devices on threads were called ranks.
  case $1 in *ranks) who=rank ;; *) who=device ;; esac
  grep -q "$who [0-9] failed in entry \`f\`" err || fail "$1: no $who: $(cat err)"
  [ "$1" != "one device" ] || head -6 expected | cmp -s - <(head -6 said) || fail "$1: what came before the check: $(cat said)"
}
both "one device" "$dtgc" run "$model"
both "2x2 threads" "$dtgc" run "$model" --mesh a=2,b=2 --layout 'w=[a,b]'
"$dtgc" "$model" --mesh a=2 -o program || fail "no executable"
both "an executable" ./program
[ -z "$mpiexec" ] || both "2 ranks" "$mpiexec" -n 2 ./program
for off in print assert; do
  "$dtgc" run "$model" --disable $off call f --feed n=4 --feed most=$([ $off = print ] && echo 4000 || echo 320) >out 2>err
  [ "$(cat out)" = "z = 372" ] || fail "without $off: $(cat out err)"
  [ $off = assert ] || [ ! -s err ] || fail "without print: $(cat err)"
done
out=$("$dtgc" run "$model" --mesh a=2,b=2 call g --feed n=2 2>&1) || fail "g: $out"
[[ $out == *'big: f32[64, 4, 32] ='*'[[[0, 0, 0, ..., 0, 0, 0],'*'...,'*'[3969, 3969, 3969, ..., 3969, 3969, 3969]]]'*'d = 8192'* ]] ||
  fail "what is large is not shortened: $out"
[ "$(wc -l <<<"$out")" -lt 40 ] || fail "what is large is not shortened to 40 lines"
expect 1 'told.dtg:22): i != 2 is false, where i = 2' "$dtgc" run "$model" call g --feed n=3
# The condition itself is not shown: it is false. (The text had a name for it, and the program crashed.)
cat >checks.dtg <<'X'
fn x() { return f32(iota([4, 5], axis=0)) }
entry all_of(n: i32[]) { assert all(x() > f32(n)), "too small"; return 1 }
entry named(n: i32[]) { ok = sum(x()) > f32(n); assert ok; return 1 }
entry both(n: i32[]) { assert all(x() > f32(n)) and n > 0; return 1 }
X
expect 1 'checks.dtg:2): too small: all(x() > f32(n)) is false' "$dtgc" run checks.dtg call all_of --feed n=0
expect 0 '' "$dtgc" run checks.dtg call all_of --feed n=-1
expect 1 'checks.dtg:3): ok is false' "$dtgc" run checks.dtg call named --feed n=50
for entry in all_of named; do
  "$dtgc" run checks.dtg call $entry --feed n=50 2>&1 | grep -q ' is false$' || fail "$entry: more is shown than that it is false"
done
expect 1 'is false, where all(x() > f32(n)) = false, n = 0' "$dtgc" run checks.dtg call both --feed n=0
exit $failed
