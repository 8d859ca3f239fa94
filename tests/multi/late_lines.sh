#!/bin/bash
# late_lines.sh DTGC DIR LATE: a rank that ended before the launcher had seen the connections of its output lost all of that.
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1 late=$3
rm -rf "$2"
mkdir -p "$2" && cd "$2" || exit 99
is 'what ranks print' "$(LD_PRELOAD="$late" "$dtgc" launch -n 2 -- echo a line | grep -c '^a line$')" 2
is 'what a rank says last' "$(LD_PRELOAD="$late" "$dtgc" launch -n 1 -- ls no-such-file 2>&1 | grep -c '^ls: .*no-such-file')" 1
# Output that came with the first line of its connection was taken for a line of the launcher's own, and lost where it was long.
is 'what a rank printed before it was looked at' "$(LD_PRELOAD="$late" "$dtgc" launch -n 2 -- seq 3000 | wc -l)" 6000
exit $failed
