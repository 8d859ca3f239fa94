#!/bin/bash
# A pipe, socket, folder or device where a regular file belongs is an error at once, at every door; temporary files
# are of unpredictable names, and those of the dead are removed.   files.sh DTGC FOLDER
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
fresh_folder "$2"

cat >m.dtg <<'E'
param w: f32[4] = zeros([4])
entry add(x: f32[4, 1]) {
  w <- w + x[:, 0]
  return sum = sum(w)
}
E
printf '1\n2\n3\n4\n' >x.csv
"$dtgc" run m.dtg call add --feed x=x.csv --save saved >/dev/null || { echo 'FAIL no checkpoint to start from'; exit 1; }
mkfifo fifo fifo.dtg fifo.npy
mkdir folder folder.dtg
perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => "sock", Listen => 1) or exit 1' && ln -s sock sock.dtg

# A batch that is written as a number trains on whole batches: it was refused, also where no row was left over.
sed 's/^entry add.*/entry add(x: f32[2, 1], k: f32[]) {/; s/w + x\[:, 0\]/w + k * sum(x)/' m.dtg >two.dtg
expect 0 '4 rows, 2 steps of 2;' "$dtgc" run two.dtg fit add --feed x=x.csv --feed k=1 --epochs 1 --plain
expect 0 '2 rows, 1 step of 2;' "$dtgc" run two.dtg fit add --feed x=x.csv --feed k=1 --epochs 1 --plain --limit 2
expect 0 'the last 1 row left out' "$dtgc" run two.dtg fit add --feed x=x.csv --feed k=1 --epochs 1 --plain --limit 3 --drop-last
expect 1 'first dim of its inputs is a number. Write it as a const (const batch = 2), or leave the last 1 row out' \
  "$dtgc" run two.dtg fit add --feed x=x.csv --feed k=1 --epochs 1 --plain --limit 3

