#!/bin/bash
# --check-nan: the first op that makes NaN or infinity is named, on threads, MPI and in executables; what is meant to be infinite
# disturbs nothing; cheap finds what ends in outputs and variables, and reports it once.
#   nan.sh DTGC [MPIEXEC]
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
opt = sgd([d1, d2], lr = 0.1)
entry train(x: f32[batch, 4], scale: f32[batch], label: i32[batch]) {
  h = dropout(d2(d1(x)), 0.1)
  z = log(scale)
  loss = mean(sparse_softmax_cross_entropy(h * reshape(z, [batch, 1]), label))
  opt.minimize(loss)
  return loss
}
D
awk 'BEGIN { for (r = 0; r < 32; r++) { for (c = 0; c < 4; c++) printf "%.3f,", (r * 7 + c * 5) % 11 / 11; printf "%s,", r == 21 ? "0" : "1.5"; print r % 3 } }' >d.csv
sed 's/,0,/,1.5,/' d.csv >good.csv
sed 's/,0,/,nan,/' d.csv >nan.csv
feed() { echo "--feed x=$1:0-3 --feed scale=$1:4 --feed label=$1:5 --epochs 2"; }
a4=(--mesh a=4 --layout 'x=[a,_]' --layout 'scale=[a]' --layout 'label=[a]')
run=("$dtgc" run m.dtg "${a4[@]}" fit train)
at='step 3 of epoch 1'
made="z of entry .train. is -inf at index \[5\] on device 2: log \(m.dtg:9\) computes it from scale = 0"
warned="warning: loss of 'train' is nan at $at: output loss is nan at index \[\] after entry .train.; all-reduce over a.* was the first exchange to receive one"
gives 1 "$at of 'train': $made" "${run[@]}" $(feed d.csv) --check-nan
gives 1 "$made" "${run[@]}" $(feed d.csv) --check-nan=full
gives 0 "$warned" "${run[@]}" $(feed d.csv)
[ "$(grep -c warning err)" = 1 ] || fail "the warning came more than once"
gives 0 "$warned" "${run[@]}" $(feed d.csv) --check-nan=cheap
gives 0 "warning: loss of 'train' is nan at $at\$" "${run[@]}" $(feed d.csv) --check-nan=off
gives 2 'expected off, cheap or full' "${run[@]}" $(feed d.csv) --check-nan=ful
# A large variable is checked 128 KiB a call, so that a call which updates a few of its rows does not take longer for its size: this one
# of 16 MB has 123 parts, and the last one holds what the first call makes.
cat >table.dtg <<'D'
state table: f32[4000000] = zeros()
entry train(x: f32[1]) {
  table[3999999:4000000] <- table[3999999:4000000] + log(x)
  return seen = sum(x)
}
D
awk 'BEGIN { for (r = 0; r < 140; r++) print r ? 1 : -1 }' >steps.csv
gives 0 'step 123 of epoch 1.*variable table is nan at index \[3999999\]' "$dtgc" run table.dtg fit train --feed x=steps.csv --epochs 1
for mode in off cheap full; do
  gives 0 '' "${run[@]}" $(feed good.csv) --check-nan=$mode
  # NaN that comes in is not made here.
  gives 0 "warning: loss of 'train' is nan at $at(: the rows of this step are not finite)?\$" \
    "${run[@]}" $(feed nan.csv) --check-nan=$mode
done
# The bits are the same whoever looks.
for mode in off cheap full; do
  "${run[@]}" $(feed good.csv) --check-nan=$mode --log $mode.csv >/dev/null
  cut -d, -f1,2,4- $mode.csv >$mode.log
  cmp -s off.log $mode.log || fail "other losses with --check-nan=$mode"
done
for mesh in a=2 a=3 a=2,b=2; do
  gives 1 "z of entry .train. is -inf at index \[5\] on device [0-9]+: log \(m.dtg:9\) computes it from scale = 0" \
    "$dtgc" run m.dtg --mesh $mesh "${a4[@]:2}" fit train $(feed d.csv) --check-nan
done

