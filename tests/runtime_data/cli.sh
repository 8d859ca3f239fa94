#!/bin/sh
# cli.sh TOY DIR: dtrt_main from outside, with the hand-written program of toy.c: every command, every option, and
# the mistakes a person can make. Each check names the exit status and a piece of what is printed.
set -u
toy=$1
dir=$2
rm -rf "$dir"
mkdir -p "$dir" && cd "$dir" || exit 99
failures=0
checks=0
LC_ALL=C
unset PMI_RANK PMIX_RANK OMPI_COMM_WORLD_RANK
export LC_ALL

# ok|fails STATUS OUT ERR ARGS...: the status, and fixed text within stdout and stderr ('' for: must be empty; * for: anything).
check() {
  status=$1 out=$2 err=$3
  shift 3
  checks=$((checks + 1))
  "$toy" "$@" >out.txt 2>err.txt </dev/null
  got=$?
  bad=
  [ $got -eq "$status" ] || bad="exit status $got, expected $status"
  [ -n "$out" ] || [ ! -s out.txt ] || bad="$bad; stdout is not empty"
  [ -n "$err" ] || [ ! -s err.txt ] || bad="$bad; stderr is not empty"
  [ "$out" = '*' ] || [ -z "$out" ] || grep -qF -- "$out" out.txt || bad="$bad; stdout lacks '$out'"
  [ "$err" = '*' ] || [ -z "$err" ] || grep -qF -- "$err" err.txt || bad="$bad; stderr lacks '$err'"
  [ -z "$bad" ] && return
  failures=$((failures + 1))
  echo "toy $*: $bad"
  sed 's/^/  out: /' out.txt
  sed 's/^/  err: /' err.txt
}

# same A B WHY: two files are equal.
same() {
  checks=$((checks + 1))
  cmp -s "$1" "$2" && return
  failures=$((failures + 1))
  echo "$3: $1 and $2 differ"
  head -5 "$1" "$2"
}

awk 'BEGIN { for (i = 0; i < 19; i++) print i % 5 "," i * 3 % 7 "," i % 2 ",1," i }' >d.csv
head -8 d.csv >e.csv
head -11 d.csv >f.csv
gzip -c d.csv >d.csv.gz
feed='--feed image=d.csv:0-3 --feed label=d.csv:4 --feed rate=0.5'
efeed='--eval eval --eval-feed image=f.csv:0-3 --eval-feed label=f.csv:4'

# help and info
check 2 '' 'usage: toy info'
check 0 'image          u8[batch=8, 2, 2]' '' --help
check 0 '--shuffle SEED' '' fit train --help
check 0 'model.w  f32[]' '' info
check 0 'the layouts' '' info --layouts

# words that are not there
check 2 '' "unknown command 'inof' (did you mean 'info'?)" inof
check 2 '' "has no entry 'trian' (did you mean 'train'?)" fit trian
check 2 '' "has no entry 'init'" call init
check 2 '' "unknown option '--epoch' (did you mean '--epochs'?)" fit train --epoch 3
check 2 '' "--mesh is an option of the compiler: dtgc run MODEL.dtg --mesh ... call ..." call train --mesh a=2
check 2 '' "--epochs is not an option of 'call'" call train --epochs 3
check 2 '' "no input of that name (did you mean 'label'?)" fit train --feed lable=d.csv --epochs 1
check 2 '' "no output of that name (did you mean 'sums'?)" call train --out sum=-
check 2 '' "expected threads, mpi or self (did you mean 'threads'?)" fit train --epochs 1 --transport thread
check 2 '' "unexpected 'eval' after 'train'" fit train eval
check 2 '' 'fit requires an entry' fit --epochs 1
check 2 '' 'fit requires --epochs N or --steps N' fit train
check 2 '' 'exclude each other' fit train --epochs 1 --steps 1
check 2 '' '--steps 0: expected an integer from 1' fit train --steps 0
check 2 '' '--prefetch -1: expected an integer from 0' fit train --epochs 1 --prefetch -1
check 2 '' '--prefetch 1001: expected at most 1000' fit train --epochs 1 --prefetch 1001
check 2 '' '--epochs 0: expected an integer from 1' fit train --epochs 0
check 2 '' '--epochs 1x: expected' fit train --epochs 1x
check 2 '' '--epochs 99999999999999999999: expected' fit train --epochs 99999999999999999999
check 2 '' '--seed -1: expected an integer from 0' fit train --seed -1
check 2 '' '--epochs requires a value' fit train --epochs
check 2 '' '--drop-last takes no value' fit train --drop-last=1
check 2 '' 'expected NAME=FILE' fit train --feed image
check 2 '' 'is given twice' fit train --feed image=a --feed image=b
check 2 '' 'require --eval ENTRY' fit train --epochs 1 --eval-limit 3
check 2 '' 'outputs are written as .npy' call train --out sums=s.csv

