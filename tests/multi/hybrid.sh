#!/bin/bash
# hybrid.sh DTGC DIR MPIEXEC: a mesh of 8 as 8 threads, 8 ranks, 4 ranks of 2 threads, 2 of 4 and 1 of 8: the same bits,
# in training (fit), in whole outputs (call) and as an executable; and counts that do not fit are told.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 dir=$2 mpiexec=$3
here=$(cd "$(dirname "$0")" && pwd)
digits=$here/../../samples/digits
rm -rf "$dir"
mkdir -p "$dir" && cd "$dir" || exit 99

evidence=(err.txt)
under() { # RANKS COMMAND...
  ranks=$1
  shift
  timeout 100 "$mpiexec" -n "$ranks" "$@" >out.txt 2>err.txt </dev/null
}
data="--feed image=$digits/data/digits.csv.gz:0-63 --feed label=$digits/data/digits.csv.gz:64"
fit="fit train $data --limit 600 --epochs 2 --shuffle 3 --plain"
model="$digits/digits.dtg $digits/mixed.dtg"

# All but the seconds.
bits() { cut -d, -f1,2,4- "$1.csv" >"$1.bits"; }
"$dtgc" run $model $fit --transport threads --log threads.csv >out.txt 2>err.txt || fail 'threads'
bits threads
for shared in 1 0; do
  export DTRT_MPI_SHARED=$shared
  for ranks in 8 4 2; do
    name=fit-$ranks-$shared
    progress=poll
    [ $ranks -eq 4 ] && progress=thread
    under $ranks "$dtgc" run $model $fit --log $name.csv --progress $progress || fail $name
    [ "$(grep -c '^epoch' out.txt)" -eq 2 ] || fail "$name: rank 0 alone prints"
    bits $name
    cmp -s threads.bits $name.bits || fail "$name has other bits than threads"
  done
done
unset DTRT_MPI_SHARED
under 1 "$dtgc" run $model $fit --transport mpi --log one.csv || fail 'one rank of 8'
bits one
cmp -s threads.bits one.bits || fail 'one rank of 8 has other bits than threads'

# Saved by 4 ranks of 2, gone on with by 2 of 4: the files of one training on threads.
save="fit train $data --limit 320 --plain"
under 4 "$dtgc" run $model $save --epochs 1 --save ranks || fail 'saving with 4 ranks of 2'
under 2 "$dtgc" run $model $save --epochs 2 --save ranks --resume || fail 'going on with 2 ranks of 4'
"$dtgc" run $model $save --epochs 2 --save alone >out.txt 2>err.txt || fail 'saving on threads'
for file in alone/step-000020/*.safetensors; do
  cmp -s "$file" "ranks/step-000020/${file##*/}" || fail "$file of ranks is another"
done

# Whole outputs: tensors of every layout come to the host of each process.
cp "$here/../equal/transports/mlp.dtg" . && cp "$here/../equal/transports/mixed.dtg" .
awk 'BEGIN { for (i = 0; i < 35; i++) { s = ""; for (j = 0; j < 6; j++) s = s (i * 7 + j * 5) % 11 / 4 - 1 ","; print s i % 3 } }' >d.csv
outputs='w1 b1 w2 w3 b3 m mean logits picked'
call="call train --feed x=d.csv:0-5 --feed label=d.csv:6 --seed 3"
outs() { for o in $outputs; do printf ' --out %s=%s/%s.npy' "$o" "$1" "$o"; done; }
"$dtgc" mlp.dtg mixed.dtg -o mlp >out.txt 2>err.txt || fail 'no executable'
mkdir -p threads two apart
./mlp $call $(outs threads) >out.txt 2>err.txt || fail 'the executable on threads'
under 2 ./mlp $call --devices-per-rank 2 $(outs two) || fail '2 ranks of 2'
DTRT_MPI_SHARED=0 under 2 ./mlp $call $(outs apart) || fail '2 ranks of 2 by messages'
for o in $outputs; do
  cmp -s threads/$o.npy two/$o.npy || fail "$o of 2 ranks of 2 differs"
  cmp -s threads/$o.npy apart/$o.npy || fail "$o of 2 ranks of 2 by messages differs"
done

# Counts that do not fit.
told() { # TEXT RANKS ARGUMENTS...
  text=$1 ranks=$2
  shift 2
  under $ranks ./mlp $call "$@" && fail "$ranks ranks $*: no error"
  grep -qF -- "$text" err.txt || fail "$ranks ranks $*: not \"$text\""
}
told 'the mesh has 4 devices, which 3 MPI ranks cannot share evenly: start it with mpiexec -n 4' 3
told 'the mesh has 4 devices, but there are 8 MPI ranks: start it with mpiexec -n 4' 8
told 'the mesh has 4 devices, but there are 2 MPI ranks of 3 devices each: 4 is not a multiple of 3' 2 --devices-per-rank 3
told 'the mesh has 4 devices, but there are 2 MPI ranks of 4 devices each: start it with mpiexec -n 1' 2 --devices-per-rank 4
told 'expected an integer from 1' 2 --devices-per-rank 0
told '--timeout soon: expected a number of seconds' 2 --timeout soon
told '--progress=threads: expected auto, thread or poll' 2 --progress threads
./mlp $call --devices-per-rank 2 >out.txt 2>err.txt && fail 'two devices of four in one process'
grep -q 'start 2 with mpiexec' err.txt || fail 'two devices of four in one process'
[ $failed -eq 0 ] && echo 'processes and threads agree'
exit $failed
