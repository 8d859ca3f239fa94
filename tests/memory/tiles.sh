#!/bin/bash
# No product of a dense model runs one row or column at a time, whatever its sizes: the weight gradient of a layer of 4096
# did, at a twelfth of its speed.   tiles.sh DTGC
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
scratch_folder
cd "$tmp" || exit 1

model() { # WIDTH OUT BATCH OPTIMIZER
  printf 'import "nn"\nimport "optim"\nconst batch = %d\nd1 = dense(%d, %d, act = relu)\nd2 = dense(%d, %d, act = relu)\nd3 = dense(%d, %d)\n' \
    "$3" "$1" "$1" "$1" "$1" "$1" "$2"
  printf 'opt = %s([d1, d2, d3], 0.01)\nentry train(x: f32[batch, %d], y: f32[batch, %d]) {\n  loss = mean((d3(d2(d1(x))) - y) ** 2)\n  opt.minimize(loss)\n  return loss\n}\n' \
    "$4" "$1" "$2"
}
for width in 512 1500 2048 4096 8192; do
  for out in 10 $width 50257; do
    for batch in 32 256 1040; do
      [ $out = 50257 ] && [ $width -gt 2048 ] && continue
      model $width $out $batch adam >m.dtg
      "$dtgc" m.dtg --dump=c >c || fail "$width, $out, $batch: no C"
      grep -q 'dtrt_gemm' c || fail "$width, $out, $batch: no product"
      # dtrt_gemm(type, ta, tb, m, n, k, ...
      bad=$(grep -E 'dtrt_gemm\(DTRT_F32, [01], [01], (1, |[^,]*, 1, )' c | head -1)
      [ -z "$bad" ] || fail "width $width, out $out, batch $batch: $bad"
    done
  done
done
exit $failed
