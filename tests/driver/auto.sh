#!/bin/bash
# dtgc --auto from end to end: what it writes compiles, keeps its promise, and computes the same.
#   auto.sh DTGC FOLDER SAMPLES SCALE
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 samples=$3 scale=$4
fresh_folder "$2"

microseconds() { awk '{ print $1 * ($2 == "s" ? 1e6 : $2 == "ms" ? 1e3 : 1) }'; }
# time_of FILE WORDS, counted_of FILE WORDS: what a line of the head says, in microseconds, of a call, and as the search
# counts it; nothing when there is no such line
time_of() { sed -n "s/^#   $2  *\([0-9.e+-]*\) \(us\|ms\|s\) .*/\1 \2/p" "$1" | microseconds; }
counted_of() { sed -n "s/^#   $2  *[0-9].*(\([0-9.e+-]*\) \(us\|ms\|s\)) .*/\1 \2/p" "$1" | microseconds; }
memory_of() { sed -n "s/^#   $2 .* \([0-9]*\) bytes a device/\1/p" "$1"; }
# bound_of FILE: what no layouts take less than, in microseconds
bound_of() { sed -n 's/^# Below: .* less than \([0-9.e+-]*\) \(us\|ms\|s\):.*/\1 \2/p' "$1" | microseconds; }
chosen() { sed -n 's/^# Below: \(.*\)\. So counted.*/\1/p' "$1"; }
at_most() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b * 1.006) }'; } # three digits are printed

# check NAME FILES AND OPTIONS: found.NAME is written; it compiles with them and gives the plan that it says.
check() {
  local name=$1 best
  shift
  "$dtgc" "$@" --auto >"found.$name.dtg" 2>err || { fail "--auto $*: $(cat err)"; return; }
  [ -s err ] && fail "--auto $* speaks: $(cat err)"
  grep -qE 'nan|inf|-[0-9.]* %' "found.$name.dtg" && fail "$name: $(head -7 "found.$name.dtg")"
  best=$(time_of "found.$name.dtg" "$(chosen "found.$name.dtg")")
  for other in 'as it is' 'data parallel'; do
    t=$(time_of "found.$name.dtg" "$other")
    [ -z "$t" ] || at_most "$best" "$t" || fail "$name: $best us, but $other takes $t"
  done
  for other in found 'found of loops' 'as it is' 'data parallel'; do
    t=$(counted_of "found.$name.dtg" "$other") bound=$(bound_of "found.$name.dtg")
    [ -z "$t" ] || at_most "$bound" "$t" || fail "$name: no layouts take less than $bound us, but $other takes $t"
  done
  again=()
  for x in "$@"; do again+=("$x"); done
  "$dtgc" "${again[@]}" "found.$name.dtg" --auto >again.dtg 2>err || { fail "$name does not compile: $(cat err)"; return; }
  t=$(time_of again.dtg 'as it is')
  at_most "$best" "$t" && at_most "$t" "$best" || fail "$name: promises $best us, gives $t"
  grep -v '^#' again.dtg | grep -q '^layout' && fail "$name: something is left unsaid: $(grep '^layout' again.dtg)"
}

# -- the samples. A mesh on the command line is in the file; given twice the two must agree.
check mnist "$samples/mnist/mlp.dtg" --mesh data=2,model=2
check digits "$samples/digits/digits.dtg" --mesh data=4
# The search ranks its layouts before data parallelism, the modelled time of a call behind it.
check moe "$samples/moe/moe.dtg" --mesh a=2,b=2
check digits_mixed "$samples/digits/digits.dtg" "$samples/digits/mixed.dtg"
check cnn "$samples/cifar10/cnn.dtg" "$samples/cifar10/one.dtg" -D batch=16
check gpt "$scale/gpt.dtg" --mesh data=4,model=2 -D blocks=4
grep -q 'layout opt\.m\[model\.d1\.w\] = ' found.mnist.dtg || fail "names with brackets: $(cat found.mnist.dtg)"
"$dtgc" "$samples/mnist/mlp.dtg" found.mnist.dtg --dump=layouts >/dev/null || fail 'found.mnist.dtg alone does not compile'

# -- repeated blocks are one line, and deeper models need no more of them
"$dtgc" "$scale/gpt.dtg" --mesh data=4,model=2 -D blocks=8 --auto >deep.dtg || fail '8 blocks'
grep -q '^layout "model\\\.block\\\[\\d+\\\]\\\.' deep.dtg || fail "no pattern for blocks: $(grep block deep.dtg | head -3)"
a=$(grep -c ^layout found.gpt.dtg) b=$(grep -c ^layout deep.dtg)
[ "$b" -le $((a + 12)) ] || fail "$a lines for 4 blocks, $b for 8"

# -- what loops and branches carry is split with what it is made of, in the search and in its bound
cat >loops.dtg <<'S'
import "nn"
import "optim"
blocks = stack(4) dense(256, 256, act=relu)
opt    = sgd(blocks, lr=1e-3)
entry train(x: f32[96, 256]) {
  y = x
  scan b in blocks { y = b(y) }
  if mean(y) > 1 { y = y / 2 }
  loss = mean(y * y)
  opt.minimize(loss)
  return loss
}
S
check loops loops.dtg --mesh a=2,b=3
t=$(time_of found.loops.dtg 'found of loops')
at_most "$(time_of found.loops.dtg 'as it is')" "$t" && fail "loops: nothing is split: $(cat found.loops.dtg)"

