#!/bin/bash
# dtgc's command line, its cache and its executables.   driver.sh DTGC FOLDER
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
fresh_folder "$2"
cache=$XDG_CACHE_HOME/dtgc

cat >m.dtg <<'E'
const n = 6
entry add(x: f32[n], y: f32[n]) { return sum = x + y, dot = sum(x * y) }
E
cat >l.dtg <<'E'
mesh [a=2]
layout x = [a]
E
echo 'entry f(x: f32[2]) { return y = x + nothing }' >bad.dtg
printf '1\n2\n3\n4\n5\n6\n' >x.csv
feed="--feed x=x.csv --feed y=x.csv"

# -- usage
expect 2 'dtgc FILES' "$dtgc"
expect 0 '--dump' "$dtgc" --help
expect 0 'dtgc ' "$dtgc" --version
expect 2 'do you mean --dump?' "$dtgc" --dmup=ast m.dtg
expect 2 'unknown stage `layout`' "$dtgc" --dump=layout m.dtg
expect 2 'requires a value' "$dtgc" m.dtg --mesh
expect 2 'given twice' "$dtgc" m.dtg --mesh a=2 --mesh=a=3
expect 2 'NAME=VALUE' "$dtgc" m.dtg -D n
expect 1 '--also:1:7: error: the program has no `const m`' "$dtgc" m.dtg -D n=4 --also m=2 -o never
expect 1 '-D:1:7: error: the program has no `const m`' "$dtgc" m.dtg -D m=4 --also n=2 -o never
expect 2 'expected a .dtg file' "$dtgc" --dump=ast
expect 2 'do not go with run' "$dtgc" run m.dtg -o x
expect 2 'why and --diff do not go' "$dtgc" run m.dtg --why x
expect 2 'given twice' "$dtgc" m.dtg --diff l.dtg --diff m.dtg
# The message did not say which of many options it was.
expect 2 'compiler options (dtgc --help), not --auto' "$dtgc" verify m.dtg --auto
expect 2 '--quick only, not --mesh' "$dtgc" calibrate --mesh a=2
expect 2 'neither a .dtg file' "$dtgc" run m.dgt info
expect 1 'cannot be read' "$dtgc" nothere.dtg
# Words of another command were files that cannot be read.
expect 2 '`call` goes with run: dtgc run m.dtg call ...' "$dtgc" m.dtg call add
expect 2 '`compile` is no file (dtgc --help lists what dtgc does)' "$dtgc" compile m.dtg
expect 2 '(an entry is called by `call add`, and trained by `fit`)' "$dtgc" run m.dtg add
expect 1 'bad.dtg:1:' "$dtgc" bad.dtg
# Files alone: one line, that there is no error and what a call would cost.
expect 0 'm.dtg: no errors; 1 device; modelled time a call: ' "$dtgc" m.dtg
expect 0 ', of which --memory limits variables and arena: ' "$dtgc" m.dtg --memory 1MB
# The README's 2G was no size.
for size in 2G '1 KiB' 4k 3TB; do expect 0 '' "$dtgc" m.dtg --memory "$size"; done
for size in 2X 2iB G 2GiBs 1e30 ''; do expect 2 'such as 2GB or 500MiB' "$dtgc" m.dtg --memory "$size"; done
expect 1 'does not fit 2048 bytes' "$dtgc" m.dtg -D n=6000 --memory 2K
# It asked for what it was given.
expect 2 'option --check-nan takes no value here: --check-nan=full' "$dtgc" run m.dtg --check-nan=full call add
[ "$("$dtgc" m.dtg l.dtg 2>&1 | wc -l)" = 1 ] || fail 'a check prints more than a line, or nothing'

