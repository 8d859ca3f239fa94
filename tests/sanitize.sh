#!/bin/bash
# Builds once more with sanitizers, into a folder of its own, and runs the quick tests there.
#   tests/sanitize.sh DIR SANITIZERS      as in: tests/sanitize.sh build/sanitize address,undefined
# MPI is left out: its shared-memory hooks and the sanitizers' replace each other. Leaks are looked for where a host
# embeds the library (api, embed); test programs that end at once may keep their memory.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1 which=$2
case $which in
  thread) tests=(-R '^runtime_(exchanges|reduces|sessions|turns)(_each)?$|^api|^samples.embed$') ;;
  *) tests=(-L '^quick$' -E 'mpi|transports|runtime_bits|^samples|driver|ops_doc|headers') ;;
esac
mkdir -p "$build"
log=$build/build.log
{ cmake -S "$root" -B "$build" -G "${DTG_GENERATOR:-Ninja}" -DDTG_SANITIZE="$which" && cmake --build "$build" -j "$(nproc)"; } >"$log" 2>&1 ||
  { tail -40 "$log"; echo "the build with -fsanitize=$which failed"; exit 1; }
export ASAN_OPTIONS=detect_leaks=0
# Address randomisation of recent kernels and gcc's thread sanitizer do not agree.
run=(ctest --test-dir "$build" -j "$(nproc)" --output-on-failure --no-tests=error)
[ "$which" = thread ] && run=(setarch "$(uname -m)" -R "${run[@]}")
"${run[@]}" "${tests[@]}" || exit 1
[ "$which" = thread ] || ASAN_OPTIONS=detect_leaks=1 "${run[@]}" -R '^api' || exit 1