# fit: a short batch needs a program of its size, from the variants, from `more`, or is dropped on demand
check 1 '' '--also batch=3' fit train $feed --epochs 1
check 1 '' 'or leave the last 3 rows out with --drop-last' fit train $feed --epochs 1
check 0 'fit train: 19 rows, 2 steps of 8, the last 3 rows left out' '' fit train $feed --epochs 1 --drop-last
check 0 'fit train: 16 rows, 2 steps of 8;' '' fit train $feed --epochs 1 --limit 16
TOY_VARIANTS=3
export TOY_VARIANTS
check 0 'fit train: 19 rows, 2 steps of 8 and one step of 3' '' fit train $feed --epochs 2
TOY_MORE=1
export TOY_MORE
check 0 'epoch 1/1' 'more: batch = 5' fit train $feed --epochs 1 --limit 5
unset TOY_MORE

check 0 'fit train: 17 rows, 2 steps of 8, the last 1 row left out' '' fit train $feed --epochs 1 --skip 2 --drop-last
check 0 'fit train: 8 rows, 1 step of 8;' '' fit train $feed --epochs 1 --skip 11 --limit 8
check 0 '  loss 21.25 ' '' fit train $feed --epochs 1 --skip 11 --limit 8 --shuffle 1
check 1 '' '19 rows, and all are skipped' fit train $feed --epochs 1 --skip 19

# The mean over an epoch is that of all rows: sums of images 122 + sums of labels 171, over 19.
check 0 'epoch 2/2  loss 15.42' '' fit train $feed $efeed --epochs 2 --log log.csv
check 0 'eval loss 11.18  eval w 3 ' '' fit train $feed $efeed --epochs 2 --log log.csv
cut -d, -f1,2,4,6- log.csv >got.txt
cat >want.txt <<END
epoch,steps,loss,nan,eval.loss,eval.w
1,3,15.4210525,15.4210525,11.1818184,1.5
2,3,15.4210525,15.4210525,11.1818184,3
END
same want.txt got.txt 'the log'
[ "$(ls | grep -c tmp)" -eq 0 ] || { failures=$((failures + 1)); echo 'a file was left aside'; }
check 1 '*' 'none/log.csv: cannot write: No such file' fit train $feed --epochs 1 --log none/log.csv
grep -q '^epoch' out.txt && { failures=$((failures + 1)); echo 'a log that cannot be written was found after an epoch'; }

# Shuffling changes the order (place), not the rows (loss); epochs differ; a seed gives one order, on every mesh.
check 0 'loss 15.42' '' fit train $feed --epochs 3 --shuffle 1 --log s1.csv
check 0 '*' '' fit train $feed --epochs 3 --shuffle 1 --log s2.csv
check 0 '*' '' fit train $feed --epochs 3 --shuffle 2 --log s3.csv
for f in s1 s2 s3; do cut -d, -f1,4- $f.csv >$f.txt; done
same s1.txt s2.txt 'the same seed'
checks=$((checks + 2))
[ "$(tail -n +2 s1.txt | cut -d, -f3 | sort -u | wc -l)" -eq 3 ] || { failures=$((failures + 1)); echo 'epochs share an order'; }
cmp -s s1.txt s3.txt && { failures=$((failures + 1)); echo 'seeds share an order'; }
if [ -n "${TOY_AXES:-}" ]; then
  for axis in $TOY_AXES; do
    TOY_AXIS=$axis
    export TOY_AXIS
    check 0 "$axis device" '' fit train $feed --epochs 3 --shuffle 1 --log s4.csv
    cut -d, -f1,4- s4.csv >s4.txt
    same s1.txt s4.txt "mesh $axis"
  done
  unset TOY_AXIS
fi

