#!/bin/bash
# transports.sh DTGC DIR [MPIEXEC]: training under threads, under MPI and as an executable gives the same bits; and what
# layouts may change is only the order of sums. Prints what differs.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
dir=$2
mpiexec=${3:-}
here=$(cd "$(dirname "$0")/transports" && pwd)
rm -rf "$dir"
mkdir -p "$dir" && cd "$dir" || exit 99
outputs='w1 b1 w2 w3 b3 m mean logits picked'

awk 'BEGIN { for (i = 0; i < 35; i++) { s = ""; for (j = 0; j < 6; j++) s = s (i * 7 + j * 5) % 11 / 4 - 1 ","; print s i % 3 } }' >d.csv

# call NAME COMMAND...: one call of train, its outputs in folder NAME
call() {
  name=$1
  shift
  mkdir -p "$name"
  out=
  for o in $outputs; do out="$out --out $o=$name/$o.npy"; done
  timeout 100 "$@" call train --feed x=d.csv:0-5 --feed label=d.csv:6 --seed 3 $out >"$name/printed" 2>log.txt </dev/null || {
    echo "FAILED: $name does not run"
    cat log.txt
    exit 1
  }
  # The loss is printed; it is a scalar.
  grep '^loss' "$name/printed" >"$name/loss" || fail "$name prints no loss"
}

same() {
  for o in $outputs; do
    cmp -s "$1/$o.npy" "$2/$o.npy" || fail "$o differs between $1 and $2"
  done
  cmp -s "$1/loss" "$2/loss" || fail "the loss differs between $1 and $2"
}

# Floats of two .npy files (64-byte aligned headers of version 1), compared within 1e-4.
close() {
  for o in w1 b1 w2 w3 b3 m mean logits; do
    for k in "$1" "$2"; do
      skip=$(od -An -tu2 -j8 -N2 "$k/$o.npy")
      od -An -v -tf4 -w4 -j$((skip + 10)) "$k/$o.npy" >"$k/$o.txt"
    done
    paste "$1/$o.txt" "$2/$o.txt" | awk '{ d = $1 - $2; if (d < 0) d = -d; n++; if (!(d <= 1e-4)) bad++ } END { exit !(n && !bad) }' ||
      fail "$o of $1 is not near that of $2"
  done
}

call one "$dtgc" run "$here/mlp.dtg"
for layout in data model mixed odd; do
  case $layout in
    data) n=3 ;;
    odd) n=5 ;;
    *) n=4 ;;
  esac
  call $layout-threads "$dtgc" run "$here/mlp.dtg" "$here/$layout.dtg"
  close one $layout-threads
  call $layout-again "$dtgc" run "$here/mlp.dtg" "$here/$layout.dtg"
  same $layout-threads $layout-again
  call $layout-at-once "$dtgc" run --disable=overlap "$here/mlp.dtg" "$here/$layout.dtg"
  same $layout-threads $layout-at-once
  [ -n "$mpiexec" ] || continue
  call $layout-mpi "$mpiexec" -n $n "$dtgc" run "$here/mlp.dtg" "$here/$layout.dtg"
  same $layout-threads $layout-mpi
  call $layout-messages env DTRT_MPI_SHARED=0 "$mpiexec" -n $n "$dtgc" run "$here/mlp.dtg" "$here/$layout.dtg"
  same $layout-threads $layout-messages
  [ $layout = mixed ] || continue
  "$dtgc" "$here/mlp.dtg" "$here/$layout.dtg" -o mlp >log.txt 2>&1 || fail 'no executable'
  call $layout-executable ./mlp
  call $layout-executable-mpi "$mpiexec" -n $n ./mlp
  same $layout-threads $layout-executable
  same $layout-threads $layout-executable-mpi
done
[ -n "$mpiexec" ] || echo 'without MPI: threads only'
[ $failed -eq 0 ] && echo 'transports agree'
exit $failed
