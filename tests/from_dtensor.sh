#!/bin/bash
# Every line of docs/from-dtensor.md's tables is run: commands in a shell, C in a host program, the rest compiled with the page's program.
#   tests/from_dtensor.sh DTGC FOLDER CC FLAGS...     FLAGS: what it takes to compile and link a host program
set -u
. "$(dirname "$0")/lib.sh"
root=$(cd "$(dirname "$0")/.." && pwd)
dtgc=$1 cc=$3
flags=("${@:4}")
fresh_folder "$2"
page=$root/docs/from-dtensor.md
mkdir -p bin && ln -sf "$dtgc" bin/dtgc
export PATH=$PWD/bin:$PATH

awk '/^```dtg$/ { on = 1; next } /^```$/ { on = 0 } on' "$page" >m.dtg
cp "$root/samples/machines/two-cores.machine" here.machine
awk 'BEGIN { for (i = 0; i < 16; i++) for (j = 0; j < 8; j++) printf "%g%s", (i * 7 + j * 3) % 11 - 4, j < 7 ? "," : "\n" }' >x.csv
awk 'BEGIN { for (i = 0; i < 16; i++) print i % 4 }' >y.csv

# The last column of each row: what stands between the backticks.
sed -n 's/^| .* | `\(.*\)` |$/\1/p' "$page" >lines
shells=0 texts=0 calls=0
: >calls.inc
while IFS= read -r line; do
  case $line in
    mpiexec*)
      [ "${DTG_HAS_MPI:-0}" = 1 ] && command -v mpiexec >/dev/null || continue
      shells=$((shells + 1))
      expect 0 '' bash -c "$line"
      ;;
    'dtgc '*)
      shells=$((shells + 1)) status=0
      case $line in *'# status 1') status=1 ;; esac
      expect $status '' bash -c "$line"
      ;;
    dtgc_*)
      calls=$((calls + 1))
      case $line in
        dtgc_cache_counts*) echo "$line;" ;;
        *) printf 'if (%s) return bad("%s");\n' "$line" "${line//\"/\\\"}" ;;
      esac >>calls.inc
      ;;
    *)
      texts=$((texts + 1))
      case $line in
        *' = relayout'* | g\ =*) printf 'entry probe(h: f32[8, 8]) {\n  %s\n  return out = %s\n}\nlayout probe.h = [batch, _]\n' "$line" "${line%% *}" ;;
        *) echo "$line" ;;
      esac | cat m.dtg - >probe.dtg
      # A statement of the page's program that says otherwise gives way to the row's.
      case $line in 'layout '*) name=${line#layout } && grep -vF "layout ${name%% =*} =" m.dtg | cat - <(echo "$line") >probe.dtg ;; esac
      expect 0 '' dtgc probe.dtg --dump=layouts
      out=$(dtgc probe.dtg --dump=layouts 2>&1)
      case $out in *warning:*) fail "$line: $out" ;; esac
      ;;
  esac
done <lines

cp "$root/tests/from_dtensor.c" .
if ! "$cc" from_dtensor.c -I. "${flags[@]}" -o host 2>errors; then
  fail "the calls do not compile: $(cat errors)"
else
  expect 0 'all calls made' ./host
fi
echo "$shells commands, $texts statements, $calls calls"
[ $((shells + texts + calls)) -ge 60 ] || fail "there should be more lines"
exit $failed
