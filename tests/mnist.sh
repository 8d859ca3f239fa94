#!/bin/bash
# samples/mnist as it is shown: at least .91 on 5000 test images under every layout. 77: the data is not here.
#   mnist.sh DTGC
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
bad=0
found=
for place in ${DTG_DATA:+"$DTG_DATA/mnist" "$DTG_DATA"} "$root/../shared/data/mnist" "$root/samples/mnist/data"; do
  [ -e "$place/train-images-idx3-ubyte.gz" ] && found=1
done
[ "$found" ] || { echo 'no MNIST here'; exit 77; }
for l in - data_parallel model_parallel mixed; do
  file=$l
  [ $l = - ] || file=$root/samples/mnist/$l.dtg
  out=$(DTGC=$1 "$root/samples/mnist/run" "$file" 2>&1) || { echo "FAIL $l: $out"; bad=1; continue; }
  last=$(tail -1 <<<"$out")
  [[ $last =~ eval\ accuracy\ ([0-9.]+) ]] && awk "BEGIN { exit !(${BASH_REMATCH[1]} >= .91) }" ||
    { echo "FAIL $l: $last"; bad=1; }
  echo "$l: $last"
done
exit $bad
