#!/bin/bash
# Every block ```dtg of the documents is a program that compiles: blocks that continue an earlier one repeat it. In a
# block ```console each line `$ dtgc ...` runs in the root, or the folder of a line `$ cd FOLDER` before it, and the lines below
# it occur in its output, in that order (lines between them may be left out).       tests/docs.sh DTGC
# tests/docs.sh DTGC --indented: what is indented instead shows how a command is called: those of dtgc run in a folder where the
# files they name are those of samples/digits, and must succeed. Left out: `launch` and what `mpiexec` and `cmake` start, which
# the tests of clusters and of an installation run; and the linking of a host's own files (tests/api).
set -u
export DTGC_FLAGS=${DTGC_FLAGS:---machine=generic} # not the caches of this computer
root=$(cd "$(dirname "$0")/.." && pwd)
dtgc=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") failed=0 n=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
if [ "${2-}" = --indented ]; then
  cd "$tmp" || exit 1
  ln -s "$root/samples" samples
  for name in model mlp; do cp "$root/samples/digits/digits.dtg" $name.dtg; done
  for name in layouts mixed; do cp "$root/samples/digits/mixed.dtg" $name.dtg; done
  feeds='--feed image=samples/digits/data/digits.csv.gz:0-63 --feed label=samples/digits/data/digits.csv.gz:64'
  PATH=${dtgc%/*}:$PATH
  eval "dtgc run model.dtg layouts.dtg fit train $feeds --epochs 1 --eval eval ${feeds//--feed/--eval-feed} --log log.csv" >out 2>&1 || { cat out; exit 1; }
  for name in one data mixed; do cp log.csv $name.csv; done
  for doc in "$root"/README.md "$root"/docs/*.md; do
    while IFS= read -r command; do
      case $command in 'dtgc launch'* | *host.c*) continue ;; esac
      run=${command%%  *#*} run=${run/fit train .../fit train $feeds --epochs 1} run=${run/ NAME/ model.d1.y}
      run=${run/data=16/batch=16} run=${run%% >*}
      n=$((n + 1))
      eval "$run" >out 2>&1 || { echo "FAIL ${doc##*/}: $command:"; head -5 out; failed=1; }
    done < <(awk '/^```/ { fence = !fence } fence { next }
                  part != "" { sub(/^ +/, ""); part = part $0 }
                  part == "" && /^    (\$ )?dtgc / { part = $0; sub(/^    (\$ )?/, "", part) }
                  part ~ /\\$/ { sub(/\\$/, "", part); next }
                  part != "" { print part; part = "" }' "$doc")
  done
  echo "$n indented commands of the documents"
  [ $n -ge 15 ] || { echo "FAIL: there should be more"; failed=1; }
  exit $failed
fi
for doc in "$root"/README.md "$root"/docs/*.md; do
  awk -v out="$tmp/$(basename "$doc" .md)" '/^```dtg$/ { on = 1; k++; next } /^```$/ { on = 0 } on { print > (out "-" k ".dtg") }' "$doc"
done
for file in "$tmp"/*.dtg; do
  n=$((n + 1))
  if ! "$dtgc" "$file" >"$tmp/out" 2>&1; then
    echo "FAIL $(basename "$file" .dtg) (document and number of the block):"
    cat "$tmp/out"
    failed=1
  fi
done
# shown DOC: the commands of its console blocks
commands=0
shown() {
  local line command='' want=() folder=
  while IFS= read -r line; do
    case $line in
      '$ cd '*) check_shown "$1" "$command" "${want[@]}"; folder=${line#'$ cd '} command='' want=() ;;
      '$ '*) check_shown "$1" "$command" "${want[@]}"; command=${line#??} want=() ;;
      *) want+=("$line") ;;
    esac
  done < <(awk '/^```console$/ { on = 1; next } /^```$/ { on = 0 } on' "$1")
  check_shown "$1" "$command" "${want[@]}"
}
# check_shown DOC COMMAND LINES...
check_shown() {
  local doc=${1##*/} command=${2%% #*} want line
  [ -n "$2" ] || return
  shift 2
  commands=$((commands + 1))
  if [ "${command%% *}" != dtgc ]; then echo "FAIL $doc: $command: only dtgc is run"; failed=1; return; fi
  if ! (cd "$root/$folder" && eval "'$dtgc' ${command#dtgc}") >"$tmp/out" 2>&1; then
    echo "FAIL $doc: $command:"; head -5 "$tmp/out"; failed=1; return
  fi
  exec 3<"$tmp/out"
  for want; do
    while :; do
      IFS= read -r line <&3 || { echo "FAIL $doc: $command does not print, after the lines above it: $want"; failed=1; break 2; }
      [ "$line" != "$want" ] || break
    done
  done
  exec 3<&-
}
for doc in "$root"/README.md "$root"/docs/*.md; do shown "$doc"; done

# The stages of --dump, and what --disable takes, are those of the manual: listed DOC BEFORE NAMES, each behind BEFORE
listed() {
  local doc=$1 before=$2 name; shift 2
  [ $# -ge 8 ] || { echo "FAIL: no names for $doc: $*"; failed=1; }
  for name; do
    grep -qE -e "$before$name([^a-z:]|\$)" "$doc" || { echo "FAIL: ${doc##*/} lacks $name"; failed=1; }
  done
}
names() { "$dtgc" "$root/samples/digits/digits.dtg" "$1?" 2>&1 | sed "s/.*\(stages are\|there are\) //; s/ and / /; s/,//g; s/loops:PASS//"; }
stages=$(names --dump=) passes=$(names --disable=)
listed "$root/docs/dtgc.1" '^\.(Cm|It Cm) (.* )?' $stages $passes
listed "$root/docs/dumps.md" '(--dump=|`)' $stages
# After which passes loops can be shown: the manual listed three that --dump did not take.
loops=$(names --dump=loops:)
loops=${loops//loops:/}
listed "$root/docs/dtgc.1" '^\.(Cm|It Cm) (.* )?' $loops
listed "$root/docs/dumps.md" '`' $loops
for name in $(sed -n '/^\.Cm loops: Ns Ar pass/,/^On a terminal/p' "$root/docs/dtgc.1" | sed -n 's/^\.Cm \([a-z]*\)[ ,.]*$/\1/p'); do
  [[ " $loops " == *" $name "* ]] || { echo "FAIL: dtgc.1 lists loops:$name, which --dump does not take"; failed=1; }
done
# Loops over named rows, after the pass that makes them: an estimate of where values lie was taken for that itself.
for name in $loops; do
  "$dtgc" "$root/tests/golden/emit/named_rows_are_counted.dtg" --mesh a=2,batch=3 --layout '".*"=[batch, ...]' --dump="loops:$name" >/dev/null ||
    { echo "FAIL: --dump=loops:$name of named rows"; failed=1; }
done

echo "$n programs and $commands commands of the documents"
[ "$commands" -ge 5 ] || { echo "FAIL: there should be more commands"; failed=1; }
[ "$n" -ge 8 ] || { echo "FAIL: there should be more"; failed=1; }
exit $failed
