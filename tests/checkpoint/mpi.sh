#!/bin/bash
# mpi.sh DTGC DIR MPIEXEC: MPI ranks write the same bytes as threads, with shared memory and by messages, and what
# fails on one rank is reported with its number.
. "$(dirname "$0")/kit.sh" "$1" "$2"
mpiexec=$3
ranks() {
  local n=$1 layouts=$2
  shift 2
  $mpiexec -n "$n" "$dtgc" run "$here/model.dtg" "$here/$layouts.dtg" "$@" >out.txt 2>err.txt
}
fit="fit train $feed --shuffle 5 --epochs 2"
ok threads 2x2 $fit --save threads --every 3 --keep 9
ranks 4 2x2 $fit --save mpi --every 3 --keep 9 || fail "mpi: $(cat out.txt err.txt)"
for step in 3 4 6 8; do
  [ $step = 4 ] && continue # the end of an epoch is none of --every 3
  same "threads and mpi, step $step" threads/step-00000$step mpi/step-00000$step
  cmp -s {threads,mpi}/step-00000$step/model.safetensors.index.json || fail "the indices of step $step differ"
done
rm -rf mpi/step-000008
DTRT_MPI_SHARED=0 ranks 4 2x2 $fit --save mpi --every 3 --keep 9 --resume || fail "resume: $(cat out.txt err.txt)"
[ "$(grep -c '^restored mpi/step-000006: continuing after step 2 of epoch 2' out.txt)" = 1 ] || fail "rank 0 alone says so: $(cat out.txt)"
same 'resumed by messages' threads/step-000008 mpi/step-000008
ranks 6 2x3 call keep --load mpi --save six || fail "six ranks: $(cat out.txt err.txt)"
ok 'six threads' 2x3 call keep --load threads --save six-threads
same 'six ranks and six threads' six six-threads

# Two ranks of two devices each.
ranks 2 2x2 $fit --save two --devices-per-rank 2 || fail "two ranks: $(cat out.txt err.txt)"
same 'two ranks of two devices' threads/step-000008 two/step-000008
ranks 2 2x2 call keep --load threads --save two-again --devices-per-rank 2 || fail "two ranks: $(cat out.txt err.txt)"
"$dtgc" checkpoint diff threads two-again >diff.txt || fail "two ranks: $(cat diff.txt)"

# A folder that one rank sees otherwise.
cat >other.sh <<'END'
#!/bin/sh
[ "$PMI_RANK" = 1 ] && { mkdir -p elsewhere; cp d.csv elsewhere; cd elsewhere; }
exec "$@"
END
$mpiexec -n 4 sh ./other.sh "$dtgc" run "$here/model.dtg" "$here/2x2.dtg" call keep --load mpi --save x >out.txt 2>err.txt &&
  fail 'a checkpoint that rank 1 lacks'
grep -q 'rank 1: mpi: No such file' err.txt || fail "rank 1 is not named: $(cat err.txt)"
$mpiexec -n 4 sh ./other.sh "$dtgc" run "$here/model.dtg" "$here/2x2.dtg" call keep --save y >out.txt 2>err.txt &&
  fail 'a folder that rank 1 lacks'
grep -q 'rank 1: y/\|rank 1: .*\.new-y' err.txt || fail "rank 1 is not named: $(cat err.txt)"
[ -e y ] && fail 'half a checkpoint stays'
done_testing
