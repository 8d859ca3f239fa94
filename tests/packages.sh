# Sourced by tests/run, samples/quickstart: finds and installs the Debian packages that building and
# running dtg needs. Debian 12 and 13; other systems are told what to have and go on.
# Nothing is asked of the network unless a package is missing.

dtg_packages_wanted() {
  # cmake, a build tool, both compilers' runtime, the parser generators, libraries, MPI
  echo cmake ninja-build pkg-config gcc g++ flex bison libpcre2-dev zlib1g-dev libjansson-dev libopenblas-pthread-dev mpich libmpich-dev
  # the exact solver that tests of the choice by cost are held against
  echo glpk-utils
  dtg_llvm_packages
}

dtg_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
dtg_known() { [ -n "$(apt-cache policy "$1" 2>/dev/null | sed -n 's/^  Candidate: //p' | grep -v '(none)')" ]; }

# LLVM 19 if it can be had, else the newest that is accepted. One that is installed wholly already is good enough.
dtg_llvm_packages() {
  local v
  for v in 19 20 21 22 18 17 16 15 14; do
    if dtg_installed llvm-$v-dev && dtg_installed libclang-$v-dev &&
       { dtg_installed libclang-cpp$v-dev || [ -e /usr/lib/llvm-$v/lib/libclang-cpp.so ]; }; then
      echo llvm-$v-dev libclang-$v-dev
      return
    fi
  done
  for v in 19 22 21 20 18 17 16 15 14; do
    if dtg_known libclang-$v-dev; then
      echo llvm-$v-dev libclang-$v-dev
      dtg_known libclang-cpp$v-dev && echo libclang-cpp$v-dev
      return
    fi
  done
  echo llvm-19-dev libclang-19-dev libclang-cpp19-dev
}

dtg_missing() {
  local p
  for p in "$@"; do
    # A build tool that stands in the PATH need not come from Debian.
    case $p in
      cmake | flex | bison | gcc | g++ | pkg-config) command -v $p >/dev/null && continue ;;
      ninja-build) command -v ninja >/dev/null && continue ;;
      glpk-utils) command -v glpsol >/dev/null || command -v cbc >/dev/null && continue ;;
      mpich) command -v mpiexec.mpich >/dev/null && continue ;;
    esac
    dtg_installed "$p" || printf '%s ' "$p"
  done
}

# Installs what is missing, saying which. Returns 1 when it could not.
dtg_install_packages() {
  local missing root=
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "This is no Debian: please see to it that there are cmake, ninja or make, gcc, g++, flex, bison, PCRE2,"
    echo "zlib, Jansson, OpenBLAS (the pthread build), MPICH, and LLVM with Clang's development files (14 to 22, best 19)."
    return 0
  fi
  missing=$(dtg_missing $(dtg_packages_wanted))
  [ -z "$missing" ] && return 0
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "These Debian packages are missing, and installing them needs root or sudo: $missing" >&2
      return 1
    fi
    root=sudo
  fi
  echo "Looking up packages (apt-get update)"
  $root apt-get update -q >/dev/null || return 1
  # Which LLVM can be had is known only now.
  missing=$(dtg_missing $(dtg_packages_wanted))
  echo "Installing the missing Debian packages: $missing"
  $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing >/dev/null
}

# dtg_build DIR [TARGET]: configures (once) and builds.
dtg_build() {
  local generator=() jobs
  jobs=$(nproc 2>/dev/null || echo 2)
  if [ ! -e "$1/CMakeCache.txt" ]; then
    command -v ninja >/dev/null && generator=(-G Ninja)
    cmake -S "$dtg_root" -B "$1" "${generator[@]}" ${DTG_CMAKE_ARGS:-} || return 1
  fi
  cmake --build "$1" ${2:+--target "$2"} -j "$jobs"
}