# wrong KIND COMMAND...: refused within seconds, naming the kind
wrong() {
  local kind=$1
  shift
  timeout 120 "$@" >said 2>&1 </dev/null
  local got=$?
  [ $got -ne 0 ] && [ $got -ne 124 ] && grep -q "found a $kind" said || fail "$*: status $got: $(cat said)"
}
kinds='fifo:pipe folder:directory /dev/zero:device'
[ -e sock ] && kinds+=' sock:socket'
part=$(cd saved && ls part-*)
for kind in $kinds; do
  file=${kind%:*} what=${kind#*:}
  wrong "$what" "$dtgc" "$file"
  wrong "$what" "$dtgc" m.dtg "$file"
  wrong "$what" "$dtgc" m.dtg --machine "$file"
  wrong "$what" "$dtgc" m.dtg --diff "$file"
  wrong "$what" "$dtgc" run m.dtg call add --feed x="$file"
  wrong "$what" "$dtgc" run m.dtg call add --feed x="$file":0-3
  wrong "$what" "$dtgc" run m.dtg call add --feed "x=$file:f32[4]"
  wrong "$what" "$dtgc" run m.dtg call add --feed "x={x.csv,$file}"
  wrong "$what" "$dtgc" run m.dtg call add --feed x=x.csv --load saved --load-map "$file"
  wrong "$what" "$dtgc" plot "$file"
  # The files of a checkpoint
  for broken in model.safetensors.index.json "$part"; do
    cp -r saved broken && rm "broken/$broken" && ln -s "$(realpath -s "$file")" "broken/$broken"
    wrong "$what" "$dtgc" checkpoint check broken
    wrong "$what" "$dtgc" run m.dtg call add --feed x=x.csv --load broken
    rm -r broken
  done
  [ "$what" = directory ] && continue # a folder may be a checkpoint
  wrong "$what" "$dtgc" run m.dtg call add --feed x=x.csv --load "$file"
  wrong "$what" "$dtgc" checkpoint ls "$file"
done
for name in fifo folder; do
  echo "import \"$name\"" | cat - m.dtg >i.dtg
  expect 1 "i.dtg:1:8: error: $name.dtg cannot be read: expected a" timeout 120 "$dtgc" i.dtg
done

# A pipe without a reader does not block its writer; one with a reader gets all.
sed '1i const batch = 2' m.dtg | sed 's/entry add.*/entry add(x: f32[batch, 1]) {/; s/x\[:, 0\]/sum(x)/' >fit.dtg
unread() {
  timeout 120 "$@" >said 2>&1 </dev/null
  local got=$?
  [ $got -ne 0 ] && [ $got -ne 124 ] && grep -q 'fifo.*Broken pipe' said || fail "$*: status $got: $(cat said)"
}
unread "$dtgc" m.dtg --emit-html fifo
unread "$dtgc" run m.dtg call add --feed x=x.csv --out sum=fifo.npy
unread "$dtgc" run fit.dtg fit add --feed x=x.csv --epochs 1 --plain --log fifo
unread "$dtgc" run fit.dtg fit add --feed x=x.csv --epochs 1 --plain --log-steps fifo
unread "$dtgc" checkpoint cat saved w -o fifo
printf 'epoch,loss\n1,2\n2,1\n' >log.csv
unread "$dtgc" plot log.csv -o fifo
exec 9<>fifo
expect 0 'epoch 1/1' timeout 120 "$dtgc" run fit.dtg fit add --feed x=x.csv --epochs 1 --plain --log fifo
read -r -t 10 line <&9 && [[ $line == epoch,* ]] || fail "a pipe that is read: $line"
exec 9<&-

# An entry of the cache that is none is no wait either.
"$dtgc" run m.dtg call add --feed x=x.csv >/dev/null
for entry in "$XDG_CACHE_HOME"/dtgc/*.o; do rm "$entry" && mkfifo "$entry"; done
expect 0 'sum = 10' timeout 60 "$dtgc" run m.dtg call add --feed x=x.csv
expect 0 'from the cache' "$dtgc" --time run m.dtg call add --feed x=x.csv

# Temporary files: a name that could be guessed from the process's number is not written to, a dead writer's is
# removed, one that is being written, young or of another file stays.
victim=$PWD/victim
echo untouched >victim
for pid in $(seq $$ $(($$ + 300))); do ln -s "$victim" "page.html.$pid.tmp"; ln -s "$victim" "y.npy.$pid.tmp"; done
dead=page.html.0123456789abcdef.tmp held=page.html.0123456789abcde0.tmp young=page.html.0123456789abcde1.tmp
other=page.html.backup.tmp
for f in $dead $held $other; do echo old >$f && touch -d '1 hour ago' $f; done
echo new >$young
exec 9<$held && flock 9
expect 0 '' "$dtgc" m.dtg --emit-html page.html
expect 0 '' "$dtgc" run m.dtg call add --feed x=x.csv --out sum=y.npy
exec 9<&-
[ "$(cat victim)" = untouched ] || fail 'a link at a guessed name was followed'
[ -e $dead ] && fail "$dead was left by a dead writer and stays"
for f in $held $young $other; do [ -e $f ] || fail "$f was removed"; done
left=$(find . -maxdepth 1 -type f -name '*.tmp' | wc -l)
[ "$left" -eq 3 ] || fail "temporary files stay: $(find . -maxdepth 1 -type f -name '*.tmp')"

# A link is written through, the mode of the file it leads to is kept.
mkdir far && echo old >far/page && chmod 600 far/page && ln -s far/page near
expect 0 '' "$dtgc" m.dtg --emit-html near
[ -L near ] && grep -q html far/page && [ "$(stat -c %a far/page)" = 600 ] || fail 'a link was replaced, or a mode changed'

# An output by the name of an input took the place of it: -o m.dtg made the model an executable.
cp m.dtg same.dtg && ln -s same.dtg linked.dtg && printf 'epoch,loss\n1,2\n2,1\n' >log.csv && echo 'int main(void) { return 0; }' >host.c
for to in same.dtg ./same.dtg linked.dtg; do
  expect 2 "-o $to would overwrite a file that is compiled" "$dtgc" same.dtg -o $to
  expect 2 "--emit-html $to would overwrite a file that is compiled" "$dtgc" same.dtg --emit-html $to
done
expect 2 '-o host.c would overwrite' "$dtgc" same.dtg host.c -o host.c
expect 2 '-o log.csv would overwrite a log' "$dtgc" plot log.csv -o log.csv
cmp m.dtg same.dtg && grep -q '^epoch,loss' log.csv && grep -q main host.c || fail 'an input was overwritten'

# Folders of killed links
export TMPDIR=$PWD/tmp
mkdir -p tmp/dtgc-aAbBcC tmp/dtgc-keep99 && echo x >tmp/dtgc-aAbBcC/0.o && touch -d '2 hours ago' tmp/dtgc-aAbBcC
if command -v cc >/dev/null; then
  expect 0 '' "$dtgc" m.dtg --transport=threads -o prog
  [ "$(ls tmp)" = dtgc-keep99 ] || fail "in TMPDIR is $(ls tmp), expected the folder of a running link alone"
  expect 0 'sum = 10' ./prog call add --feed x=x.csv
fi
exit $failed
