#!/bin/bash
# samples/lstm does what its page describes: it learns in streams, the loss does not depend on the length of the pieces, two devices and a stop
# have the losses of one device up to rounding, and `write` continues a prompt as if it had read it all.
#   lstm.sh DTGC
set -u
. "$(dirname "$0")/../lib.sh"
export DTGC=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
sample=$root/samples/lstm
scratch_folder
head -c 4609 "$root/samples/transformer/data/sonnets.txt" >"$tmp/text.txt"
small="-D width=32 -D batch=8 -D rate=1e-2"

# losses SEQ LAYOUTS ENTRY OPTIONS OF fit...: one line an epoch
losses() {
  local windows="$tmp/text.txt:u8[$(($1 + 1))]@$1"
  "$DTGC" run $small -D seq="$1" "$sample/lstm.dtg" ${2:+"$sample/$2.dtg"} fit "$3" --feed text="$windows:0-$(($1 - 1))" --feed after="$windows:1-$1" \
    --stream start --log "$tmp/log.csv" --plain "${@:4}" >"$tmp/out" 2>&1 || { cat "$tmp/out" >&2; return 1; }
  tail -n +2 "$tmp/log.csv" | cut -d, -f4
}
one=$(losses 16 '' train --epochs 10 --save "$tmp/one") || fail 'one device'
first=$(head -1 <<<"$one") last=$(tail -1 <<<"$one")
# The frequencies of letters alone give 3.1.
holds "$first < 4 && $last < 2.9 && $last > 1" || fail "learns: $one"
two=$(losses 16 rows train --steps 50 --save "$tmp/two" >/dev/null && losses 16 rows train --epochs 3 --save "$tmp/two" --resume) || fail 'two devices'
one=$(head -3 <<<"$one")
near "$one" "$two" 1e-3 || fail "one device has" $one "and two, stopped within the second epoch, have" $two

# The same streams in pieces of another length are the same text.
same=
for seq in 16 32 96; do same+="$(losses "$seq" '' eval --epochs 1 --load "$tmp/one")"$'\n'; done
read -r a b c <<<"$(xargs <<<"$same")"
near "$a"$'\n'"$a" "$b"$'\n'"$c" 1e-5 || fail "losses of the same streams in pieces of 16, 32 and 96: $same"

# write PROMPT BYTES LAYOUTS: at a temperature at which the likeliest byte is certain
write() {
  printf %s "$1" >"$tmp/prompt.u8"
  "$DTGC" run $small -D length="${#1}" -D most="$2" "$sample/lstm.dtg" ${3:+"$sample/$3.dtg"} call write --load "$tmp/one" --feed prompt="$tmp/prompt.u8:u8[1]" \
    --feed temperature=1e-4 --out text="$tmp/text.npy" >"$tmp/out" 2>&1 || { cat "$tmp/out" >&2; return 1; }
  tail -c "$2" "$tmp/text.npy"
}
whole=$(write 'From fairest' 40 '' && echo .) || fail 'write'
[ ${#whole} -eq 41 ] || fail "write: expected 40 bytes, found ${#whole}"
[ "$(write 'From fairest' 40 rows && echo .)" = "$whole" ] || fail 'write on two devices'
[ "$(write "From fairest${whole:0:15}" 25 '' && echo .)" = "${whole:15}" ] || fail "write: a longer prompt does not continue '$whole'"

# states=true: the state after the last run, of each recurrent layer, both ways round.
cat >"$tmp/states.dtg" <<'END'
import "nn"
a = rnn(4, 8, states=true)
b = gru(4, 8, states=true)
c = lstm(4, 8, states=true)
d = lstm(4, 8, states=true, reverse=true)
e = gru(4, 8, states=true, last=true, reverse=true)
entry f() {
  x = reshape(sin(f32(iota([60]))), [3, 5, 4])
  ya, ha = a(x)
  yb, hb = b(x)
  yc, hc, cell = c(x)
  yd, hd, other = d(x)
  ye, he = e(x)
  off = max(abs(ya[:, -1] - ha)) + max(abs(yb[:, -1] - hb)) + max(abs(yc[:, -1] - hc)) + max(abs(yd[:, 0] - hd)) + max(abs(ye - he))
  return off, size = min(abs(stack([ha, hb, hc, hd, he])))
}
END
out=$("$DTGC" run "$tmp/states.dtg" call f 2>&1)
[[ $out == 'off = 0'$'\n'* ]] && holds "${out##* } > 0" || fail "states=true: $out"
exit $failed
