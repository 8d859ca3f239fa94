#!/bin/bash
# late.sh DTGC DIR MPIEXEC LATE: a rank that takes its lock late, while ranks meet, was reported dead.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 mpiexec=$3 late=$4
rm -rf "$2"
mkdir -p "$2" && cd "$2" || exit 99
printf 'param w: f32[4] = ones()\nentry f() { return s = sum(w) }\n' >m.dtg
printf 'mesh [a=2]\nlayout w = [a]\n' >2.dtg
"$dtgc" m.dtg 2.dtg -o m || { echo 'no executable'; exit 1; }
expect 0 's = 4' "$mpiexec" -n 2 env LD_PRELOAD="$late" ./m call f
exit $failed
