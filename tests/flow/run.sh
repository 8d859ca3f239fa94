#!/bin/bash
# tests/flow/run.sh DTGC [--only NAME...|--but NAME...|MPIEXEC]: each NAME.dtg has an entry `f` without inputs whose outputs `wrong...` must all print 0, on
# one device, under NAME.lay on as many threads, and on MPI ranks where there is MPIEXEC. What else it prints must be the same
# on threads and ranks.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 mpiexec= which=
shift
case ${1:-} in
  --only | --but) which=$1 && shift ;;
  ?*) mpiexec=$1 && shift ;;
esac
cd "$(dirname "$0")" || exit 2
for name in "$@"; do [ -e "$name.dtg" ] || { echo "FAIL there is no $name.dtg"; exit 1; }; done
n=0
check() { # NAME COMMAND...
  local name=$1
  shift
  n=$((n + 1))
  out=$("$@" 2>&1 </dev/null)
  if [ $? -ne 0 ] || ! grep -q '^wrong' <<<"$out" || grep '^wrong' <<<"$out" | grep -qv '= -\?0$'; then
    fail "$name: $*: $out"
  fi
}
for file in *.dtg; do
  case $file in *_on.dtg) continue ;; esac
  name=${file%.dtg}
  case "$which  $* " in
    "--but "*" $name "*) continue ;;
    "--but "*) ;;
    "--only "*" $name "*) ;;
    "--only "*) continue ;;
  esac
  check "$name" "$dtgc" run "$file" call f
  [ -f "${name}_on.dtg" ] || continue
  # What a later pass had made of the regions was shown as an earlier one's. Where all run, the optimizer is what is tested, which
  # no dump depends on: --but and --only of the same names have them all.
  if [ -n "$which" ]; then
    found=$("$dtgc" "$file" "${name}_on.dtg" --dump=loops:steps,loops:tile,loops:reorder,loops:memory) || fail "$name: --dump=loops"
    is "$name: the dumps" "$(grep -c '^# ---- loops:' <<<"$found")" 4
  fi
  check "$name" "$dtgc" run "$file" "${name}_on.dtg" call f
  threads=$out
  [ -n "$mpiexec" ] || continue
  devices=$("$dtgc" run "$file" "${name}_on.dtg" info | sed -n 's/.*: \([0-9]*\) devices, mesh.*/\1/p')
  [ -n "$devices" ] || { fail "$name: info does not print the number of devices"; continue; } # mpiexec -n "" starts one rank
  check "$name" "$mpiexec" -n "$devices" "$dtgc" run "$file" "${name}_on.dtg" --transport mpi call f
  [ "$out" = "$threads" ] || fail "$name: threads and ranks differ: $threads; $out"
done
echo "$n runs"
exit $failed
