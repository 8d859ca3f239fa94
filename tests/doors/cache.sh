#!/bin/bash
# The cache of objects: only files that no other user can have written are executed, and of many cold starts at once one
# compiles.   cache.sh DTGC FOLDER
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
fresh_folder "$2"
export DTGC_FLAGS='-O0 --no-lines --machine=generic'
cache=$XDG_CACHE_HOME/dtgc

printf 'entry f(x: f32[4, 1]) {\n  return sum = sum(x * 3)\n}\n' >m.dtg
seq 4 >x.csv
call=("$dtgc" run m.dtg call f --feed x=x.csv)
timed=("$dtgc" --time "${call[@]:1}")

# A folder that the group or all can write to is not used: a warning, and the right answer
expect 0 'sum = 30' "${call[@]}"
[ "$(stat -c %a "$cache")" = 700 ] || fail "the folder is made with mode $(stat -c %a "$cache")"
[ "$("${call[@]}" 2>&1)" = 'sum = 30' ] || fail 'a safe folder is warned of'
for mode in 770 707 722 777; do
  chmod $mode "$cache"
  expect 0 'sum = 30' "${call[@]}"
  expect 0 "warning: the cache of compiled objects, $cache, is not used: others can write to it" "${call[@]}"
  never 'from the cache' "${timed[@]}"
done
chmod 755 "$cache" # others may read
expect 0 'from the cache' "${timed[@]}"

# An object that others can write to is not executed either, but made again
for mode in 620 602 666; do
  chmod $mode "$cache"/*.o
  expect 0 'warning: an object in the cache was not used' "${call[@]}"
  expect 0 'from the cache' "${timed[@]}"
  chmod $mode "$(find "$cache" -name '*.o' -size +1k)" # the object alone, not the note that leads to it
  expect 0 'sum = 30' "${call[@]}"
  expect 0 'from the cache' "${timed[@]}"
done
# A link to somebody's object
object=$(find "$cache" -name '*.o' -size +1k)
mv "$object" elsewhere.o && ln -s "$PWD/elsewhere.o" "$object"
never 'from the cache' "${timed[@]}"
expect 0 'from the cache' "${timed[@]}"

# Of another user
if [ "$(id -u)" -eq 0 ]; then
  chown 1 "$cache"
  expect 0 'is not used: it belongs to another user' "${call[@]}"
  chown 0 "$cache"
  chown 1 "$cache"/*.o
  expect 0 'an object in the cache was not used' "${call[@]}"
  expect 0 'from the cache' "${timed[@]}"
fi
# Off is off
chmod 777 "$cache"
[ "$(DTGC_CACHE=off "${call[@]}" 2>&1)" = 'sum = 30' ] || fail 'DTGC_CACHE=off warns'

# One that the user names and that is none is reported once, and the program runs without
touch file
for bad in file file/x /proc/nothing/x; do
  expect 0 "warning: the cache of compiled objects, $bad, is not used: No" env DTGC_CACHE=$bad "${call[@]}"
  expect 0 'sum = 30' env DTGC_CACHE=$bad "${call[@]}"
  [ "$(DTGC_CACHE=$bad "${call[@]}" 2>&1 | grep -c warning)" = 1 ] || fail "$bad is reported more than once"
done
expect 0 'warning: no objects are stored in the cache, /sys/kernel: ' env DTGC_CACHE=/sys/kernel "${call[@]}"
[ "$(DTGC_CACHE=made/here "${call[@]}" 2>&1)" = 'sum = 30' ] && [ -e made/here/locks ] || fail 'no folder is made'

# cold N: N cold starts at once; all must be right, and one compiles
cold() {
  local pids=() i
  rm -rf "$cache"
  for i in $(seq "$1"); do "${timed[@]}" >cold.$i 2>&1 & pids+=($!); done
  for i in "${!pids[@]}"; do wait "${pids[i]}" || fail "cold start $i: $(head -3 cold.$((i + 1)))"; done
  [ "$(cat cold.* | grep -c '^sum = 30$')" -eq "$1" ] || fail 'a cold start gave something else'
  compiled=$(cat cold.* | grep -c '^clang' | cat)
  [ "$(grep -L 'from the cache' cold.* | wc -l)" -eq 1 ] ||
    fail "$(grep -L 'from the cache' cold.* | wc -l) of $1 cold starts compiled (with clang: $compiled)"
  rm -f cold.*
}
cold 64

# A compiler that dies holds nothing up: the others find the lock free
rm -rf "$cache"
"${call[@]}" >/dev/null 2>&1 &
dying=$!
for _ in $(seq 6000); do [ -e "$cache/locks" ] && break; sleep 0.01; done
kill -9 $dying 2>/dev/null
wait $dying 2>/dev/null
expect 0 'sum = 30' timeout 60 "${call[@]}"

# Above 512 MB what was used longest ago goes. Each compilation looked at all entries for that, 30 ms where they were 8000; about
# one in sixteen does.
for i in 1 2 3 4 5 6; do
  truncate -s 100M "$cache/old$i.o" && touch -d "$((7 - i)) days ago" "$cache/old$i.o"
done
printf 'const k = 3\nentry f(x: f32[4, 1]) {\n  return sum = sum(x * k)\n}\n' >k.dtg
for i in $(seq 400); do
  "$dtgc" run k.dtg -D k=$i call f --feed x=x.csv >/dev/null || fail 'a full cache'
  [ -e "$cache/old1.o" ] || break
done
is 'what a full cache keeps' "$(cd "$cache" && echo old*)" 'old4.o old5.o old6.o'
expect 0 'from the cache' "$dtgc" --time run k.dtg -D k=$i call f --feed x=x.csv
exit $failed
