#!/bin/bash
# Variables of the environment are read in four files, and nowhere else: no pass, printer of C, loader or op reads one.
# The table of the manual, docs/dtgc.1, has all of them, and no others.      environment.sh ROOT
set -u
cd "$1" || exit 2
failed=0
readers='compiler/driver/environment.c compiler/driver/color.c runtime/os/variables.c runtime/comm/launcher.c'
others=$(grep -rnE --include='*.c' --include='*.h' --include='*.cpp' --include='*.inc' --include='*.l' --include='*.y' \
  '\b(secure_)?getenv(_r)? *\(|\benviron\b *\[' compiler runtime)
for f in $readers; do others=$(grep -v "^$f:" <<<"$others"); done
[ -z "$others" ] || { echo 'FAIL the environment is read outside of the files that may:' && echo "$others" && failed=1; }
# Names: what getenv is called with, and the tables of names in these files.
read_names=$(grep -hoE '"[A-Z][A-Z0-9]*_[A-Z0-9_]+"|getenv\("[A-Z0-9_]+"\)|= "(TERM|TMPDIR)"' $readers | grep -oE '[A-Z][A-Z0-9_]+' | sort -u)
told=$(sed -n '/^.Sh ENVIRONMENT/,/^.Sh FILES/p' docs/dtgc.1 | sed -n 's/^\.It Ev //p' | grep -oE '[A-Z][A-Z0-9_]+' | sort -u)
[ "$(wc -l <<<"$read_names")" -ge 20 ] || { echo "FAIL too few names are found: $read_names" && failed=1; }
differs=$(diff <(echo "$read_names") <(echo "$told")) ||
  { echo 'FAIL variables that are read (<) and those of the table in docs/dtgc.1 (>):' && echo "$differs" && failed=1; }
# What was a variable once is an option, and is named nowhere else.
old=$(git grep -nE '\bDTGC_(BAND|OVERLAP|REPEAT|RIDE|ROWS|STORE|DROP|OPT|PERF|LOADER)\b' -- . ':!tests/environment.sh' 2>/dev/null)
[ -z "$old" ] || { echo 'FAIL names of variables that are no more:' && echo "$old" && failed=1; }
exit $failed
