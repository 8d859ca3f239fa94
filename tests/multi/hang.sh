#!/bin/bash
# hang.sh MPIEXEC HANG: a rank that never comes is named, with where it was waited for, within seconds: before MPI and
# before the session (asked for by 3 s), while a step runs (stopped or busy), in a barrier; one that is at another
# place is told from one that is missing; one that is only late is waited for. By shared memory and by messages.
# Nearly all the time is waiting, so four cases wait at once, each with its own output.
. "$(dirname "$0")/../lib.sh"
mpiexec=$1 hang=$2
scratch_folder
host=$(hostname)
export DTRT_MPI_SHARED DTRT_TIMEOUT=3

# expect_hang SHARED RANKS DEVICES HOW TEXT [PATTERN]: TEXT is printed once, and all has ended in time, with a failure
expect_hang() {
  local what="$4 of $2 ranks and $3 devices, shared $1" out=$tmp/$BASHPID status took start=$SECONDS
  DTRT_MPI_SHARED=$1 timeout 120 "$mpiexec" -n "$2" "$hang" "$3" "$4" >"$out" 2>&1
  status=$?
  took=$((SECONDS - start))
  [ $status -ne 0 ] && [ $status -ne 124 ] && [ $took -le 60 ] && [ "$(grep -cF "$5" "$out")" -eq 1 ] ||
    fail "$what: status $status after $took s, not once \"$5\": $(cat "$out")"
  [ $# -lt 6 ] || grep -q "$6" "$out" || fail "$what: not \"$6\": $(cat "$out")"
}
fine() { # SHARED RANKS DEVICES HOW
  local out=$tmp/$BASHPID
  DTRT_MPI_SHARED=$1 timeout 120 "$mpiexec" -n "$2" "$hang" "$3" "$4" >"$out" 2>&1 && [ ! -s "$out" ] ||
    fail "$4 of $2 ranks and $3 devices, shared $1: fails: $(cat "$out")"
}
# A rank that was killed was found by the timeout only, where the launcher does not notice (srun without
# --kill-on-bad-exit; here it has started a shell, which lives on for a minute: all has ended before that).
died() { # SHARED RANKS DEVICES HOW TEXT
  local out=$tmp/$BASHPID status took start=$SECONDS
  (
    unset DTRT_TIMEOUT
    export DTRT_MPI_SHARED=$1
    exec timeout 120 "$mpiexec" -n "$2" sh -c '"$@"; s=$?; [ $s = 137 ] && sleep 60; exit $s' sh "$hang" "$3" "$4"
  ) >"$out" 2>&1
  status=$?
  took=$((SECONDS - start))
  [ $status -ne 0 ] && [ $status -ne 124 ] && [ $took -lt 30 ] && grep -q "$5" "$out" && ! grep -q 'Abort(' "$out" ||
    fail "$4 of $2 ranks and $3 devices, shared $1: status $status after $took s, not \"$5\": $(cat "$out")"
}

at='did not reach entry `train` at all-reduce of '
pending='did not reach entry `train` at wait for all-reduce of x'
begin expect_hang 1 4 4 before-mpi 'did not reach MPI_Init within 3 s' "^rank 1 on host $host (process [0-9]*, multi_hang)"
begin expect_hang 1 4 4 before-open 'rank 1 did not reach the start within 3 s'
begin expect_hang 1 4 4 elsewhere 'rank 1 is at barrier `loaded`, but rank 0 at barrier `saved`'
begin expect_hang 1 2 4 other-call 'rank 1 on host '"$host"' at barrier `saved`'
begin expect_hang 1 4 8 step "device 2 of rank 1 on host $host $at"
begin fine 1 4 4 slow
begin expect_hang 1 2 2 pending "rank 1 on host $host $pending"
begin expect_hang 0 2 2 pending "rank 1 on host $host $pending"
begin expect_hang 0 4 4 call "rank 1 on host $host $at"
begin expect_hang 0 4 8 stopped "rank 1 on host $host $at"
begin expect_hang 0 4 4 barrier "rank 1 on host $host "'did not reach barrier `saved` within 3 s'
begin fine 0 4 8 never
# A stopped rank was named only by the timeout. Here a warning comes first.
warned() { # SHARED RANKS DEVICES HOW TEXT
  local out=$tmp/$BASHPID
  DTRT_SLOW=1 DTRT_MPI_SHARED=$1 timeout 120 "$mpiexec" -n "$2" "$hang" "$3" "$4" >"$out" 2>&1
  [ "$(grep -c "^warning: .*rank 1 on host $host (process [0-9]*$5) has not reached entry .train. at .*all-reduce of [xy].* for 1[.0-9]* s$" "$out")" = 1 ] ||
    fail "$4 of $2 ranks and $3 devices, shared $1: no warning: $(cat "$out")"
}
begin warned 1 4 4 stopped ', stopped'
begin warned 0 2 2 stopped ', stopped'
begin warned 0 4 4 call ''
for shared in 1 0; do
  begin died $shared 4 4 dies-step "^rank 1 on host $host (process [0-9]*) has died; rank [023] was at entry .train. at all-reduce of"
  begin died $shared 2 8 dies-call "^rank 1 on host $host (process [0-9]*) has died; rank 0 was at entry .train. at all-reduce of"
  begin died $shared 4 4 dies-barrier "^rank 1 on host $host (process [0-9]*) has died; rank [023] was at barrier .saved."
  begin died $shared 4 4 first-dies-call "^rank 0 on host $host (process [0-9]*) has died; rank [123] was at"
done
await
exit $failed
