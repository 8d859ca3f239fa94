#!/bin/bash
# Products in panels: the bits are those of --disable=panels under tensor, sequence and 2-D parallel layouts, of f32 and bf16, with dims
# that panels do not divide, on threads and under MPI; bytes stay, and f64, whose order of sums the BLAS chooses, stays whole.
#   panels.sh DTGC FOLDER WIRE.MACHINE [MPIEXEC]
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 machine=$(realpath "$3") mpiexec=${4:-}
fresh_folder "$2"
export DTGC_FLAGS="-O0 --no-lines --machine=$machine"

cat >mlp.dtg <<'E'
param start: TYPE[22, 36] = normal()
param u: TYPE[36, 64] = normal(stddev=0.2)
param v: TYPE[64, 36] = normal(stddev=0.2)
entry train() {
  x = tanh(start * 1.5)
  h = tanh(x @ u)
  y = h @ v
  z = tanh((x + y) @ u) @ v
  loss = mean(z ** 2)
  g = grad(loss, u)
  d = grad(loss, start)
  return loss = f32(loss), y = f32(y), z = f32(z), g = f32(g), d = f32(d)
}
E
cat >attention.dtg <<'E'
param start: TYPE[4, 14, 32] = normal()
param q: TYPE[32, 4, 8] = normal(stddev=0.2)
param k: TYPE[32, 4, 8] = normal(stddev=0.2)
param v: TYPE[32, 4, 8] = normal(stddev=0.2)
param o: TYPE[4, 8, 32] = normal(stddev=0.2)
entry train() {
  x = tanh(start * 1.5)
  Q = einsum("bsd,dhe->bshe", x, q)
  K = einsum("bsd,dhe->bshe", x, k)
  V = einsum("bsd,dhe->bshe", x, v)
  z = einsum("bhst,bthe->bshe", softmax(einsum("bshe,bthe->bhst", Q, K)), V)
  y = einsum("bshe,hed->bsd", z, o)
  loss = mean(y ** 2)
  g = grad(loss, q)
  d = grad(loss, start)
  return loss = f32(loss), y = f32(y), z = f32(z), g = f32(g), d = f32(d)
}
E
outs=$(for o in loss y z g d; do echo "--out $o=out-$o.npy"; done)
# bits FILE [OPTIONS]: the sum of what a call computes
bits() {
  rm -f out-*.npy
  timeout 100 ${start:-} "$dtgc" run "$@" call train --seed 3 $outs >said 2>&1 </dev/null || { echo "failed: $(cat said)"; return; }
  cat out-*.npy | cksum
}
comm() { "$dtgc" "$@" --dump=comm --json; } # for programs: without the search for edits that the text ends with
bytes() { grep -o '"name":"train",[^[]*"bytes":[0-9]*' "$1" | grep -o '[0-9]*$' || echo "$1 has none"; }
second='"panel":2,"panels":'

# try NAME MODEL RANKS MESH, and layouts on standard input. RANKS 0: on threads alone.
try() {
  local name=$1 layouts type whole
  layouts=$(cat)
  for type in f32 bf16 f64; do
    { echo "mesh [$4]"; sed "s/TYPE/$type/" "$2.dtg"; echo "$layouts"; } >"$name-$type.dtg"
    [ $type = f64 ] && break
    [ $type = bf16 ] && [[ ! tensor,summa,grid, == *$name,* ]] && continue
    whole=$(bits "$name-$type.dtg" --disable=panels)
    [[ $whole != failed* ]] || fail "$name $type: $whole"
    is "the bits of $name $type" "$(bits "$name-$type.dtg")" "$whole"
    comm "$name-$type.dtg" >comm
    comm "$name-$type.dtg" --disable=panels >comm-whole
    # What is most on any device is counted, and of 22 rows on 4 devices that is another one in each panel.
    [ $name = shards ] || is "the bytes of $name $type" "$(bytes comm)" "$(bytes comm-whole)"
    [ $type != f32 ] || grep -q "$second" comm || fail "$name $type: nothing is in panels"
    ! grep -q "$second" comm-whole || fail "$name $type: panels in spite of --disable"
    [ -z "$mpiexec" ] || [ $type != f32 ] || [ "$3" = 0 ] ||
      is "the bits of $name under MPI" "$(DTRT_MPI_SHARED=0 start="$mpiexec -n $3" bits "$name-$type.dtg")" "$whole"
  done
  [[ $(comm "$name-f64.dtg") != *"$second"* ]] || fail "$name f64 is in panels"
}

try tensor mlp 4 a=2,b=2 <<'E'
layout u = [_, b]
layout v = [b, _]
layout train.x = [a, _]
layout train.y = [a, _]
E
try sequence mlp 2 a=2 <<'E'
layout u = [_, a]
layout v = [a, _]
layout train.x = [a, _]
layout train.y = [a, _]
E
try summa mlp 4 a=2,b=2 <<'E'
layout u = [a, b] forbid gather
layout v = [a, b] forbid gather
layout "train\.[xyhz]" = [a, b]
E
try wide mlp 0 a=2,b=4 <<'E'
layout u = [a, b]
layout v = [a, b]
layout "train\.[xyh]" = [a, b]
E
try three mlp 3 a=3 <<'E'
layout u = [_, a]
layout v = [a, _]
layout "train\.[xy]" = [_, a]
E
try shards mlp 0 a=4 <<'E'
layout u = [a, _]
layout v = [_, a]
layout start = [a, _]
layout train.x = [a, _]
E
try heads attention 0 a=2,b=2 <<'E'
layout "[qkv]" = [_, b, _]
layout o = [b, _, _]
layout "train\.[xy]" = [a, b, _]
E
try grid attention 4 a=2,b=2 <<'E'
layout "[qkv]" = [a, b, _]
layout o = [a, _, b]
layout "train\.[xy]" = [a, _, b]
layout "train\.[QKVz]" = [a, _, b, _]
E

# Where devices read each other's memory computation hides nothing, and nothing goes in panels.
[[ $("$dtgc" tensor-f32.dtg --dump=comm | tr -s ' \n' ' ') == *'panel 2 of'* ]] || fail 'the text has no panels'
[[ $(DTGC_FLAGS=--machine=generic comm tensor-f32.dtg) != *"$second"* ]] || fail 'panels without messages'
# A panel is on its way while the one before it is multiplied.
"$dtgc" summa-f32.dtg --dump=loops | grep -A4 'start all-gather' | grep -q 'contract' || fail 'no product while a panel is on its way'
expect 0 'they agree' "$dtgc" verify tensor-f32.dtg
exit $failed