# Reading ahead changes nothing, whatever its depth and the mesh.
for depth in 0 1 2 7; do
  for axis in 1 ${TOY_AXES:-}; do
    TOY_AXIS=$axis
    export TOY_AXIS
    check 0 '*' '' fit train $feed $efeed --epochs 3 --shuffle 1 --log p.csv --prefetch $depth
    cut -d, -f1,2,4- p.csv >p$depth.txt
    same p0.txt p$depth.txt "prefetch $depth, mesh $axis"
  done
done
unset TOY_AXIS

# --steps: the epochs that so many steps take, the last one cut off; the order is that of --epochs
check 0 'fit train: 19 rows, 2 steps of 8 and one step of 3; 7 steps in all; 1 device' '' fit train $feed $efeed --steps 7 --shuffle 1 --log t.csv
cut -d, -f1,2,4- t.csv >t.txt
same t.txt t.txt 'the log of --steps'
head -3 p0.txt >want.txt
head -3 t.txt >got.txt
same want.txt got.txt '--steps begins as --epochs'
checks=$((checks + 1))
[ "$(tail -1 t.txt | cut -d, -f1,2)" = 3,1 ] || { failures=$((failures + 1)); echo "the last epoch of --steps 7: $(tail -1 t.txt)"; }
check 0 'eval w 3.5' '' fit train $feed $efeed --steps 7
check 0 'epoch 2/2' '' fit train $feed --steps 6
check 0 'epoch 1/1' '' fit train $feed --steps 2
TOY_VARIANTS=
check 0 '2 steps of 8; 2 steps in all' '' fit train $feed --steps 2
check 1 '' '--also batch=3' fit train $feed --steps 3
check 0 'epoch 50/50' '' fit train $feed --steps 100 --drop-last
TOY_VARIANTS=3

# an unreadable value is reported alike with and without the thread, after the steps before it
awk 'BEGIN { for (i = 0; i < 19; i++) printf "\\%03o\\%03o", i == 17 ? 44 : 1, i == 17 }' /dev/null >octal.txt
printf "$(cat octal.txt)" >wide.bin
wide='--feed image=wide.bin:i16[1]:0,0,0,0 --feed label=d.csv:4 --feed rate=1 --epochs 2 --drop-last'
check 1 '*' '*' fit train $wide --skip 3 --prefetch 0
cp err.txt err0.txt
grep -qF 'reading input `image`: wide.bin: element 17 is 300, which does not fit u8 (0 to 255)' err0.txt || { failures=$((failures + 1)); cat err0.txt; }
for depth in 1 3; do
  check 1 '*' '*' fit train $wide --skip 3 --prefetch $depth
  same err0.txt err.txt "a bad value with --prefetch $depth"
done

# other formats give the same
check 0 'epoch 1/1  loss 15.42' '' fit train --feed image=d.csv.gz:0-3 --feed label=d.csv.gz:4 --feed rate=0 --epochs 1
printf '\0\0\10\3\0\0\0\10\0\0\0\2\0\0\0\2abcdefghijklmnopqrstuvwxyz012345' >i.idx
check 0 'loss = 397.25' 'output sums, f32[8], is discarded' call train --feed image=i.idx --feed label=e.csv:4 --feed rate=1
check 0 'loss = 397.25' '' call train --feed image=i.idx --feed label=e.csv:4 --feed rate=1 --out sums=s.npy
# A pipe is written, not replaced by a file, also where its reader opens it later.
mkfifo pipe.npy
{ sleep 0.3; timeout 120 cat pipe.npy; } >piped.npy &
check 0 'loss = 397.25' '' call train --feed image=i.idx --feed label=e.csv:4 --feed rate=1 --out sums=pipe.npy
wait
[ -p pipe.npy ] && cmp s.npy piped.npy || { failures=$((failures + 1)); echo 'the pipe pipe.npy is none any more, or has something else'; }
checks=$((checks + 1))
[ "$(wc -c <s.npy)" -eq 160 ] || { failures=$((failures + 1)); echo 's.npy is not of 128 + 32 bytes'; }
check 0 'sums = [394, 410' '' call train --feed image=i.idx --feed label=e.csv:4 --feed rate=1 --out sums=-

