#!/bin/bash
# samples/gpipe does what its page describes. In f64 the gradients of the pipeline are those of the model without one, also
# where stages do not divide evenly; the losses of a training agree on all layouts and fall; MPI has the bits of threads.
# At the sample's own size, a step moves a micro-batch's activations to the next stage, and its gradients to the one before.
#   gpipe.sh DTGC
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
sample=$root/samples/gpipe
text=$root/samples/transformer/data/sonnets.txt
scratch_folder

head -c $((17 * 256)) "$text" >"$tmp/rows"
head -c $((17 * 6)) "$text" >"$tmp/six"
feed() { echo --feed "text=$1:u8[17]:0-15" --feed "after=$1:u8[17]:1-16"; }
small="-D length=16 -D width=16 -D heads=2 -D vocab=128 -D real=f64"

# check LAYOUTS [OPTIONS]: three stages, three micro-batches
check() {
  "$dtgc" run $small -D stages=3 -D micro=3 -D batch=6 "$sample/check.dtg" "$sample/$1.dtg" "${@:2}" call check $(feed "$tmp/six") 2>&1
}
# train LAYOUTS [LAUNCHER...]: four stages, four micro-batches, four epochs; the loss of each
train() {
  "${@:2}" "$dtgc" run $small -D stages=4 -D micro=4 -D batch=8 "$sample/gpipe.dtg" "$sample/$1.dtg" fit train $(feed "$tmp/rows") \
    --epochs 4 --shuffle 1 --plain --log "$tmp/$1.csv" >"$tmp/$1.out" 2>&1 || cat "$tmp/$1.out" >&2
  tail -n +2 "$tmp/$1.csv" | cut -d, -f4
}
check stages --mesh stage=3 >"$tmp/check.stages" &
check mixed --mesh stage=2,data=2 >"$tmp/check.mixed" &
wait
for l in stages mixed; do
  awk '{ v[$1] = $3; if ($3 != $3 + 0) bad = 1 }
       END { d = v["piped"] - v["plain"]; exit !(NR == 4 && !bad && d * d < 1e-24 && v["difference"] <= 1e-12 && v["largest"] > .01) }' \
    "$tmp/check.$l" || fail "gradients, $l: $(cat "$tmp/check.$l")"
done
for l in one stages mixed; do train $l >"$tmp/$l.losses" & done
wait
one=$(cat "$tmp/one.losses")
awk '{ l[NR] = $1 } END { exit !(NR == 4 && l[4] < 3.1 && l[4] < l[1] - 0.8) }' <<<"$one" || fail "one device does not learn:" $one
for l in stages mixed; do
  paste -d' ' "$tmp/one.losses" "$tmp/$l.losses" |
    awk 'NF != 2 { exit 1 } { d = ($1 - $2) / $1 } d * d > 1e-18 { exit 1 }' || fail "$l has" $(cat "$tmp/$l.losses") "and one device" $one
done
if have_mpi; then
  threads=$(cat "$tmp/stages.losses")
  mpi=$(train stages mpiexec -n 4)
  [ "$mpi" = "$threads" ] || fail "threads have" $threads "and MPI" $mpi
fi

# moved LAYOUTS KIND BYTES: how many exchanges of `train` are so
moved() {
  "$dtgc" "$sample/gpipe.dtg" "$sample/$1.dtg" --dump=comm |
    awk -v kind="$2" -v bytes="$3" '/^entry/ { e = $2 } e == "train:" && $1 == kind && $0 ~ "  " bytes " bytes a device" { n++ } END { print n + 0 }'
}
# 8 micro-batches through 4 stages are 11 steps with 10 shifts between them; 4 rows x 64 characters x 64 wide in f32 are 65536
# bytes. With the batch halved, half of that.
[ "$(moved stages permute 65536)" = 20 ] || fail "stages: $(moved stages permute 65536) permutes of a micro-batch, not 20"
[ "$(moved mixed permute 32768)" = 20 ] || fail "mixed: $(moved mixed permute 32768) permutes of half a micro-batch, not 20"
[ "$(moved stages halo '[0-9]+')" = 0 ] || fail 'stages: halos where blocks are shifted'
[ $failed -ne 0 ] || echo "one device:" $one
exit $failed
