#!/bin/bash
# A program whose code was optimized in several parts computes the same by LLVM's loader, and linked into an executable, as by our
# own loader: by LLVM's, constants of one part were once those of another under the same name.
#   constants_of_parts_with_equal_names.sh DTGC FOLDER
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
fresh_folder "$2"
# Enough for four parts, by the cost that is stated in backend/jit/parts.c.
{
  echo 'entry f() {'
  echo '  x = linspace(0.1, 0.9, 64)'
  echo '  a0 = 0.1'
  for i in {1..32}; do
    of=(exp tanh log1p)
    echo "  a$i = sum(${of[i % 3]}(x * 0.$((i + 10)) + a$((i - 1)) * 0.0$i) / $((i + 60)).3)"
  done
  echo "  return last = a32, $(seq -s ', ' -f a%g 1 31)"
  echo '}'
} >m.dtg
"$dtgc" run m.dtg call f >own 2>&1 || fail "$(tail -3 own)"
"$dtgc" run m.dtg --loader llvm call f >llvm 2>&1 || fail "$(tail -3 llvm)"
diff own llvm >different || fail "by LLVM's loader: $(cat different)"
"$dtgc" m.dtg -o x --transport threads >out 2>&1 && ./x call f >linked 2>&1 || fail "$(tail -3 out linked)"
diff own linked >different || fail "linked: $(cat different)"
grep -q '^last = 0.13278' own || fail "$(cat own)"
exit $failed
