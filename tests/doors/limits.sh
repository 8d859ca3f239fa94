#!/bin/bash
# A file that holds far more than is needed is rejected as soon as that is seen, not when all of it has been read; and where the
# system limits memory, every command ends.   limits.sh DTGC FOLDER
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
fresh_folder "$2"

# many FILE BYTES: a gzip file of 2^20 times what standard input has, made of members (a few megabytes on disk)
many() {
  local text i
  text=$(cat; echo .)
  text=${text%.}
  for i in 1 2 3 4 5 6 7 8 9 10; do text=$text$text; done
  printf '%s' "$text" | gzip -9 >part.gz
  for i in 1 2 3 4 5 6 7 8 9 10; do cat part.gz part.gz >part2.gz && mv part2.gz part.gz; done
  cat "${@:2}" part.gz >"$1"
}

printf 'const batch = 4\nparam w: f32[] = 0\nentry f(x: f32[batch, 1]) {\n  w <- w + sum(x)\n  return sum = sum(x)\n}\nentry g(x: u8[batch, 4]) { return sum = sum(f32(x)) }\nentry h(x: u8[]) { return y = x }\n' >m.dtg
for i in $(seq 500); do echo; done | many blank.csv.gz
for i in $(seq 500); do echo 1; done | many ones.csv.gz
{ echo 1; for i in $(seq 500); do echo; done; } | many seldom.csv.gz
printf '%0500d' 0 | many zeros.raw.gz
# An .npy of 2^20 * 125 rows of 4 bytes
{ printf '\x93NUMPY\1\0\x76\0'; printf "%-117s\n" "{'descr': '|u1', 'fortran_order': False, 'shape': (131072000, 4), }"; } | gzip >head.gz
many rows.npy.gz head.gz < <(printf '%0500d' 0)
{ printf '\x93NUMPY\1\0\x76\0'; printf "%-117s\n" "{'descr': '|u1', 'fortran_order': True, 'shape': (131072000, 4), }"; } >fortran.npy
truncate -s $((128 + 524288000)) fortran.npy

# small MESSAGE COMMAND...: says so within seconds of the CPU's time and little memory
small() {
  local part=$1
  shift
  (ulimit -v 1500000 && ulimit -t 20 && timeout 240 "$@") >said 2>&1 </dev/null
  local got=$?
  [ $got -eq 1 ] && grep -q "$part" said || fail "$*: status $got: $(head -c 300 said)"
}
run="$dtgc run m.dtg"
small 'line 1048577: expected numbers, found 1048576 blank lines' $run call f --feed x=blank.csv.gz
small 'line 1048577: expected numbers, found 1048576 blank lines' $run fit f --feed x=blank.csv.gz --epochs 1
small 'expected 4 rows, found more than [0-9]*$' $run call f --feed x=ones.csv.gz
small 'expected 4 rows, found more than [0-9]*$' $run call f --feed x=seldom.csv.gz
small 'found more' $run call g --feed 'x=zeros.raw.gz:u8[4]'
small 'found more' $run call g --feed 'x=zeros.raw.gz:u8[4]@2'
small 'found u8\[131072000, 4\]' $run call g --feed x=rows.npy.gz
small 'found u8\[131072000, 4\]' $run call g --feed x=fortran.npy
small 'found u8\[131072000, 4\]' $run call h --feed x=rows.npy.gz
small 'expected 1 row, found more than [0-9]*$' $run call h --feed x=ones.csv.gz
seq 19 >more.csv # a few more are counted
small "expected f32\[batch=4, 1\] for input 'x', found f32\[19, 1\]\|expected f32\[4, 1\] for input 'x', found f32\[19, 1\]" $run call f --feed x=more.csv
# What is asked for is read, to the last row.
printf '\n\n1\n\n2\n3\n\n4\n\n' >four.csv
expect 0 'sum = 10' $run call f --feed x=four.csv
head -c 16 /dev/zero | gzip >four.raw.gz
expect 0 'sum = 0' $run call g --feed 'x=four.raw.gz:u8[4]'
expect 0 'sum = 0' $run call g --feed 'x=four.raw.gz:u8[4]@4'

# Every command ends under any limit of memory, with its result or an error.
printf 'entry f(x: f64[64, 64], y: f32[64, 64]) {\n  z = f32(x @ x) + y @ y\n  return sum = sum(z)\n}\n' >product.dtg
for i in $(seq 64); do seq -s, 64; done >x.csv
ends() { # MB CACHE COMMAND: within minutes on a busy machine; what hung, hung for ever
  (ulimit -v $(($1 * 1000)) && [ "$2" = off ] && export DTGC_CACHE=off; exec timeout 120 "$dtgc" $3) >said 2>&1
  got=$?
  [ $got -eq 0 ] || { [ $got -eq 1 ] && [ -s said ]; } || [ $got -eq 127 ] ||
    fail "$1 MB, cache $2, $3: status $got: $(head -c 300 said)"
}
two="run --mesh a=2 product.dtg call f --feed x=x.csv --feed y=x.csv"
for mb in 60 100 150 200 300 400 450 600; do
  for cache in off on; do
    for command in "--version" "run product.dtg call f --feed x=x.csv --feed y=x.csv" "$two"; do
      ends $mb $cache "$command"
    done
  done
  "$dtgc" run product.dtg call f --feed x=x.csv --feed y=x.csv >/dev/null # so that the cache has it
done
# Two devices that both looked for the last memory of OpenBLAS's buffers tried for ever, between 580 and 640 MB.
"$dtgc" $two >/dev/null || fail 'two devices'
for mb in $(seq 400 10 700); do ends $mb on "$two"; done

# clang goes down a block each, and overflowed a stack of 1 MiB.
{ echo 'entry f(n: i32[]) {'; echo '  x = 0; repeat 2 {'
  for i in $(seq 400); do echo "    if n < $i { continue }; x = x + 1"; done
  echo '  }'; echo '  return x'; echo '}'; } >nested.dtg
(ulimit -s 1024; DTGC_CACHE=off "$dtgc" run -O0 nested.dtg call f --feed n=150) >said 2>&1
[ "$(cat said)" = 'x = 300' ] || fail "400 blocks on a stack of 1 MiB: $(head -c 300 said)"
exit $failed
