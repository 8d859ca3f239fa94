#!/bin/bash
# The reports' claims, tried.   tests/report/report.sh DTGC
#   chains  each inferred axis of --dump=layouts:why ends in a statement, and --why answers for every named tensor
#   edits   each edit that --dump=edits proposes is written into a copy of the sources as proposed: the exchange must be
#           gone, and --dump=cost must say the time that was promised
set -u
here=$(cd "$(dirname "$0")" && pwd)
dtgc=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
golden=$here/../golden
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
. "$(dirname "$0")/../lib.sh"
chains=0 names=0 applied=0 skipped=0

# Lines carried over, eight blanks further in, are joined to theirs.
unwrap() {
  awk '{ match($0, /^ */); own = RLENGTH }
       NR > 1 && own >= indent + 8 { line = line " " substr($0, own + 1); next }
       { if (NR > 1) print line; line = $0; indent = own }
       END { print line }'
}

# chains FILES...
chains() {
  "$dtgc" "$@" --dump=layouts:why >"$tmp/wrapped" || { fail "$*: no layouts"; return; }
  if awk 'length > 100 { print FILENAME ":" FNR ": " $0; bad = 1 } END { exit !bad }' "$tmp/wrapped"; then fail "$*: lines beyond 100 columns"; fi
  unwrap <"$tmp/wrapped" >"$tmp/layouts"
  if grep -n ': unknown' "$tmp/layouts"; then fail "$*: a chain without an end"; fi
  # Every reason that begins `from` ends in a statement.
  while IFS= read -r line; do
    chains=$((chains + 1))
    case $line in *"annotated at "*) ;; *) fail "$*: no statement at the end: $line" ;; esac
  done < <(grep -o '[a-z]*: from [^;]*' "$tmp/layouts")
  local why=() name
  while read -r name; do why+=(--why "$name"); done < <(awk '/^(variables|entry) / { on = 1 } on && /^  [^ ]/ && $1 != "return" { print $1 }' "$tmp/layouts" | sort -u)
  names=$((names + ${#why[@]} / 2))
  "$dtgc" "$@" "${why[@]}" >"$tmp/why" || fail "$*: --why knows not every name"
  if [ "$(grep -c '  on each device' "$tmp/why")" -lt "$((${#why[@]} / 2))" ]; then fail "$*: --why is short"; fi
}

# try FOLDER NAME ENTRY VALUE AXES EDIT: EDIT is "STATEMENT at FILE:LINE -> NOW: a call A -> B (...)"
try() {
  local folder=$1 name=$2 entry=$3 value=$4 axes=$5 edit=$6
  local now=${edit##* -> } was=${edit%%: a call *}
  local promised=${now%% (*}
  now=${was##* -> } was=${was% -> *}
  local place=${was##* at } statement=${was% at *}
  local file=${place%:*} line=${place##*:} text new old
  [ "$file" != --layout ] || { skipped=$((skipped + 1)); return; }
  rm -rf "$tmp/copy"
  cp -r "$folder" "$tmp/copy"
  case $statement in
    layout*) new=${statement%=*}'= '$now old=$statement ;;
    *) new=$now old=${statement%% of *} ;;
  esac
  text=$(sed -n "${line}p" "$tmp/copy/$file")
  case $text in
    *"$old"*"$old"*) skipped=$((skipped + 1)); return ;; # which of the two is not said
    *"$old"*) ;;
    *) fail "$name: line $line of $file has no $old"; return ;;
  esac
  { head -n $((line - 1)) "$tmp/copy/$file"; printf '%s\n' "${text/"$old"/"$new"}"; tail -n +$((line + 1)) "$tmp/copy/$file"; } >"$tmp/edited"
  mv "$tmp/edited" "$tmp/copy/$file"
  applied=$((applied + 1))
  (cd "$tmp/copy" && "$dtgc" "$name.dtg" "${args[@]}" --dump=cost,comm) >"$tmp/after" || { fail "$name: after $edit it does not compile"; return; }
  grep -qF "entry $entry: $promised a call" "$tmp/after" || fail "$name: $edit: but it is $(grep "^entry $entry:.*a call" "$tmp/after")"
  if awk -v entry="$entry" -v value="$value" -v axes="$axes" '
    /^entry / { here = $2 == entry ":" }
    here && / bytes a device  / {
      over = $0; sub(/.* over \(/, "", over); sub(/\).*/, "", over)
      what = $0; sub(/.* bytes a device  /, "", what); sub(/ .*/, "", what)
      n = split(over, a, ", "); m = split(axes, b, ", ")
      if (what == value) for (i = 1; i <= n; i++) for (k = 1; k <= m; k++) if (a[i] == b[k]) found = 1
    }
    END { exit !found }' "$tmp/after"; then
    fail "$name: after $edit $value still moves over ($axes)"
  fi
}

# edits FOLDER NAME
edits() {
  local folder=$1 name=$2 entry='' value='' axes='' line
  args=()
  [ ! -e "$folder/$name.args" ] || case $(cat "$folder/$name.args") in --layout*) read -r -a args <"$folder/$name.args" ;; esac
  (cd "$folder" && "$dtgc" "$name.dtg" "${args[@]}" --dump=edits) >"$tmp/wrapped" || { fail "$name: no edits"; return; }
  unwrap <"$tmp/wrapped" >"$tmp/edits"
  while IFS= read -r line; do
    case $line in
      'entry '*) entry=${line#entry } entry=${entry%%:*} ;;
      *' bytes a device  '*) value=${line#* bytes a device  } value=${value%% *} axes=${line#* over (} axes=${axes%%)*} ;;
      *'cheapest edit that avoids it: none'*) ;;
      *'cheapest edit that avoids it: '*'not annotated now'*) skipped=$((skipped + 1)) ;;
      *'cheapest edit that avoids it: '*) try "$folder" "$name" "$entry" "$value" "$axes" "${line#*avoids it: }" ;;
    esac
  done <"$tmp/edits"
}

cd "$golden/layouts" || exit 2
for f in mlp_mixed mlp_zero conv_halo softmax_split_classes reshape_granule; do chains $f.dtg; done
chains "$here/../../samples/digits/digits.dtg" "$here/../../samples/digits/mixed.dtg"
edits "$golden/report" why_mlp
edits "$golden/report" edits_mlp
edits "$golden/report" edits_places
edits "$golden/layouts" mlp_mixed
echo "$chains chains, $names names asked, $applied edits applied ($skipped not)"
if [ $chains -lt 50 ] || [ $names -lt 50 ] || [ $applied -lt 6 ]; then fail 'too little was tried'; fi
exit $failed
