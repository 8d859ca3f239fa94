#!/bin/sh
# hang.sh MPIEXEC HANG: a rank that never comes is named, with where it was waited for, within seconds: before MPI and
# before the session (asked for by 1.5 s), while a step runs (stopped or busy), in a barrier; one that is at another
# place is told from one that is missing; one that is only late is waited for. By shared memory and by messages.
mpiexec=$1 hang=$2 bad=0
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# expect RANKS DEVICES HOW TEXT: TEXT is printed once, and all has ended in time, with a failure
expect() {
  start=$(date +%s)
  DTRT_TIMEOUT=1.5 timeout 60 "$mpiexec" -n "$1" "$hang" "$2" "$3" >"$out" 2>&1
  status=$?
  took=$(($(date +%s) - start))
  if [ $status -eq 0 ] || [ $status -eq 124 ] || [ $took -gt 30 ] || [ "$(grep -cF "$4" "$out")" -ne 1 ]; then
    echo "$3 of $1 ranks and $2 devices, shared ${DTRT_MPI_SHARED:-1}: status $status after $took s, not once \"$4\":"
    cat "$out"
    bad=1
  fi
}
fine() {
  timeout 60 "$mpiexec" -n "$1" "$hang" "$2" "$3" >"$out" 2>&1 && [ ! -s "$out" ] && return
  echo "$3 of $1 ranks and $2 devices, shared ${DTRT_MPI_SHARED:-1}: fails"
  cat "$out"
  bad=1
}

host=$(hostname)
x='did not reach entry `train` at all-reduce of '
export DTRT_MPI_SHARED
DTRT_MPI_SHARED=1
expect 4 4 before-mpi "did not reach MPI_Init within 1.5 s"
grep -q "^rank 1 on host $host (process [0-9]*, multi_hang)" "$out" || { cat "$out"; bad=1; }
expect 4 4 before-open "rank 1 did not reach the start within 1.5 s"
expect 4 4 elsewhere 'rank 1 is at barrier `loaded`, but rank 0 at barrier `saved`'
expect 2 4 other-call 'rank 1 on host '"$host"' at barrier `saved`'
expect 4 8 step "device 2 of rank 1 on host $host $x"
fine 4 4 slow
x='did not reach entry `train` at wait for all-reduce of x'
expect 2 2 flight "rank 1 on host $host $x"
DTRT_MPI_SHARED=0
expect 2 2 flight "rank 1 on host $host $x"
x='did not reach entry `train` at all-reduce of '
DTRT_MPI_SHARED=0
expect 4 4 call "rank 1 on host $host $x"
expect 4 8 stopped "rank 1 on host $host $x"
expect 4 4 barrier "rank 1 on host $host "'did not reach barrier `saved` within 1.5 s'
fine 4 8 never

# A rank that was killed was found by the timeout only, where the launcher does not notice (srun without
# --kill-on-bad-exit; here it has started a shell, which lives on).
died() { # RANKS DEVICES HOW TEXT
  start=$(date +%s%N)
  timeout 60 "$mpiexec" -n "$1" sh -c '"$@"; s=$?; [ $s = 137 ] && sleep 30; exit $s' sh "$hang" "$2" "$3" >"$out" 2>&1
  status=$?
  took=$((($(date +%s%N) - start) / 1000000))
  if [ $status -eq 0 ] || [ $took -gt 12000 ] || ! grep -q "$4" "$out" || grep -q 'Abort(' "$out"; then
    echo "$3 of $1 ranks and $2 devices, shared ${DTRT_MPI_SHARED:-1}: status $status after $took ms, not \"$4\":"
    cat "$out"
    bad=1
  fi
}
unset DTRT_TIMEOUT
for DTRT_MPI_SHARED in 1 0; do
  died 4 4 dies-step "^rank 1 on host $host (process [0-9]*) has died; rank [023] was at entry .train. at all-reduce of"
  died 2 8 dies-call "^rank 1 on host $host (process [0-9]*) has died; rank 0 was at entry .train. at all-reduce of"
  died 4 4 dies-barrier "^rank 1 on host $host (process [0-9]*) has died; rank [023] was at barrier .saved."
  died 4 4 first-dies-call "^rank 0 on host $host (process [0-9]*) has died; rank [123] was at"
done
exit $bad
