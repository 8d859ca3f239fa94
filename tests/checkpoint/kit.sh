# Sourced by the tests of checkpoints: $dtgc, $here, a clean working folder, data, and checks.
#   . kit.sh DTGC DIR
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$2"
mkdir -p "$2" && cd "$2" || exit 99
export XDG_CACHE_HOME="$2/../cache" LC_ALL=C

# 20 rows of five numbers and a class; batches of 6 leave a short one of 2.
awk 'BEGIN { for (i = 0; i < 20; i++) print (i * 7 % 11) / 8, (i * 3 % 5) / 4, i % 2, (i * i % 7) / 4, 1 - i / 16, i * 5 % 3 }' |
  tr ' ' ',' >d.csv
feed='--feed x=d.csv:0-4 --feed y=d.csv:5'

# on LAYOUTS ARGS...: the program under a layout file, or `one` for one device. Output in out.txt and err.txt.
on() {
  local layouts=$here/$1.dtg
  [ "$1" = one ] && layouts=
  shift
  "$dtgc" run "$here/model.dtg" $layouts "$@" >out.txt 2>err.txt
}
# ok WHAT LAYOUTS ARGS...
ok() {
  local what=$1
  shift
  on "$@" && return
  fail "$what: $* gave status $?"
  cat out.txt err.txt
}
# refused WHAT TEXT LAYOUTS ARGS...: it fails and says so.
refused() {
  local what=$1 text=$2
  shift 2
  if on "$@"; then fail "$what: $* was accepted"; fi
  grep -qF -- "$text" err.txt && return
  fail "$what: lacks '$text'"
  cat err.txt
}
# says FILE TEXT: it cannot be listed, and the error says so.
says() {
  "$dtgc" checkpoint ls "$1" >out.txt 2>err.txt && fail "$1: accepted"
  grep -qF -- "$2" err.txt || fail "$1: $(cat err.txt)"
}
# same WHAT A B: the elements of two checkpoints, and how they are cut, are the same bytes.
same() {
  local f n=0
  for f in "$2"/part-*; do
    n=$((n + 1))
    cmp -s "$f" "$3/${f##*/}" || { fail "$1: $f differs in $3"; return; }
  done
  [ $n -gt 0 ] && [ "$(ls "$2" | wc -l)" = "$(ls "$3" | wc -l)" ] || fail "$1: $2 and $3 have other files"
}
done_testing() { exit $failed; }
