#!/bin/bash
# A wider halo for several runs of a loop: the bits are those of --disable=halos, for any number of runs, of loops that count and of
# others, of several fields and what they read from outside, over one and two dims, on threads and under MPI; dumps say it.
#   halos.sh DTGC FOLDER [MPIEXEC]
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 mpiexec=${3:-}
fresh_folder "$2"
# A message takes longer than many runs, and `carries` would leave nothing split.
cat >far.machine <<'E'
flops = 50 Gflop/s
vector_flops = 10 Gflop/s
memory_bandwidth = 10 GB/s
start = 0.5 us
link bandwidth=1GB/s latency=1ms message=5us by=messages
E
export DTGC_FLAGS="-O0 --no-lines --machine=$PWD/far.machine"
cat >loops.dtg <<'E'
const n = 42
const m = 37
fn values(shape, k) { return f32(sin(f64(iota(shape, axis=0) * 5 + iota(shape, axis=-1) * 3 + k))) }
fn five(u) {
  p = pad(u, [1, 1], [1, 1])
  return p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * u
}
entry heat(steps: i32[]) {
  u = values([n, m], 0)
  rate = 0.1 + 0.05 * values([n, m], 1) # of each point, read in all runs
  repeat i in 0..steps { u = u + rate * five(u) }
  return u
}
entry wave(steps: i32[]) {
  u = values([n, m], 0)
  before = values([n, m], 2)
  repeat i in 0..steps {
    next = 2 * u - before + 0.2 * five(u)
    before = u
    u = where(abs(next) > 2, 0 * next, next)
  }
  return u, before
}
entry until(steps: i32[]) { # a loop that counts down, and two stencils in a run, to one side
  u = values([n, m], 0)
  v = values([n, m], 3)
  left = steps
  while left > 0 {
    p = pad(u, [2, 0], [0, 0], value=1)
    v = 0.5 * v + 0.25 * (p[:-2] + u)
    q = pad(v, [0, 0], [1, 3])
    u = tanh(v - q[1:, 3:] + 0.01 * f32(left))
    left = left - 1
  }
  return u, v
}
entry line(steps: i32[]) {
  x = i64(100 * sin(f64(iota([n * 3]))))
  repeat i in 3..steps + 3 {
    p = pad(x, [1], [2])
    x = (p[:-3] + 3 * x - p[3:] + i64(i)) % 1009
  }
  return x
}
entry several(steps: i32[]) { # one behind the other, and in another loop
  u = values([n, m], 5)
  repeat i in 0..steps { u = u + 0.1 * five(u) }
  middle = mean(u)
  repeat k in 0..2 {
    repeat i in 0..steps + k { u = u + 0.2 * five(u) }
    u = u / (1 + max(abs(u)))
  }
  return u, middle
}
entry torus(steps: i32[]) { # what is around a device goes on at the other end
  u = values([n, m], 6)
  repeat i in 0..steps {
    p = pad(u, [1, 2], [1, 1], mode="wrap")
    u = u + 0.1 * (roll(u, 1) + roll(u, [-1, 1], axis=[0, 1]) + p[1:-1, :-3] + p[2:, 3:] - 4 * u)
  }
  return u
}
entry tube(steps: i32[]) { # one way round, the other to an end
  u = values([n, m], 7)
  repeat i in 0..steps {
    p = pad(u, [0, 1], [0, 1])
    u = u + 0.1 * (roll(u, 1) + roll(u, -2) + p[:, 2:] + f32(iota([n, m], axis=1)) * p[:, :-2] / m - 4 * u)
  }
  return u
}
entry uneven(steps: i32[]) { # stays as it is: what is rolled is not made in the same way at the other end
  u = i32(100 * values([n, m], 8))
  repeat i in 0..steps { u = (u + roll(u * iota([n, m]), 1)) % 1009 }
  return u
}
entry fixed() {
  u = values([n, m], 4)
  repeat i in 0..23 { u = u + 0.2 * five(u) }
  return u
}
E
layouts() {
  cat <<E
mesh [h=$1, w=$2]
layout heat.u = [h, w]
layout wave.u = [h, w]
layout wave.before = [h, w]
layout until.u = [h, w]
layout until.v = [h, w]
layout several.u = [h, w]
layout line.x = [h]
layout torus.u = [h, w]
layout tube.u = [h, w]
layout uneven.u = [h, w]
layout fixed.u = [h, w]
E
}
layouts 2 2 >grid.dtg
layouts 3 1 >rows.dtg

