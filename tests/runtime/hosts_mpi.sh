#!/bin/bash
# hosts_mpi.sh BUILD: exchanges, and bits of reductions, of 4 ranks on 2 hosts by each MPI that is installed: hosts are network
# namespaces (tests/bench/hosts_net.sh), ranks of one share memory. Needs root, iproute2 and util-linux.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$1 hosts=2 mbit=1000 delay=500 status=0
if [ "$(id -u)" -ne 0 ] || ! ip netns add dtg-test-$$ 2>/dev/null; then
  echo "skipped: no network namespaces here (root, iproute2)"
  exit 0
fi
ip netns del dtg-test-$$
. "$root/tests/bench/hosts_net.sh"
export TEST_HOSTS=$hosts
mpich() {
  UCX_TLS=tcp,self UCX_NET_DEVICES=all timeout 200 "$dir/at" 10.77.7.1 mpiexec.mpich -launcher ssh -launcher-exec "$dir/at" \
    -hosts "$list" -ppn 2 -n 4 "$@"
}
openmpi() {
  timeout 200 "$dir/at" 10.77.7.1 mpirun.openmpi --allow-run-as-root --mca plm_rsh_agent "$dir/at" --host 10.77.7.1:2,10.77.7.2:2 \
    --mca pml ob1 --mca btl tcp,vader,self --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 -x TEST_HOSTS -np 4 "$@"
}
tests=$build/tests
bits=$("$tests/runtime_reduces" threads 4) || exit 1
for mpi in mpich openmpi; do
  command -v mpirun.$mpi >/dev/null || continue
  [ $mpi = openmpi ] && [ ! -e "$build/lib/libdtrt-openmpi.so" ] && continue
  for how in '' flights; do
    $mpi "$tests/runtime_exchanges_plain" $how mpi 4 101 >"$dir/out" 2>&1 && continue
    echo "FAIL: exchanges $how by $mpi"
    cat "$dir/out"
    status=1
  done
  got=$($mpi "$tests/runtime_reduces_plain" mpi 4 2>/dev/null)
  [ "$got" = "$bits" ] && echo "$mpi: $hosts hosts of 2 ranks, bits $got" && continue
  echo "FAIL: bits by $mpi: $got, not $bits"
  status=1
done
exit $status
