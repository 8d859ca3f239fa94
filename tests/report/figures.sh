#!/bin/bash
# tests/report/figures.sh DTGC: every dump of programs with dims of no elements, on one device and on axes of size 1: no
# figure is a NaN, infinite or negative where it cannot be, and axes of size 1 cost nothing.
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0 n=0
fail() { echo "FAIL $1"; failed=1; }
cat >"$dir/whole.dtg" <<'END'
import "nn"
import "optim"
const rows = 0
const k = 8
layer net() {
  d = dense(k, 6)
  apply(x) { return d(x) }
}
model = net()
opt = adam(model)
entry train(x: f32[rows, k]) {
  loss = sum(model(x) ** 2)
  opt.minimize(loss)
  return loss
}
entry f(x: f32[rows, k], y: f32[k, rows]) {
  z = x @ y
  return z, s = sum(x), t = sum(x, axis=0), u = sort(x, axis=1), v = cumsum(x, axis=0), w = x[::2, 1:], c = reshape(x, [rows * k])
}
END
printf 'layout x = [a, _]\nlayout y = [a, b]\nlayout model.d.w = [_, b]\n' >"$dir/a.dtg"
printf 'layout x = [_, a]\nlayout y = [_, (b, a)]\nlayout f.z = [b, a]\n' >"$dir/b.dtg"
for rows in 0 1 5; do
  for k in 1 8; do
    for mesh in a=1,b=1 a=2,b=1 a=1,b=4 a=3,b=2; do
      common=("$dir/whole.dtg" "$dir/a.dtg" --mesh "$mesh" -D "rows=$rows" -D "k=$k")
      what="rows=$rows k=$k --mesh $mesh"
      out=$("$1" "${common[@]}" --dump=layouts,statements,spmd,comm,edits,memory,cost 2>&1) || fail "$what: $out"
      out+=$("$1" "${common[@]}" --diff "$dir/b.dtg" 2>&1) || fail "$what --diff"
      out+=$("$1" "${common[@]}" --why f.z 2>&1) || fail "$what --why"
      grep -vE '= const|#' <<<"$out" | grep -iE '(^|[^a-z_])-?(nan|inf)([^a-z_]|$)| -[0-9.]+ (us|ms|s|bytes|Mflop)' && fail "$what: such figures"
      [ "$mesh" = a=1,b=1 ] && grep -E 'exchanges +0 us +0.0% +0 bytes a device in 0' <<<"$out" >/dev/null || [ "$mesh" != a=1,b=1 ] ||
        fail "$what: exchanges on one device"
      n=$((n + 1))
    done
  done
done
echo "$n programs: figures of all dumps looked at"
exit $failed
