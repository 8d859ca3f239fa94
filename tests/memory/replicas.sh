#!/bin/bash
# replicas.sh DTGC DIR [MPIEXEC]: variables whose memory devices share (passes/schedule/share.c) have the bits of
# variables that each device has for itself (--disable=share), on meshes and layouts of all kinds: optimizers, updates of
# named rows, loops and branches that assign, variables that change places, outputs that are variables, stacks, sharded
# states beside replicated weights. On threads, on ranks of several devices, by shared memory and by messages.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 mpiexec=${3:-}
fresh_folder "$2"

cat >net.dtg <<'E2'
import "nn"
import "optim"
const batch = 12
layer mlp() {
  up = stack(3) dense(20, 20, act=tanh)
  d1 = dense(9, 20, act=tanh)
  d2 = dense(20, 5)
  apply(x) {
    x = d1(x)
    scan l in up { x = x + l(x) }
    return d2(x)
  }
}
model = mlp()
opt = OPTIMIZER
state seen: i64[] = zeros()
state last: f32[5] = zeros()
state before: f32[5] = ones()
state runs: f32[20, 5] = zeros()
entry train(x: f32[batch, 9], label: i32[batch]) {
  y = model(x)
  loss = mean(sparse_softmax_cross_entropy(y, label))
  opt.minimize(loss)
  new = before + mean(y, axis=0)
  before <- last
  last <- new
  repeat i in 0..3 { runs[i + 2] <- runs[i] * 0.5 + last }
  if loss > 1 { seen <- seen + 2 } else { seen <- seen + 1 }
  return loss, seen, w = model.d2.w
}
entry ask(x: f32[batch, 9]) { return y = softmax(model(x)), w = model.d1.w }
E2
cat >rows.dtg <<'E2'
import "optim"
const batch = 12
param table: f32[997, 6] = normal(stddev=0.1)
param w: f32[6, 5] = normal(stddev=0.1)
opt = OPTIMIZER
entry train(label: i32[batch], x: f32[batch, 9]) {
  y = gather(table, label * 97) @ w + mean(x)
  loss = mean(y * y)
  opt.minimize(loss)
  return loss
}
E2
# Loops that train, and a variable that a window is written to.
cat >loop.dtg <<'E2'
const batch = 12
param w: f32[9, 7] = normal()
param b: f32[7] = normal()
state cache: f32[6, 4, 7] = zeros()
state at: i32[] = zeros()
entry train(x: f32[batch, 9], label: i32[batch]) {
  repeat i in 0..4 {
    loss = mean((tanh(x @ w + b) - 0.1 * reshape(f32(label), [batch, 1])) ** 2)
    w <- w - 0.1 * grad(loss, w)
    b <- b - 0.1 * grad(loss, b)
  }
  cache[at % 6, 1] <- b
  cache[0] <- cache[1] + 1
  at <- at + 1
  return loss = sum(cache) + mean((x @ w) ** 2)
}
E2
awk 'BEGIN { for (i = 0; i < 36; i++) { s = ""; for (j = 0; j < 9; j++) s = s (i * 7 + j * 5) % 11 / 4 - 1 ","; print s i % 5 } }' >d.csv
data='--feed x=d.csv:0-8 --feed label=d.csv:9'