# -- dumps and C
expect 0 'entry add' "$dtgc" --dump=ast m.dtg
expect 0 '---- comm ----' "$dtgc" m.dtg l.dtg --dump=layouts,comm
expect 0 'is returned as dot' "$dtgc" m.dtg l.dtg --why dot --why add.x
expect 1 'no tensor `nowhere`' "$dtgc" m.dtg l.dtg --why nowhere
expect 0 'a call, modelled' "$dtgc" m.dtg l.dtg --diff l.dtg
expect 1 'nothere.dtg cannot be read' "$dtgc" m.dtg l.dtg --diff nothere.dtg
[ -e "$cache" ] && fail 'dumps wrote to the cache'
expect 0 '' "$dtgc" m.dtg l.dtg --emit-c out
expect 0 '' cc -std=c11 -Wall -Wextra -Werror -c out/m.c -o out/m.o
expect 1 'No such' "$dtgc" m.dtg --emit-c no/such/folder
"$dtgc" m.dtg --dump=ast >/dev/full 2>err
[ $? -eq 1 ] && grep -q 'standard output' err || fail "a full disk goes unnoticed: $(cat err)"

# -- data that does not fit
printf 'entry rows(x: f32[4, 3]) { return y = x + 1 }\n' >rows.dtg
printf '1,2,3\n4,5,6\n' >rows.csv
# A table that lacked rows was told to choose columns.
expect 1 "expected f32[4, 3] for input 'x', found f32[2, 3]" "$dtgc" run rows.dtg call rows --feed x=rows.csv
"$dtgc" run rows.dtg call rows --feed x=rows.csv 2>&1 | grep -q 'choose columns' && fail 'rows are missing, not columns'
printf '\223NUMPY\1\0\166\0%-117s\n%96s' "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 3), }" '' >f64.npy
expect 1 'found f64 (.npy): save it as f32, or let the input be f64 and cast it, as in f32(x)' "$dtgc" run rows.dtg call rows --feed x=f64.npy

# -- run and the cache
expect 0 'dot = 91' "$dtgc" run m.dtg l.dtg call add $feed
objects() { find "$cache" -name '*.o' -size +1k | wc -l; } # the others say which object a program has
[ "$(objects)" -eq 1 ] || fail "the cache holds $(objects) objects after one program"
expect 0 'from the cache' "$dtgc" --time run m.dtg l.dtg call add $feed
# --cores was known only behind `call`.
expect 0 'dot = 91' "$dtgc" run --cores 2 m.dtg call add $feed
expect 0 'dot = 91' "$dtgc" run m.dtg l.dtg --cores=1 call add $feed
expect 2 '--cores' "$dtgc" run m.dtg --cores 0 call add $feed
expect 2 '--cores' "$dtgc" run m.dtg --cores two call add $feed
expect 2 'given twice' "$dtgc" run m.dtg --cores 2 --cores 1 call add $feed
expect 2 'given twice' "$dtgc" run m.dtg --cores 2 call add $feed --cores 1
expect 2 '--cores' "$dtgc" run m.dtg --cores 2 info
expect 2 '--cores goes with run' "$dtgc" m.dtg --cores 2
expect 0 'dot = 91' "$dtgc" run m.dtg call add $feed
[ "$(objects)" -eq 2 ] || fail 'another mesh, the same object?'
head -3 x.csv >x3.csv
expect 0 'dot = 14' "$dtgc" run m.dtg l.dtg -D n=3 call add --feed x=x3.csv --feed y=x3.csv

# A command behind a number was taken for a file that is not there.
echo 'entry times(by: f32[], x: f32[6]) { return s = sum(by * x) }' >by.dtg
expect 0 's = 42' "$dtgc" run by.dtg call times --feed by=2 --feed 'x=|seq 6'

