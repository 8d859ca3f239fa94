#!/bin/bash
# samples/imdb does what its page describes. tfidf: the features that Keras's TextVectorization gives (TensorFlow 2.21, whose
# numbers stand below), whatever the bytes of the text; lines that are no review are errors with their place, and existing files stay.
# The model, on reviews made here: two epochs in f64 agree in 9 digits with one device under every layout.
#   imdb.sh DTGC
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
sample=$root/samples/imdb
scratch_folder
epochs=0
cd "$tmp" || exit 2

# -------- tfidf, with the sanitizers where there are any
flags="-std=c17 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror"
tfidf_c="$sample/tfidf.c $sample/text.c $sample/vocabulary.c"
${CC:-cc} $flags -fsanitize=address,undefined -fno-sanitize-recover=all -o tfidf $tfidf_c -lm 2>/dev/null && ./tfidf --help >/dev/null 2>&1 ||
  ${CC:-cc} $flags -o tfidf $tfidf_c -lm || exit 1

printf '1\tThe cat sat on the mat; the CAT!\n0\tA dog -- a DOG, a dog'\''s dog?\r\n1\t\n' >small.tsv
printf '0\tcaf\303\251 CAF\303\211 \303\251t\303\251 \346\227\245\346\234\254\350\252\236 the\302\205dog\302\240a\n' >>small.tsv
printf '1\ttab\there\013vertical\014feed  <br /><br />word/word don'\''t "quoted" [UNK] x_y ~`^\n' >>small.tsv
printf '0\tzebra yak zebra yak mat 3.14 42 42\n1\tnul\000byte the 42' >>small.tsv # and no LF at the end

# values FILE: of a .npy, one a line
values() { od -An -v -tf4 -w4 -j128 "$1" | tr -d ' '; }
golden='5.501845 3.6119184 0 0 0 0 0 1.2039728
1.3754612 0 4.5122323 4.5122323 0 0 0 0
0 0 0 0 0 0 0 0
6.877306 0 0 0 0 0 0 0
15.130074 0 0 0 0 0 0 0
1.3754612 0 0 0 2.4079456 3.0081549 3.0081549 1.2039728
1.3754612 1.2039728 0 0 1.2039728 0 0 0'
./tfidf learn v8 --tokens 8 small.tsv >said && ./tfidf features v8 x.npy label.npy <small.tsv >>said || fail "$(cat said)"
[ "$(cat said)" = "v8: 7 of 28 tokens, from 7 reviews of 42 tokens in all
x.npy: float32 [7, 8]; label.npy: uint8 [7]" ] || fail "tfidf says $(cat said)"
near "$(tr ' ' '\n' <<<"$golden")" "$(values x.npy)" 2e-7 || fail "features: $(od -An -v -tf4 -w32 -j128 x.npy)"
[ "$(od -An -v -tu1 -j128 label.npy | tr -s ' ')" = " 1 0 1 0 1 0 1" ] || fail 'labels'
head -c 128 x.npy | grep -aq "{'descr': '<f4', 'fortran_order': False, 'shape': (7, 8), } *$" || fail 'header'
tail -n +2 v8 | tr '\t' ' ' >got
printf '%s\n' 'the 2 4' 'dog 1 3' 'a 1 3' '42 2 3' 'zebra 1 2' 'yak 1 2' 'mat 2 2' | cmp -s - got || fail "vocabulary: $(cat got)"

# All of them: order by count, then by bytes, the greater first; UTF-8 as it came, also what some call white space.
./tfidf learn v60 --tokens 60 small.tsv >/dev/null || fail 'learn 60'
printf '%s\n' the dog a 42 zebra yak mat cat br $'\346\227\245\346\234\254\350\252\236' $'\303\251t\303\251' xy wordword vertical \
  unk $'the\302\205dog\302\240a' tab sat quoted on nul0byte here feed dont dogs $'caf\303\251' $'caf\303\211' 314 >want
tail -n +2 v60 | cut -f1 | tr '\0' 0 | cmp -s - want || fail "vocabulary of all: $(cut -f1 v60)"

# Other texts, by the words and weights of the first: 2 known tokens and 2 that are not.
printf '1\tthe cat zebra dinosaur\n' | ./tfidf features v8 y.npy ylabel.npy >/dev/null || fail 'other texts'
near "$(printf '%s\n' 2.7509224 1.2039728 0 0 0 1.5040774 0 0)" "$(values y.npy)" 2e-7 || fail "other texts: $(values y.npy)"

# -------- hostile
# refused WHAT COMMAND...: status 1, the message, and x.npy as it was
sum=$(sha256sum x.npy label.npy v8)
refused() {
  local want=$1 said status
  shift
  said=$("$@" 2>&1 >/dev/null)
  status=$?
  [ $status -eq 1 ] && [[ $said == *"$want"* ]] || fail "$*: expected status 1 and \"$want\", found $status: $said"
  [ "$(sha256sum x.npy label.npy v8)" = "$sum" ] || fail "$*: an older result has changed"
  ls ./*.part.* >/dev/null 2>&1 && fail "$*: leaves $(ls ./*.part.*)"
}
features() { ./tfidf features v8 x.npy label.npy "$@"; }
lines() { printf "$1" >lines.tsv; features lines.tsv; }
refused 'none.tsv: No such file' features none.tsv
refused 'lines.tsv: there is no review in it' lines ''
refused 'lines.tsv:2: expected 0 or 1, a tab' lines '1\tgood\nno label\n'
refused 'lines.tsv:1: expected 0 or 1, a tab' lines '2\tgood\n'
refused 'lines.tsv:1: expected 0 or 1, a tab' lines '1 good\n'
refused 'lines.tsv:1: expected 0 or 1, a tab' lines '1'
refused 'lines.tsv:2: expected 0 or 1, a tab' lines '1\tgood\n\n0\tbad\n'
refused '.: Is a directory' features .
refused 'none/x.npy' ./tfidf features v8 none/x.npy label.npy small.tsv
refused 'none/v' ./tfidf learn none/v small.tsv
refused 'lines.tsv: a line of more than 16 MiB' eval '{ printf "1\t"; head -c 17000000 /dev/zero; } >lines.tsv; features lines.tsv'
mkfifo pipe
refused 'pipe: it is no regular file' ./tfidf features v8 pipe label.npy small.tsv
refused 'pipe: it is no regular file' ./tfidf learn pipe small.tsv
{ printf '1\t'; head -c 9000000 /dev/zero | tr '\0' A; echo ' the'; } >long.tsv
./tfidf features v8 y.npy ylabel.npy long.tsv >/dev/null || fail 'a token of 9 MB'
near "$(printf '%s\n' 1.3754612 1.2039728 0 0 0 0 0 0)" "$(values y.npy)" 2e-7 || fail "a long token: $(values y.npy)"
# Each ill-formed piece counts as one U+FFFD: a lone byte, a cut-off sequence, a surrogate of 3 bytes, an overlong one of 2.
printf '0\tfine\n1\tx\377y \342\202 \355\240\200 \300\257\n' >wrong.tsv
said=$(./tfidf learn vwrong wrong.tsv 2>&1 >/dev/null)
[ "$said" = "tfidf: warning: 1 review is not UTF-8, first at wrong.tsv:2:4; such bytes count as U+FFFD" ] || fail "not UTF-8: $said"
f=$'\357\277\275'
[ "$(tail -n +2 vwrong | cut -f1 | tr '\n' ' ')" = "$f$f$f $f$f $f x${f}y fine " ] || fail "not UTF-8: $(cat vwrong)"

vocabulary() { printf "$1" >damaged; ./tfidf features damaged x.npy label.npy small.tsv; }
refused 'damaged: the file is empty' vocabulary ''
refused 'damaged:1: expected "tfidf 1' vocabulary 'something else\n'
refused 'damaged:1: expected "tfidf 1' vocabulary 'tfidf 1 texts=18446744073709551616 columns=2\n'
refused 'damaged: cut off: expected 2 tokens, found 1' vocabulary 'tfidf 1 texts=7 columns=3\nthe\t2\t4\n'
refused 'damaged:3: more tokens than' vocabulary 'tfidf 1 texts=7 columns=2\nthe\t2\t4\na\t1\t3\n'
refused 'damaged:3: the token stands there twice' vocabulary 'tfidf 1 texts=7 columns=3\nthe\t2\t4\nthe\t1\t3\n'
refused 'damaged:2: expected a token' vocabulary 'tfidf 1 texts=7 columns=2\nthe 2 4\n'
refused 'damaged:2: expected two numbers' vocabulary 'tfidf 1 texts=7 columns=2\nthe\t2\tfour\n'
refused 'damaged:2: expected 1 <= df <= texts' vocabulary 'tfidf 1 texts=7 columns=2\nthe\t8\t9\n'
for args in '' 'lern v' 'learn' 'features v8 x.npy' 'learn v --tokens 1' 'learn v --tokens many' 'learn v --token 9'; do
  ./tfidf $args </dev/null >said 2>&1
  [ $? -eq 2 ] && grep -q '^usage:' said || fail "tfidf $args: $(cat said)"
done

# -------- reviews of made-up words, of which some tell what is thought; 12 negative ones, then 12 positive, and so on
reviews() { # SEED COUNT
  awk -v r="$1" -v n="$2" 'function next_below(k) { r = (r * 16807) % 2147483647; return int(r / 2147483647 * k) }
    BEGIN { for (i = 0; i < n; i++) { label = int(i / 12) % 2; printf "%d\t", label
      for (k = 15 + next_below(40); k > 0; k--) {
        u = next_below(10000) / 10000
        printf u < .1 ? (label ? "Good%d, " : "bad%d<br /> ") : "word%d ", u < .1 ? next_below(5) : int(u * u * 4000) }
      print "" } }'
}
export DTG_IMDB_OUT=$tmp/out DTGC=$dtgc
mkdir out
reviews 7 300 >out/train.tsv
reviews 11 100 >out/test.tsv
out=$("$sample/run" "$sample/model_parallel.dtg" --epochs 30 --plain 2>&1) || fail "$out"
grep -q '/vocabulary.txt: [0-9]* of [0-9]* tokens, from 300 reviews' <<<"$out" || fail "run: $out"
last=$(tail -1 <<<"$out")
[[ $last =~ eval\ accuracy\ ([0-9.]+) ]] && holds "${BASH_REMATCH[1]} >= .7" || fail "it does not learn: $out"
echo "$last"

# All of it: one checkpoint through three meshes, and a program that takes text in and finds what eval found.
out=$("$sample/run" --plain 2>&1) || fail "$out"
[ "$(grep -c ': starting new$' <<<"$out")" -eq 1 ] && grep -q 'step-000010: continuing with epoch 3$' <<<"$out" &&
  grep -q 'step-000020: continuing with epoch 5$' <<<"$out" || fail "hand-over: $out"
[ "$(ls out/run | tr '\n' ' ')" = 'step-000020 step-000025 step-000030 ' ] || fail "kept: $(ls out/run)"
[ "$(cut -d, -f1 out/log.csv | tr '\n' ' ')" = 'epoch 1 2 3 4 5 6 ' ] && [ -s out/log.svg ] || fail "log: $(cat out/log.csv)"
[ "$(tail -2 <<<"$out" | grep -c '^\(positive\|negative\) [01]\.[0-9]*$')" -eq 2 ] || fail "sentiment: $out"
sentiment() { out/sentiment "$@"; }
cut -f2- out/test.tsv | sentiment out/run out/vocabulary.txt >found || fail 'sentiment'
found=$(paste <(cut -c1 out/test.tsv) found | awk '{ n += ($1 == 1) == ($2 == "positive") } END { print n / NR }')
tested=$(tail -1 out/log.csv | cut -d, -f7)
[ "$(wc -l <found)" -eq 100 ] && awk "BEGIN { d = $found - $tested; exit !(d < 1e-6 && d > -1e-6) }" || fail "sentiment finds $found right, eval $tested"
printf 'x\377y\n\n\r\nno end' | sentiment out/run out/vocabulary.txt >found && [ "$(wc -l <found)" -eq 4 ] || fail "strange lines: $(cat found)"
# not COMMAND...: fails and says why
not() {
  local part=$1 said
  shift
  said=$("$@" 2>&1 </dev/null) && fail "$*: no failure"
  [[ $said == *"$part"* ]] || fail "$*: expected \"$part\", found: $said"
}
not 'none' sentiment out/none out/vocabulary.txt
not 'none: No such file' sentiment out/run none
not 'expected 1200 columns' sentiment out/run v8
not 'usage: sentiment' sentiment out/run
cp -r out/run damaged_run
for f in damaged_run/step-*/*.safetensors; do printf '\377\377' | dd of="$f" bs=1 seek=$(($(stat -c %s "$f") - 2)) conv=notrunc status=none; done
not 'damaged_run' sentiment damaged_run out/vocabulary.txt

# losses TYPE LAYOUTS [OPTIONS...]: of two epochs of 4 steps of 64 and one of 44, training and test
losses() {
  local file=$sample/$2_parallel.dtg
  [ "$2" = one ] && file=
  ${launcher:-} "$dtgc" run -D real=$1 "$sample/mlp.dtg" $file fit train --feed x=out/train.npy --feed label=out/train-label.npy --epochs 2 --shuffle 1 \
    --eval eval --eval-feed x=out/test.npy --eval-feed label=out/test-label.npy --log log.csv --plain "${@:3}" >said 2>&1 || { cat said >&2; return 1; }
  tail -n +2 log.csv | cut -d, -f4,6 | tr , '\n'
}
# The last short batch of 44 does not divide by 8: blocks of 5 and 6 rows count as they should.
one=$(losses f64 one) || fail 'f64, one device'
[ "$(wc -l <<<"$one")" -eq 4 ] || fail "expected 4 losses, found: $one"
for l in data model spatial; do
  got=$(losses f64 $l) || fail "f64, $l parallel"
  near "$one" "$got" 1e-8 || fail "f64, $l parallel: one device has" $one "and this" $got
done
# Handed over after each epoch, it goes the way of one device that never stopped; the logs of steps and epochs are whole.
reference=$(losses f64 one --epochs 3 --log-steps reference.csv)
for l in data model spatial; do
  epochs=$((epochs + 1))
  got=$(losses f64 $l --epochs $epochs --save saved --resume --log-steps steps.csv) || fail "hand-over to $l parallel"
done
near "$reference" "$got" 1e-8 || fail "handed over:" $got ", and one device without:" $reference
[ "$(cut -d, -f1,2 steps.csv)" = "$(cut -d, -f1,2 reference.csv)" ] && [ "$(tail -1 steps.csv | cut -d, -f1,2)" = 15,3 ] &&
  [ "$(head -1 steps.csv)" = step,epoch,loss,accuracy ] || fail "steps: $(cat steps.csv)"
near "$(tail -n +2 reference.csv | cut -d, -f3)" "$(tail -n +2 steps.csv | cut -d, -f3)" 1e-8 || fail "steps: $(cat steps.csv)"
if have_mpi; then # the same bits as threads
  threads=$(losses f32 spatial)
  mpi=$(launcher="mpiexec -n 8" losses f32 spatial) || fail 'mpi'
  [ "$mpi" = "$threads" ] || fail "threads have" $threads "and MPI" $mpi
fi
"$dtgc" run "$sample/mlp.dtg" "$sample/spatial_parallel.dtg" info >info || fail 'info'
grep -q 'input *x .*\[batch, feature\] *\[32, 600\]' info && grep -q 'model.d1.w .*\[feature, model\] *\[600, 24\]' info || fail "$(cat info)"

# -------- the archive that is fetched is checked
if command -v curl >/dev/null && [ ! -e "$root/../shared/data/imdb/train.tsv.xz" ]; then
  mkdir -p aclImdb/{train,test}/{neg,pos} fetched
  for d in aclImdb/*/*; do echo 'a review' >$d/0_1.txt; done
  tar -czf archive.tar.gz aclImdb
  said=$(DTG_DATA=none DTG_IMDB_OUT=$tmp/fetched DTG_IMDB_ADDRESS=file://$tmp/archive.tar.gz "$sample/fetch" 2>&1)
  [[ $said == *'train.part is not the file it should be'* ]] && [ ! -e fetched/train.tsv ] || fail "fetch: $said"
fi
exit $failed
