#!/bin/bash
# Clang reads two parts of the emitted C's headers only where the C names something of them: jit.c
# lists how these names begin. Every function and type there is in the list.   left_out.sh ROOT
. "$(dirname "$0")/lib.sh"
cd "$1" || exit 2
jit=compiler/backend/jit/jit.c
# Names defined in the text given, after "dtrt_"; pasted ones as far as they are written.
defined() {
  grep -oE '(DTRT_FN|DTRT_SHARED|typedef) [A-Za-z0-9_ *]*\bdtrt_[a-z0-9_]+' | sed 's/.*dtrt_//' |
    sort -u
}
# check LIST: of the names given, those that begin with none of the list
check() {
  local names missing
  names=$(defined)
  missing=$(awk 'NR == FNR { name[++n] = $1; next }
    { for (i = 1; i <= n; i++) if (index($1, name[i]) == 1) next; print }' \
    <(sed -n "/$1\[\] = {/,/NULL}/p" "$jit" | grep -oE '"[a-z0-9_]+"' | tr -d '"') \
    <(echo "$names"))
  [ "$(wc -l <<<"$names")" -gt 9 ] || fail "$1: only these names were found in the header: $names"
  [ -z "$missing" ] || fail "$1 of $jit lacks: $missing"
}
check special_names <include/dtrt_special.h
check lane_names < <(sed -n '/define DTRT_LANES_H/,$p' include/dtrt_math.h)
exit $failed
