#!/bin/bash
# keras.sh DTGC DIR: weights of Keras, in .keras and .h5 files, and other files of h5py (keras/make.py), are read, of all types, in
# groups in groups; on several meshes. What cannot be read says why.
files=$(cd "$(dirname "$0")/keras" && pwd)
. "$(dirname "$0")/kit.sh" "$1" "$2"
has() { # FILE TENSOR VALUES
  "$dtgc" checkpoint cat "$files/$1" "$2" >out.txt 2>&1
  [ "$(tr -d ' \n' <out.txt)" = "$3" ] || fail "$2 of $1 is $(cat out.txt)"
}
for of in 'net.keras layers/dense/vars/0' 'legacy.h5 model_weights/dense/sequential/dense/kernel'; do
  has $of '[[0,1,2,3],[4,5,6,7],[8,9,10,11]]'
done
has net.keras layers/dense/vars/1 '[100,101,102,103]'
has net.keras layers/batch_normalization/vars/3 '[500,501,502,503]'
has legacy.h5 model_weights/norm/sequential/norm/moving_variance '[500,501,502,503]'
has types.h5 f16 '[1.5,65504]'
has types.h5 f64 '[[0,1,2],[3,4,5]]'
has types.h5 i8 '[1,-2]'
has types.h5 u16 '[65535]'
has types.h5 i64 -3
has types.h5 bool '[1,0]'
has few.h5 a '[1,2]'
has few.h5 g/b '[3]'
for k in $(seq 0 19); do has types.h5 many/deep/$k "[$k]"; done
[ "$("$dtgc" checkpoint ls "$files/types.h5" | wc -l)" = 31 ] || fail "types.h5: $("$dtgc" checkpoint ls "$files/types.h5")"
[ "$("$dtgc" checkpoint ls "$files/few.h5" | wc -l)" = 4 ] || fail "few.h5: $("$dtgc" checkpoint ls "$files/few.h5")"

cat >net.dtg <<'END'
import "nn"
layer net() {
  dense = dense(3, 4)
  norm  = batch_norm(4)
}
model = net()
entry check() {
  i = f32(iota([3, 4], axis=0)); j = f32(iota([3, 4], axis=1)); k = f32(iota([4]))
  first = sum(i32(model.dense.w != 4 * i + j)) + sum(i32(model.dense.b != 100 + k))
  second = sum(i32(model.norm.scale != 200 + k)) + sum(i32(model.norm.shift != 300 + k))
  return wrong = first + second + sum(i32(model.norm.running_var != 500 + k))
}
END
printf 'layout model.dense.w = [_, a]\nlayout model.dense.b = [(a, b)]\n' >layouts.dtg
cat >names.map <<'END'
layers/dense/vars/0               -> model.dense.w
layers/dense/vars/1               -> model.dense.b
layers/batch_normalization/vars/0 -> model.norm.scale
layers/batch_normalization/vars/1 -> model.norm.shift
layers/batch_normalization/vars/2 -> model.norm.running_mean
layers/batch_normalization/vars/3 -> model.norm.running_var
END
for mesh in '' a=2,b=2; do
  "$dtgc" run net.dtg ${mesh:+layouts.dtg --mesh} $mesh call check --load "$files/net.keras" --load-map names.map >out.txt 2>err.txt
  [ "$(cat out.txt)" = 'wrong = 0' ] || fail "on '$mesh': $(head -c 300 out.txt err.txt)"
done

says "$files/chunks.h5" 'in x: its elements are in chunks, as of compressed datasets; save it without'
says "$files/latest.h5" "in the root group: a group in a fractal heap, which h5py writes with libver='latest' alone"
head -c 2000 "$files/legacy.h5" >cut.h5 && says cut.h5 'it reaches past the end of the file'
"$dtgc" checkpoint cat "$files/types.h5" big >out.txt 2>err.txt && fail 'big-endian: accepted'
grep -q 'big has a type or a number of dims that dtg does not support' err.txt || fail "big-endian: $(cat err.txt)"
done_testing
