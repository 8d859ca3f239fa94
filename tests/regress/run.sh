#!/bin/bash
# tests/regress/run.sh DTGC [--but] [NAME...]: each NAME.dtg has an entry `f` without inputs whose outputs `wrong...` must all
# print 0. Without names all; --but: all but those.
set -u
cd "$(dirname "$0")" || exit 1
dtgc=$1
shift
but=
[ "${1:-}" = --but ] && but=1 && shift
for name in "$@"; do [ -e "$name.dtg" ] || { echo "FAIL there is no $name.dtg"; exit 1; }; done
files=()
for file in *.dtg; do
  case " $* " in *" ${file%.dtg} "*) named=1 ;; *) named= ;; esac
  [ $# -eq 0 ] || [ "$but" != "$named" ] && files+=("$file")
done
failed=0
for file in "${files[@]}"; do
  out=$("$dtgc" run "$file" call f 2>&1)
  if [ $? -ne 0 ] || ! grep -q '^wrong' <<<"$out" || grep '^wrong' <<<"$out" | grep -qv '= -\?0$'; then
    echo "FAIL $file:"
    echo "$out"
    failed=1
  fi
done
echo "${#files[@]} regressions looked for"
exit $failed
