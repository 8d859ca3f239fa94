# Sourced by tests of command lines: . "$(dirname "$0")/../expect.sh"
# A script sets nothing else than `failed`, through fail, and ends with: exit $failed
failed=0
fail() { echo "FAIL $*"; failed=1; }

# expect STATUS PART-OF-ALL-OUTPUT COMMAND...
expect() {
  local status=$1 part=$2 out got
  shift 2
  out=$("$@" 2>&1 </dev/null)
  got=$?
  [ $got -eq "$status" ] || fail "$*: exit status $got, expected $status: $out"
  [[ $out == *"$part"* ]] || fail "$*: no \"$part\" in: $out"
}

# never PART COMMAND...: succeeds without saying so
never() {
  local part=$1 out
  shift
  out=$("$@" 2>&1 </dev/null) || fail "$*: failed: $out"
  [[ $out != *"$part"* ]] || fail "$*: \"$part\" in: $out"
}

# A folder of the test's own, empty, with a cache of its own; the script goes on there.
fresh_folder() {
  rm -rf "$1" && mkdir -p "$1" && cd "$1" || exit 2
  export XDG_CACHE_HOME=$PWD/cache
  unset DTGC_CACHE
}
