#!/bin/bash
# tests/flow/sent_once.sh DTGC: a sum of terms on devices that a loop keeps for its gradient, as a row of other dims, was all-reduced
# beside the sum itself: the same bytes twice in one exchange.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
at=$(mktemp -d) || exit 2
trap 'rm -rf "$at"' EXIT
cat >"$at/m.dtg" <<'END'
import "nn"
layer block(width) { d = dense(width, width, act=tanh); n = layer_norm(width); apply(x) { return x + d(n(x)) } }
blocks = stack(8) block(8)
entry f(x: f32[6, 8]) {
  y = x
  scan b in blocks { y = b(y) }
  l = mean(y * y)
  g = grad(l, params(blocks))
  return y, l, gw = g[0], gb = g[1], gs = g[2]
}
END
cut=(--mesh a=4 --layout 'blocks.d.w=[a,_,_]' --layout 'blocks.d.b=[a,_]')
"$dtgc" "$at/m.dtg" "${cut[@]}" --dump=spmd | grep '= exchange' >"$at/moves" || fail "nothing is exchanged"
is 'exchanges of w, b, and the sum by w, there and back' "$(wc -l <"$at/moves")" 4
! grep 'f32\[1, 6, 8\]' "$at/moves" || fail "a row that is kept is summed"
exit $failed