# raw records, and several files as one: the bytes of d.csv, in files of 8 and 11 records
awk -F, '{ for (i = 1; i <= 5; i++) printf "\\%03o", $i }' d.csv >octal.txt
printf "$(cat octal.txt)" >d.bin
head -c 40 d.bin >d1.bin
tail -c +41 d.bin >d2.bin
check 0 'epoch 1/1  loss 15.42' '' fit train --feed image=d.bin:u8[5]:0-3 --feed label='d[12].bin:u8[5]:4' --feed rate=0 --epochs 1
check 0 'fit train: 27 rows' '' fit train --feed image='{d,d1}.bin:u8[5]:0-3' --feed label='{d,e}.csv:4' --feed rate=0 --epochs 1 --drop-last
check 1 '' 'expected 19 rows, as in the other files, found 8' fit train --feed image='d?.bin:u8[5]:0-3' --feed label=d1.bin:u8[5]:4 --feed rate=0 --epochs 1
check 1 '' 'd.bin: expected whole records of 4 bytes (u8[4]), found 95 bytes: 23 records and 3 bytes over' fit train --feed image=d.bin:u8[4] --feed label=d.csv:4 --feed rate=0 --epochs 1
check 1 '' 'expected a column 5 (they count from 0), found 5 columns' fit train --feed image=d.bin:u8[5]:1-5 --feed label=d.csv:4 --feed rate=0 --epochs 1
check 1 '' 'no*.bin: no file matches' fit train --feed image='no*.bin:u8[5]:0-3' --feed label=d.csv:4 --feed rate=0 --epochs 1
check 1 '' "found u8[19, 5] (choose columns after the type, as in FILE:u8[3073]:1-3072)" fit train --feed image=d.bin:u8[5] --feed label=d.csv:4 --feed rate=0 --epochs 1

# files that do not fit
check 1 '' "entry 'train' requires input 'rate' (f32[]): --feed rate=NUMBER" fit train --feed image=d.csv:0-3 --feed label=d.csv:4 --epochs 1
check 1 '*' "entry 'eval' requires input 'label' (i32[batch=8]): --eval-feed label=FILE" fit train $feed --eval eval --eval-feed image=d.csv:0-3 --epochs 1 --drop-last
check 1 '' "4: no such file; input 'label' is i32[8] and needs a file" call train --feed image=e.csv:0-3 --feed label=4 --feed rate=1
check 1 '' "quick: neither a number nor a file; input 'rate' is f32[]" call train --feed image=e.csv:0-3 --feed label=e.csv:4 --feed rate=quick
check 1 '' 'none.csv: No such file' fit train --feed image=none.csv --feed label=d.csv:4 --feed rate=1 --epochs 1
check 1 '' "expected u8[8, 2, 2] for input 'image', with any number of rows for the first dim, found u8[19, 5] (choose columns" fit train --feed image=d.csv --feed label=d.csv:4 --feed rate=1 --epochs 1
check 1 '' 'expected 19 rows, as in the other files, found 11' fit train --feed image=d.csv:0-3 --feed label=f.csv:4 --feed rate=1 --epochs 1
# Numbers between semicolons, tabs or blanks: it did not say what is to be there.
printf '1;2;3;4\n1;2;3;4\n' >semicolons.csv
printf '1 2 3 4\n1 2 3 4\n' >blanks.csv
check 1 '' "semicolons.csv: line 2, column 0: expected a number, found '1;2;3;4' (columns are separated by commas)" fit train --feed image=semicolons.csv --feed label=d.csv:4 --feed rate=1 --epochs 1
check 1 '' "blanks.csv: line 2, column 0: expected a number, found '1 2 3 4' (columns are separated by commas)" fit train --feed image=blanks.csv --feed label=d.csv:4 --feed rate=1 --epochs 1
check 1 '' "expected i32[8] for input 'label', found i32[19, 1]" call train --feed image=e.csv:0-3 --feed label=d.csv:4 --feed rate=1
echo 1,2 >rate.csv
check 1 '' "rate.csv: expected f32[] for input 'rate', found f32[1, 2]" call train --feed image=e.csv:0-3 --feed label=e.csv:4 --feed rate=rate.csv
check 0 'loss' '*' call train --feed image=e.csv:0-3 --feed label=e.csv:4 --feed rate=rate.csv:1
check 1 '' "1e99 is not a value of f32" call train --feed image=e.csv:0-3 --feed label=e.csv:4 --feed rate=1e99
check 1 '' 'leaves no batch of the 5 rows' fit train $feed --epochs 1 --limit 5 --drop-last
printf '\223NUMPY\1\0\67\0{"descr": "<i8", "fortran_order": False, "shape": (2,)}\1\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0' >l.npy
check 1 '' "l.npy: expected i32[8] for input 'label', found i64[2]" call train --feed image=e.csv:0-3 --feed label=l.npy --feed rate=1

