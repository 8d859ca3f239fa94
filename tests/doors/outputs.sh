#!/bin/bash
# What cannot be written whole is an error with a status that is not 0, whatever it is: a device that is always full
# stands for the disk.   outputs.sh DTGC FOLDER
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
fresh_folder "$2"
[ -w /dev/full ] || { echo 'no /dev/full here'; exit 0; }

# Dumps longer than a stream's buffer, whose last flush then has nothing left to fail with
{
  echo 'param w: f32[64] = zeros([64])'
  echo 'entry add(x: f32[64, 1]) {'
  for i in $(seq 300); do echo "  y$i = x[:, 0] * $i.5"; done
  echo -n '  w <- w + x[:, 0]'
  for i in $(seq 300); do echo -n " + y$i"; done
  printf '\n  return sum = sum(w), all = w\n}\n'
} >long.dtg
printf 'param w: f32[64] = zeros([64])\nentry add(x: f32[64, 1]) {\n  w <- w + x[:, 0]\n  return sum = sum(w), all = w\n}\n' >short.dtg
seq 64 >x.csv
"$dtgc" run short.dtg call add --feed x=x.csv --save saved >/dev/null 2>&1 || { echo 'FAIL no checkpoint'; exit 1; }
printf 'epoch,loss\n1,2\n2,1\n' >log.csv

# full COMMAND...: to a full standard output
full() {
  "$@" >/dev/full 2>said
  local got=$?
  [ $got -eq 1 ] && grep -qi 'standard output' said || fail "$*: status $got, $(head -c 300 said)"
}
for m in short long; do
  for stage in ast graph layouts statements spmd comm memory cost c; do full "$dtgc" $m.dtg --dump=$stage; done
  full "$dtgc" $m.dtg --why sum
  full "$dtgc" $m.dtg --diff $m.dtg
  full "$dtgc" $m.dtg --auto
done
full "$dtgc" --ops
full "$dtgc" --help
full "$dtgc" --version
full "$dtgc" plot log.csv
full "$dtgc" checkpoint cat saved w
full "$dtgc" checkpoint ls saved
full "$dtgc" checkpoint diff saved saved
full "$dtgc" checkpoint --help
full "$dtgc" run short.dtg info
full "$dtgc" run short.dtg call add --feed x=x.csv --out all=-
full "$dtgc" short.dtg

# written FILE COMMAND...: to a file that cannot take it, which is named
written() {
  local file=$1
  shift
  "$@" >said 2>&1
  local got=$?
  [ $got -eq 1 ] && grep -q "$file.*No space left on device" said || fail "$*: status $got, $(head -c 300 said)"
}
ln -s /dev/full full.npy
ln -s /dev/full short.c
mkdir emitted && mv short.c emitted
written emitted/short.c "$dtgc" short.dtg --emit-c emitted
written /dev/full "$dtgc" short.dtg --emit-html /dev/full
written /dev/full "$dtgc" plot log.csv -o /dev/full
written full.npy "$dtgc" checkpoint cat saved w -o full.npy
written full.npy "$dtgc" run short.dtg call add --feed x=x.csv --out all=full.npy
written /dev/full "$dtgc" run short.dtg call add --feed x=x.csv --profile=/dev/full

# Rows for fit
printf 'const batch = 2\nparam v: f32[1] = zeros([1])\nentry train(x: f32[batch, 1]) {\n  v <- v + sum(x, axis=0)\n  return loss = sum(v)\n}\n' >fit.dtg
seq 8 >rows.csv
fit=("$dtgc" run fit.dtg fit train --feed x=rows.csv --epochs 2 --plain)
full "${fit[@]}"
written /dev/full "${fit[@]}" --log /dev/full
written /dev/full "${fit[@]}" --log-steps /dev/full
written /dev/full "${fit[@]}" --log-ranks /dev/full
written /dev/full "${fit[@]}" --profile=/dev/full

# A log by the name of a feed took the place of its rows.
cp rows.csv fed.csv && ln -s fed.csv by_link.csv
for option in --log --log-steps --log-ranks; do
  expect 1 "$option by_link.csv would overwrite a file that is fed" "$dtgc" run fit.dtg fit train --feed x=fed.csv:0 --epochs 1 $option by_link.csv
  expect 1 "$option fed.csv would overwrite" "$dtgc" run fit.dtg fit train --feed 'x={rows,fed}.csv' --epochs 1 $option fed.csv
  expect 1 "$option fed.csv would overwrite" "$dtgc" run fit.dtg fit train --feed x=rows.csv --eval train --eval-feed x=fed.csv --epochs 1 $option fed.csv
done
cmp rows.csv fed.csv || fail 'rows were overwritten'

# With standard output closed the log of the steps got its number, and the lines of the epochs were written into it.
"${fit[@]}" --log-steps open.csv >/dev/null || fail 'no log to compare with'
closed() { # REDIRECTIONS STATUS
  rm -rf closed.csv closed
  eval "\"\${fit[@]}\" --log-steps closed.csv --save closed $1"
  [ $? -eq "$2" ] || fail "closed by $1: another status than $2"
  cmp open.csv closed.csv && "$dtgc" checkpoint check closed >/dev/null || fail "written into what was saved with $1"
}
closed '>&- 2>/dev/null' 1
closed '2>&- >/dev/null' 0
closed '<&- >/dev/null' 0
closed '>&- 2>&- <&-' 1

# Started by one that ignores SIGCHLD nothing learned how a command had ended.
ignoring=(perl -e '$SIG{CHLD} = "IGNORE"; exec @ARGV')
expect 0 'epoch 2/2' "${ignoring[@]}" "$dtgc" run fit.dtg fit train --feed 'x=|cat rows.csv' --epochs 2 --plain
expect 1 'ended with status 3' "${ignoring[@]}" "$dtgc" run fit.dtg fit train --feed 'x=|exit 3' --epochs 2 --plain
expect 1 '`false` could not link the executable' "${ignoring[@]}" env CC=false "$dtgc" fit.dtg --transport=threads -o prog

# A disk that is full while an executable is put in its place: what was there stays.
if command -v cc >/dev/null && [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
  mkdir disk
  unshare -m sh -c '
    mount -t tmpfs -o size=64k tmpfs disk || exit 77
    echo older >disk/prog
    "$0" short.dtg --transport=threads -o disk/prog 2>said
    [ $? -eq 1 ] && grep -q "disk/prog: No space left on device" said && [ "$(ls disk)" = prog ] && [ "$(cat disk/prog)" = older ]' "$dtgc"
  got=$?
  [ $got -eq 0 ] || [ $got -eq 77 ] || fail "an executable on a full disk: $(cat said)"
fi
exit $failed