# bits ENTRY STEPS OPTIONS...: the sum of what a call computes
bits() {
  local entry=$1 steps=$2 outs=()
  shift 2
  case $entry in
    wave) outs=(--out u=1.npy --out before=2.npy) ;;
    until) outs=(--out u=1.npy --out v=2.npy) ;;
    several) outs=(--out u=1.npy --out middle=2.npy) ;;
    line) outs=(--out x=1.npy) ;;
    *) outs=(--out u=1.npy) ;;
  esac
  [ "$entry" = fixed ] || outs+=(--feed steps="$steps")
  rm -f 1.npy 2.npy
  timeout 100 ${start:-} "$dtgc" run loops.dtg "$@" call "$entry" "${outs[@]}" >said 2>&1 </dev/null || { echo "failed: $(cat said)"; return; }
  cat [12].npy | cksum
}
# Of the loops themselves; those for what is left of such loops may have wider halos, too.
runs() { grep -v 'runs that are left' "$1" | grep -o 'each [0-9]* runs as written' | grep -o '[0-9]*'; }

for on in grid rows; do
  "$dtgc" loops.dtg $on.dtg --disable=carries --dump=spmd >spmd
  [ "$(runs spmd | wc -l)" -eq 9 ] || fail "$on: not all nine loops have a wider halo: $(runs spmd | tr '\n' ' ')"
  for entry in heat wave until several line torus tube uneven fixed; do
    for steps in 0 1 2 7 24; do
      [ $entry != fixed ] || [ $steps = 7 ] || continue
      is "$entry on $on, $steps runs" "$(bits $entry $steps $on.dtg --disable=carries)" "$(bits $entry $steps $on.dtg --disable=carries,halos)"
    done
  done
done
grep -q 'each [0-9]* runs as written, the runs that are left' spmd || fail "no loop for what is left has a wider halo"
if [ -n "$mpiexec" ]; then
  for entry in heat until torus; do
    is "$entry under MPI" "$(start="timeout 60 $mpiexec -n 4" bits $entry 11 grid.dtg --disable=carries)" "$(bits $entry 11 grid.dtg --disable=carries,halos)"
  done
fi

# Dumps say how many runs an exchange serves; what stays as it is stays.
"$dtgc" loops.dtg grid.dtg --disable=carries --dump=comm >comm
grep -q 'serves [0-9]* runs of the loop' comm || fail "--dump=comm does not say how many runs an exchange serves"
"$dtgc" loops.dtg grid.dtg --disable=carries --dump=memory --json >memory.json
grep -q '"serves_runs":[0-9]' memory.json || fail "the JSON of --dump=memory has no serves_runs"
"$dtgc" loops.dtg grid.dtg --disable=carries --dump=memory | grep -q 'each [0-9]* runs as written' || fail "--dump=memory does not say it"
for told in --why=heat.u --emit-html=page.html; do
  "$dtgc" loops.dtg grid.dtg --disable=carries "${told%%=*}" "${told#*=}" >told || fail "$told fails"
  [ ! -f page.html ] || mv page.html told
  grep -q 'serves [0-9]* runs of the loop' told || fail "$told does not say how many runs an exchange serves"
done
for how in "--memory 1GB" "--machine=generic -D n=2000 -D m=2000"; do
  # shellcheck disable=SC2086
  [ -z "$("$dtgc" loops.dtg grid.dtg $how --disable=carries --dump=spmd | sed -n '/^entry heat/,/^}/p' | grep 'as written')" ] || fail "$how: a loop has a wider halo"
done
cat >sums.dtg <<'E'
entry f(x: f32[64], n: i32[]) {
  repeat i in 0..n {
    p = pad(x, [1], [1])
    x = (p[:-2] + p[2:]) / (1 + sum(x * x))
  }
  return x
}
E
printf 'mesh [a=2]\nlayout f.x = [a]\n' >sums_on.dtg
[ -z "$("$dtgc" sums.dtg sums_on.dtg --disable=carries --dump=spmd | grep 'as written')" ] || fail "a loop with sums has a wider halo"
exit $failed
