#!/bin/bash
# tests/report/figures.sh DTGC: every dump of programs with dims of no elements, on one device and on axes of size 1: no
# figure is a NaN, infinite or negative where it cannot be, and axes of size 1 cost nothing.
set -u
. "$(dirname "$0")/../lib.sh"
scratch_folder
n=0 dtgc=$1 dir=$tmp
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
look() { # rows, k, mesh
  local common=("$dir/whole.dtg" "$dir/a.dtg" --mesh "$3" -D "rows=$1" -D "k=$2") what="rows=$1 k=$2 --mesh $3" out
  out=$("$dtgc" "${common[@]}" --dump=layouts,statements,spmd,comm,edits,memory,cost 2>&1) || fail "$what: $out"
  [ "$3" != a=1,b=1 ] || [ "$(grep -c 'exchanges  *0 us  *0.0%  0 bytes a device in 0' <<<"$out")" = 3 ] ||
    fail "$what: exchanges on one device"
  grep -E ' -[0-9.]+ (us|ms|s|bytes|Mflop)' <<<"$out" && fail "$what: a figure below 0"
  out+=$("$dtgc" "${common[@]}" --diff "$dir/b.dtg" 2>&1) || fail "$what --diff"
  out+=$("$dtgc" "${common[@]}" --why f.z 2>&1) || fail "$what --why"
  grep -iE '(^|[^a-z_])-?(nan|inf)([^a-z_]|$)' <<<"$out" && fail "$what: no number"
  n=$((n + 1))
}
look 0 8 a=1,b=1
look 5 8 a=1,b=1
look 0 8 a=3,b=2
look 0 1 a=2,b=1
look 1 1 a=2,b=1
look 5 8 a=1,b=4

# What algorithms take and what is copied beside them is what exchanges take: of a halo the copy was missing, 97 % of it.
printf '%s\n' 'mesh [h=2]' 'layout f.u = [h, _]' \
  'entry f(u: f32[2048, 512]) { p = pad(u, [1, 0], [1, 0]); return y = p[2:] + p[:-2] + u }' >"$dir/halo.dtg"
"$dtgc" "$dir/halo.dtg" --machine=generic --disable=borders --dump=cost | awk '
  function us(i) { return $i * ($(i + 1) == "s" ? 1e6 : $(i + 1) == "ms" ? 1e3 : 1) }
  /^entry/ { f = $2 == "f:" }
  f && $1 == "exchanges" { all = us(2) }
  f && $1 == "by" { parts += us(3) }
  f && $1 == "copies" { parts += us(2); copied = 1 }
  END { exit !(copied && all > 0 && parts > 0.99 * all && parts < 1.01 * all) }' ||
  fail "parts of exchanges: $("$dtgc" "$dir/halo.dtg" --machine=generic --disable=borders --dump=cost)"
echo "$n programs: figures of all dumps looked at"
exit $failed
