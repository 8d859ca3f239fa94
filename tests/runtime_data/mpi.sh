#!/bin/bash
# mpi.sh TOY DIR MPIEXEC: dtrt_main under several MPI ranks: the numbers of threads, rank 0 alone speaks, and a
# file that is missing on one rank ends all with that rank's message.
set -u
. "$(dirname "$0")/../lib.sh"
toy=$1
dir=$2
mpiexec=$3
rm -rf "$dir"
mkdir -p "$dir" && cd "$dir" || exit 99
evidence=(out.txt err.txt)
TOY_AXIS=3 TOY_VARIANTS=3
export TOY_AXIS TOY_VARIANTS

ranks() { timeout 120 "$mpiexec" -n 3 "$@" >out.txt 2>err.txt </dev/null; }

awk 'BEGIN { for (i = 0; i < 19; i++) print i % 5 "," i * 3 % 7 "," i % 2 ",1," i }' >d.csv
head -8 d.csv >e.csv
feed='--feed image=d.csv:0-3 --feed label=d.csv:4 --feed rate=0.5'
fit="fit train $feed --epochs 3 --shuffle 7 --eval eval --eval-feed image=d.csv:0-3 --eval-feed label=d.csv:4"

"$toy" $fit --log threads.csv >out.txt 2>err.txt || fail 'fit on threads'
ranks "$toy" $fit --log mpi.csv || fail 'fit on mpi'
[ "$(grep -c '^epoch' out.txt)" -eq 3 ] || fail 'rank 0 alone prints'
cut -d, -f1,2,4- threads.csv >a.txt
cut -d, -f1,2,4- mpi.csv >b.txt
cmp -s a.txt b.txt && [ "$(wc -l <a.txt)" -eq 4 ] || fail 'threads and mpi differ'

ranks "$toy" call train --feed image=e.csv:0-3 --feed label=e.csv:4 --feed rate=1 --out sums=- || fail call
grep -qF 'sums = [1, 6, 9, 7, 10, 3, 6, 4]' out.txt || fail 'call: sums'
[ "$(grep -c sums out.txt)" -eq 1 ] || fail 'call: rank 0 alone prints'
ranks "$toy" info || fail info
[ "$(grep -c 'entry train' out.txt)" -eq 1 ] || fail 'info: rank 0 alone prints'

ranks "$toy" fit trian && fail 'a wrong entry must fail'
[ "$(grep -c 'did you mean' err.txt)" -eq 1 ] || fail 'usage: rank 0 alone prints'
ranks "$toy" fit train --feed image=none.csv --feed label=d.csv:4 --feed rate=1 --epochs 1 && fail 'a missing file must fail'
[ "$(grep -c 'No such file' err.txt)" -eq 1 ] || fail 'missing on all: rank 0 alone prints'

# One rank decodes, or runs a command, for all; nothing is left of it.
gzip -c d.csv >d.csv.gz
mkdir tmp
same_log() { # WHAT FILE: the numbers of d.csv
  rm -f mpi.csv
  ranks env TMPDIR="${3-$PWD/tmp}" "$toy" fit train --feed image="$2:0-3" --feed label="$2:4" --feed rate=0.5 --epochs 3 --shuffle 7 \
    --eval eval --eval-feed image="$2:0-3" --eval-feed label="$2:4" --log mpi.csv || fail "$1"
  cut -d, -f1,2,4- mpi.csv | cmp -s - a.txt || fail "$1: other numbers"
  [ -z "$(ls tmp)" ] || fail "$1: $(ls tmp) is left"
}
for i in 1 2 3 4 5; do # ranks come in any order
  same_log gzip d.csv.gz
  rm -f runs
  same_log command '|echo once >>runs; gzip -dc d.csv.gz'
  [ "$(wc -l <runs)" -eq 1 ] || fail "the command was run $(wc -l <runs) times"
done
same_log 'no room to share' d.csv.gz "$PWD/none"
ranks "$toy" fit train --feed image='|exit 3' --feed label=d.csv:4 --feed rate=1 --epochs 1 && fail 'a command that fails must fail'
[ "$(grep -cF '|exit 3: the command ended with status 3' err.txt)" -eq 1 ] || fail 'a command that fails: not said'
# What a killed process has left is removed; what is in use is not.
touch "tmp/dtrt-$(id -u)-stale" tmp/other
ranks env TMPDIR="$PWD/tmp" "$toy" call train --feed image='|head -8 d.csv:0-3' --feed label=e.csv:4 --feed rate=1 --out sums=- || fail 'call with a command'
grep -qF 'sums = [1, 6, 9, 7, 10, 3, 6, 4]' out.txt || fail 'call with a command: sums'
[ "$(ls tmp)" = other ] || fail "a stale file: $(ls tmp)"

cat >one.sh <<'END'
#!/bin/sh
[ "$PMI_RANK" = 1 ] && cd / # where there is no d.csv
exec "$@"
END
start=$(date +%s)
ranks sh ./one.sh "$toy" $fit && fail 'a file missing on rank 1 must fail'
[ $(($(date +%s) - start)) -lt 60 ] || fail 'missing on rank 1: it took too long'
grep -qF 'rank 1: d.csv: No such file' err.txt || fail 'missing on rank 1: not said'

exit $failed
