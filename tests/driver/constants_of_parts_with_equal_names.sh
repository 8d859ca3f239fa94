#!/bin/bash
# A program whose code was optimized in several parts computes the same by LLVM's loader, and linked into an executable, as by our
# own loader: by LLVM's, constants of one part were once those of another under the same name.
#   constants_of_parts_with_equal_names.sh DTGC FOLDER
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
fresh_folder "$2"
cat >m.dtg <<'P'
entry f() {
  x = linspace(0.1, 0.9, 64)
  a = sum(exp(x * 0.1) / 7.3)
  b = sum(tanh(x * 1.2 + a * 0.2) / 8.3)
  c = sum(log1p(x * 2.3 + b * 0.3) / 9.3)
  d = sum(exp(x * 3.4 + c * 0.4) / 10.3)
  e = sum(tanh(x * 4.5 + d * 0.5) / 11.3)
  g = sum(log1p(x * 5.6 + e * 0.6) / 12.3)
  h = sum(exp(x * 6.7 + g * 0.7) / 13.3)
  return last = sum(tanh(x * 7.8 + h * 0.8) / 14.3), a, b, c, d, e, g, h
}
P
"$dtgc" run m.dtg call f >own 2>&1 || fail "$(tail -3 own)"
"$dtgc" run m.dtg --loader llvm call f >llvm 2>&1 || fail "$(tail -3 llvm)"
diff own llvm >different || fail "by LLVM's loader: $(cat different)"
"$dtgc" m.dtg -o x --transport threads >out 2>&1 && ./x call f >linked 2>&1 || fail "$(tail -3 out linked)"
diff own linked >different || fail "linked: $(cat different)"
grep -q '^last = 4.475' own || fail "$(cat own)"
exit $failed
