#!/bin/bash
# samples/mnist with MNIST itself, in the bands its page states: 784-700-500-10 at least .91 on 5000 test images under every
# layout; 784-700-10-10 in .78 to .93; 784-128-10 .970 in training and .955 in the test. 77: the data is not here.
#   mnist.sh DTGC
set -u
. "$(dirname "$0")/../lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
found=
for place in ${DTG_DATA:+"$DTG_DATA/mnist" "$DTG_DATA"} "$root/../shared/data/mnist" "$root/samples/mnist/out"; do
  [ -e "$place/train-images-idx3-ubyte.gz" ] && found=1
done
[ "$found" ] || { echo 'no MNIST here'; exit 77; }
scratch_folder
export DTG_OUT=$tmp DTGC=$1

# train MODEL LAYOUTS COLUMN LEAST MOST: the last line of the log
train() {
  local model=$1 file=$2 value
  [ "$file" = - ] || file=$root/samples/mnist/$file.dtg
  out=$("$root/samples/mnist/run" "$model" "$file" --plain 2>&1) || { fail "$1 $2: $out"; return; }
  [ -s "$DTG_OUT/$model.svg" ] || fail "$1 $2: no plot"
  shift 2
  while [ $# -gt 0 ]; do
    value=$(awk -F, -v want="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == want) at = i } END { print NR == 4 ? $at : "none" }' "$DTG_OUT/$model.csv")
    holds "$value >= $2 && $value <= $3" ||
      fail "$model $file: $1 is $value, not in $2 to $3"
    echo "$model ${file##*/}: $1 $value"
    shift 3
  done
}
for l in - data_parallel model_parallel mixed; do
  train text $l eval.accuracy .91 1
  train code $l eval.accuracy .78 .93 eval.loss .25 .85
done
for l in keras_layers keras_rules; do
  train keras $l accuracy .970 1 eval.accuracy .955 1
done
exit $failed
