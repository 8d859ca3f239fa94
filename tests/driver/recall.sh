#!/bin/bash
# A program that was compiled before starts without a pass; whatever can change its code makes it
# compile again.   recall.sh DTGC FOLDER SOURCES
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 sources=$3
fresh_folder "$2"
export DTGC_FLAGS='-O0 --machine=generic'

cat >part.dtg <<'E'
fn twice(x) { return x + x }
E
cat >m.dtg <<'E'
import "part"
const n = 6
param w: f32[n] = ones([n])
entry f(x: f32[n]) { return y = twice(x * w), s = sum(x) }
E
cat >l.dtg <<'E'
mesh [a=2]
layout f.x = [a]
E
cp "$sources/samples/machines/cpu-100gbe.machine" one.machine
sed 's/^flops .*/flops = 30 Gflop\/s/' one.machine >other.machine
cmp -s one.machine other.machine && fail 'the two machines are the same'

run() { "$dtgc" --time "$@" run m.dtg l.dtg info 2>&1 >/dev/null; }
passed() { # passes ran
  [[ $1 == *front*load* ]] || fail "it did not run: $1"
  [[ $1 == *partition* ]]
}

# again WHAT ARGUMENTS...: compiled the first time, recalled the second
again() {
  local what=$1
  shift
  passed "$(run "$@")" || fail "$what: recalled, though it is another"
  passed "$(run "$@")" && fail "$what: not recalled"
}

again 'from nothing'
again 'a constant' -D n=8
again 'the mesh' --mesh a=3
again 'a layout' --layout 'w=[a]'
again 'memory' --memory 1MB
again 'the caches of this computer' --machine native
again 'a machine' --machine one.machine
again 'a machine of another name' --machine other.machine
cp other.machine one.machine
again 'the text of the machine' --machine one.machine
again 'the CPU' --cpu x86-64-v2
again 'where imports are looked for' -I .
again 'strict layouts' --strict-layouts
again 'precision' --precision=bf16
echo '# more' >>l.dtg
again 'a file of layouts'
echo 'fn twice(x) { return 2 * x }' >part.dtg
again 'an imported text'
again 'the level of clang' -O1
again 'line tables' --no-lines
again 'passes that are disabled' --disable=overlap
again 'optimizations that are disabled' --disable=epilogue
again 'how much repeated steps save' --repeat-saves=3
again 'an exchange that is left out' --drop-exchange=1
passed "$(DTGC_FLAGS='--machine=generic --disable=epilogue' run -O0)" && fail 'the same options from the environment: not recalled'
passed "$(run)" && fail 'the first is forgotten'
cp m.dtg other.dtg
passed "$("$dtgc" --time run other.dtg l.dtg info 2>&1 >/dev/null)" || fail 'the name of the file is not asked'
mkdir elsewhere && cp part.dtg l.dtg elsewhere && sed 's/n = 6/n = 7/' m.dtg >elsewhere/m.dtg
passed "$(cd elsewhere && run)" || fail 'two files of one name are one'

# what needs the plan has it, and says what it said
stages=layouts,spmd,comm,memory,cost,c
cold=$(DTGC_CACHE=off "$dtgc" m.dtg l.dtg --dump=$stages --why f.y)
[ "$("$dtgc" m.dtg l.dtg --dump=$stages --why f.y)" = "$cold" ] || fail 'dumps of what was recalled are others'
expect 0 '[a]' "$dtgc" run m.dtg l.dtg info --layouts

# an error stays one, and what passes warn of is said each time
echo 'entry f(x: f32[2]) { return y = x + nothing }' >bad.dtg
for i in 1 2; do expect 1 'bad.dtg:1:' "$dtgc" run bad.dtg info; done
cat >warns.dtg <<'E'
param w: f32[2] = ones([2])
entry f(x: f32[2]) {
  loss = sum(x)
  return g = grad(loss, w)
}
E
for i in 1 2; do expect 0 'does not depend on' "$dtgc" run warns.dtg info; done

[ $failed = 0 ] && echo 'all as expected'
exit $failed
