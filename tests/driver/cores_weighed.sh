#!/bin/bash
# Devices and cores of a host are weighed against each other: --dump=cost divides what is dealt among a device's cores, as far as the memory of
# the host keeps up, and --auto compares meshes. No plan follows the number of cores.   cores_weighed.sh DTGC FOLDER SAMPLES
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 mlp=$3/mnist/mlp.dtg
fresh_folder "$2"

machine() { # CORES [LINES]
  printf 'name = m\nflops = 100 Gflop/s\nvector_flops = 20 Gflop/s\nmemory_bandwidth = 20 GB/s\nstart = 0.5 us\n'
  printf 'link bandwidth=5GB/s latency=1us by=memory\ncache L1 size=32KiB\ncache L2 size=1MiB\ncache L3 size=4MiB\ncores = %d\n%s\n' "$1" "${2-}"
}
for n in 1 2 8 64; do machine $n >$n.machine; done
machine 8 'host_bandwidth = 40 GB/s' >slow.machine
time_on() { # MACHINE FILES...: of a call of `train`, in microseconds
  local machine=$1
  shift
  "$dtgc" "$@" --machine "$machine.machine" --dump=cost:json | sed 's/.*"train"//' | grep -o '"time_on_cores":[^,]*' | head -1 |
    awk -F: '{ printf "%.3f", $2 * 1e6 }'
}
echo 'entry train(x: f32[4096, 4096]) { return y = exp(x) * x + 1 }' >loop.dtg
echo 'entry train(x: f32[8, 8]) { return y = exp(x) * x + 1 }' >small.dtg
one=$(time_on 1 loop.dtg) eight=$(time_on 8 loop.dtg) slow=$(time_on slow loop.dtg)
holds "$eight * 7.9 < $one && $eight * 8.1 > $one" || fail "a large loop takes $one us on 1 core, $eight on 8"
bytes=$((2 * 4 * 4096 * 4096)) # read and written, at 40 GB/s
holds "$slow >= $bytes / 40e3 && $slow < $bytes / 40e3 + 1" || fail "by memory of 40 GB/s $slow us"
is 'a small loop on 8 cores' "$(time_on 8 small.dtg)" "$(time_on 1 small.dtg)"

# The same plan for any number of cores.
for mesh in data=4 data=2,model=2; do
  for n in 1 2 8 64; do "$dtgc" "$mlp" --mesh $mesh --machine $n.machine --dump=loops | md5sum; done | sort -u >plans
  is "plans on $mesh" "$(wc -l <plans)" 1
done

# Meshes of fewer devices have more cores each.
"$dtgc" "$mlp" --mesh data=8 --machine 8.machine --auto >found.dtg || fail 'no layouts'
is meshes "$(sed -n 's/^#   --mesh \(.*\), [0-9.]* [mu]*s, .*/\1/p' found.dtg | tr '\n' ' ')" \
  'data=8: 8 devices x 1 core data=4: 4 devices x 2 cores data=2: 2 devices x 4 cores data=1: 1 device x 8 cores '
is 'meshes of least time' "$(grep -c 'the least time$' found.dtg)" 1
time=$(sed -n 's/^#   --mesh data=1: .*cores, \([0-9.]*\) us, .*/\1/p' found.dtg)
near "$time" "$(time_on 8 "$mlp" --mesh data=1)" 0.01 || fail "one device of 8 cores: $(head -12 found.dtg)"
"$dtgc" "$mlp" found.dtg >/dev/null || fail 'the file does not compile'
never 'shared out' "$dtgc" "$mlp" --mesh data=8 --machine 1.machine --auto
exit $failed