# values that are not finite: said once, or the end
sed '12s/,11$/,-1/' d.csv >nan.csv
nan='--feed image=nan.csv:0-3 --feed label=nan.csv:4 --feed rate=1'
check 0 'epoch 2/2  loss nan' "warning: loss of 'train' is" fit train $nan --epochs 2
[ "$(grep -c warning err.txt)" -eq 1 ] || { failures=$((failures + 1)); echo 'the warning came more than once'; }
check 1 'fit train' 'step 2 of epoch 1' fit train $nan --epochs 2 --stop-on-nan

# a NaN with its sign bit set is printed without a sign: w of eval is the sum of the rates
check 0 'eval w nan ' "warning: w of 'eval' is nan at" fit train --feed image=d.csv:0-3 --feed label=d.csv:4 --feed rate=-nan $efeed --epochs 2 --log nan.log
grep -qi -e -nan out.txt err.txt nan.log && { failures=$((failures + 1)); echo 'a NaN was printed with a sign'; }

# Ctrl-C: after the current step, with 130 (--foreground, for one signal alone: a second one ends it at once)
checks=$((checks + 1))
seconds=0 got=0
while [ $((seconds += 1)) -le 16 ] && { [ $got -ne 130 ] || ! grep -qF 'stopped by Ctrl-C after step' err.txt; }; do # later where the machine is busy
  timeout --foreground -s INT --preserve-status $seconds "$toy" fit train $feed --epochs 100000000 >out.txt 2>err.txt
  got=$?
done
[ $got -eq 130 ] && grep -qF 'stopped by Ctrl-C after step' err.txt || {
  failures=$((failures + 1))
  echo "Ctrl-C: status $got"
  tail -3 err.txt
}

# no control characters where there is no terminal
checks=$((checks + 1))
"$toy" fit train $feed $efeed --epochs 3 >out.txt 2>&1
LC_ALL=C grep -q '[[:cntrl:]]' out.txt && { failures=$((failures + 1)); echo 'control characters without a terminal'; }

# lists and commands
mkdir lists
head -10 d.csv >lists/one.csv
tail -n +11 d.csv >lists/two.csv
printf '# shards\n\none.csv\r\n  two.csv \n' >lists/all.txt
printf 'one.csv\nnone.csv\n' >lists/bad.txt
printf '# none\n' >lists/empty.txt
printf 'one\0two.csv\n' >lists/zero.txt
"$toy" fit train $feed --epochs 2 --shuffle 3 --log files.csv >out.txt 2>err.txt
sums() { cut -d, -f1,2,4- "$1"; }
for f in @lists/all.txt '|cat lists/one.csv lists/two.csv' '|gzip -c d.csv' 'lists/{one,two}.csv'; do
  check 0 'epoch 2/2' '' fit train --feed image="$f:0-3" --feed label="$f:4" --feed rate=0.5 --epochs 2 --shuffle 3 --log others.csv
  [ "$(sums files.csv)" = "$(sums others.csv)" ] || { failures=$((failures + 1)); echo "$f: other numbers"; }
done
one() { # ERR FILE
  check 1 '' "$1" fit train --feed image="$2" --feed label=d.csv:4 --feed rate=0.5 --epochs 1
}
one 'lists/bad.txt:2: lists/none.csv: No such file' @lists/bad.txt:0-3
one 'lists/empty.txt: the list names no file' @lists/empty.txt
one 'lists/zero.txt:1: expected the name of a file, found a zero byte' @lists/zero.txt
one 'none.txt: No such file' @none.txt
one '|cat none 2>&1: the command ended with status 1' '|cat none 2>&1'
one '|kill -9 $$: the command was killed by signal 9' '|kill -9 $$'
one '|true: the command has printed nothing' '|true'
one '|: expected a command behind the bar' '| :0-3'
one '|printf 12345: expected whole records of 4 bytes (u8[4]), found 5 bytes' '|printf 12345:u8[4]'
TMPDIR=$PWD/none
export TMPDIR
one '(TMPDIR names another folder)' '|cat d.csv:0-3'
unset TMPDIR

# another rank than 0 says nothing
PMI_RANK=1 PMI_SIZE=2
export PMI_RANK PMI_SIZE
check 0 '' '' --help
check 2 '' '' fit trian

echo "$checks checks, $failures failed"
[ $failures -eq 0 ]
