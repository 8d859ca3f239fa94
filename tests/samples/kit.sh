# shellcheck shell=bash
# What the tests of the samples named after other systems share: . kit.sh, with dtgc set. The GPT of samples/transformer, small, reads
# windows of 32 bytes of eight sonnets. Losses are compared in f64, where eight steps of Adam agree in nine digits; learning is tried in
# f32. Exchanges are counted from samples/exchanges. At the end: exit $failed.
set -u
. "$(dirname "$0")/../lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
gpt=$root/samples/transformer
scratch_folder
export DTGC=$dtgc
small="-D seq=32 -D width=32 -D blocks=2 -D batch=16 -D rate=3e-3"
text=$gpt/data/sonnets.txt
head -c $(($(wc -c <"$text") / 33 * 33)) "$text" >"$tmp/text.u8"

# The library's layers are of f32: f64 has copies of them.
sed 's/f32/f64/g; s/dense(/wide_dense(/; s/embedding(/wide_embedding(/; s/layer_norm(/wide_layer_norm(/' "$gpt/gpt.dtg" >"$tmp/f64.dtg"
for layer in dense embedding layer_norm; do
  sed -n "/^layer $layer(/,/^}/p" "$root/include/dtg/nn.dtg" | sed 's/f32/f64/g; s/^layer /&wide_/' >>"$tmp/f64.dtg"
done

# losses MODEL LAYOUTS EPOCHS LIMIT [OPTIONS OF dtgc]: one a line. with="OPTIONS OF fit"
losses() {
  "$dtgc" run $small "${@:5}" "$1" ${2:+"$2"} fit train --epochs "$3" --limit "$4" --drop-last --shuffle 1 --log "$tmp/log.csv" --plain ${with:-} \
    --feed text="$tmp/text.u8:u8[33]:0-31" --feed after="$tmp/text.u8:u8[33]:1-32" >"$tmp/out" 2>&1 || { cat "$tmp/out" >&2; return 1; }
  tail -n +2 "$tmp/log.csv" | cut -d, -f4
}
# sum FIELD ENTRY PATTERN ARGUMENTS OF dtgc: of field 1 (how many) or 2 (bytes) of the exchanges that match
sum() {
  local field=$1 entry=$2 pattern=$3
  shift 3
  local table
  table=$tmp/table.$(echo "$entry $*" | cksum | tr -d ' ') # once each: a dump takes a second
  [ -e "$table" ] || "$root/samples/exchanges" "$entry" "$@" >"$table" || fail "no table of $entry $*"
  awk -F' [|] ' -v f="$field" -v p="$pattern" '$3 != "all" && $0 ~ p { s += $f } END { print s + 0 }' "$table"
}

# as_one LAYOUTS: in f64 the losses of four epochs of two steps are those of one device (one block: half the time goes to compiling)
as_one() {
  local got
  [ "${one:-}" ] || one=$(losses "$tmp/f64.dtg" '' 4 32 -D blocks=1) || fail 'f64, one device'
  [ "$(wc -l <<<"$one")" -eq 4 ] || fail "expected 4 losses, found: $one"
  got=$(losses "$tmp/f64.dtg" "$1" 4 32 -D blocks=1) || fail "f64, $1"
  near "$one" "$got" 1e-9 || fail "f64, $1: one device has" $one "and this" $got
}
# learns LAYOUTS: from 4.85 nats a byte, that of chance among 128, to less than 2.4 in 16 epochs of 9 steps
learns() {
  local last
  last=$(losses "$gpt/gpt.dtg" "$1" 16 149 | tail -1)
  awk -v l="$last" 'BEGIN { exit !(l > 0 && l < 2.4) }' || fail "$1 learns to $last only"
  echo "$(basename "$1") learns to $last nats a byte"
}

