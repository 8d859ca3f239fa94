#!/bin/bash
# A product reads the row of a stack that its scan is at where it lies, f32 or rounded as it is packed: no step copies the
# row, nor casts it. So does a product of the backward pass with what each run of the scan saved. The bits are those of rows
# that are stored (--disable=inline), also where rows are written in the same loop.   stack_rows.sh DTGC FOLDER
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
fresh_folder "$2"

cat >m.dtg <<'E'
import "nn"
import "optim"
param table: f32[5, 48, 72] = normal() * 0.1
layer block(width) {
  up = dense(width, 2 * width, act=tanh)
  down = dense(2 * width, width)
  apply(x) { return x + down(up(x)) }
}
layer net(width, depth) {
  blocks = stack(depth) block(width)
  apply(x) {
    scan b in blocks { x = b(x) }
    return x
  }
}
model = net(48, depth=4)
opt = sgd(model, lr=1e-2)
entry train(x: f32[50, 48]) {
  y = model(x)
  loss = mean(y * y)
  opt.minimize(loss)
  return loss
}
entry fade(x: f32[50, 48]) {
  scan b in model.blocks {
    x = b(x)
    b.up.w <- b.up.w * 0.5
    x = x + b.down(b.up(x))
  }
  return loss = mean(x * x)
}
entry picked(x: f32[50, 48], at: i32[]) { return y = x @ table[at] }
entry across(x: f32[50, 72], at: i32[]) { return y = einsum("nk,ck->nc", x, table[at, :, :]) }
entry columns(x: f32[50, 5], at: i32[]) { return y = x @ table[:, at, :] }
E
for t in f32 bf16; do
  [ $t = f32 ] && flags=() || flags=(--precision $t)
  "$dtgc" m.dtg ${flags[@]+"${flags[@]}"} --dump=loops >all
  sed -n '/^entry train/,/^entry fade/p' all >loops
  is "copies of rows of weights in $t" "$(grep -cE '= (cast[(])?model[.]blocks[.](up|down)[.]w[[]dtrt_index' loops)" 0
  is "products of rows of weights in $t" "$(grep -cE 'dtrt_gemm.*model[.]blocks[.](up|down)[.]w [+]' loops)" 4
  [ $t = bf16 ] || is "copies of what the forward pass saved" "$(grep -cE 'gather@[^ ]*[[][a-z, ]*[]] = after@' loops)" 0
  grep -q 'dtrt_gemm_nest' loops && fail "rows that differ in each run are kept packed in $t"
  sed -n '/^entry picked/,$p' all >loops
  is "products of picked rows in $t" "$(grep -cE 'dtrt_gemm.*table [+]' loops)" 3
done

awk 'BEGIN { for (i = 0; i < 50; i++) for (j = 0; j < 48; j++) printf "%.5f%s", sin(i * 7 + j * j), j < 47 ? "," : "\n" }' >x.csv
awk 'BEGIN { for (i = 0; i < 50; i++) for (j = 0; j < 72; j++) printf "%.5f%s", cos(i * 3 + j * j), j < 71 ? "," : "\n" }' >long.csv
cut -d, -f1-5 x.csv >short.csv
for at in 0 4 5; do echo $at >at$at.csv; done
bits() {
  for entry in train fade; do
    "$dtgc" run m.dtg "$@" fit $entry --feed x=x.csv --epochs 3 --save ck >out 2>&1 || fail "$entry $*: $(cat out)"
    for w in up down; do "$dtgc" checkpoint cat ck/step-000003 model.blocks.$w.w -o $w.npy; done
    cat up.npy down.npy | md5sum
    rm -rf ck
  done
  for at in 0 4; do
    "$dtgc" run m.dtg "$@" call picked --feed x=x.csv --feed at=at$at.csv --out y=- 2>&1
    "$dtgc" run m.dtg "$@" call across --feed x=long.csv --feed at=at$at.csv --out y=- 2>&1
    "$dtgc" run m.dtg "$@" call columns --feed x=short.csv --feed at=at$at.csv --out y=- 2>&1
  done
}
for t in f32 bf16; do
  [ $t = f32 ] && flags=() || flags=(--precision $t)
  bits ${flags[@]+"${flags[@]}"} >got
  bits ${flags[@]+"${flags[@]}"} --disable=inline >want
  cmp got want || fail "bits of $t: $(diff got want | head -5)"
  grep -qi error got && fail "$t: $(cat got)"
done
"$dtgc" run m.dtg call picked --feed x=x.csv --feed at=at5.csv >out 2>&1 && fail "a row behind the last was read"
grep -q 'index 5' out || fail "a row behind the last: $(cat out)"
exit $failed
