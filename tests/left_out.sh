#!/bin/bash
# Clang reads four parts of the emitted C's headers only where the emitter has printed something of
# them (emit_headers.c). Of functions on lanes it lists how their names begin: every function and type
# there is in the list. Functions of dtrt_special.h are used by ops alone, and those say so. Of the
# others it knows the types in the names: every function there has one of them.   left_out.sh ROOT
. "$(dirname "$0")/lib.sh"
cd "$1" || exit 2
table=compiler/backend/emit/emit_headers.c
# Names defined or declared in the text given, after "dtrt_"; pasted ones as far as they are written.
defined() {
  grep -oE '(DTRT_FN|DTRT_SHARED|typedef|^  (void|T)) [A-Za-z0-9_ *]*\bdtrt_[a-z0-9_]+' | sed 's/.*dtrt_//' |
    sort -u
}
# Functions on lanes that loops may call: all but helpers of helpers, and types, which are printed for
# registers of lanes.
names=$(sed -n '/define DTRT_LANES_H/,$p' include/dtrt_math.h | defined | grep -vE '^(lanes|mask)')
missing=$(awk 'NR == FNR { name[++n] = $1; next }
  { for (i = 1; i <= n; i++) if (index($1, name[i]) == 1) next; print }' \
  <(sed -n "/lane_names\[\] = {/,/NULL}/p" "$table" | grep -oE '"[a-z0-9_]+"' | tr -d '"') \
  <(echo "$names"))
[ "$(wc -l <<<"$names")" -gt 9 ] || fail "only these functions on lanes were found: $names"
[ -z "$missing" ] || fail "lane_names of $table lacks: $missing"

# Ops whose C is in dtrt_special.h say so, for a file or for themselves; no other part names them.
# What is there for f64 alone is in dtrt_math.h for f32.
special=$(defined <include/dtrt_special.h | sed -E 's/_(f32|f64|[iu][0-9]+)?$//' | sort -u)
others=$(defined <include/dtrt_math.h | sed -E 's/_(f32|f64|[iu][0-9]+)?$//' | sort -u)
both=$(comm -12 <(echo "$special") <(echo "$others"))
special=$(comm -23 <(echo "$special") <(echo "$others"))
[ "$(wc -l <<<"$both")" -gt 2 ] || fail "only these were found in both: $both"
pattern="\"dtrt_($(paste -sd'|' <<<"$both"))_@"
for f in $(grep -rlE "$pattern" compiler/ops --include=*.c); do
  grep -E "$pattern" -A1 "$f" | grep -qE 'c_special_f64 = true' || fail "$f: $pattern of f64 is in dtrt_special.h"
  [ "$(grep -cE "$pattern" "$f")" = "$(grep -c 'c_special_f64 = true' "$f")" ] ||
    fail "$f: each of $pattern has .c_special_f64"
done
[ "$(wc -l <<<"$special")" -gt 30 ] || fail "only these were found in dtrt_special.h: $special"
pattern="\"[^\"]*dtrt_($(paste -sd'|' <<<"$special"))_[@%\"]"
named=$(grep -rlE "$pattern" compiler --include=*.c --include=*.h)
[ "$(wc -l <<<"$named")" -gt 1 ] || fail "no ops were found that are in dtrt_special.h: $named"
for f in $named; do
  case $f in compiler/ops/*) ;; *) fail "$f names a function of dtrt_special.h" ;; esac
  grep -q '^#define ELEMENT_IN_SPECIAL true' "$f" || fail "$f has C in dtrt_special.h: ELEMENT_IN_SPECIAL"
  # what is no row of UNARY or BINARY
  grep -nE "\.c = $pattern" -A1 "$f" | grep -q '\.c = ' &&
    ! grep -E "\.c = $pattern" -A1 "$f" | grep -q 'c_special = true' &&
    fail "$f: an op with .c in dtrt_special.h lacks .c_special"
done

# typed GUARD TYPES: what the part behind a guard defines, by name or by a macro, has one of the types
typed() {
  local part names
  part=$(sed -n "/define $1\$/,/^#endif/p" include/dtrt_math.h | grep -v '^#define')
  names=$(defined <<<"$part"; grep -E '^DTRT_[A-Z_]+\(.*\)$' <<<"$part" | grep -v '^DTRT_CAST_TO_INTS(')
  [ "$(wc -l <<<"$names")" -gt 7 ] || fail "$1: only these were found in the header: $names"
  grep -vE "(_|\(|, )($2)(_|,|\$)" <<<"$names" && fail "$1: these have none of the types $2"
}
typed DTRT_INTS_H 'i8|u8|i16|u16|u32|u64'
typed DTRT_LANES_F64_H f64
exit $failed
