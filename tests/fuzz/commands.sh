#!/bin/bash
# Command lines made of words that belong there, changed here and there, and damaged files of every kind as inputs: each ends by itself
# with status 0, 1 or 2, an error has a message, and no sanitizer reports. What fails is printed as a command to run again.
#   commands.sh DTGC FOLDER COUNT SEED
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 count=$3
RANDOM=$4
fresh_folder "$2"
export DTGC_FLAGS='-O0 --no-lines --machine=generic' ASAN_OPTIONS=detect_leaks=0:exitcode=99 UBSAN_OPTIONS=exitcode=99

cat >m.dtg <<'END'
mesh [a=2]
const batch = 4
param w: f32[3] = uniform()
entry train(x: f32[batch, 3] on [a, _], y: i32[batch]) {
  loss = mean((x @ w - f32(y)) ** 2)
  w <- w - 0.1 * grad(loss, w)
  return loss
}
entry f(x: f32[batch, 3]) { return s = sum(x), x = x * 2 }
END
echo 'layout x = [_, a]' >l.dtg
cat >x.machine <<'END'
flops = 50 Gflop/s # of a core
memory_bandwidth = 10 GB/s
cores = 4
cache L1 size=48KiB bandwidth=400GB/s
cache L2 size=1600B cores=2
cache L3 size=32 MiB cores=4 bandwidth=20GB/s
link devices=2 bandwidth=16Gb/s latency=1us
link bandwidth=2GB/s latency=10us
END
for i in 1 2 3 4 5 6 7 8; do echo "$i,0.5,-1e3,$i"; done >x.csv
head -4 x.csv | gzip >x.csv.gz
head -c 48 /dev/zero >x.raw
"$dtgc" run m.dtg call f --feed x=x.raw:f32[3] --out x=x.npy >/dev/null || fail 'no x.npy'
"$dtgc" run m.dtg fit train --feed x=x.csv:0-2 --feed y=x.csv:3 --epochs 1 --save saved --plain >/dev/null || fail 'nothing saved'
part=$(ls saved/*/part-* | head -1)
model=$(ls -d saved/step*)

words=(run call fit info checkpoint verify plot ls cat diff check reshard m.dtg l.dtg x.csv x.npy x.raw saved "$part" train f w x y
  --mesh a=2 a=3,b=2 --layout 'x=[a, _]' 'w=[a]' -D batch=2 --dump=ast --dump=layouts --dump=spmd,comm --dump=memory --dump=cost
  --dump=edits --dump=c --why f.x --diff --strict-layouts --feed x=x.csv:0-2 y=x.csv:3 x=x.npy x=x.raw:f32[3] x=x.csv.gz:0-2
  --epochs 2 --steps 3 --limit 4 --shuffle 1 --eval f --eval-feed --log log.csv --log-steps steps.csv --log-ranks ranks.jsonl --save saved2 --load saved
  --resume --every 2 --keep 1 --plain --seed 5 --out x=out.npy s=- --emit-c emitted --emit-html page.html --time --tolerance 1e-3
  --help --version --ops --check-nan=cheap --timeout 5 --transport=threads -I . -o made
  --disable=overlap --disable inline,rows tile,fuse -O 1 -O0 --no-lines --loader=llvm own --repeat-saves=2 --drop-exchange 1 --machine=native --machine x.machine)
odd=('' - -- = , : '[' ']' '\' "'" '"' $'\n' $'\377' '%s' '*' 0 -1 1e999 nan 9223372036854775807 99999999999999999999 a=0 x= =x '[?' 'x=[' : ::)
any() { local -n list=$1; REPLY=${list[RANDOM % ${#list[@]}]}; }
changed() { # WORD: sometimes another
  local word=$1 at
  case $((RANDOM % 12)) in
    0) any odd; word=$REPLY ;;
    1) any odd; at=$((RANDOM % (${#word} + 1))); word=${word:0:at}$REPLY${word:at} ;;
    2) at=$((RANDOM % (${#word} + 1))); word=${word:0:at} ;;
    3) at=$((RANDOM % (${#word} + 1))); word=${word:0:at}${word:at+1} ;;
  esac
  REPLY=$word
}
ends() { # COMMAND...
  timeout 120 "$@" >said 2>error </dev/null
  local got=$?
  [ $got -le 2 ] || fail "status $got: ${*@Q}: $(head -c 1500 error)"
  [ $got -eq 0 ] || [ -s error ] || [ -s said ] || fail "says nothing: ${*@Q}"
}
damaged() { # FROM TO: some bytes are others, or it is cut off
  local n size
  cp "$1" "$2"
  size=$(stat -c %s "$2")
  for ((n = RANDOM % 4; n >= 0; n--)); do
    printf "\\x$(printf %02x $((RANDOM % 256)))" | dd of="$2" bs=1 seek=$((RANDOM * 32768 % size + RANDOM % (size < 128 ? size : 128))) conv=notrunc status=none
  done
  [ $((RANDOM % 3)) -gt 0 ] || truncate -s $((RANDOM % (size + 1))) "$2"
}
for ((i = 0; i < count; i++)); do
  args=()
  case $((RANDOM % 4)) in # deep as well as wide
    0) ;;
    1) args=(run m.dtg call f --feed x=x.csv:0-2) ;;
    2) args=(run m.dtg l.dtg fit train --feed x=x.csv:0-2 --feed y=x.csv:3 --epochs 1) ;;
    3) args=(m.dtg l.dtg) ;;
  esac
  for ((n = RANDOM % 6; n >= 0; n--)); do any words; args+=("$REPLY"); done
  for n in "${!args[@]}"; do changed "${args[n]}"; args[n]=$REPLY; done
  ends "$dtgc" "${args[@]}"
  case $((i % 7)) in
    0) damaged x.npy bad.npy && ends "$dtgc" run m.dtg call f --feed x=bad.npy ;;
    1) damaged x.csv bad.csv && ends "$dtgc" run m.dtg call f --feed x=bad.csv:0-2 ;;
    2) damaged x.csv.gz bad.csv.gz && ends "$dtgc" run m.dtg call f --feed x=bad.csv.gz:0-2 ;;
    3) damaged m.dtg bad.dtg && ends "$dtgc" run bad.dtg call f --feed x=x.csv:0-2 ;;
    6) damaged x.machine bad.machine && ends "$dtgc" m.dtg --machine=bad.machine --dump=cost ;;
    4) damaged l.dtg bad.dtg && ends "$dtgc" run m.dtg bad.dtg info ;;
    5) rm -rf bad && cp -r "$model" bad && damaged "$part" "bad/${part##*/}" && ends "$dtgc" checkpoint check bad && ends "$dtgc" run m.dtg call f --load bad --feed x=x.csv:0-2 ;;
  esac
  # What a made-up line has written or removed is not there for the next.
  rm -rf log.csv steps.csv saved2 out.npy emitted page.html made
done
echo "$count command lines, $count damaged files"
exit $failed
