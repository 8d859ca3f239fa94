#!/bin/bash
# hosts.sh DTGC HANG DIR MPIEXEC ALGORITHMS: a mesh of 8 on two hosts, made of network namespaces: each has its own network, joined by
# a cable of two veth devices, its own name and its own /dev/shm. Two processes of two devices each per host give the
# bits of 8 threads; exchanges are done as they are priced; a process that hangs is named with its host, and so is one whose host cannot be reached any more.
# Skipped (77) where namespaces cannot be made.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 hang=$2 dir=$3 mpiexec=$4 algorithms=$5
here=$(cd "$(dirname "$0")" && pwd)
digits=$here/../../samples/digits
a=dtg-a-$$ b=dtg-b-$$
net=10.$((200 + $$ % 50)).$(($$ / 50 % 250))

skip() {
  echo "skipped: $1"
  exit 77
}
[ "$(id -u)" -eq 0 ] || skip 'network namespaces need root'
command -v ip >/dev/null && command -v unshare >/dev/null || skip 'no ip or unshare (iproute2, util-linux)'
cleanup() {
  for ns in $a $b; do
    [ -n "${made:-}" ] && ip netns pids $ns 2>/dev/null | xargs -r kill -9
    ip netns del $ns 2>/dev/null
  done
}
ip netns add $a 2>err.$$ || { why=$(cat err.$$); rm -f err.$$; skip "ip netns add: $why"; }
rm -f err.$$
trap cleanup EXIT
made=1
rm -rf "$dir"
mkdir -p "$dir" && cd "$dir" || exit 99
unshare -u -m true 2>err.txt || skip "unshare: $(cat err.txt)"
{ ip netns add $b && ip -n $a link add east type veth peer name west netns $b && ip -n $a addr add $net.1/24 dev east &&
  ip -n $b addr add $net.2/24 dev west && ip -n $a link set lo up && ip -n $b link set lo up &&
  ip -n $a link set east up && ip -n $b link set west up; } 2>err.txt || skip "veth: $(cat err.txt)"
for i in $(seq 50); do # a cable takes a moment
  ip -n $a link show east | grep -q 'state UP' && ip -n $b link show west | grep -q 'state UP' && break
  sleep 0.1
done

# In the place of ssh: `hostsh [options] HOST COMMAND...`.
cat >hostsh <<EOF
#!/bin/bash
while [ "\${1#-}" != "\$1" ]; do shift; done
case \$1 in
  $net.1) ns=$a name=east ;;
  $net.2) ns=$b name=west ;;
  *) echo "hostsh: no host \$1" >&2; exit 1 ;;
esac
shift
exec ip netns exec \$ns unshare -u -m bash -c "hostname \$name && mount -t tmpfs -o size=256m none /dev/shm && exec \$*"
EOF
chmod +x hostsh
ppn=2
# Two processes on each of two hosts. UCX would find that its shared memory leads to the other host and is not the same.
on_hosts() {
  UCX_TLS=tcp,self UCX_NET_DEVICES=all timeout 100 ./hostsh $net.1 "$mpiexec" -launcher ssh -launcher-exec "$dir/hostsh" \
    -hosts $net.1,$net.2 -ppn $ppn -n $((2 * ppn)) "$@" >out.txt 2>err.txt </dev/null
}
evidence=(err.txt)
on_hosts hostname || fail 'two processes on each of two hosts'
[ "$(sort out.txt | tr '\n' ' ')" = 'east east west west ' ] || fail "hosts are $(sort out.txt | tr '\n' ' ')"

on_hosts "$algorithms" mpi hosts 4 2 || fail 'exchanges between hosts are not what was priced'
grep -q '^messages-two-shot [1-9]' out.txt || fail "no all-reduce by messages: $(cat out.txt)"

