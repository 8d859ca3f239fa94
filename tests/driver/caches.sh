#!/bin/bash
# Caches of a machine: tile sizes follow them, the bits do not; what a plan is made for by default, and under which words.
#   caches.sh DTGC FOLDER
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
unset DTGC_FLAGS
fresh_folder "$2"

cat >m.dtg <<'E'
param k: f32[2, 300, 4, 16] = normal()
param w: f32[64, 64] = normal(stddev=0.1)
entry train(q: f32[2, 300, 4, 16]) {
  score = einsum("bshe,bthe->bhst", q, k)
  score = where(iota([300, 300], axis=0) >= iota([300, 300], axis=1), score, -1e9)
  mixed = reshape(einsum("bhst,bthe->bshe", softmax(score), k), [600, 64])
  h = tanh(mixed @ w)
  mean0 = mean(h, axis=0, keepdims=true)
  y = (h - mean0) * rsqrt(mean((h - mean0) ** 2, axis=0, keepdims=true) + 1e-5)
  z = (y - mean(y, axis=1, keepdims=true)) * exp(-y * y)
  loss = sum(z * z)
  k <- k - grad(loss, k)
  w <- w - grad(loss, w)
  return loss, z, columns = sum(z, axis=0), g = grad(loss, q)
}
E
sizes=(64 300 1600 10000 65536 262144 1048576 33554432)
for size in "${sizes[@]}"; do
  cat >"$size.machine" <<E
flops = 50 Gflop/s
memory_bandwidth = 10 GB/s
cache L1 size=64B
cache L2 size=${size}B
link bandwidth=2GB/s latency=10us
E
done
head -c $((2 * 300 * 64 * 4)) /dev/zero | tr '\0' '\276' >q.raw
bits() { # OPTIONS...: sums of what a call computes
  rm -f out-*
  "$dtgc" run m.dtg -O0 "$@" call train --feed 'q=q.raw:f32[19200]' --seed 3 --out loss=out-1.npy --out z=out-2.npy --out columns=out-3.npy \
    --out g=out-4.npy >said 2>&1 || { echo "failed: $(cat said)"; return; }
  cat out-* | cksum
}
usual=$(bits --machine=generic)
[[ $usual != failed* ]] || fail "$usual"
for size in "${sizes[@]}"; do
  is "the bits for an L2 of $size bytes" "$(bits --machine="$size.machine")" "$usual"
done
kinds=$(for size in "${sizes[@]}"; do "$dtgc" m.dtg --machine="$size.machine" --dump=c | cksum; done | sort -u | wc -l)
[ "$kinds" -ge 4 ] || fail "${#sizes[@]} caches make only $kinds different programs"
is 'the bits for this computer' "$(bits)" "$usual"

# Vectors, registers, lines and pages: loops are written otherwise, and the bits are the same.
cat >w.dtg <<'E'
param k: f32[40, 31] = normal()
param a: f32[12, 12] = normal()
state s: f32[12] = 1
entry train(q: f32[2, 300, 4, 16]) {
  x = reshape(q, [600, 64]) + 0.01 * cast(iota([600, 64], axis=1), f32)
  columns = sum(cast(concat([x, x[:, :32]], axis=1), f64), axis=0)
  best = argmax(x, axis=0)
  few = sum(reshape(x, [600, 8, 8]) * 1.5, axis=2)
  four = sum(tanh(reshape(x, [600, 16, 4])), axis=2)
  drawn = tanh(k) * exp(-k * k) + sin(k)
  for i in 0..3 { s <- tanh(a @ s) }
  turned = transpose(x) + 1
  rows = sum(reshape(x, [8, 75, 64]), axis=1)
  return columns, best, few, four, drawn, turned, rows, last = s
}
E
widths=('64 32 64 4KiB 16' '32 16 64 4KiB 16' '16 16 64 4KiB 8' '16 32 128 16KiB 12' '64 8 32 1KiB 4' '128 64 256 64KiB 64')
n=0
for width in "${widths[@]}"; do
  read -r vector registers line page streams <<<"$width"
  n=$((n + 1))
  cat >"width$n.machine" <<E
flops = 50 Gflop/s
vector_flops = 20 Gflop/s
memory_bandwidth = 10 GB/s
start = 100 ns
call = $((20 * n)) ns
memory_latency = 80 ns
vector = $vector B
registers = $registers
line = $line B
page = $page
streams = $streams
link bandwidth=2GB/s latency=10us
E
done
parts() { # OPTIONS...: as `bits`, of w.dtg
  local name outs=()
  rm -f out-*
  for name in columns best few four drawn turned rows last; do outs+=(--out "$name=out-$name.npy"); done
  "$dtgc" run w.dtg -O0 "$@" call train --feed 'q=q.raw:f32[19200]' --seed 3 "${outs[@]}" >said 2>&1 ||
    { echo "failed: $(cat said)"; return; }
  cat out-* | cksum
}
usual=$(parts --machine=width1.machine)
[[ $usual != failed* ]] || fail "$usual"
for ((i = 2; i <= n; i++)); do
  is "the bits for ${widths[i - 1]}" "$(parts --machine=width$i.machine)" "$usual"
done
wide=$(for ((i = 1; i <= n; i++)); do "$dtgc" w.dtg --machine=width$i.machine --no-lines --dump=c | grep -v 'code\[\]' | cksum; done | sort -u | wc -l)
[ "$wide" -ge 4 ] || fail "$n kinds of core make only $wide different programs"

# which machine it is
cost() { "$dtgc" m.dtg --dump=cost "$@" | sed -n 's/^machine \([^:]*\):.*/\1/p'; }
is 'the machine by default' "$(cost)" native
is '--machine=native' "$(cost --machine=native)" native
is '--machine=generic' "$(cost --machine=generic)" generic
is 'code for another CPU' "$(cost --cpu=x86-64-v2)" generic
is 'a file' "$(cost --machine=64.machine)" 64
is 'the environment' "$(DTGC_FLAGS=--machine=generic cost)" generic
is 'an option beside the environment' "$(DTGC_FLAGS=--machine=generic cost --machine=64.machine)" 64
cp 64.machine generic
is 'a file of that name' "$(cost --machine=./generic)" generic
[[ $("$dtgc" m.dtg --dump=cost --machine=./generic) == *'L2 64 B'* ]] || fail './generic is not read'
# for ranks, which may be on different computers
[[ $(PMI_RANK=0 PMI_SIZE=2 "$dtgc" m.dtg --dump=cost 2>&1) == *'machine generic:'* ]] || fail 'a rank plans for its own caches'

# each level is as the system has it
if [ -r /sys/devices/system/cpu/cpu0/cache/index0/size ]; then
  for index in /sys/devices/system/cpu/cpu0/cache/index*; do
    [ "$(cat "$index/type")" != Instruction ] && [ "$(cat "$index/level")" = 1 ] || continue
    [[ $("$dtgc" m.dtg --dump=cost) == *" L1 $(sed s/K// "$index/size") KiB at "* ]] || fail "L1 is not of $(cat "$index/size")"
  done
fi
[ $failed = 0 ] && echo "$kinds programs for ${#sizes[@]} caches, of the same bits"
exit $failed
