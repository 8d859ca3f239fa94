#!/bin/bash
# --machine and `dtgc calibrate`.   machines.sh DTGC FOLDER SAMPLES
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 samples=$3
fresh_folder "$2"

cat >m.dtg <<'X'
mesh [data=4, model=8]
entry f(x: f32[64, 32], w: f32[32, 16]) { return y = x @ w }
layout x = [data, model]
layout w = [model, _]
X
cat >boxes.machine <<'X'
flops = 2 Tflop/s
memory_bandwidth = 100 GB/s
link devices=8 bandwidth=50GB/s latency=1us
link bandwidth=2GB/s latency=9us
X

# -- a described machine
expect 0 'machine generic' "$dtgc" m.dtg --dump=cost
expect 0 'machine boxes' "$dtgc" m.dtg --dump=cost --machine boxes.machine
expect 0 'axis data: 2 GB/s, 9 us' "$dtgc" m.dtg --dump=cost --machine=boxes.machine
expect 0 'axis model: 50 GB/s, 1 us' "$dtgc" m.dtg --dump=cost --machine boxes.machine
# Products are 1 MiB away from both roofs, so a tenth of a link is seen in the time of the entry.
sed 's/50GB/5GB/' boxes.machine >slow.machine
modelled() { "$dtgc" m.dtg --dump=cost --machine "$1" | grep '^entry f:'; }
[ "$(modelled boxes.machine)" != "$(modelled slow.machine)" ] || fail "a slower link costs nothing: $(modelled slow.machine)"
"$dtgc" m.dtg --machine boxes.machine || fail 'a check with a machine fails'

expect 1 'nothere.machine cannot be read' "$dtgc" m.dtg --machine nothere.machine
expect 1 'cannot be read: expected a file, found a directory' "$dtgc" m.dtg --machine .
expect 2 'requires a value' "$dtgc" m.dtg --machine
expect 2 'given twice' "$dtgc" m.dtg --machine boxes.machine --machine slow.machine
echo 'flops = 2' >wrong.machine
expect 1 'wrong.machine:1:9: error' "$dtgc" m.dtg --machine wrong.machine
# What is wrong with the program is said beside what is wrong with the machine.
echo 'entry f() { return y = nothing }' >wrong.dtg
expect 1 'wrong.dtg:1:24: error' "$dtgc" wrong.dtg --machine wrong.machine
expect 1 'wrong.machine:1:9: error' "$dtgc" wrong.dtg --machine wrong.machine

# -- the machines that are shipped
n=0
for f in "$samples"/*.machine; do
  n=$((n + 1))
  expect 0 "machine " "$dtgc" m.dtg --dump=cost --machine "$f"
done
[ $n -ge 5 ] || fail "only $n machines in $samples"

# -- calibrate. Times are a shared machine's: only what the file says is looked at, not how fast it is.
# A machine that is too busy to measure is refused: it is tried again, and then left.
calibrates() { # FILE OPTIONS...: 1 when it was too busy all the time
  for _ in 1 2 3 4 5 6 7 8; do
    if out=$("$dtgc" calibrate --quick -o "$@" 2>&1); then return 0; fi
    case $out in *'vary too much'*) sleep 0.5 ;; *) fail "calibrate --quick -o $*: $out"; return 1 ;; esac
  done
  echo "left out: the machine is too busy to calibrate"
  return 1
}
if calibrates here.machine; then
  grep -q '^# Measured by dtgc calibrate --quick' here.machine || fail "no heading in: $(cat here.machine)"
  grep -q 'all-reduce of' here.machine || fail "no measurements in: $(cat here.machine)"
  expect 0 'threads of' "$dtgc" m.dtg --dump=cost --machine here.machine
  # the levels that this computer has, each with a rate of its own, and as sizes those of --machine=native
  levels=$(grep -cE '^cache L[123] size=[0-9.]+[kKMG]i?B (cores=[0-9]+ )?bandwidth=[0-9.]+[MGT]B/s$' here.machine)
  holds "$levels >= 2" || fail "$levels levels of cache in: $(cat here.machine)"
  sizes() { "$dtgc" m.dtg --dump=cost "$@" | sed -n 's/^  caches of a core://p' | sed 's/ at [^,]*//g'; }
  is 'the sizes of caches' "$(sizes --machine here.machine)" "$(sizes --machine native)"
  grep -q '^# Cache sizes are those the system reports; their bandwidths: each device reads [1-9][0-9]* KiB for L1' here.machine ||
    fail "nothing was read: $(cat here.machine)"
  grep -q '^cores = [1-9]' here.machine || fail "no cores in: $(cat here.machine)"
fi
# Optimized code is measured whatever the flags: the program is the same, and in the cache.
stored() { find "$XDG_CACHE_HOME" -type f | wc -l; }
before=$(stored)
if [ -e here.machine ] && DTGC_FLAGS="$DTGC_FLAGS -O1" calibrates other.machine; then is 'programs measured' "$(stored)" "$before"; fi
if calibrates three.machine --devices 3 --transport threads; then
  grep -q '3 threads' three.machine || fail "not of 3 threads: $(cat three.machine)"
fi
expect 1 'No such file' "$dtgc" calibrate --quick -o no/such/folder/x
expect 2 'calibrate takes' "$dtgc" calibrate m.dtg
expect 2 'calibrate takes' "$dtgc" calibrate --machine boxes.machine
expect 2 'threads or mpi' "$dtgc" calibrate --transport self
expect 2 'from 2 to' "$dtgc" calibrate --devices 1
expect 2 'from 2 to' "$dtgc" calibrate --devices many
expect 2 'go with calibrate' "$dtgc" m.dtg --quick
expect 2 'mpiexec' "$dtgc" calibrate --transport mpi
if [ "${DTG_HAS_MPI:-0}" = 1 ] && command -v mpiexec >/dev/null; then
  mpiexec -n 2 "$dtgc" calibrate --quick >mpi.machine 2>err || fail "under mpiexec: $(cat err)"
  [ "$(grep -c '^flops' mpi.machine)" -eq 1 ] || fail "not one machine under mpiexec: $(cat mpi.machine)"
  expect 0 'MPI ranks' "$dtgc" m.dtg --dump=cost --machine mpi.machine
  [ "$(grep -c '^cache L' mpi.machine)" -ge 2 ] || fail "no caches under mpiexec: $(cat mpi.machine)"
  [ "$(mpiexec -n 2 "$dtgc" calibrate --devices 3 2>&1 | grep -c 'every rank is a device')" -eq 1 ] ||
    fail 'two ranks speak, or none'
fi

[ $failed = 0 ] && echo 'all as expected'
exit $failed
