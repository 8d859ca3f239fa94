#!/bin/bash
# samples/moe does what its page describes. In f64 the mixture gives what every expert computed for every token and weighed gives
# where there is room; the losses of a training, with second experts left out at random, agree on all layouts and fall;
# MPI has the bits of threads. At the sample's own size tokens go to their experts and back by four all-to-alls.
#   moe.sh DTGC
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
sample=$root/samples/moe
text=$root/samples/transformer/data/sonnets.txt
scratch_folder
head -c $((17 * 256)) "$text" >"$tmp/rows"

# value NAME of what `call` printed
value() { awk -v name="$1" '$1 == name { print $3 }'; }
# check LAYOUTS ROOM
check() {
  "$dtgc" run -D batch=8 -D real=f64 -D "room=$2" "$sample/check.dtg" "$sample/$1.dtg" call check --feed "text=$tmp/eight:u8[64]" 2>&1
}
head -c 512 "$text" >"$tmp/eight"
for l in one experts; do
  out=$(check $l 4)
  holds "$(value difference <<<"$out") <= 1e-12 && $(value largest <<<"$out") > .5" && [ "$(value dropped <<<"$out")" = 0 ] ||
    fail "the mixture, $l:" $out
  out=$(check $l .25) # room for a quarter of all choices, at best
  holds "$(value dropped <<<"$out") >= .75 && $(value dropped <<<"$out") < 1 && $(value difference <<<"$out") > .1" ||
    fail "little room, $l:" $out
done

# train LAYOUTS [LAUNCHER...]: six epochs; loss, uneven and dropped of each
train() {
  "${@:2}" "$dtgc" run -D length=16 -D width=16 -D hidden=32 -D heads=2 -D batch=16 -D groups=8 -D experts=4 -D real=f64 \
    "$sample/moe.dtg" "$sample/$1.dtg" fit train --feed "text=$tmp/rows:u8[17]:0-15" --feed "after=$tmp/rows:u8[17]:1-16" \
    --epochs 6 --shuffle 1 --plain --log "$tmp/$1.csv" >"$tmp/$1.out" 2>&1 || cat "$tmp/$1.out" >&2
  tail -n +2 "$tmp/$1.csv" | cut -d, -f4-6 | tr , ' '
}
for l in one experts mixed; do train $l >"$tmp/$l.losses" & done
wait
one=$(cat "$tmp/one.losses")
awk '{ l[NR] = $1; if (!($2 >= .9 && $2 < 3 && $3 > 0 && $3 < .5)) bad = 1 }
     END { exit !(!bad && NR == 6 && l[6] < 3.2 && l[6] < l[1] - .8) }' <<<"$one" || fail "one device does not learn:" $one
for l in experts mixed; do
  paste -d' ' "$tmp/one.losses" "$tmp/$l.losses" |
    awk 'NF != 6 { exit 1 } { for (i = 1; i <= 3; i++) { d = ($i - $(i + 3)) / $i; if (d * d > 1e-18) exit 1 } }' ||
    fail "$l has" $(cat "$tmp/$l.losses") "and one device" $one
done
if have_mpi; then
  threads=$(cat "$tmp/experts.losses")
  mpi=$(train experts mpiexec -n 4)
  [ "$mpi" = "$threads" ] || fail "threads have" $threads "and MPI" $mpi
fi

# moved LAYOUTS: kinds, bytes and counts of what `train` moves outside of the sums of gradients, of more than a number (28 bytes from 7 others)
moved() {
  "$dtgc" "$sample/moe.dtg" "$sample/$1.dtg" --dump=comm |
    awk '/^entry/ { e = $2 } e == "train:" && /over.*bytes a device/ { what = $0; next }
         what && /^      (for|computed)/ { if ((what $0) !~ /grad.*optim.dtg/) { match(what, /  [0-9]+ bytes/); b = substr(what, RSTART + 2) + 0; split(what, w, " "); if (b > 28) print w[1], b } what = "" }' | sort | uniq -c | sed 's/^ *//'
}
# [8 experts, 8 groups, 80 places, 64 wide] in f32 are 1310720 bytes: a device receives three quarters of a quarter of them, or of an eighth.
[ "$(moved experts)" = '4 all-to-all 245760' ] || fail "experts moves: $(moved experts)"
[ "$(moved mixed)" = '4 all-to-all 122880' ] || fail "mixed moves: $(moved mixed)"
[ $failed -ne 0 ] || echo "one device:" $one
exit $failed
