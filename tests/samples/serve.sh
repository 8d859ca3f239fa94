#!/bin/bash
# samples/transformer/serve.c serves many requests at once, and each has the text that it has alone, under any layouts of the cache.
#   serve.sh DTGC SERVE       (SERVE: samples/transformer/serve.c, built)
dtgc=$1 serve=$2
. "$(dirname "$0")/kit.sh"

with="--save $tmp/trained" losses "$gpt/gpt.dtg" "$gpt/tensor.dtg" 4 149 -D blocks=1 >/dev/null || fail 'nothing is saved'
# Joins and leaves at all times; a prompt of one byte, of a part and of the whole window; an end byte; greedy, hot and cut short.
cat >"$tmp/requests" <<'END'
0 12 -1 0.7 1 Shall I
0 20 32 0.9 0.9 But
1 6 -1 0 1 When in the chronicle
3 25 -1 1.2 0.8 O
3 10 101 0.5 1 From fairest crea
3 1 -1 0.7 1 Or who is he so fond will be th
9 14 -1 0.7 1 Thy youth's
12 16 -1 1 0.5 exactly 16 bytes
40 8 -1 1 0.5 Look
END
served() { # NAME MOST [OPTIONS]: the texts in the order of the requests
  "$serve" "$tmp/trained" "$2" "$gpt/serve.dtg" "${@:3}" seq=32 width=32 blocks=1 batch=16 rate=3e-3 <"$tmp/requests" >"$tmp/$1" 2>"$tmp/$1.told" ||
    fail "$1: $(cat "$tmp/$1.told")"
  sort -n -t: -k1 -s "$tmp/$1" >"$tmp/$1.sorted"
}
served together 4
is 'texts' "$(grep -c '^[0-9]: ' "$tmp/together.sorted")" 9
sed -n 's/^3: //p' "$tmp/together.sorted" | grep -q '^O' || fail 'a text does not begin with its prompt'
served alone 1
served cut 4 "$gpt/tensor.dtg" "$gpt/serve_tensor.dtg"
served rows 3 "$gpt/data.dtg"
served parts 4 chunk=4
served many 9 slots=9
for name in alone cut rows parts many; do
  cmp "$tmp/together.sorted" "$tmp/$name.sorted" || fail "$name: $(diff "$tmp/together.sorted" "$tmp/$name.sorted")"
done
cmp -s "$tmp/together" "$tmp/alone" && fail 'requests together end in the order of their lines'
[ "$(sed 's/.*, \([0-9]*\) calls.*/\1/' "$tmp/together.told")" -lt "$(sed 's/.*, \([0-9]*\) calls.*/\1/' "$tmp/alone.told")" ] ||
  fail "together takes as many calls as alone: $(cat "$tmp/together.told" "$tmp/alone.told")"
# Neither copies of the cache nor exchanges of it: a block has its two sums.
"$dtgc" "$gpt/serve.dtg" "$gpt/tensor.dtg" "$gpt/serve_tensor.dtg" --dump=memory | sed -n '/^entry prefill/,$p' | grep 'updated by a copy' &&
  fail 'the cache is copied'
"$dtgc" "$gpt/serve.dtg" "$gpt/tensor.dtg" "$gpt/serve_tensor.dtg" --dump=comm | sed -n '/^entry prefill/,$p' >"$tmp/comm"
is 'sums of activations, a step' "$(grep -cE 'all-reduce over .model. of 2 .* f32.4, 1, 128.' "$tmp/comm")" $((2 * 4))
grep -E '^    [a-z-]* over .*(keys|values)' "$tmp/comm" && fail 'the cache is exchanged'
echo '0 40 -1 1 1 too long' >"$tmp/requests"
"$serve" "$tmp/trained" 4 "$gpt/serve.dtg" seq=32 width=32 blocks=1 <"$tmp/requests" >/dev/null 2>"$tmp/told" && fail 'a request has no room and is served'
grep -q 'no room' "$tmp/told" || fail "$(cat "$tmp/told")"

exit $failed