# Executables: cheap always; full when they were made for it.
"$dtgc" m.dtg "${a4[@]}" -o plain && "$dtgc" m.dtg "${a4[@]}" --check-nan -o looked || fail 'no executables'
gives 0 "$warned" ./plain fit train $(feed d.csv)
gives 1 'does not support --check-nan=full: compile it with --check-nan' ./plain fit train $(feed d.csv) --check-nan
gives 1 "$at of 'train': $made" ./looked fit train $(feed d.csv) --check-nan
if [ -n "$mpiexec" ]; then
  # The launcher ends the other ranks, so the status is its own.
  for n in 4 2; do
    "$mpiexec" -n $n ./looked fit train $(feed d.csv) --check-nan >out 2>err && fail "mpi: status 0"
    grep -qE "$at of 'train': rank [12]: $made" err || fail "mpi -n $n --check-nan"
  done
  gives 0 "$warned" "$mpiexec" -n 4 ./plain fit train $(feed d.csv)
  gives 0 '' "$mpiexec" -n 4 ./looked fit train $(feed good.csv) --check-nan
fi

# Meant to be infinite: masks, the largest of nothing, a record that begins at -inf.
cat >meant.dtg <<'D'
state best: f32[] = -inf
entry f(x: f32[4, 8]) {
  seen = iota([8, 8], axis=0) >= iota([8, 8], axis=1)
  s = where(seen, reshape(x, [4, 8, 1]) * reshape(x, [4, 1, 8]), -inf)
  p = softmax(s)
  top = max(where(x > 100, x, -inf))
  best <- max(best, max(x))
  return p = sum(p), nothing = top > 0
}
entry infinite(x: f32[4, 8]) { return y = max(where(x > 100, x, -inf)) }
D
sed -n '/^entry infinite/p' meant.dtg >open.dtg
awk 'BEGIN { for (r = 0; r < 4; r++) for (c = 0; c < 8; c++) printf "%.2f%s", (r * 5 + c * 3) % 7 / 7, c < 7 ? "," : "\n" }' >x.csv
for mode in off cheap full; do
  gives 0 '' "$dtgc" run meant.dtg --mesh a=2 --layout 'x=[a,_]' call f --feed x=x.csv --check-nan=$mode
done
gives 0 'warning: output y is -inf at index \[\] after entry .infinite.' "$dtgc" run open.dtg call infinite --feed x=x.csv
gives 0 '' "$dtgc" run meant.dtg call infinite --feed x=x.csv --check-nan

# One element of a large variable, which no output shows, within 64 steps; and each kind of op, in each type.
cat >large.dtg <<'D'
const batch = 4
state v: f32[100000] = 0
state t: f32[] = 0
entry f(x: f32[batch]) {
  t <- t + 1
  v <- v + where(iota([100000]) == 77777, sqrt(2.5 - t), 0)
  return loss = mean(x)
}
D
seq 1 400 >s.csv
gives 0 'warning: step ([3-9]|[1-5][0-9]|6[0-7]) of epoch 1: variable v is nan at index \[77777\]' "$dtgc" run large.dtg --mesh a=2 --layout 'v=[a]' fit f --feed x=s.csv --epochs 1
gives 1 'step 3 of epoch 1 of .f.: .* is nan at index .*sqrt \(large.dtg:6\) computes it from .* = -0.5' "$dtgc" run large.dtg --mesh a=2 --layout 'v=[a]' fit f --feed x=s.csv --epochs 1 --check-nan
for t in f16 bf16 f32 f64; do
  for op in 'x / (x - x)' 'exp(x * 1000)' 'log(-x)' 'cast(1e30, f64) * f64(x)' 'x @ transpose(x) * 1e30 * 1e30' 'sum(exp(x * 60) * exp(x * 25))' 'rsqrt(x - x)'; do
    [[ $t == f64 && $op == *f64* ]] && continue
    expr=$op
    [[ $op == *f64* ]] && expr="cast(f64(x) * 1e300 * 1e100, $t)"
    [[ $op == *1e30* && $t == f64 ]] && expr="x @ transpose(x) * 1e200 * 1e200"
    [[ $op == *1e30* && $t == f16 ]] && expr="x @ transpose(x) * 60000 * 60000"
    [[ $op == *sum* && $t == f64 ]] && expr="sum(exp(x * 500)) * exp(sum(x) * 400)"
    echo "entry f(x: $t[2, 2]) { y = $expr
      return r = f32(y) }" >op.dtg
    printf '1.5,1.25\n1.5,1.125\n' >o.csv
    gives 1 '(op.dtg:1|dtg/.*op.dtg:1).* computes it from' "$dtgc" run op.dtg --mesh a=2 --layout 'x=[a,_]' call f --feed x=o.csv --check-nan
  done
done
exit $failed
