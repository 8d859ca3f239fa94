#!/bin/bash
# Builds once more with sanitizers, into a folder of its own, and runs tests there.
#   tests/sanitize.sh DIR SANITIZERS [all]
# as in: tests/sanitize.sh build/sanitize-address address,undefined
# address: the quick tests and those of label sanitize; thread: those of threads, with kernels of any
# CPU alone; all: the rest of the full tier, in the build for address, with all checks in kernels,
# too, and those of threads with the kernels of this CPU. Only what these tests run
# is built. Objects stay, so that a second run builds what has changed.
# Warnings are for other builds: what gcc takes for uninitialized depends on the checks it has put
# in. Left out is bench.check: gcc vectorizes no sums of the programs by hand then, and sums in
# sequence lose more digits than the check allows (the same losses come of -fno-tree-vectorize). MPI
# too: its shared-memory hooks and the sanitizers' replace each other. Leaks are looked for where a
# host embeds the library (api, embed); test programs that end at once may keep their memory. Builds of unit.math*
# that differ in flags alone are there to be compared with one another: one of each is enough here.
# Tests that read files of the project and run nothing are for other builds.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1 which=$2 all=${3:-}
without='^bench|mpi|transports|runtime_bits|^samples|driver|ops_doc|headers|math.*_(native|other|O0)$'
without+='|^(rooms|environment|left_out|unit\.ops_(named|recognized).*)$'
case $which in
  thread)
    threads='exchanges|reduces|sessions|turns|crew|cores|progress|raised'
    random='exchanges_(messages|hosts)_random_'
    # One thread answers what api.recall asks.
    tests=(-R "^runtime_($random|($threads)(_each)?\$)|^api|embed\$|^checkpoint.beside\$|^memory.shared\$" -E '^api.recall$') ;;
  *)
    tests=(-L '^(quick|sanitize)$' -E "$without|^api") # those of api run once, with leaks looked for
    [ "$all" ] && tests=(-LE '^(quick|long|sanitize)$' -E "$without") ;;
esac
configure() {
  local launcher=()
  [ -z "${DTG_LAUNCHER:-}" ] || launcher=(-DCMAKE_C{,XX}_COMPILER_LAUNCHER="$DTG_LAUNCHER")
  cmake -S "$root" -B "$build" -G "${DTG_GENERATOR:-Ninja}" -DDTG_SANITIZE="$which" \
    -DDTG_SANITIZE_WHOLE="$([ "$all" ] && echo ON || echo OFF)" -DDTG_WERROR=OFF "${launcher[@]}"
}
# What is built in the folder and named by the tests' commands, beside what dtgc itself loads.
programs() {
  [ -e "$build/build.ninja" ] || { echo all; return; }
  printf '%s\n' dtgc-program dtgc-jit dtrt
  { ctest --test-dir "$build" -N "${tests[@]}"; ctest --test-dir "$build" -N -R '^api'; } |
    awk '/Test +#/ { print "([=[" $3 "]=]" }' >"$build/tests.chosen"
  find "$build" -name CTestTestfile.cmake -exec grep -hFf "$build/tests.chosen" {} + |
    grep -oE "$build/[A-Za-z0-9_./-]+" | sed "s|^$build/||" | sort -u >"$build/named"
  printf '%s\n' dtrt_mpi dtrt-mpi >>"$build/named" # what executables for any transport link
  ninja -C "$build" -t targets all | sed 's/: .*//' | grep -Fxf "$build/named"
}
mkdir -p "$build"
log=$build/build.log
{
  configure && mapfile -t targets < <(programs | sort -u) &&
    cmake --build "$build" -j "$(nproc)" --target "${targets[@]}"
} >"$log" 2>&1 || { tail -40 "$log"; echo "the build with -fsanitize=$which failed"; exit 1; }
# What is undefined ends in an illegal instruction. Where glibc keeps a loaded library's variables of a
# thread, gcc 12's leak detector guesses from the bytes before them, and crashes when it guesses wrong,
# which depends on the lengths of paths: it leaves them alone.
export ASAN_OPTIONS=detect_leaks=0:handle_sigill=1:intercept_tls_get_addr=0
# Emitted code has no sanitizers in it, and need not be optimized to be run once.
export DTGC_FLAGS='-O0 --no-lines --machine=generic'
# Address randomisation of recent kernels and gcc's thread sanitizer do not agree.
run=(ctest --test-dir "$build" -j "$(($(nproc) + 1))" --output-on-failure --no-tests=error)
[ "$which" = thread ] && run=(setarch "$(uname -m)" -R "${run[@]}")
"${run[@]}" "${tests[@]}" || exit 1
[ "$which" = thread ] || [ "$all" ] || ASAN_OPTIONS="${ASAN_OPTIONS/leaks=0/leaks=1}" "${run[@]}" -R '^api' || exit 1
