#!/bin/bash
# differs.sh DTGC DIR MPIEXEC: ranks that were given another program, option or file ran as one (x*2 on one and x*3 on the
# other: [2,2,3,3], status 0), or waited 600 s for each other. The first difference is named, with both ranks and values.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 mpiexec=$3
rm -rf "$2"
mkdir -p "$2" && cd "$2" || exit 99
export DTRT_TIMEOUT=30
cat >one.dtg <<'END'
const batch = 4
const rate = 0.1
param w: f32[3] = zeros()
entry train(x: f32[batch, 3]) {
  w <- w + rate * mean(x, axis=0)
  return loss = mean(x * 2)
}
entry eval(x: f32[batch, 3]) { return score = mean(x * w) }
entry other(x: f32[batch, 3]) { return score = mean(x - w) }
END
printf 'mesh [a=4]\nlayout x = [a, ...]\n' >4.dtg
sed 's/x \* 2/x * 3/' one.dtg >two.dtg
sed 's/rate = 0.1/rate = 0.2/' one.dtg >rate.dtg
{ echo '# A remark and a blank line compute nothing.'; echo; sed 's/^  return loss/  return loss/' one.dtg; } >remark.dtg
for name in one two rate remark; do "$dtgc" $name.dtg 4.dtg -o $name || { echo "no executable $name"; exit 1; }; done
awk 'BEGIN { for (i = 0; i < 16; i++) print i "," i * 2 % 5 "," i * 3 % 7 }' >d.csv
mkdir elsewhere && cp d.csv elsewhere/same.csv
sed '9s/.*/1,1,1/' d.csv >other.csv
head -12 d.csv >short.csv
dd if=/dev/zero of=big.bin bs=1M count=24 2>/dev/null
cp big.bin big-other.bin && printf x | dd of=big-other.bin bs=1 seek=25165823 conv=notrunc 2>/dev/null
./one fit train --feed x=d.csv --epochs 1 --save loaded >/dev/null && ./one fit train --feed x=d.csv --epochs 3 --save loaded-3 >/dev/null
"$dtgc" checkpoint reshard loaded a.safetensors >/dev/null && "$dtgc" checkpoint reshard loaded-3 b.safetensors >/dev/null

evidence=(out.txt err.txt)
both() { # COMMAND -- COMMAND of rank 1
  local first=()
  while [ "$1" != -- ]; do first+=("$1") && shift; done
  shift
  timeout 200 "$mpiexec" -n 1 "${first[@]}" : -n 1 "$@" >out.txt 2>err.txt </dev/null
}
# differs TEXT COMMAND -- COMMAND
differs() {
  local text=$1 start=$SECONDS
  shift
  both "$@" && fail "$*: accepted"
  [ "$(grep -cF -- "$text" err.txt)" = 1 ] || fail "$*: not once \"$text\""
  grep -q 'all ranks must' err.txt || fail "$*: does not say what to do"
  [ $((SECONDS - start)) -lt 60 ] || fail "$*: found after $((SECONDS - start)) s"
}
fine() { both "$@" || fail "$*: refused"; }

fit='fit train --feed x=d.csv --epochs 2'
differs "the hash of entry \`train\`'s code is " ./one call train --feed x=short.csv -- ./two call train --feed x=short.csv
differs 'const `rate` is 0.2' ./one $fit -- ./rate $fit
differs 'on rank 1, but 0.1' ./one $fit -- ./rate $fit
differs '--epochs is 3 on rank 1, but 2 on rank 0' ./one $fit -- ./one fit train --feed x=d.csv --epochs 3
differs '--shuffle is 8 on rank 1, but 7 on rank 0' ./one $fit --shuffle 7 -- ./one $fit --shuffle 8
differs '--shuffle is not given on rank 1, but 7 on rank 0' ./one $fit --shuffle 7 -- ./one $fit
differs '--eval is other on rank 1, but eval on rank 0' ./one $fit --eval eval --eval-feed x=d.csv -- ./one $fit --eval other --eval-feed x=d.csv
differs '--eval is not given on rank 1, but eval on rank 0' ./one $fit --eval eval --eval-feed x=d.csv -- ./one $fit
differs '--load is given on rank 1, but not given on rank 0' ./one $fit -- ./one $fit --load loaded
differs '--every is 2 on rank 1, but 1 on rank 0' ./one $fit --save s --every 1 -- ./one $fit --save s --every 2
differs '--limit is 8 on rank 1, but not given on rank 0' ./one $fit -- ./one $fit --limit 8
differs '--stop-on-nan is given on rank 1' ./one $fit -- ./one $fit --stop-on-nan
differs 'the command is call train on rank 1, but fit train on rank 0' ./one $fit -- ./one call train --feed x=d.csv
differs 'the command is info  on rank 1, but call train on rank 0' ./one call train --feed x=d.csv -- ./one info
differs 'the command is call train on rank 1, but info  on rank 0' ./one info -- ./one call train --feed x=d.csv
differs '--feed x is f32[16, 3] with checksum' ./one $fit -- ./one fit train --feed x=other.csv --epochs 2
differs '--feed x is f32[12, 3] with checksum' ./one $fit -- ./one fit train --feed x=short.csv --epochs 2
differs ' of a sample on rank 1' ./one fit train --feed x=big.bin:f32[3] --steps 1 -- ./one fit train --feed x=big-other.bin:f32[3] --steps 1
differs 'rank 0 sees different contents' ./one $fit --load loaded -- ./one $fit --load loaded-3
differs 'rank 0 sees different contents' ./one $fit --load a.safetensors -- ./one $fit --load b.safetensors

fine ./one $fit -- ./remark $fit
fine ./one info -- ./one info
fine ./one $fit -- ./one fit train --feed x=elsewhere/same.csv --epochs 2
fine ./one $fit --log a.csv --log-steps as.csv -- ./one $fit --log b.csv --plain --timeout 20 --prefetch 0
fine ./one $fit --log-ranks a.csv -- ./one $fit --log-ranks b.csv
differs '--log-ranks is not given on rank 1, but given on rank 0' ./one $fit --log-ranks a.csv -- ./one $fit
fine ./one $fit --profile a.json -- ./one $fit --profile b.json
[ $failed -eq 0 ] && echo 'differences are named'
exit $failed
