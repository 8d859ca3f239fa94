#!/bin/bash
# Every kind of build with every compiler there is, tests included, warnings as errors.   builds.sh DIR
# What a compiler warns of depends on what it optimizes: Release of gcc 12 failed where RelWithDebInfo did not.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
dir=$1 bad=0
mkdir -p "$dir" || exit 2
for compilers in gcc:g++ clang:clang++; do
  cc=${compilers%:*} cxx=${compilers#*:}
  command -v "$cc" >/dev/null && command -v "$cxx" >/dev/null || { echo "$cc: not installed, left out"; continue; }
  for type in Debug RelWithDebInfo Release; do
    build=$dir/$cc-$type
    rm -rf "$build"
    if cmake -S "$root" -B "$build" -G "${DTG_GENERATOR:-Ninja}" -DCMAKE_BUILD_TYPE=$type -DDTG_WERROR=ON \
      -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" ${DTG_LAUNCHER:+-DCMAKE_C_COMPILER_LAUNCHER=$DTG_LAUNCHER -DCMAKE_CXX_COMPILER_LAUNCHER=$DTG_LAUNCHER} >"$dir/log" 2>&1 &&
      cmake --build "$build" -j "$(nproc)" --target all benches >"$dir/log" 2>&1 &&
      printf 'entry f() { return y = 6 * 7.0 + zeros([]) }\n' >"$dir/m.dtg" &&
      DTGC_CACHE=off "$build/bin/dtgc" run "$dir/m.dtg" call f >"$dir/log" 2>&1 && [ "$(cat "$dir/log")" = 'y = 42' ]; then
      echo "$cc $type: builds and runs"
    else
      grep -E 'error|warning' -A5 "$dir/log" | head -30
      tail -15 "$dir/log" # what says neither: a compiler that was killed, or what the program printed
      echo "FAIL $cc $type"
      bad=1
    fi
    rm -rf "$build"
  done
done
exit $bad
