#!/bin/bash
# dtgc plot: pictures against those kept here, byte by byte, and errors.
#   plot.sh DTGC FOLDER [--update]
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 here=$(cd "$(dirname "$0")" && pwd) update=${3:-}
fresh_folder "$2"
cp "$here"/*.csv .

plot() { "$dtgc" plot "$@"; }

# picture NAME ARGUMENTS...: the SVG is the one kept, to a file and to standard output alike
picture() {
  local name=$1
  shift
  "$dtgc" plot "$@" >"$name.out.svg" || fail "plot $*"
  "$dtgc" plot "$@" -o "$name.svg" >"$name.said" || fail "plot $* -o"
  cmp "$name.svg" "$name.out.svg" || fail "$name: -o and standard output differ"
  if [ "$update" ]; then cp "$name.svg" "$here/"; fi
  cmp "$name.svg" "$here/$name.svg" || fail "$name.svg is another; look at both, then plot.sh DTGC FOLDER --update"
}

# Every quantity a panel; of one log.
picture all one.csv --title '784-700-10 <&> "MNIST"'
[ "$(cat all.said)" = 'all.svg: 1 log' ] || fail "said: $(cat all.said)"
# Two logs that lie on each other in part, a gap where a value is no number, columns by name, powers of ten.
picture overlay one.csv 'batch=8=eight.csv' --y loss,eval.loss --y=accuracy --log-y
grep -q '>batch=8: eval.loss<' overlay.svg || fail 'the name of a log may hold an ='
[ "$(cat overlay.said)" = 'overlay.svg: 2 logs
  loss: at most 0.0002 apart
  eval.loss: at most 0.01 apart
  accuracy: at most 0 apart' ] || fail "said: $(cat overlay.said)"

# A long log is drawn by what can be seen of it; a peak of one step is among that.
awk 'BEGIN { print "step,loss"; for (i = 0; i < 50000; i++) print i "," (i == 31234 ? 9 : 1 + i % 7 / 10) }' >long.csv
expect 0 '' plot long.csv --x step -o long.svg
[ "$(wc -c <long.svg)" -lt 60000 ] || fail "long.svg has $(wc -c <long.svg) bytes"
grep -q ',47.6' long.svg || fail 'long.svg lost its peak'

# What no picture can be made of.
: >empty.csv
printf 'epoch,loss\n' >head.csv
printf 'epoch,loss\n1,2\n2,x\n' >word.csv
printf 'epoch,loss\n1,2,3\n' >more.csv
printf 'epoch,loss\n1\n' >fewer.csv
printf '1,2\n3,4\n' >bare.csv
printf 'epoch,loss,loss\n1,2,3\n' >twice.csv
printf 'epoch,steps\n1,2\n' >nothing.csv
printf 'epoch,loss\n1,nan\n2,inf\n' >nan.csv
printf 'epoch,loss\n1,-1\n2,0\n' >below.csv
printf 'epoch,loss\n1,1\0\n' >zero.csv
printf 'epoch,loss\n1,1e308\n2,-1e308\n3,1\n' >huge.csv
expect 1 'empty.csv: expected a log' plot empty.csv
expect 1 'head.csv: there is no line of numbers yet' plot head.csv
expect 1 'word.csv:3: expected a number for `loss`, found `x`' plot word.csv
expect 1 'more.csv:2: expected 2 numbers' plot more.csv
expect 1 'fewer.csv:2: expected 2 numbers' plot fewer.csv
expect 1 'bare.csv:1: expected the names' plot bare.csv
expect 1 'twice.csv:1: two columns are called `loss`' plot twice.csv
expect 1 'nothing.csv: there is nothing to draw but epoch' plot nothing.csv
expect 1 'loss: there is no finite value' plot nan.csv
expect 1 'loss: there is no positive value' plot below.csv --log-y
expect 1 'zero.csv: expected a log of `fit` (text), found a zero byte' plot zero.csv
expect 1 'none.csv: No such file' plot none.csv
expect 1 'no column `lss`; the columns are epoch, steps, seconds, loss' plot one.csv --y lss
expect 1 'no column `step`' plot one.csv --x step
expect 2 'unknown option --yy: do you mean --y?' plot one.csv --yy loss
expect 2 '--y requires a value' plot one.csv --y
expect 2 '--y takes columns between commas' plot one.csv --y loss,,
expect 2 '-o is given twice' plot one.csv -o a.svg -o b.svg
expect 2 'no log is given' plot
expect 0 'dtgc plot LOG.csv' plot --help
expect 1 'none/a.svg: No such file' plot one.csv -o none/a.svg
expect 0 '' plot huge.csv -o huge.svg
grep -qi 'nan\|inf' huge.svg && fail 'huge.svg has coordinates that are no numbers'

# What was there stays when the new one cannot be made.
echo old >kept.svg
expect 1 'no column' plot one.csv --y lss -o kept.svg
[ "$(cat kept.svg)" = old ] || fail 'kept.svg is gone'
ls ./*.tmp 2>/dev/null && fail 'something is left beside the files'
exit $failed
