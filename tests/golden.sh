#!/bin/bash
# Golden tests: a program beside what the compiler is to say of it.
#
#   tests/golden.sh [--update] [--dtgc PATH] [--only SIDECAR | --but SIDECAR] [PATTERN]
#
# For each tests/golden/**/NAME.dtg that has sidecars, dtgc runs in its folder, and each whole output is compared:
#   NAME.ast .graph .layout .statements .spmd .comm .edits .loops .memory .c     standard output of --dump=THAT (.layout: --dump=layouts:why)
#   NAME.steps   what the C of --dump=c does, step by step, by golden/steps.awk: for what is too long to be reviewed as C
#   NAME.out     standard output of the words in NAME.args alone: --why, --diff
#   NAME.err     standard error of --dump=layouts (with --why or --diff in NAME.args: of these alone), which must fail
#                with exit status 1 and no output
#   NAME.warn    standard error of --dump=layouts, which must succeed
#   NAME.args    not an output: more words for the command line
# A .dtg without sidecars is there for others to use. --update rewrites the sidecars there are; review is the
# git diff. For a new one, `touch NAME.layout` first. PATTERN: only tests whose path contains it.
# --only comm, --but comm: these outputs alone, or the others. They take most of the time, as they price other layouts.
set -u
export DTGC_FLAGS=${DTGC_FLAGS:---machine=generic} # not the caches of this computer
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
update= pattern= only= but= dtgc=${DTGC:-$here/../build/bin/dtgc}
while [ $# -gt 0 ]; do
  case $1 in
    --update) update=1 ;;
    --dtgc) dtgc=$2; shift ;;
    --only) only=$2; shift ;;
    --but) but=$2; shift ;;
    -*) echo "golden.sh: no option $1" >&2; exit 2 ;;
    *) pattern=$1 ;;
  esac
  shift
done
if [ ! -x "$dtgc" ]; then echo "golden.sh: there is no $dtgc (build first, or --dtgc PATH)" >&2; exit 2; fi
dtgc=$(cd "$(dirname "$dtgc")" && pwd)/$(basename "$dtgc")
scratch_folder
shopt -s globstar nullglob
cd "$here/golden" || exit 2

# slurp VAR FILE: the whole file, newlines at the end too, without a process
slurp() { IFS= read -r -d '' "$1" <"$2" || :; }

# complain NAME SIDECAR WHAT
complain() { fail "$1$2: $3"; }

# compare TEST SIDECAR GOT-FILE
compare() {
  local want got
  slurp want "$2"
  slurp got "$3"
  [ "$want" = "$got" ] && return
  if [ "$update" ]; then
    printf '%s' "$got" >"$2"
    echo "wrote ${1%/*}/$2"
  else
    complain "$1" "${2#"${1##*/}"}" 'the output is another (-expected, +found):'
    diff -u --label expected --label found "$2" "$3" | sed '1,2d' | head -60
  fi
}

# due TEST SIDECAR: there is one, and it is among those to look at
due() { [ -e "$1.$2" ] && [ "$2" = "${only:-$2}" ] && [ "$2" != "$but" ]; }

# one TEST (a path without suffix) with its own scratch files $out and $err
one() {
  local name=${1##*/} side stage status words args=()
  cd "$here/golden/${1%/*}" || return
  if [ -e "$name.args" ]; then
    slurp words "$name.args"
    read -r -d '' -a args <<<"$words" || :
  fi
  for side in ast graph layout statements spmd comm edits loops memory c steps out; do
    due "$name" $side || continue
    stage=--dump=$side
    [ $side = layout ] && stage=--dump=layouts:why
    [ $side = out ] && stage=
    [ $side = steps ] && stage=--dump=c
    count=$((count + 1))
    "$dtgc" "$name.dtg" "${args[@]}" $stage >"$out" 2>"$err"
    status=$?
    if [ $status -ne 0 ]; then
      complain "$1" ".$side" "exit status $status:"
      head -20 "$err"
      continue
    fi
    # A hash of all the code above would change with each of its letters.
    [ $side = c ] && sed -i '/^static const uint64_t code/s/0x[0-9a-f]\{16\}/0x0/g' "$out"
    [ $side = steps ] && awk -f "$here/golden/steps.awk" "$out" >"$out.steps" && mv "$out.steps" "$out"
    # What the runtime takes besides depends on this machine.
    [ $side = memory ] && sed -i '/^a device takes /d' "$out"
    compare "$1" "$name.$side" "$out"
  done
  for side in err warn; do
    due "$name" $side || continue
    count=$((count + 1))
    stage=--dump=layouts
    case ${args[*]-} in *--why* | *--diff*) stage= ;; esac
    "$dtgc" "$name.dtg" "${args[@]}" $stage >"$out" 2>"$err"
    status=$?
    if [ $side = err ] && [ $status -ne 1 ]; then
      complain "$1" .err "exit status $status where 1 is due:"
      head -20 "$err"
    elif [ $side = err ] && [ -s "$out" ]; then
      complain "$1" .err 'it failed, and yet wrote to standard output'
    elif [ $side = warn ] && [ $status -ne 0 ]; then
      complain "$1" .warn "exit status $status where 0 is due:"
      head -20 "$err"
    else
      compare "$1" "$name.$side" "$err"
    fi
  done
}

tests=()
for f in **/*.dtg; do
  [ -z "$pattern" ] || [[ $f == *"$pattern"* ]] || continue
  tests+=("${f%.dtg}")
done
# part K: every second test, so that two processes share the work evenly
part() {
  local i
  failed=0 count=0 out=$tmp/out$1 err=$tmp/err$1
  for ((i = $1; i < ${#tests[@]}; i += 2)); do
    case ${tests[i]} in */*) one "${tests[i]}" ;; *) one "./${tests[i]}" ;; esac
  done >"$tmp/log$1"
  echo "$count $failed" >"$tmp/sum$1"
}
part 0 &
part 1
wait
cat "$tmp/log0" "$tmp/log1"
read -r n0 f0 <"$tmp/sum0"
read -r n1 f1 <"$tmp/sum1"
failed=$((f0 + f1 > 0))
# A sidecar without its program tests nothing.
for f in **/*.{ast,graph,layout,statements,spmd,comm,edits,loops,memory,c,steps,out,err,warn,args}; do
  [ -e "${f%.*}.dtg" ] || fail "$f: there is no ${f%.*}.dtg beside it"
done
echo "$((n0 + n1)) golden outputs of ${#tests[@]} programs"
[ $((n0 + n1)) -gt 0 ] || fail 'nothing was compared'
exit $failed
