#!/bin/bash
# beside.sh DTGC DIR: checkpoints that are written beside training have the bytes of those that training waits for. Short, for the build
# with the thread sanitizer: the first version wrote a flag that its thread read.
. "$(dirname "$0")/kit.sh" "$1" "$2"
for how in beside sync; do
  on 2x2 fit train $feed --shuffle 5 --epochs 8 --every 3 --keep 2 --save $how --transport threads $([ $how = sync ] && echo --save-sync) ||
    fail "$how: status $?: $(cat err.txt)"
done
for step in 30 32; do same "step $step" sync/step-0000$step beside/step-0000$step; done
done_testing
