#!/bin/bash
# replicas.sh DTGC DIR MPIEXEC: ranks that round differently (another CPU; here another kernel of products) drifted apart
# unseen. fit --check-replicas names the variable, the step and the devices, and saves nothing of it.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 mpiexec=$3
rm -rf "$2"
mkdir -p "$2" && cd "$2" || exit 99
cat >model.dtg <<'END'
const batch = 4
param w: f32[8, 600] = normal()
param v: f32[8] = zeros()
entry train(x: f32[batch, 2]) {
  w <- w + 0.001 * ((w @ transpose(w)) @ w)
  v <- v + mean(x)
  return loss = mean(w)
}
END
printf 'mesh [a=2]\nlayout w = replicated\nlayout v = replicated\nlayout x = [a, ...]\n' >2.dtg
awk 'BEGIN { for (i = 0; i < 24; i++) print i "," i }' >d.csv
"$dtgc" model.dtg 2.dtg -o model || { echo 'no executable'; exit 1; }
fit='fit train --feed x=d.csv --epochs 1 --save run --every 2'
evidence=(out.txt err.txt)
for how in threads mpi; do
  rm -rf run
  launch=
  [ $how = mpi ] && launch="$mpiexec -n 2"
  $launch ./model $fit --check-replicas 2 >out.txt 2>err.txt || fail "$how: replicas that are equal"
done
rm -rf run
"$mpiexec" -n 1 env DTRT_GEMM=avx2 ./model $fit : -n 1 env DTRT_GEMM=openblas ./model $fit >out.txt 2>err.txt || fail 'unasked'
rm -rf run
"$mpiexec" -n 1 env DTRT_GEMM=avx2 ./model $fit --check-replicas 4 : -n 1 env DTRT_GEMM=openblas ./model $fit --check-replicas 4 >out.txt 2>err.txt &&
  fail 'replicas that differ'
grep -q 'after step 4: replicas differ: variable w has different bits on device 1 (rank 1) and on device 0 (rank 0)' err.txt ||
  fail 'replicas that differ are not named'
[ "$(ls run)" = step-000002 ] || fail "saved: $(ls run)"
[ $failed -eq 0 ] && echo 'replicas are compared'
exit $failed