# -- what the user said stays, and is not said again
cat >m.dtg <<'S'
param w: f32[64, 256] = 0
param v: f32[256, 64] = 0
state seen: i64[]     = 0
entry f(x: f32[32, 64]) {
  seen <- seen + 1
  y = max(x @ w, 0) @ v
  loss = mean(y * y)
  w <- w - 0.1 * grad(loss, w)
  v <- v - 0.1 * grad(loss, v)
  return loss
}
S
cat >said.dtg <<'S'
mesh [a=2, b=2]
layout w = [b, a]
layout f.x = [_, (b, a)]
S
check said m.dtg said.dtg
grep -qE '^layout (w|f\.x|seen|mesh)|^mesh' found.said.dtg && fail "said again: $(cat found.said.dtg)"
"$dtgc" m.dtg said.dtg found.said.dtg --dump=layouts >out || fail 'said and found do not go together'
grep -q '^ *w .*\[b, a\]' out || fail "w lies elsewhere: $(grep ' w ' out)"

# -- nothing unsaid, nothing to compute, no variables, no mesh, one entry that only reads
printf 'mesh [a=2]\nlayout "w|v" = [_, _]\nlayout seen = []\nlayout f.x = [a, _]\n' >all.dtg
check all m.dtg all.dtg
grep -q ^layout found.all.dtg && fail "all was said: $(cat found.all.dtg)"
echo 'entry f(x: f32[8, 4]) { return y = reshape(x, [32]) }' >view.dtg
check view view.dtg --mesh a=2
check alone m.dtg
cat >eval.dtg <<'S'
param w: f32[512, 512] = 0
entry look(x: f32[256, 512]) { return y = max(x @ w, 0) }
S
check eval eval.dtg --mesh a=4
echo 'entry f(x: f32[]) { return y = x + 1 }' >scalar.dtg
check scalar scalar.dtg --mesh a=2
grep -q ^layout found.scalar.dtg && fail 'a scalar has no layout to be found'

# -- memory
expect 1 'fit into 1000 bytes' "$dtgc" "$samples/mnist/mlp.dtg" --mesh data=2,model=2 --auto --memory 1000
expect 1 'does not fit 1000 bytes a device' "$dtgc" "$samples/mnist/mlp.dtg" --dump=layouts --memory 1000
for limit in 64000000 5000000 4208000; do
  "$dtgc" "$samples/mnist/mlp.dtg" --mesh data=2,model=2 --auto --memory $limit >small.dtg 2>err || { fail "--memory $limit: $(cat err)"; continue; }
  used=$(memory_of small.dtg "$(chosen small.dtg)")
  [ "${used:-999999999}" -le $limit ] || fail "--memory $limit: $used used"
done

# -- what it does not go with
for words in 'run m.dtg --auto info' 'm.dtg --auto -o x' 'm.dtg --auto --emit-c out' 'm.dtg --auto --emit-html x.html'; do
  expect 2 '--auto writes layouts' "$dtgc" $words
done
echo 'entry f(x: f32[2]) { return y = x + nothing }' >bad.dtg
expect 1 'bad.dtg:1' "$dtgc" bad.dtg --auto
expect 1 'cannot be read' "$dtgc" nothere.dtg --auto

# -- the same losses as on one device
losses() { # name, files
  local out=$1
  shift
  "$dtgc" run "$@" fit train --feed "image=$samples/digits/data/digits.csv.gz:0-63" \
    --feed "label=$samples/digits/data/digits.csv.gz:64" --limit 320 --epochs 2 >"$out" 2>&1 || fail "$*: $(tail -3 "$out")"
}
cat >wide.machine <<'S'
flops            = 1 Gflop/s
memory_bandwidth = 1 GB/s
link bandwidth=100GB/s latency=1ns
S
"$dtgc" "$samples/digits/digits.dtg" --mesh data=2,model=2 --machine wide.machine --auto >wide.dtg || fail 'digits on a slow computer'
grep -q 'layout.*data\|layout.*model[],)]' wide.dtg || fail "nothing is cut where links cost nothing: $(cat wide.dtg)"
losses one "$samples/digits/digits.dtg"
losses cut "$samples/digits/digits.dtg" wide.dtg --machine wide.machine
same_losses() {
  grep -oE 'loss [0-9.]+' one >a && grep -oE 'loss [0-9.]+' cut >b
  [ -s a ] && cmp -s a b || fail "$1: other losses: $(cat a) and $(cat b)"
}
same_losses digits

awk 'BEGIN { srand(1); for (i = 0; i < 40; i++) { for (j = 0; j < 7; j++) printf "%s%d", j ? "," : "", int(rand() * 11); print "" } }' >text.csv
gpt=("$scale/gpt.dtg" -D blocks=2 -D batch=4 -D seq=6 -D width=16 -D heads=4 -D vocab=11 -D rate=1e-2)
fit=(fit train --feed text=text.csv:0-5 --feed next=text.csv:1-6 --epochs 3)
"$dtgc" "${gpt[@]}" --mesh data=2,model=2 --machine wide.machine --auto >gpt.dtg || fail 'GPT on a slow computer'
"$dtgc" run "${gpt[@]}" "${fit[@]}" >one 2>&1 || fail "GPT: $(cat one)"
"$dtgc" run "${gpt[@]}" gpt.dtg --machine wide.machine "${fit[@]}" >cut 2>&1 || fail "GPT, cut: $(cat cut)"
grep -q '4 devices' cut || fail "GPT ran on one: $(cat cut)"
same_losses GPT

[ $failed -eq 0 ] && echo 'auto: all as it should be'
exit $failed
