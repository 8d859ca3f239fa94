# What tests in shell share: . "$(dirname "$0")/../lib.sh"
# A check that does not hold calls fail, which prints it and continues; a script ends with: exit $failed
failed=0
evidence=() # files whose ends are shown with what failed
fail() {
  local f
  echo "FAIL $*"
  failed=1
  for f in "${evidence[@]}"; do [ ! -s "$f" ] || tail -20 "$f" | sed "s|^|  $f: |"; done
}

# expect STATUS PART-OF-ALL-OUTPUT COMMAND...
expect() {
  local status=$1 part=$2 out got
  shift 2
  out=$("$@" 2>&1 </dev/null)
  got=$?
  [ $got -eq "$status" ] || fail "$*: exit status $got, expected $status: $out"
  [[ $out == *"$part"* ]] || fail "$*: no \"$part\" in: $out"
}

# gives STATUS PATTERN COMMAND...: leaves what it writes in the files out and err; the regular expression is found in err. '':
# err is empty.
gives() {
  local status=$1 pattern=$2 got evidence=(out err)
  shift 2
  "$@" >out 2>err </dev/null
  got=$?
  [ $got -eq "$status" ] || { fail "$*: exit status $got, expected $status"; return; }
  if [ -z "$pattern" ]; then
    [ ! -s err ] || fail "$*: it wrote to standard error"
  else
    grep -qE -- "$pattern" err || fail "$*: no \"$pattern\" in standard error"
  fi
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

# A folder of the test's own, $tmp, that is gone when the script ends.
scratch_folder() {
  tmp=$(mktemp -d) || exit 2
  trap 'rm -rf "$tmp"' EXIT
}

# is WHAT FOUND EXPECTED
is() { [ "$2" = "$3" ] || fail "$1: found $2, expected $3"; }

# near A B MOST: the numbers of two lists of the same length agree to MOST of the first's size
near() {
  paste -d' ' <(echo "$1") <(echo "$2") | awk -v most="$3" '
    NF != 2 || $1 != $1 + 0 || $2 != $2 + 0 { bad = 1; exit }
    { d = $1 - $2; if (d < 0) d = -d; size = $1 < 0 ? -$1 : $1; if (!(d <= most * size)) { bad = 1; exit } }
    END { exit bad || !NR }'
}

# holds CONDITION: of numbers, for awk; false where one was not found, or is none
holds() { [[ ! $1 =~ nan|inf|none ]] && awk "BEGIN { exit !($1) }" 2>/dev/null; }

# There is an MPI to run ranks with.
have_mpi() { [ "${DTG_HAS_MPI:-0}" = 1 ] && command -v mpiexec >/dev/null; }

# begin COMMAND...: a check that mostly waits, beside up to three others; await: until all have ended. What they say comes as one.
begin() {
  while [ "$(jobs -rp | wc -l)" -ge 4 ]; do wait -n; done
  begun=$((${begun:-0} + 1)) # here, and not in the job
  { "$@"; exit "$failed"; } >"$tmp/begun.$begun" 2>&1 &
  jobs_begun+=($!)
}
await() {
  local job
  for job in "${jobs_begun[@]}"; do wait "$job" || failed=1; done
  for ((job = 1; job <= begun; job++)); do cat "$tmp/begun.$job"; done
}
