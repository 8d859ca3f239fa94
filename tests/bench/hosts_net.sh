# hosts_net.sh: network namespaces joined by vswitch.c, for hosts and hosts_train: `hosts`, `mbit`, `delay` and `build` are set. Makes
# $dir/at, which takes the place of ssh, and the addresses 10.77.7.1 and on. Needs root, iproute2 and util-linux.
ninja -C "$build" bench_vswitch >/dev/null
dir=$(mktemp -d) name=dtg-bench-$$-
cleanup() {
  [ -z "${switch:-}" ] || kill "$switch" 2>/dev/null || true
  for i in $(seq 0 $((hosts - 1))); do ip netns del "$name$i" 2>/dev/null || true; done
  rm -rf "$dir"
}
trap cleanup EXIT
for i in $(seq 0 $((hosts - 1))); do ip netns add "$name$i"; done
"$build/tests/bench_vswitch" "$hosts" 9000 "$mbit" "$delay" "$name" >"$dir/said" & switch=$!
for _ in $(seq 100); do grep -q up "$dir/said" 2>/dev/null && break; sleep 0.1; done
# In the place of ssh: `at [options] ADDRESS COMMAND...`.
cat >"$dir/at" <<END
#!/bin/bash
while [ "\${1#-}" != "\$1" ]; do shift; done
address=\$1; shift; i=\$((\${address##*.} - 1))
exec ip netns exec $name\$i unshare -u -m bash -c "hostname h\$i && mount -t tmpfs -o size=3000m none /dev/shm && exec \$*"
END
chmod +x "$dir/at"
list=$(for i in $(seq "$hosts"); do printf '10.77.7.%d,' "$i"; done)
list=${list%,}
