#!/bin/bash
# The samples do what they say: digits trains to the same numbers under every layout on threads and on MPI.
#   digits.sh DTGC
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
cd "$(dirname "$0")/../.." || exit 2
d=samples/digits
feed="image=$d/data/digits.csv.gz:0-63 label=$d/data/digits.csv.gz:64"
args=(fit train --epochs 6 --limit 1500 --shuffle 1 --eval eval --eval-skip 1500 --plain)
for f in $feed; do args+=(--feed "$f" --eval-feed "$f"); done

# train NAME COMMAND...: the accuracy on digits it never saw is at least .88
train() {
  local name=$1 out last
  shift
  out=$("$@" "${args[@]}" 2>&1) || { fail "$name: $out"; return; }
  last=$(tail -1 <<<"$out")
  [[ $last =~ eval\ accuracy\ ([0-9.]+) ]] || { fail "$name: no accuracy in: $last"; return; }
  echo "$name: ${BASH_REMATCH[1]}"
  holds "${BASH_REMATCH[1]} >= .88" || fail "$name: accuracy ${BASH_REMATCH[1]}"
  metrics=$(grep '^epoch' <<<"$out" | sed 's/ *[0-9.]* steps.*//')
}
train 'one device' "$dtgc" run $d/digits.dtg
for l in data_parallel model_parallel mixed; do
  train "$l, threads" "$dtgc" run $d/digits.dtg $d/$l.dtg
  threads=$metrics
  if have_mpi; then
    train "$l, mpi" mpiexec -n 8 "$dtgc" run $d/digits.dtg $d/$l.dtg
    [ "$metrics" = "$threads" ] || fail "$l: threads have $threads and MPI $metrics"
  fi
done
exit $failed
