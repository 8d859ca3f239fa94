#!/bin/bash
# Every collective is needed: for each program, each call that does, starts or awaits an exchange is deleted from its C in
# turn, and the run must then fail, or print other losses than the whole program does.
#   tests/mutation.sh DTGC BUILD-DIR
set -u
here=$(cd "$(dirname "$0")" && pwd)
dtgc=$1 build=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# The libraries as dtgc itself links them.
libs=$(sed -n 's/.*link_runtime\[\] = {\(.*\), 0};/\1/p' "$build/compiler/link_config.h" | tr -d '",')
awk 'BEGIN { srand(7); for (r = 0; r < 32; r++) { for (c = 0; c < 12; c++) printf "%.3f,", rand() - .5; print int(rand() * 4) } }' >"$tmp/d.csv"
cat >"$tmp/main.c" <<'E2'
#include "dtrt.h"
extern const dtrt_program dtg_program;
int main(int argc, char **argv) { return dtrt_main(argc, argv, &dtg_program, 0, 0, 0); }
E2

# losses SOURCE: what a short training prints, without the times. 1: it cannot be built; 2: it fails.
losses() {
  ${CC:-cc} -O1 -std=c11 -I "$here/../include" "$1" "$tmp/main.c" "$build/lib/libdtrt.a" $libs -o "$tmp/prog" || return 1
  rm -f "$tmp/log.csv"
  "$tmp/prog" fit train --feed "x=$tmp/d.csv:0-11" --feed "label=$tmp/d.csv:12" --epochs 3 --log "$tmp/log.csv" >/dev/null 2>"$tmp/err" || return 2
  cut -d, -f1,2,4- "$tmp/log.csv"
}

failed=0 deleted=0
for name in mlp_data mlp_model mlp_mixed mlp_zero mlp_uneven; do
  (cd "$here/golden/layouts" && "$dtgc" $name.dtg --emit-c "$tmp/$name") || exit 1
  source=$tmp/$name/$name.c
  right=$(losses "$source") || exit 1
  for line in $(grep -nE 'dtrt_(run|start|wait)_exchange' "$source" | cut -d: -f1); do
    # A call may take several lines: it ends at the first `;`. Its pointers stay in use.
    awk -v from="$line" 'NR >= from && !done { done = /;/; next } { print }' "$source" >"$tmp/mutant.c"
    sed -i '1i #pragma GCC diagnostic ignored "-Wunused-variable"' "$tmp/mutant.c"
    wrong=$(losses "$tmp/mutant.c")
    status=$?
    [ $status -ne 1 ] || exit 1
    [ $status -ne 2 ] || grep -q 'flight .* was not started\|flight .* has not been awaited' "$tmp/err" || { cat "$tmp/err"; exit 1; }
    deleted=$((deleted + 1))
    if [ "$right" = "$wrong" ]; then
      echo "FAIL $name: without this exchange nothing changes:"
      sed -n "$((line - 3)),${line}p" "$source"
      failed=1
    fi
  done
done
echo "$deleted calls deleted, one at a time"
exit $failed
