#!/bin/bash
# meshes.sh DTGC DIR: what is saved on one mesh is restored on another, bit for bit, and training goes on from a
# checkpoint as if it had never stopped.
. "$(dirname "$0")/kit.sh" "$1" "$2"

# From 2x2 to another mesh and back: the files are the same again.
ok start 2x2 fit train $feed --epochs 2 --shuffle 5 --save run
ls -d run/step-000004 run/step-000008 >/dev/null || fail "epochs of 4 steps: $(ls run)"
for mesh in one 4 2x3; do
  ok "2x2 to $mesh" $mesh call keep --load run --save to-$mesh
  ok "$mesh to 2x2" 2x2 call keep --load to-$mesh --save back-$mesh
  same "2x2 to $mesh and back" run/step-000008 back-$mesh
done
[ "$(ls to-one | wc -l)" = 2 ] || fail "one device writes one file"
[ "$(ls run/step-000008 | wc -l)" = 5 ] || fail "four devices write a file each"
ok 'between uneven ones' 2x3 call keep --load to-4 --save uneven
same 'between uneven ones' uneven to-2x3

# Without a stop, and with one in the middle of an epoch: the same bits, the same log but for the seconds.
for mesh in one 2x3; do
  fit="fit train $feed --shuffle 5 --eval eval --eval-feed x=d.csv:0-4 --eval-feed y=d.csv:5"
  ok whole $mesh $fit --epochs 3 --save whole-$mesh --log whole.csv
  ok part $mesh $fit --epochs 3 --save part-$mesh --log part.csv --every 5 --keep 9
  grep -q 'starting new' out.txt && fail "without --resume nothing is said of starting new"
  [ "$(ls part-$mesh | tr '\n' ' ')" = 'step-000005 step-000010 step-000012 ' ] || fail "every 5: $(ls part-$mesh)"
  rm -rf part-$mesh/step-00001?
  head -2 part.csv >kept && mv kept part.csv
  ok resumed $mesh $fit --epochs 3 --save part-$mesh --log part.csv --every 5 --resume
  grep -q "^restored part-$mesh/step-000005: continuing after step 1 of epoch 2" out.txt || fail "not said: $(cat out.txt)"
  # Its rate is that of the three steps that it ran itself.
  rate=$(sed -n 's|^epoch 2/3 .*  \([0-9.]*\) steps/s .*|\1|p' out.txt)
  awk -F, -v rate="$rate" '$1 == 2 { n = rate * $3; exit !(n > 2.5 && n < 3.5) }' part.csv ||
    fail "a resumed epoch of 3 more steps runs $rate steps/s: $(cat part.csv)"
  same "resumed on $mesh" whole-$mesh/step-000012 part-$mesh/step-000012
  cut -d, -f1,2,4- whole.csv >a && cut -d, -f1,2,4- part.csv >b && cmp -s a b || fail "the logs differ: $(cat whole.csv part.csv)"
  ok 'nothing to do' $mesh $fit --epochs 3 --save part-$mesh --resume
  grep -q 'training is complete' out.txt || fail "not said: $(cat out.txt)"
done

ok 'first time' one $fit --epochs 5 --save new --resume
grep -q '^no checkpoint in new: starting new' out.txt || fail "not said: $(cat out.txt)"
[ "$(ls new | tr '\n' ' ')" = 'step-000012 step-000016 step-000020 ' ] || fail "keeps three: $(ls new)"
refused 'not asked to go on' 'it holds checkpoints (the newest: step-000020)' one $fit --epochs 6 --save new
ok mid one $fit --epochs 1 --save mid --every 3 --keep 9
rm -rf mid/step-000004
refused 'other rows' 'it was saved within an epoch of 20 rows, and now there are 19' one $fit --epochs 3 --limit 19 --save mid --resume
refused 'other order' 'shuffled with --shuffle 5' one $fit --shuffle 6 --epochs 3 --save mid --resume

# --steps that ends within an epoch: more steps go on from there.
ok 'ten steps' 2x2 fit train $feed --shuffle 5 --steps 10 --save ten
ok 'six steps' 2x2 fit train $feed --shuffle 5 --steps 6 --save six
ok 'and four' 2x2 fit train $feed --shuffle 5 --steps 10 --save six --resume
grep -q 'continuing after step 2 of epoch 2' out.txt || fail "not said: $(cat out.txt)"
same 'six steps and four' ten/step-000010 six/step-000010
ok 'and none' 2x2 fit train $feed --shuffle 5 --steps 10 --save six --resume
grep -q 'training is complete' out.txt || fail "not said: $(cat out.txt)"
grep -q '^epoch' out.txt && fail "an epoch that is over is told again: $(cat out.txt)"
done_testing
