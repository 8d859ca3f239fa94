#!/bin/bash
# dtgc verify on samples, small: the plan of each is what one device computes.
#   samples.sh DTGC
set -u
cd "$(dirname "$0")/../../samples" || exit 1
dtgc=$1 bad=0
while read -r line; do
  # shellcheck disable=SC2086
  "$dtgc" verify $line >/tmp/verify_samples_$$ 2>&1 || { echo "FAIL verify $line" && cat /tmp/verify_samples_$$ && bad=1; }
done <<'L'
transformer/gpt.dtg transformer/data.dtg train -D batch=4 -D seq=16 -D width=16 -D blocks=2
transformer/gpt.dtg transformer/tensor.dtg train -D batch=4 -D seq=16 -D width=16 -D blocks=2
transformer/gpt.dtg transformer/sequence.dtg write -D batch=4 -D seq=16 -D width=16 -D blocks=2
cifar10/cnn.dtg cifar10/mixed.dtg train -D batch=4
imdb/mlp.dtg imdb/model_parallel.dtg train -D batch=8 -D tokens=40
digits/digits.dtg digits/mixed.dtg --steps 2
keras3/dense.dtg keras3/model_parallel.dtg train
L
rm -f /tmp/verify_samples_$$
exit $bad
