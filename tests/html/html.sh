#!/bin/bash
# dtgc --emit-html from a shell; and where there is a node, the page's scripts, run without a browser over the
# pages of several programs (page.js beside this file says what is checked).   html.sh DTGC FOLDER
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 here=$(cd "$(dirname "$0")" && pwd)
golden=$here/../golden/layouts
fresh_folder "$2"

echo 'entry f(x: f32[6]) { return y = sum(x) }' >m.dtg
expect 0 '' "$dtgc" m.dtg --emit-html=m.html
expect 0 '' "$dtgc" m.dtg --mesh a=2 --layout 'x=[a]' --emit-html cut.html
expect 0 'entry f' "$dtgc" m.dtg --dump=ast --emit-html both.html
[ -s both.html ] || fail 'a dump of the syntax keeps the page from being written'
expect 1 'No such' "$dtgc" m.dtg --emit-html no/such/folder/m.html
expect 1 'No space' "$dtgc" m.dtg --emit-html /dev/full
expect 2 'do not go with run' "$dtgc" run m.dtg --emit-html x.html
expect 2 'given twice' "$dtgc" m.dtg --emit-html x.html --emit-html=y.html
echo 'entry f(x: f32[2]) { return y = x + nothing }' >bad.dtg
expect 1 'bad.dtg:1:' "$dtgc" bad.dtg --emit-html bad.html
[ -e bad.html ] && fail 'a wrong program has a page'
cmp -s m.html cut.html && fail 'the layout makes no difference'

pages=(m.html cut.html)
for name in mlp_mixed conv_halo mlp_uneven reshape_granule slice_shift all_to_all gather_split_table; do
  expect 0 '' "$dtgc" "$golden/$name.dtg" --emit-html "$name.html"
  pages+=("$name.html")
done
# Steps and exchanges of a loop say how often it runs.
expect 0 '' "$dtgc" "$golden/../report/why_in_a_loop.dtg" --emit-html loop.html
pages+=(loop.html)
grep -q '" x 40",40\]' loop.html && grep -q '" x ?",10\]' loop.html || fail 'the page does not tell how often a loop runs'
expect 0 '' "$dtgc" "$golden/mlp_mixed.dtg" --mesh batch=256,model=256 --emit-html large.html
pages+=(large.html)
[ "$(wc -c <mlp_mixed.html)" -lt 300000 ] || fail "the page of mlp_mixed has $(wc -c <mlp_mixed.html) bytes"
[ "$(wc -c <large.html)" -lt 300000 ] || fail "a page grows with the mesh: $(wc -c <large.html) bytes"
if command -v node >/dev/null; then
  node "$here/page.js" "${pages[@]}" || fail 'the scripts of the page'
else
  echo 'there is no node: the scripts of the page were not run'
fi
exit $failed