# damaged entries are made anew
for f in "$cache"/*.o; do printf 'X' | dd of="$f" bs=1 seek=200 conv=notrunc status=none; done
expect 0 'dot = 91' "$dtgc" run m.dtg l.dtg call add $feed
for f in "$cache"/*.o; do truncate -s 100 "$f"; done
expect 0 'dot = 91' "$dtgc" run m.dtg l.dtg call add $feed
for f in "$cache"/*.o; do : >"$f"; done
expect 0 'dot = 91' "$dtgc" run m.dtg l.dtg call add $feed
expect 0 'from the cache' "$dtgc" --time run m.dtg l.dtg call add $feed

# an entry whose object is gone
find "$cache" -name '*.o' -size +1k -delete
expect 0 'dot = 91' "$dtgc" run m.dtg l.dtg call add $feed
[ "$(objects)" -eq 1 ] || fail 'an object that went is not made anew'
expect 0 'from the cache' "$dtgc" --time run m.dtg l.dtg call add $feed

# many processes at once, from nothing
rm -rf "$cache"
for i in 1 2 3 4 5 6 7 8; do "$dtgc" run m.dtg l.dtg call add $feed >"many$i" 2>&1 & done
wait
for i in 1 2 3 4 5 6 7 8; do grep -q 'dot = 91' "many$i" || fail "one of many at once: $(cat "many$i")"; done
ls "$cache" | grep -q '^new-' && fail 'something half written stays in the cache'

# no place to write, and switched off
rm -rf "$cache"
DTGC_CACHE=off expect 0 'dot = 91' "$dtgc" run m.dtg l.dtg call add $feed
[ -e "$cache" ] && fail 'DTGC_CACHE=off wrote to the cache'
DTGC_CACHE=/dev/null/x expect 0 'dot = 91' "$dtgc" run m.dtg l.dtg call add $feed

# LLVM printed remarks about the loops of rows of two elements
echo 'entry f(x: f32[300, 2]) { return y = sum(x, axis=0) }' >remark.dtg
yes 1,1 | head -n 300 >rows.csv
DTGC_CACHE=off never remark "$dtgc" run remark.dtg call f --feed x=rows.csv --out y=-

# -- executables
# clang sees the headers that are built in, and none of the folder's, nor those of its environment.
mkdir own_headers && for h in dtrt.h dtrt_math.h dtrt_special.h; do echo '#error of the folder' >own_headers/$h; done
cp m.dtg l.dtg own_headers
(cd own_headers && DTGC_CACHE=off C_INCLUDE_PATH=. CPATH=. expect 0 'sum' "$dtgc" run m.dtg l.dtg call add --feed x=../x.csv --feed y=../x.csv; exit $failed) || failed=1
expect 0 '' "$dtgc" m.dtg l.dtg --transport=threads -o model
expect 0 'dot = 91' ./model call add $feed
expect 0 'dot = 91' env -i ./model call add $feed
ldd ./model | grep -qE 'LLVM|clang|dtgc|mpi' && fail "the executable depends on: $(ldd ./model | grep -E 'LLVM|clang|dtgc|mpi')"
expect 1 'is a folder' "$dtgc" m.dtg --transport=threads -o out
CC=/no/such/cc expect 1 '/no/such/cc' "$dtgc" m.dtg --transport=threads -o model2
[ -e model2 ] && fail 'a failed link left an executable'
if [ "${DTG_HAS_MPI:-0}" = 1 ] && command -v mpiexec >/dev/null; then
  expect 0 '' "$dtgc" m.dtg l.dtg -o mmodel
  expect 0 'dot = 91' ./mmodel call add $feed
  expect 0 'dot = 91' mpiexec -n 2 ./mmodel call add $feed
  rm -rf "$cache"
  expect 0 'dot = 91' mpiexec -n 2 "$dtgc" run m.dtg l.dtg call add $feed
  [ "$(objects)" -eq 1 ] || fail 'under mpiexec not one rank compiled'
  [ "$(mpiexec -n 2 "$dtgc" run bad.dtg info 2>&1 | grep -c 'error:')" -eq 1 ] || fail 'two ranks speak'
fi

[ $failed = 0 ] && echo 'all as expected'
exit $failed
