#!/bin/bash
# Clang reads four parts of the emitted C's headers only where the C names something of them. Of two
# jit.c lists how these names begin: every function and type there is in the list. Of the others it
# knows the types in the names: every function there has one of them.   left_out.sh ROOT
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

# typed GUARD TYPES: what the part behind a guard defines, by name or by a macro, has one of the types
typed() {
  local part names
  part=$(sed -n "/define $1\$/,/^#endif/p" include/dtrt_math.h | grep -v '^#define')
  names=$(defined <<<"$part"; grep -E '^DTRT_[A-Z_]+\(.*\)$' <<<"$part" | grep -v '^DTRT_CAST_TO_INTS(')
  [ "$(wc -l <<<"$names")" -gt 9 ] || fail "$1: only these were found in the header: $names"
  grep -vE "(_|\(|, )($2)(_|,|\$)" <<<"$names" && fail "$1: these have none of the types $2"
}
typed DTRT_INTS_H 'i8|u8|i16|u16|u32|u64'
typed DTRT_LANES_F64_H f64
exit $failed