# trained NAME COMMAND...: 3 steps; sums of the losses and of all variables
trained() {
  local name=$1
  shift
  rm -rf "$name"
  "$@" fit train $data --epochs 1 --seed 5 --save "$name" --log "$name.csv" >"$name.out" 2>&1 || { tail -3 "$name.out"; return; }
  echo "$(cut -d, -f1,2,4- "$name.csv" | cksum) $(cat "$name"/step-000003/*.safetensors | cksum)"
}
runs=0 shares=0
# same MODEL MESH OPTIONS...
same() {
  local model=$1 mesh=$2 one two
  shift 2
  one=$(trained apart "$dtgc" run $model --mesh $mesh "$@" --disable=share)
  two=$(trained shared "$dtgc" run $model --mesh $mesh "$@")
  [[ $one =~ ^[0-9\ ]+$ ]] || fail "$model $mesh $*: $one"
  [ "$one" = "$two" ] || fail "$model $mesh $*: shared variables have other bits: $two, not $one"
  # Of loop.dtg the peak was the loop, which is less than a copy of a window of its cache since small products are expressions.
  local unroll=
  [ $model = loop.dtg ] && unroll=,unroll
  "$dtgc" $model --mesh $mesh "$@" --dump=memory ${unroll:+--disable=unroll} >shared.txt
  grep -q '  shared along ' shared.txt && shares=$((shares + 1))
  # What loops and branches assign took memory of its own on each device, beside the variables: stacks in init, steps under loss scaling.
  "$dtgc" $model --mesh $mesh "$@" --dump=memory --disable=share$unroll | paste -d' ' <(grep '^entry' shared.txt) <(grep '^entry' -) |
    awk '$4 > $(NF / 2 + 4) { exit 1 }' || fail "$model $mesh $*: an entry takes more where variables are shared"
  runs=$((runs + 1))
}
export DTGC_FLAGS="${DTGC_FLAGS:-} -O0"
optimizer() { sed "s/OPTIMIZER/$2/" $1.dtg >$1-$3.dtg; }
optimizer net 'sgd(model, lr=0.1)' sgd
optimizer net 'sgd(model, lr=0.1, momentum=0.9)' momentum
optimizer net 'adam(model)' adam
optimizer net 'clipped_by_norm(adamw(model, style="torch"), model, 0.5)' clipped
optimizer net 'loss_scaled(adam(model), model)' scaled
optimizer rows 'sgd([table, w], lr=0.1)' sgd
optimizer rows 'adagrad([table, w], lr=0.1)' adagrad
optimizer rows 'adam([table, w], lazy=true)' lazy

split='--layout x=[a,_] --layout label=[a]'
for mesh in a=2 a=3 a=8; do
  same net-adam.dtg $mesh $split
  same rows-adagrad.dtg $mesh $split
  same loop.dtg $mesh $split
done
for net in adam scaled; do
  same net-$net.dtg a=4 $split --layout '"model\..*"=replicated'
  same net-$net.dtg a=2,b=2 $split --layout 'model.d1.w=[_,b]' --layout 'model.d2.w=[b,_]'
  same net-$net.dtg a=2,b=3 $split --layout 'model.up.w=[_,_,b]'
done
same net-sgd.dtg a=4 $split --layout '"model\..*"=replicated'
same net-momentum.dtg a=2,b=2 $split --layout 'model.d1.w=[_,b]' --layout 'model.d2.w=[b,_]'
same net-clipped.dtg a=2,b=3 $split --layout 'model.up.w=[_,_,b]'
# A last short batch is a variant with the same variables: it had others apart.
for net in adam scaled; do same net-$net.dtg a=2 $split -D batch=16; done
for rows in sgd adagrad lazy; do
  same rows-$rows.dtg a=2
  same rows-$rows.dtg a=2,b=2 --layout 'table=[_,b]'
  same rows-$rows.dtg a=2,b=3 $split --layout 'table=[b,_]'
done
same loop.dtg a=2,b=2 $split --layout 'w=[_,b]'
same loop.dtg a=2,b=3 --layout 'w=[_,b]' --layout 'cache=[_,_,b]'
# What an all-gather brings to a variable apart, beside others that are shared, was taken for theirs: devices hung.
cat >hung.dtg <<'E2'
import "optim"
import "nn"
const batch = 12
state v0: f32[6, 9] = zeros()
state v1: f32[6, 9] = ones()
state v2: f32[6, 9] = zeros()
param v3: f32[6, 9] = uniform(lo=-0.5, hi=0.5)
param v4: f32[6, 9] = uniform(lo=-0.5, hi=0.5)
blocks = stack(3) dense(9, 9, act=tanh)
opt = sgd([v3, v4], lr=0.05)
entry train(x: f32[batch, 9], label: i32[batch]) {
  h = x + 0.01 * reshape(f32(label), [batch, 1])
  scan l in blocks { h = l(h) }
  s = mean(x)
  if mean(v2) > -0.1 {
    v1 <- tanh(v4 + mean(v4))
    v0 <- v4 * 0.9 + tanh(mean(v3))
    s = s * 0.5 + mean(v1)
  } else {
    if mean(h) > -0.1 {
    } else {
      v4 <- tanh(v2 + mean(v0))
    }
  }
  loss = mean(h * h) + s * s * 0.1
  if loss > 0.01 {
    opt.minimize(loss)
    for p in params(blocks) { p <- p * 0.99 }
  }
  return loss
}
E2
same hung.dtg a=2,b=2 --layout v2=[_,b] --layout v4=replicated --layout '"blocks.*w"=[_,_,a]'
# A loop in a loop read rows of what it stored, and the devices did not meet in between.
cat >nest.dtg <<'E2'
const batch = 12
param v0: f32[6, 9] = uniform(lo=-0.5, hi=0.5)
entry train(x: f32[batch, 9], label: i32[batch]) {
  h = x
  if mean(x) > 0 { v0 <- v0 * 0.5 + 0.1 }
  repeat i in 0..2 {
    repeat j in 0..3 { v0[(j + i) % 6] <- v0[(j + i) % 6] * 0.5 + mean(h, axis=0) }
    h = tanh(h @ transpose(v0, [1, 0]) @ v0 * 0.3)
  }
  loss = mean(h * h) + 0.001 * mean(f32(label))
  v0 <- v0 - 0.1 * grad(loss, v0)
  return loss
}
E2
for mesh in a=2 a=6 a=2,b=3; do same nest.dtg $mesh; done

