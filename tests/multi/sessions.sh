#!/bin/sh
# sessions.sh MPIEXEC EXCHANGES: ranks of 1 to 4 devices each open sessions one after the other, in each of them random
# exchanges on a random mesh, with devices that are late: no session hangs, and none takes a message of another.
export DTRT_TIMEOUT=60
status=0 seed=0
for shape in '1 7' '2 2' '2 6' '2 8' '3 3' '3 6' '4 4' '4 8'; do
  ranks=${shape% *} devices=${shape#* } seed=$((seed + 1))
  "$1" -n "$ranks" "$2" random mpi "$devices" $seed 2 >/dev/null && continue
  echo "FAIL $devices devices on $ranks ranks, seed $seed"
  status=1
done
exit $status
