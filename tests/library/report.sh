#!/bin/bash
# fit --report: a confusion matrix after each epoch agrees with the evaluation's mean, on one device and on 2x2.
#   report.sh DTGC FOLDER
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
fresh_folder "$2"
cat >m.dtg <<'E'
import "nn"
import "optim"
import "metric"
const batch = 8
model = dense(4, 3)
opt = sgd(model, lr=0.05)
seen = confusion(3)
entry train(x: f32[batch, 4], y: i32[batch]) {
  loss = sparse_cross_entropy(model(x), y)
  opt.minimize(loss)
  return loss
}
entry eval(x: f32[batch, 4], y: i32[batch]) {
  logits = model(x)
  seen.update(argmax(logits, axis=1), y)
  return accuracy = accuracy(logits, y)
}
entry scores() {
  accuracy = seen.accuracy()
  rows = f32(sum(seen.counts))
  seen.reset()
  return accuracy, rows
}
entry nothing() { return whole = sum(i32(seen.counts)) }
E
awk 'BEGIN { for (i = 0; i < 30; i++) printf "%d,%d,%d,%d,%d\n", i % 7, i % 5, i % 3, i * i % 11, i % 3 }' >d.csv
feeds="--feed x=d.csv:0-3 --feed y=d.csv:4 --eval eval --eval-feed x=d.csv:0-3 --eval-feed y=d.csv:4 --epochs 3"
for mesh in 'a=1,b=1' 'a=2,b=2'; do
  expect 0 'scores rows 30' "$dtgc" run m.dtg --mesh $mesh --layout 'x=[a, b]' --layout 'seen.counts=[b, _]' fit train $feeds --report scores --log $mesh.csv
  head -1 ./$mesh.csv | grep -q '^epoch,steps,seconds,loss,eval.accuracy,scores.accuracy,scores.rows$' || fail "columns: $(head -1 $mesh.csv)"
  # Both are f32 in other orders: 1e-6 apart at most.
  awk -F, 'NR > 1 { n++; d = $5 - $6; if (d > 1e-6 || d < -1e-6 || $7 != 30) bad = 1 } END { exit bad || n != 3 }' ./$mesh.csv || fail "on $mesh: $(cat ./$mesh.csv)"
done
expect 1 "'eval' has some" "$dtgc" run m.dtg fit train $feeds --report eval
expect 1 'no output is a float scalar' "$dtgc" run m.dtg fit train $feeds --report nothing
expect 2 'score' "$dtgc" run m.dtg fit train $feeds --report score
exit $failed
