#!/bin/sh
# failing_mpi.sh MPIEXEC FAILING: a rank that fails ends all within seconds, with its message, by shared memory and
# by messages; so does one that is killed.
mpiexec=$1 failing=$2 bad=0
out=$(mktemp)
trap 'rm -f "$out"' EXIT
for shared in 1 0; do
  for how in index segv fill; do
    start=$(date +%s)
    DTRT_MPI_SHARED=$shared timeout 120 "$mpiexec" -n 4 "$failing" mpi $how >"$out" 2>&1
    status=$?
    took=$(($(date +%s) - start))
    if [ $status -ne 1 ] || [ $took -gt 60 ]; then
      echo "$how, shared $shared: status $status after $took s"
      bad=1
    fi
    # MPICH wrote "Abort(1) on node 0" under the message, and mpiexec a banner.
    if grep 'Abort(\|BAD TERMINATION' "$out"; then
      echo "$how, shared $shared: more than the message"
      bad=1
    fi
    if [ "$(grep -c 'rank 2 failed in entry `train`' "$out")" -ne 1 ]; then
      echo "$how, shared $shared: not one message:"
      cat "$out"
      bad=1
    fi
  done
  DTRT_MPI_SHARED=$shared timeout 120 "$mpiexec" -n 4 "$failing" mpi none >"$out" 2>&1 || {
    echo "without a failure, shared $shared:"
    cat "$out"
    bad=1
  }
done
DTRT_MPI_SHARED=1 timeout 120 "$mpiexec" -n 4 "$failing" mpi killed >"$out" 2>&1
status=$?
if [ $status -eq 0 ] || [ $status -eq 124 ]; then
  echo "killed: status $status"
  bad=1
fi
exit $bad
