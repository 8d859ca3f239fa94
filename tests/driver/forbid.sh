#!/bin/bash
# `forbid gather` from the command line, with --auto, and in what runs.   forbid.sh DTGC FOLDER
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
fresh_folder "$2"

cat >m.dtg <<'E'
param w: f32[64, 512] = reshape(f32(iota([32768], dtype=i32) % 13), [64, 512])
param b: f32[512] = 1
entry f(x: f32[4096, 64]) { return y = x @ w + b }
entry g() { return total = sum((reshape(f32(iota([6400], dtype=i32) % 7), [100, 64]) @ w)[3:9, 5:500]) }
E
cat >l.dtg <<'E'
mesh [model=4]
layout x = [model, _]
layout w = [_, model]
E
gathered='98304 bytes a device  w f32[64, 512]'

# -- the plan: without a word w is gathered, with each of these it is not
expect 0 "$gathered" "$dtgc" m.dtg l.dtg --dump=comm
for say in 'w forbid gather' 'w=[_,model] forbid gather' '"w|b" forbid gather'; do
  never "$gathered" "$dtgc" m.dtg l.dtg --dump=comm --layout "$say"
  expect 0 'all-to-all' "$dtgc" m.dtg l.dtg --dump=comm --layout "$say"
done
expect 1 '`forbid gather` is here' "$dtgc" m.dtg l.dtg --layout 'forbid gather' --layout 'f.y=[]'
expect 1 'cheapest edit that avoids it: layout f.y=[] at --layout 2:1 -> [model, _]' \
  "$dtgc" m.dtg l.dtg --layout 'forbid gather' --layout 'f.y=[]'
expect 1 'cheapest edit' "$dtgc" run m.dtg l.dtg --layout 'f.y=[] forbid gather' info
expect 1 'only `forbid gather`' "$dtgc" m.dtg l.dtg --layout 'w=[_,model] forbid reduce'
expect 0 'names no tensor' "$dtgc" m.dtg l.dtg --layout 'v forbid gather'
expect 2 'NAME=VALUE' "$dtgc" m.dtg l.dtg --layout w

# -- the numbers are those of one device
"$dtgc" run m.dtg call g >one
for say in 'b=[_]' 'w forbid gather' 'w=[model,_] forbid gather'; do
  "$dtgc" run m.dtg l.dtg --layout "$say" call g >cut 2>&1 || fail "run --layout $say: $(cat cut)"
  cmp -s one cut || fail "--layout $say: $(cat cut) instead of $(cat one)"
done

# -- auto: the file keeps to it, with the model and the same words
for say in 'w=[_,model] forbid gather' 'forbid gather'; do
  "$dtgc" m.dtg l.dtg --auto --layout "$say" >found.dtg 2>err || fail "--auto --layout $say: $(cat err)"
  never "$gathered" "$dtgc" m.dtg l.dtg found.dtg --layout "$say" --dump=comm
done
"$dtgc" m.dtg l.dtg --auto >found.dtg || fail '--auto'
expect 0 "$gathered" "$dtgc" m.dtg l.dtg found.dtg --dump=comm
"$dtgc" m.dtg --mesh a=2,b=2 --auto --layout 'forbid gather' >found.dtg 2>err || fail "--auto alone: $(cat err)"
expect 0 '' "$dtgc" m.dtg found.dtg --layout 'forbid gather'
expect 1 '`forbid gather` is here' "$dtgc" m.dtg l.dtg --auto --layout 'forbid gather' --layout 'f.y=[]'

[ $failed -eq 0 ] && echo 'forbid gather: all as it should be'
exit $failed
