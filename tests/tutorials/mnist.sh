#!/bin/bash
# samples/mnist on digits, blown up from 8x8 to 28x28: under every layout the first losses are those of one device, the
# models learn, the Adam written in the sample is the library's, and the rules give what they should.
#   mnist.sh DTGC FOLDER
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
sample=$root/samples/mnist
rm -rf "$2" && mkdir -p "$2" && cd "$2" || exit 2

# 700 digits, each pixel three by three, two white ones around; 0 to 16 becomes 0 to 240
gzip -dc "$root/samples/digits/data/digits.csv.gz" | head -700 | awk -F, '{
  blank = ""; for (i = 0; i < 56; i++) blank = blank "0,"
  printf "%s", blank
  for (r = 0; r < 8; r++) {
    line = "0,0,"; for (c = 1; c <= 8; c++) { v = $(8 * r + c) * 15; line = line v "," v "," v "," }
    line = line "0,0,"; printf "%s%s%s", line, line, line
  }
  print blank $65 }' >all.csv
head -500 all.csv >train.csv
tail -200 all.csv >test.csv
[ "$(awk -F, 'NF != 785' all.csv | wc -l)" = 0 ] || fail 'the digits are not 28x28'

# fit NAME EPOCHS ROWS FILES AND OPTIONS OF dtgc...: NAME.csv
fit() {
  local name=$1 epochs=$2 rows=$3
  shift 3
  "$dtgc" run "$@" fit train --feed image=train.csv:0-783 --feed label=train.csv:784 --limit "$rows" --epochs "$epochs" --shuffle 1 \
    --eval eval --eval-feed image=test.csv:0-783 --eval-feed label=test.csv:784 --log "$name.csv" --plain >"$name.out" 2>&1 ||
    fail "$name: $(cat "$name.out")"
}
# last NAME COLUMN
last() { awk -F, -v want="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == want) at = i } END { print $at }' "$1.csv"; }
# near_last A B COLUMN MOST: the last line of two logs, relative
near_last() {
  awk -v a="$(last "$1" "$3")" -v b="$(last "$2" "$3")" -v most="$4" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a + 0 > 0 && d <= most * a) }' ||
    fail "$3 of $1 and $2: $(last "$1" "$3") and $(last "$2" "$3")"
}
at_least() { awk -v v="$(last "$1" "$2")" -v least="$3" 'BEGIN { exit !(v >= least) }' || fail "$1: $2 is $(last "$1" "$2"), not $3"; }

# One step: the loss before it to f32's rounding; that of the test after it, which Adam makes more of.
fit text-one 1 128 "$sample/mlp.dtg"
fit code-one 1 128 -D second=10 "$sample/mlp.dtg"
fit code-mixed 1 128 -D second=10 "$sample/mlp.dtg" "$sample/mixed.dtg" --strict-layouts
for l in data_parallel model_parallel mixed; do
  fit text-$l 1 128 "$sample/mlp.dtg" "$sample/$l.dtg" --strict-layouts
done
for run in text-{data_parallel,model_parallel,mixed} code-mixed; do
  near_last "${run%%-*}-one" $run loss 2e-6
  near_last "${run%%-*}-one" $run eval.loss 1e-3
done
[ "$(last text-one loss)" != "$(last code-one loss)" ] || fail '-D second=10 makes no other model'

# The sample's own Adam, the tutorial's, is the library's with eps where PyTorch has it.
{ echo 'import "optim"'; sed '/^layer adam/,/^}/d; s/adam(model)/adam(model, eps=1e-7, style="torch")/' "$sample/mlp.dtg"; } >library.dtg
grep -q 'layer adam' library.dtg && fail 'library.dtg still has the own Adam'
fit own 2 300 -D second=10 -D batch=60 "$sample/mlp.dtg"
fit library 2 300 -D second=10 -D batch=60 library.dtg
near_last own library loss 1e-4
near_last own library eval.loss 1e-4

# The model of the Keras page learns, whole or by rules, alike.
fit keras-one 4 500 "$sample/keras.dtg"
at_least keras-one accuracy .9
at_least keras-one eval.accuracy .8
for l in keras_layers keras_rules; do
  fit $l 4 500 "$sample/keras.dtg" "$sample/$l.dtg" --strict-layouts
  near_last keras-one $l loss 0.02
  at_least $l eval.accuracy .8
done
"$dtgc" "$sample/keras.dtg" "$sample/keras_rules.dtg" --dump=statements >statements || fail 'no statements'
grep -A2 'd2' statements | grep -q 'model.d2.kernel, model.d2.bias' || fail "d2 is not whole: $(cat statements)"
grep -q 'not model.d2.kernel: annotated at' statements || fail "the first does not win: $(cat statements)"
"$dtgc" "$sample/feature.dtg" "$sample/feature_rules.dtg" --strict-layouts --dump=statements >statements || fail 'feature_rules.dtg'
grep -q '      model.feature.kernel, model.feature_2.kernel' statements || fail "feature.*kernel: $(cat statements)"
exit $failed
