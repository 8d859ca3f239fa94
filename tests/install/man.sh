#!/bin/sh
# dtgc(1) has every option of `dtgc --help` and of `dtgc plot`'s synopsis, and is well formed.
# man.sh DTGC PAGE
dtgc=$1 page=$2 bad=0
for option in $("$dtgc" --help | grep -oE -e '(^|[ ,(])-{1,2}[A-Za-z][a-z-]*' | tr -d ' ,(' | sort -u); do
  case $option in
  -march) continue ;; # of a compiler
  esac
  # In mdoc, --mesh is `Fl -mesh`.
  grep -qE -e "Fl ${option#-}( |\$)" "$page" ||
    { echo "$page: $option of dtgc --help is not there" >&2; bad=1; }
done
[ "$("$dtgc" --help | grep -coE -e '--mesh')" -gt 0 ] || { echo "no options in dtgc --help" >&2; bad=1; }
if command -v mandoc >/dev/null; then
  mandoc -T lint -W warning "$page" || bad=1
elif command -v groff >/dev/null; then
  said=$(groff -mdoc -ww -z "$page" 2>&1)
  [ -z "$said" ] || { echo "$said" >&2; bad=1; }
fi
exit $bad
