#!/bin/bash
# tests/flow/run.sh DTGC PROGRAMS [--only NAME...|--but NAME...|MPIEXEC]: each NAME.dtg has an entry `f` without inputs whose outputs
# `wrong...` must all be 0, on one device and under NAME_on.dtg on as many threads (by PROGRAMS, which is tests/regress/regress.c: all
# in one process), and on MPI ranks where there is MPIEXEC. What else it prints must be the same on threads and ranks.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 programs=$2 mpiexec= which=
shift 2
cd "$(dirname "$0")" || exit 2
case ${1:-} in
  --only) which=$1 && shift && "$programs" . "$@" ;;
  --but) which=$1 && shift && "$programs" . --but "$@" ;;
  *) mpiexec=${1:-} && "$programs" . ;;
esac || fail 'on one device or on threads'
check() { # NAME COMMAND...
  local name=$1
  shift
  out=$("$@" 2>&1 </dev/null)
  if [ $? -ne 0 ] || ! grep -q '^wrong' <<<"$out" || grep '^wrong' <<<"$out" | grep -qv '= -\?0$'; then
    fail "$name: $*: $out"
  fi
}
for layouts in *_on.dtg; do
  name=${layouts%_on.dtg} file=./${layouts%_on.dtg}.dtg layouts=./$layouts # the names that PROGRAMS uses: compiled once
  case "$which  $* " in
    "--but "*" $name "*) continue ;;
    "--but "*) ;;
    "--only "*" $name "*) ;;
    "--only "*) continue ;;
  esac
  # What a later pass had made of the regions was shown as an earlier one's.
  found=$("$dtgc" "$file" "$layouts" --dump=loops:steps,loops:tile,loops:reorder,loops:memory) || fail "$name: --dump=loops"
  is "$name: the dumps" "$(grep -c '^# ---- loops:' <<<"$found")" 4
  [ -n "$mpiexec" ] || continue
  check "$name" "$dtgc" run "$file" "$layouts" call f
  threads=$out
  devices=$("$dtgc" run "$file" "$layouts" info | sed -n 's/.*: \([0-9]*\) devices, mesh.*/\1/p')
  [ -n "$devices" ] || { fail "$name: info does not print the number of devices"; continue; } # mpiexec -n "" starts one rank
  check "$name" "$mpiexec" -n "$devices" "$dtgc" run "$file" "$layouts" --transport mpi call f
  [ "$out" = "$threads" ] || fail "$name: threads and ranks differ: $threads; $out"
done
exit $failed
