#!/bin/bash
# Files of any name: what is made from them (C, JSON, pages, traces, checkpoints) stays what it is.
#   names.sh DTGC FOLDER
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
fresh_folder "$2"

model=$'mesh [a=2]\nparam w: f32[8] = zeros([8])\nentry add(x: f32[8, 1]) {\n  w <- w + x[:, 0]\n  return sum = sum(w * w)\n}\nlayout w = [a]\n'
names=(
  plain
  'ends */ int dtg_evil = 1; /* a comment'
  'ends *??/x'
  'tri??/x'
  'tri??)graph??'\''"q"'
  'back\slash\'
  'quotes "and" %s %n $HOME `id`'
  $'a\nnew line */\n#include "dtrt.h"'
  $'tab\tand\001\177control'
  $'latin \xe9 and \xff\xfe'
  $'cut off \xe2\x82'
  'grün 漢字 </script><!--'
)
seq 8 >x.csv
n=0
for name in "${names[@]}"; do
  n=$((n + 1))
  mkdir $n && cd $n || exit 2
  base=${name##*/} # a slash in a name makes a folder
  mkdir -p "$(dirname "./$name")"
  printf '%s' "$model" >"./$name.dtg"
  # Emitted C, as a reader and as a compiler gets it: with and without trigraphs, warnings are errors
  "$dtgc" "./$name.dtg" --emit-c out >said 2>&1 || fail "$n: --emit-c: $(cat said)"
  for std in c11 gnu17; do
    cc -std=$std -Wall -Wextra -Werror -Wno-trigraphs -Wno-unknown-warning-option -Iout -c "out/$base.c" -o o.o >said 2>&1 ||
      fail "$n: cc -std=$std: $(head -5 said)"
  done
  nm o.o | grep -q dtg_evil && fail "$n: a file's name became code"
  # Run, with lines for a debugger and a trace
  "$dtgc" run "./$name.dtg" call add --feed x=../x.csv --profile=trace.json --save saved >said 2>&1 && grep -q 'sum = 204' said ||
    fail "$n: run: $(head -5 said)"
  "$dtgc" "./$name.dtg" --emit-html page.html >said 2>&1 || fail "$n: --emit-html: $(cat said)"
  [ "$(grep -c '</script>' page.html)" -eq "$(grep -c '</script>' ../1/page.html)" ] || fail "$n: a script ends early"
  if command -v python3 >/dev/null; then
    python3 -c '
import json, sys
json.loads(open("trace.json", "rb").read().decode())
json.loads(open("saved/model.safetensors.index.json", "rb").read().decode())
open("page.html", "rb").read().decode()' 2>said || fail "$n: not UTF-8, or not JSON: $(tail -1 said)"
  fi
  expect 0 'good' "$dtgc" checkpoint check saved
  expect 0 'sum = 816' "$dtgc" run "./$name.dtg" call add --feed x=../x.csv --load saved
  for stage in ast graph layouts comm memory cost; do expect 0 '' "$dtgc" "./$name.dtg" --dump=$stage; done
  [ $n -eq 1 ] || [ $n -eq 2 ] || { cd .. && continue; } # two links are enough
  expect 0 '' "$dtgc" "./$name.dtg" --transport=threads -o prog
  expect 0 'sum = 204' ./prog call add --feed x=../x.csv
  cd ..
done
exit $failed