[ $shares -eq $runs ] || fail "only $shares of $runs programs share variables"

# Steps on several cores, and not in turns on one thread.
one=$(trained apart "$dtgc" run net-adam.dtg --mesh a=4 $split)
is 'several cores' "$(DTRT_CORES=3 trained shared "$dtgc" run net-adam.dtg --mesh a=4 $split)" "$one"
is 'a thread each' "$(DTRT_THREAD_EACH=1 trained shared "$dtgc" run net-adam.dtg --mesh a=4 $split)" "$one"

# A checkpoint goes on with other meshes, with and without.
"$dtgc" run net-adam.dtg --mesh a=4 $split fit train $data --epochs 2 --seed 5 --save on --resume >out.txt 2>&1 || fail "$(cat out.txt)"
for more in '' --disable=share; do
  for mesh in a=2 a=8; do
    rm -rf again && mkdir again && cp -r shared/step-000003 again
    "$dtgc" run net-adam.dtg --mesh $mesh $split $more fit train $data --epochs 2 --seed 5 --save again --resume >out.txt 2>&1 ||
      fail "$mesh $more: $(cat out.txt)"
    "$dtgc" checkpoint cat again/step-000006 >again-$mesh$more.txt 2>&1
  done
done
for mesh in a=2 a=8; do cmp -s again-$mesh.txt again-$mesh--disable=share.txt || fail "resumed on $mesh: other bits"; done

# Of 8 devices one has the memory.
cat >large.dtg <<'E2'
param w: f32[1024, 1024] = normal(stddev=0.01)
state m: f32[1024, 1024] = zeros()
entry train(x: f32[16, 1024]) {
  loss = mean((x @ w) ** 2)
  m <- 0.9 * m + grad(loss, w)
  w <- w - 0.1 * m
  return loss
}
layout w = replicated
layout m = replicated
layout x = [a, _]
E2
head -c 65536 /dev/zero | tr '\0' '\076' >x.raw
# takes BYTES DEVICE OPTIONS...
takes() {
  local found
  found=$("$dtgc" run large.dtg --mesh a=8 "${@:3}" call train --feed x=x.raw:f32[1024] --footprint 2>&1 |
    sed -n "s/^device $2: .*: variables \([0-9]*\),.*/\1/p")
  is "variables of device $2 ${*:3}" "$found" "$1"
}
takes $((2 * (4194304 + 4096 + 192))) 0 # each with a page and three lines (pack.h)
takes 0 1
takes 0 7
takes $((2 * (4194304 + 4096 + 192))) 7 --disable=share

if [ "$mpiexec" ]; then
  for model in net-adam rows-adagrad loop; do
    for at in "a=4 $split" "a=2,b=2 $split"; do
      one=$(trained apart "$dtgc" run $model.dtg --mesh $at)
      for shared in 1 0; do
        for ranks in 2 4; do
          two=$(DTRT_MPI_SHARED=$shared trained shared timeout 100 "$mpiexec" -n $ranks "$dtgc" run $model.dtg --mesh $at)
          [ "$one" = "$two" ] || fail "$model $at on $ranks ranks (DTRT_MPI_SHARED=$shared): $two, not $one"
        done
      done
    done
  done
fi
echo "$runs programs, $shares of which share variables"
exit $failed