fit="fit train --feed image=$digits/data/digits.csv.gz:0-63 --feed label=$digits/data/digits.csv.gz:64 --limit 300 --epochs 1 --plain"
"$dtgc" "$digits/digits.dtg" "$digits/mixed.dtg" --also batch=12 -o digits >out.txt 2>err.txt || fail 'no executable'
./digits $fit --transport threads --log threads.csv >out.txt 2>err.txt || fail 'threads'
on_hosts ./digits $fit --log hosts.csv || fail 'training on two hosts'
DTRT_MPI_SHARED=0 on_hosts ./digits $fit --log apart.csv || fail 'training on two hosts, all by messages'
# Four times: closing connections hung in MPI_Finalize now and then.
for i in 1 2 3 4; do
  on_hosts "$dtgc" run "$digits/digits.dtg" "$digits/mixed.dtg" $fit --log compiled.csv || fail "dtgc run on two hosts, time $i"
done
for log in threads hosts apart compiled; do cut -d, -f1,2,4- $log.csv >$log.bits; done
for log in hosts apart compiled; do cmp -s threads.bits $log.bits || fail "$log has other bits than threads"; done

# A host is lost: training goes on with the ranks of the other, and the same mesh, so the same bits.
printf '%s:2\n' $net.1 $net.2 >hosts.txt
UCX_TLS=tcp,self UCX_NET_DEVICES=all timeout 100 ./hostsh $net.1 "$dtgc" launch --hosts hosts.txt --elastic 2:4 \
  --with "$mpiexec\ -launcher\ ssh\ -launcher-exec\ $dir/hostsh" -- ./digits $fit --epochs 40 --save lost >out.txt 2>err.txt </dev/null &
job=$!
for _ in $(seq 600); do compgen -G 'lost/step-*' >/dev/null && break || sleep 0.05; done
ip netns pids $b | xargs -r kill -9
wait $job || fail "a host that is lost: status $?"
grep -q 'on host west (process [0-9]*) .*restart 1 of 5 with 2 ranks from step-' err.txt || fail 'a host that is lost is not named'
./digits $fit --epochs 40 --transport threads --save never-lost >out.txt 2>&1 || fail 'threads, saving'
"$dtgc" checkpoint diff lost never-lost >out.txt || fail "a host that is lost: other bits: $(cat out.txt)"

# named HOW RANK HOST
named() {
  DTRT_TIMEOUT=3 on_hosts "$hang" 8 $1 && fail "$1: all is well"
  grep -q "rank $2.* on host $3.* did not reach .* within 3 s" out.txt err.txt || fail "$1: rank $2 on host $3 is not named"
}
named stopped 1 east
named before-mpi 1 east
named barrier 1 east

# A rank alone on its host is killed, and the launcher does not notice (here it has started a shell, which lives on): the
# connection between the hosts ends with it.
ppn=1
cat >lives-on <<'END'
#!/bin/sh
"$@"
s=$?
[ $s = 137 ] && sleep 30
exit $s
END
chmod +x lives-on
died() { # HOW RANK HOST OTHER
  start=$SECONDS
  on_hosts "$dir/lives-on" "$hang" 2 $1 && fail "$1: all is well"
  grep -q "^rank $2 on host $3 has died; rank $4 was at" err.txt out.txt || fail "$1: rank $2 on host $3 is not named"
  [ $((SECONDS - start)) -lt 20 ] || fail "$1: found after $((SECONDS - start)) s"
}
died dies-step 1 west 0
died first-dies-call 0 east 1
ppn=2

# The cable is pulled out while steps run.
DTRT_TIMEOUT=3 on_hosts "$hang" 8 long &
job=$!
sleep 3
ip -n $a link set east down
for i in $(seq 150); do
  grep -q 'did not reach' err.txt && break
  sleep 0.1
done
grep -q 'rank 2 on host west, rank 3 on host west did not reach entry `train`.* within 3 s' err.txt ||
  grep -q 'rank [23] on host west did not reach entry `train`.* within 3 s' err.txt || fail 'the cable: no rank of west is named'
ip netns pids $b | xargs -r kill -9
ip netns pids $a | xargs -r kill -9
wait $job
ip -n $a link set east up
[ $failed -eq 0 ] && echo 'two hosts agree with threads'
exit $failed
