#!/bin/bash
# fit --verify-every: steps of a training as it runs, against one device: on threads and MPI, with dropout, seeds, shuffled rows.
#   fit.sh DTGC [MPIEXEC]
set -u
dtgc=$1 mpiexec=${2:-}
. "$(dirname "$0")/../lib.sh"
scratch_folder
evidence=(out err)
cd "$tmp" || exit 2
cat >m.dtg <<'D'
import "nn"
import "optim"
const batch = 8
d1 = dense(4, 6, act = relu)
d2 = dense(6, 3)
opt = adam([d1, d2])
entry train(x: f32[batch, 4], label: i32[batch]) {
  loss = mean(sparse_softmax_cross_entropy(d2(dropout(d1(x), 0.2)), label))
  opt.minimize(loss)
  return loss
}
D
awk 'BEGIN { for (r = 0; r < 37; r++) { for (c = 0; c < 4; c++) printf "%.3f,", (r * 7 + c * 5) % 11 / 11; print r % 3 } }' >d.csv
fit=(m.dtg --mesh a=2,b=2 --layout 'x=[a,_]' --layout 'd1.w=[_,b]' fit train --feed x=d.csv:0-3 --feed label=d.csv:4 --epochs 3)
gives 0 '' "$dtgc" run "${fit[@]}" --verify-every 3 --log a.csv
gives 0 '' "$dtgc" run "${fit[@]}" --log b.csv
[ "$(cut -d, -f1,2,4- a.csv)" = "$(cut -d, -f1,2,4- b.csv)" ] || fail 'looking changed losses'
gives 0 '' "$dtgc" run "${fit[@]}" --verify-every 1 --seed 7 --shuffle 5 --prefetch 0
wrong='step 2 of epoch 1 differs from the result on one device:$'
gives 1 "$wrong" "$dtgc" run --drop-exchange 1 "${fit[@]}" --verify-every 2
grep -qE '^m.dtg:[0-9]+:[0-9]+: error: .* differs from the result on one device; it is computed by' err || fail 'no line'
grep -qE '^  device [0-3], index \[.*\]: .*, and on one device ' err || fail 'no index'
gives 2 'expected an integer from 1' "$dtgc" run "${fit[@]}" --verify-every 0
"$dtgc" "${fit[@]:0:7}" -o exe || fail 'no executable'
gives 2 'which an executable does not contain; use `dtgc run`' ./exe "${fit[@]:7}" --verify-every 2 --drop-last
if [ -n "$mpiexec" ]; then
  gives 0 '' "$mpiexec" -n 4 "$dtgc" run "${fit[@]}" --verify-every 4 --seed 3
  "$mpiexec" -n 2 "$dtgc" run --drop-exchange 1 "${fit[@]}" --verify-every 2 >out 2>err && fail 'mpi: status 0'
  grep -qE "$wrong" err || fail 'mpi'
fi
exit $failed
