#!/bin/bash
# parts.sh DTGC DIR: load maps that divide tensors, put them side by side and add them, on several meshes; each variable beside
# what it is to be. Then maps that cannot be followed.
. "$(dirname "$0")/kit.sh" "$1" "$2"
cat >theirs.dtg <<'END'
layer norm() { state scale: f32[4] = 0 }
h = [norm() for i in 0..3]
state fused: f32[24, 6] = zeros()
state wide: f32[6, 24] = zeros()
state pairs: f32[2, 4, 3, 5] = zeros()
state first: f32[8] = zeros()
state second: f32[8] = zeros()
state whole: i32[6] = zeros()
fn numbers(s) {
  x = zeros(s, i32)
  for d in 0..len(s) { x = x * 100 + iota(s, axis=d) }
  return f32(x)
}
entry fill() {
  for i in 0..3 { h[i].scale <- numbers([4]) + 10 * i }
  fused <- numbers([24, 6])
  wide <- numbers([6, 24])
  pairs <- numbers([2, 4, 3, 5])
  first <- numbers([8])
  second <- numbers([8]) / 8
  whole <- iota([6])
}
END
"$dtgc" run theirs.dtg call fill --save saved && "$dtgc" checkpoint reshard saved theirs.safetensors || fail 'nothing to load'
cat >ours.dtg <<'END'
state q: f32[6, 2, 4] = zeros()
state k: f32[6, 8] = zeros()
state v: f32[6, 2, 4] = zeros()
state scale: f32[3, 4] = zeros()
state joined: f32[10, 6] = zeros()
state last: f32[4, 3, 5] = zeros()
state middle: f32[3, 2] = zeros()
state point: f32[] = zeros()
state bias: f32[2, 4] = zeros()
state short: bf16[8] = zeros()
state copy: f32[6] = zeros()
state again: f64[6] = zeros()
state count: i32[6] = zeros()
entry check() {
  wrong = 0
  for i in 0..6 {
    for j in 0..8 {
      want = [j * 100 + i, (8 + j) * 100 + i, i * 100 + 16 + j]
      have = [q[i, j // 4, j % 4], k[i, j], v[i, j // 4, j % 4]]
      for n in 0..3 { wrong = wrong + i32(have[n] != want[n]) }
    }
    wrong = wrong + i32(copy[i] != 200 + i) + i32(again[i] != 200 + i)
    for j in 0..10 { wrong = wrong + i32(joined[j, i] != (j if j < 4 else 14 + j) * 100 + i) }
  }
  for i in 0..4 {
    for j in 0..3 {
      wrong = wrong + i32(scale[j, i] != i + 10 * j)
      for n in 0..5 { wrong = wrong + i32(last[i, j, n] != ((100 + i) * 100 + j) * 100 + n) }
      if i < 2 { wrong = wrong + i32(middle[j, i] != ((100 + 2) * 100 + j) * 100 + i + 2) }
    }
  }
  for i in 0..8 { wrong = wrong + i32(bias[i // 4, i % 4] != i + i / 8) + i32(f32(short[i]) != i + i / 8) }
  wrong = wrong + i32(point != 305)
  return wrong
}
END
cat >layouts.dtg <<'END'
layout q = [a, b, _]
layout k = [_, (a, b)]
layout v = [b, _, a]
layout scale = [a, b]
layout joined = [(b, a), _]
layout last = [_, a, b]
layout bias = [b, a]
layout short = [a]
END
cat >names.map <<'END'
h[*].scale        -> scale[*]
fused[0:8]        -> q reshape(2, 4, 6) transpose(2, 0, 1)
fused[8:16]       -> k transpose
fused[0:4]        -> joined[0:4]
fused[18:]        -> joined[4:10, :]
fused[2, :]       -> copy
fused[2, :]       -> again
wide[:, 16:24]    -> v reshape(6, 2, -1)
wide[3, 5]        -> point
pairs[1, :]       -> last
pairs[1, 2, :, 2:4] -> middle
first             -> bias reshape(2, 4)
second            -> bias reshape(2, 4) add
first             -> short cast
second            -> short cast add
whole             -> count
END

for mesh in '' a=2,b=2 a=3,b=2 a=1,b=5 a=4,b=1; do
  "$dtgc" run ours.dtg ${mesh:+layouts.dtg --mesh} $mesh call check --load theirs.safetensors --load-map names.map >out.txt 2>err.txt
  [ "$(cat out.txt)" = 'wrong = 0' ] || fail "on '$mesh': $(head -c 300 out.txt err.txt)"
done
# wrong WHAT TEXT [PARTIAL]: the map on standard input.
wrong() {
  cat >wrong.map
  "$dtgc" run ours.dtg call check --load theirs.safetensors --load-map wrong.map ${3:-} >out.txt 2>err.txt && fail "$1: accepted"
  grep -qF -- "$2" err.txt || fail "$1: lacks '$2': $(head -c 300 err.txt)"
}
wrong 'too far' 'the map takes elements 20 to 30 of dim 0 of fused, which has 24' <<<'fused[20:30] -> q'
wrong 'of too many dims' 'the map takes a part of 3 dims of fused, which has 2' <<<'fused[0:2, 0:2, 0:2] -> q'
wrong 'no part' 'line 1: a part is written as [0:64], [:, 64:128] or [3, :]' <<<'fused[8:2] -> q'
wrong 'gaps' "the map's reshape joins dims of wide that do not lie side by side" <<<'wide[:, 0:8] -> q reshape(48)'
wrong 'another size' 'fused is f32[10, 6]; variable k is f32[6, 8], the part' <<<'fused[0:10] -> k'
wrong 'no such row' 'the map assigns scale[3] from first, but ours has no such part of the variable' <<<'first -> scale[3]'
wrong 'twice' 'both fused and fused are mapped to joined' <<<$'fused[0:4] -> joined[0:4]\nfused[0:4] -> joined[3:7]'
wrong 'nothing to add to' 'the map adds first to bias, but gives it no value' --load-partial <<<'first -> bias reshape(2, 4) add'
wrong 'sums of integers' 'whole is i32[6]; variable count is i32[6]: only floats are added' <<<'whole -> count add'
sed '/joined\[4:10/d' names.map >some.map
wrong 'a part is left' 'no value for a part of variable joined' <some.map
"$dtgc" run ours.dtg call check --load theirs.safetensors --load-map some.map --load-partial >out.txt 2>err.txt || fail 'a part may be left'
grep -q 'not in theirs.safetensors: a part of joined keeps its value' err.txt || fail "told: $(head -c 300 err.txt)"
[ "$(cat out.txt)" = 'wrong = 36' ] || fail "what is left keeps its value: $(cat out.txt)"

command -v python3 >/dev/null || done_testing
# The same tensors as NumPy's archives have them: stored, the second one's first dim innermost.
python3 - <<'END'
import json, struct, zipfile
raw = open('theirs.safetensors', 'rb').read()
n = struct.unpack('<Q', raw[:8])[0]
head, data = json.loads(raw[8:8 + n]), raw[8 + n:]
head.pop('__metadata__', None)
def array(t, fortran):
    size = 4
    at = data[t['data_offsets'][0]:t['data_offsets'][1]]
    if fortran:
        rows, columns = t['shape']
        at = b''.join(at[(i * columns + j) * size:][:size] for j in range(columns) for i in range(rows))
    kind = {'F32': '<f4', 'I32': '<i4'}[t['dtype']]
    text = str({'descr': kind, 'fortran_order': fortran, 'shape': tuple(t['shape'])}).encode() + b'\n'
    return b'\x93NUMPY\x01\x00' + struct.pack('<H', len(text)) + text + at
for name, method in (('theirs.npz', zipfile.ZIP_STORED), ('packed.npz', zipfile.ZIP_DEFLATED)):
    with zipfile.ZipFile(name, 'w', method) as z:
        for k, t in head.items(): z.writestr(k + '.npy', array(t, k == 'wide'))
END
for mesh in '' a=3,b=2; do
  "$dtgc" run ours.dtg ${mesh:+layouts.dtg --mesh} $mesh call check --load theirs.npz --load-map names.map >out.txt 2>err.txt
  [ "$(cat out.txt)" = 'wrong = 0' ] || fail ".npz, on '$mesh': $(head -c 300 out.txt err.txt)"
done
"$dtgc" checkpoint cat theirs.npz wide >a.txt && "$dtgc" checkpoint cat theirs.safetensors wide | cmp - a.txt || fail 'cat of the first dim innermost'
"$dtgc" run ours.dtg call check --load packed.npz --load-map names.map >out.txt 2>err.txt && fail 'deflated: accepted'
grep -q 'packed.npz:.*: the array is deflated; here it has to be stored' err.txt || fail "deflated: $(head -c 300 err.txt)"
head -c 1000 theirs.npz >cut.npz
"$dtgc" run ours.dtg call check --load cut.npz --load-map names.map >out.txt 2>err.txt && fail 'cut off: accepted'
grep -q 'cut.npz: the zip archive is damaged' err.txt || fail "cut off: $(head -c 300 err.txt)"
done_testing
