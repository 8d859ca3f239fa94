#!/bin/bash
# samples/keras3: five runs of one model text with equal losses, the local kernels, a rule for a bias that
# is not there.   keras3.sh DTGC FOLDER
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
sample=$root/samples/keras3
rm -rf "$2" && mkdir -p "$2" && cd "$2" || exit 2

DTGC=$dtgc DTG_OUT=$PWD "$sample/run" >out 2>err || fail "run: $(cat out err)"
[ -s err ] && fail "run speaks: $(cat err)"
[ "$(grep -c '^epoch 3/3' out)" = 5 ] || fail "not five runs of three epochs: $(cat out)"
for column in loss evaluate.loss; do
  apart=$(sed -n "s/^  $column: at most \(.*\) apart/\1/p" out)
  awk -v v="${apart:-1}" 'BEGIN { exit !(v < 1e-5) }' || fail "$column: the runs are ${apart:-not told} apart"
done
# It learns some of the noise by heart: 1.0116, .9237, .8736 and then .8349 on the page, of other noise.
awk -F, 'NR > 1 && NR < 4 && last && !($4 < last) { exit 1 } { last = $4 } END { exit !($4 > .7 && $4 < .95 && $5 > .7 && $5 < .9) }' DataParallel.csv ||
  fail "losses: $(cat DataParallel.csv)"

# local SHAPE-OF-MESH COLUMNS OF d1's KERNEL
local_kernel() {
  "$dtgc" run "$sample/dense.dtg" "$sample/model_parallel.dtg" --strict-layouts --mesh "data=${1%x*},model=${1#*x}" info >info 2>err || fail "info: $(cat err)"
  grep -q "^  model\.d1\.kernel .* \[784, $2\] " info || fail "$1: $(grep d1.kernel info)"
}
local_kernel 8x1 200
local_kernel 4x2 100
local_kernel 2x4 50
local_kernel 1x8 25
"$dtgc" "$sample/dense.dtg" "$sample/model_parallel.dtg" --dump=layouts:why >layouts || fail 'no layouts'
# d2's output is the model's; it says whose statement it follows.
grep -q '^  model\.output .*\[data, _\]  *\[8, 10\]' layouts && grep -A1 '^  model\.output ' layouts | grep -q 'annotated at .*model_parallel.dtg:7' || fail "d2's output: $(grep output layouts)"

# The page's rule for d1's bias: there is none. A word of warning; an error where it is asked for.
"$dtgc" "$sample/dense.dtg" "$sample/model_parallel.dtg" --layout 'model.d1.bias=[model]' >out 2>&1 || fail "a rule for nothing: $(cat out)"
grep -q 'warning: `model.d1.bias` names no tensor' out || fail "a rule for nothing: $(cat out)"
"$dtgc" "$sample/dense.dtg" "$sample/model_parallel.dtg" --strict-layouts --layout 'model.d1.bias=[model]' >out 2>&1 && fail 'a rule for nothing is no error'
exit $failed
