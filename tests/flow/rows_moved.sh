#!/bin/bash
# tests/flow/rows_moved.sh DTGC: reading and writing at positions in several dims, where others than the first are cut, made the
# dims one in their order, in which no device has its elements together: 3.6 and 7.2 MB a device were moved for 7 rows of 32 bytes.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
at=$(mktemp -d) || exit 2
trap 'rm -rf "$at"' EXIT
cat >"$at/m.dtg" <<'END'
mesh [a=2, b=2]
state s: f32[1000, 600, 8] on [_, a, _] = 0
state t: f32[1000, 600, 8] on [a, b, _] = 0
state u: f32[3, 200, 600, 8] on [_, b, (a), _] = 0
entry read(k: i32[7, 2]) { return y = gather_nd(s, k), z = gather_nd(t, k), w = t[k[:, 0], k[:, 1]] }
entry windows(k: i32[7, 2]) { return y = gather_nd(t, k, window=[2, 3]) }
entry batches(k: i32[3, 5, 2]) { return y = gather_nd(u, k, batch=1) }
entry slope(k: i32[7, 2], c: f32[7, 8]) { t <- t - grad(sum(gather_nd(t, k) * c), t) }
entry set(k: i32[7, 2], v: f32[7, 8]) {
  s <- scatter_nd_set(s, k, v)
  t <- scatter_nd_add(t, k, v)
}
entry write(i: i32[7], j: i32[7], n: i32[7], v: f32[7, 8]) {
  s[i, j] <- v
  t[n, i] <- v
}
entry loop(k: i32[3, 7, 2], v: f32[3, 7, 8]) { scan i in k, x in v { t <- scatter_nd_max(t, i, x) } }
END
"$dtgc" "$at/m.dtg" --dump=comm --json >"$at/comm" || fail "no plan"
python3 - "$at/comm" >"$at/said" <<'END' || fail "$(cat "$at/said")"
import json, sys
most = {'read': 3000, 'windows': 6000, 'batches': 2000}
for e in json.load(open(sys.argv[1]))['entries']:
    moved = sum(x.get('bytes', 0) * x.get('runs', 1) for x in e['exchanges'])
    if moved > most.get(e['name'], 0):
        sys.exit(print(f"{e['name']}: {moved} bytes") or 1)
print('few')
END
grep -q few "$at/said" || fail "bytes were not found: $(cat "$at/said")"
exit $failed
