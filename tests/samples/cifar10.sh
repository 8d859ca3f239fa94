#!/bin/bash
# samples/cifar10 does what its page describes. With images that are made here: the first loss under every layout is that of
# one device to f32's rounding (Adam makes more of it in every later step); eight steps in f64 agree in 9 digits. Cut over
# space, all that moves is halos and sums, and weights that devices update in parts. And, where CIFAR-10 itself is here, it learns.
#   cifar10.sh DTGC
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
sample=$root/samples/cifar10
scratch_folder

# 48 records of a label and an image that has something to do with it, in two files, and a last short batch.
awk 'BEGIN { for (r = 0; r < 48; r++) { printf "%c", 48 + r * 7 % 10; for (i = 0; i < 3072; i++) printf "%c", 33 + (i * (r * 7 % 10 + 1) + r * r) % 90 } }' >"$tmp/all"
head -c $((3073 * 20)) "$tmp/all" >"$tmp/part_1.bin"
tail -c +$((3073 * 20 + 1)) "$tmp/all" >"$tmp/part_2.bin"
letters='s/label: u8\[batch\]/letter: u8[batch]/; s/^  logits = /  label = letter - 48\n&/'
sed "$letters" "$sample/cnn.dtg" >"$tmp/f32.dtg"
# The library's layers are of f32: f64 has copies of them.
sed 's/f32/f64/g; s/dense(/wide_dense(/; s/batch_norm(/wide_batch_norm(/' "$tmp/f32.dtg" >"$tmp/f64.dtg"
for layer in dense batch_norm; do
  sed -n "/^layer $layer(/,/^}/p" "$root/include/dtg/nn.dtg" | sed "s/f32/f64/g; s/^layer /&wide_/" >>"$tmp/f64.dtg"
done

# losses MODEL LAYOUTS EPOCHS LIMIT [LAUNCHER...]: one a line
losses() {
  sed 's/layout label/layout letter/' "$sample/$2.dtg" >"$tmp/$2.dtg"
  "${@:5}" "$dtgc" run -D batch=32 "$tmp/$1.dtg" "$tmp/$2.dtg" fit train --epochs "$3" --limit "$4" --shuffle 1 --log "$tmp/log.csv" --plain \
    --feed image="$tmp/part_*.bin:u8[3073]:1-" --feed letter="$tmp/part_*.bin:u8[3073]:0" >"$tmp/out" 2>&1 ||
    { cat "$tmp/out" >&2; return 1; }
  tail -n +2 "$tmp/log.csv" | cut -d, -f4
}
one64=$(losses f64 one 2 48) || fail 'f64, one device'
one32=$(losses f32 one 1 32) || fail 'f32, one device'
[ "$(wc -l <<<"$one64")" -eq 2 ] || fail "expected 2 losses in f64, found: $one64"
awk 'NR == 1 { first = $1 } END { exit !($1 < first) }' <<<"$one64" || fail "the loss does not fall: $one64"
for l in space batch mixed; do
  got=$(losses f64 $l 2 48) || fail "f64, $l"
  near "$one64" "$got" 1e-9 || fail "f64, $l: one device has" $one64 "and this" $got
  got=$(losses f32 $l 1 32) || fail "f32, $l"
  near "$one32" "$got" 1e-6 || fail "f32, $l: one device has" $one32 "and this" $got
done

if have_mpi; then # the same bits as threads
  threads=$(losses f32 space 2 48)
  mpi=$(losses f32 space 2 48 mpiexec -n 4) || fail 'mpi'
  [ "$mpi" = "$threads" ] || fail "threads have" $threads "and MPI" $mpi
fi

comm=$("$dtgc" "$sample/cnn.dtg" "$sample/space.dtg" --dump=comm) || fail 'no dump'
# Lines of more than 100 columns are carried over eight blanks further in.
comm=$(awk '{ match($0, /^ */); own = RLENGTH }
  NR > 1 && own >= indent + 8 { line = line " " substr($0, own + 1); next }
  { if (NR > 1) print line; line = $0; indent = own }
  END { print line }' <<<"$comm")
# The last convolution's weights are large enough that each device updates a part of them.
shared=$(grep -c '^    \(reduce-scatter\|all-gather\) over (h, w) of 4 .* f32\[3, 3, 64, 128\] ' <<<"$comm")
[ "$shared" -eq 2 ] || fail "the update of the largest weights is not shared: $shared"
kinds=$(grep -v ' f32\[3, 3, 64, 128\] ' <<<"$comm" | awk '/^entry/ { entry = $2 } /^    [a-z-]+ over / { print entry, $1 }' | grep '^train: \|^eval: ' | sort | uniq -c)
other=$(grep -v ' halo$\| all-reduce$' <<<"$kinds")
[ -z "$other" ] || fail "more moves than halos and sums: $other"
[ "$(awk '$2 == "train:" && $3 == "halo" { print $1 }' <<<"$kinds")" -ge 9 ] || fail "too few halos: $kinds"

# Data that cannot be fetched leave nothing behind, and no error of the script itself.
mkdir -p "$tmp/away/samples" && cp -r "$sample" "$tmp/away/samples/" && rm -rf "$tmp/away/samples/cifar10/out"
if out=$(DTG_DATA= DTG_CIFAR10_ADDRESS=file:///nothing DTGC=$dtgc "$tmp/away/samples/cifar10/run" 2>&1); then
  fail "run without data: $out"
fi
grep -q 'unbound variable' <<<"$out" && fail "run without data: $out"
[ -z "$(ls -A "$tmp/away/samples/cifar10/out")" ] || fail "run without data leaves $(ls -A "$tmp/away/samples/cifar10/out")"

for place in ${DTG_DATA:+"$DTG_DATA/cifar10" "$DTG_DATA"} "$root/../shared/data/cifar10" "$sample/out"; do
  for f in "$place"/test_batch.bin*; do [ ! -e "$f" ] || here=1; done
done
if [ "${here:-}" ]; then
  out=$(DTGC=$dtgc "$sample/run" "$sample/space.dtg" --epochs 1 --limit 3200 --eval-limit 640 2>&1) || fail "$out"
  last=$(tail -1 <<<"$out")
  [[ $last =~ eval\ accuracy\ ([0-9.]+) ]] && holds "${BASH_REMATCH[1]} >= .25" || fail "$last"
  echo "$last"
else
  echo 'no CIFAR-10 here: learning is not tried'
fi
[ $failed -ne 0 ] || echo "one device: $(echo $one64)"
exit $failed
