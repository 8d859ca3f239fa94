#!/bin/bash
# torch.sh DTGC DIR: files of torch.save (torch/make.py) are read: of all types, strided, nested in dicts and lists, as they were
# before 2020, whole modules; on several meshes, from folders and indexes. What cannot be read says why.
files=$(cd "$(dirname "$0")/torch" && pwd)
. "$(dirname "$0")/kit.sh" "$1" "$2"
"$dtgc" checkpoint ls "$files/nested.pt" >ls.txt || fail 'ls'
sed 1,2d ls.txt | awk '{print $1, $2, $3 ~ /\]/ ? $3 : ""}' >types.txt
cat >expected.txt <<'END'
model.fc.bias f32[4] 
model.fc.weight f32[4, 3]
model.norm.bias f32[2] 
model.norm.num_batches_tracked i64[] 
model.norm.running_mean f32[2] 
model.norm.running_var f32[2] 
model.norm.weight f32[2] 
more.bf16 bf16[2] 
more.by.7 bool[2] 
more.c64 c64[1] 
more.f16 f16[2] 
more.f8 f8e4m3[2] 
more.i16 i16[1] 
more.i32 i32[1] 
more.lazy ? 
more.list.0 i64[] 
more.list.1 i8[2] 
more.none f32[0, 3]
more.param f32[2] 
more.part f64[2, 3]
more.spread f32[5, 3]
more.turned f64[6, 4]
more.u16 u16[2] 
more.u8 u8[1] 
END
cmp -s types.txt expected.txt || fail "types: $(diff types.txt expected.txt | head -c 300)"
has() { # TENSOR VALUES
  "$dtgc" checkpoint cat "$files/nested.pt" "$1" >out.txt 2>&1
  [ "$(tr -d ' \n' <out.txt)" = "$2" ] || fail "$1 is $(cat out.txt)"
}
has model.fc.weight '[[0,1,2],[3,4,5],[6,7,8],[9,10,11]]'
has model.norm.weight '[200,201]'
has more.turned '[[0,6,12,18],[1,7,13,19],[2,8,14,20],[3,9,15,21],[4,10,16,22],[5,11,17,23]]'
has more.part '[[6,8,10],[12,14,16]]'
has more.spread '[[7,7,7],[7,7,7],[7,7,7],[7,7,7],[7,7,7]]'
has more.bf16 '[1.5,-2]'
has more.by.7 '[1,0]'
has more.c64 '[1+2j]'
has more.f16 '[1.5,65504]'
has more.f8 '[1,448]'
has more.i16 '[-5]'
has more.i32 '[1073741824]'
has more.list.0 3
has more.list.1 '[1,-2]'
has more.u16 '[1,65535]'
has more.u8 '[255]'
"$dtgc" checkpoint reshard "$files/legacy.pt" plain.safetensors 2>err.txt || fail "reshard: $(cat err.txt)"
for f in legacy protocol4 module; do
  "$dtgc" checkpoint diff plain.safetensors "$files/$f.pt" | grep -q '^7 equal, 0 different, 0 on one side' || fail "$f.pt differs"
done
"$dtgc" checkpoint diff "$files/nested.pt" "$files/unsummed.pt" >out.txt 2>&1
grep -q "^23 equal, 1 different, 0 on one side" out.txt && grep -q "^more.lazy: ? and ?" out.txt || fail "unsummed.pt differs: $(cat out.txt)"

cat >net.dtg <<'END'
state w: f32[3, 4] = zeros()
state b: bf16[4] = zeros()
state turned: f32[6, 4] = zeros()
state spread: f32[5, 3] = zeros()
entry check() {
  i = f32(iota([3, 4], axis=0)); j = f32(iota([3, 4], axis=1))
  m = f32(iota([6, 4], axis=0)); n = f32(iota([6, 4], axis=1))
  first = sum(i32(w != i + 3 * j)) + sum(i32(f32(b) != 100 + f32(iota([4]))))
  return wrong = first + sum(i32(turned != m + 6 * n)) + sum(i32(spread != 7))
}
END
printf 'layout w = [a, b]\nlayout turned = [(a, b), _]\nlayout b = [b]\n' >layouts.dtg
cat >names.map <<'END'
model.fc.weight -> w transpose
model.fc.bias   -> b cast
more.turned     -> turned cast
more.spread     -> spread
*               -> -
END
for mesh in '' a=3,b=2; do
  "$dtgc" run net.dtg ${mesh:+layouts.dtg --mesh} $mesh call check --load "$files/nested.pt" --load-map names.map >out.txt 2>err.txt
  [ "$(cat out.txt)" = 'wrong = 0' ] || fail "on '$mesh': $(head -c 300 out.txt err.txt)"
done
sed -i 's/more.turned/more.lazy/' names.map
"$dtgc" run net.dtg call check --load "$files/nested.pt" --load-map names.map >out.txt 2>err.txt && fail 'a lazy view: accepted'
grep -q 'more.lazy.*lazy view' err.txt || fail "a lazy view: $(cat err.txt)"

# As Transformers names files, alone or several with an index.
mkdir -p one two
cp "$files/legacy.pt" one/pytorch_model.bin
cp "$files/legacy.pt" two/pytorch_model-00001-of-00001.bin
printf '{"metadata": {}, "weight_map": {"fc.weight": "pytorch_model-00001-of-00001.bin"}}' >two/pytorch_model.bin.index.json
for d in one two; do
  "$dtgc" checkpoint diff plain.safetensors $d | grep -q '^7 equal, 0 different, 0 on one side' || fail "folder $d: $("$dtgc" checkpoint ls $d 2>&1)"
done

says "$files/alone.pt" 'alone.pt: its tensor has no name; save a dict of tensors'
says "$files/script.pt" 'script.pt: it holds no tensors by name; expected what torch.save(model.state_dict(), path) writes'
head -c 3000 "$files/nested.pt" >cut.pt && says cut.pt 'cut.pt: the zip archive is damaged'
head -c 1249 "$files/legacy.pt" >cut.pt && says cut.pt 'cut.pt: damaged: a storage reaches past the end of the file'
head -c 100 "$files/legacy.pt" >cut.pt && says cut.pt 'cut.pt: damaged at offset'
cp "$files/nested.pt" changed.pt
python3 -c "
import struct, zipfile
f = open('changed.pt', 'r+b')
at = zipfile.ZipFile(f).getinfo('nested/data/0').header_offset
f.seek(at + 26)
f.seek(at + 30 + sum(struct.unpack('<HH', f.read(4))) + 40)
f.write(b'U')"
says changed.pt 'the checksum of the member does not match'
(cd one && python3 -c "
import zipfile
with zipfile.ZipFile('other.zip', 'w') as z: z.writestr('weights.txt', b'x')")
says one/other.zip 'a zip archive with neither arrays of NumPy (.npz), a data.pkl of PyTorch (.pt) nor'
done_testing
