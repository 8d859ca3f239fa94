#!/bin/sh
# traffic.sh DTGC DIR: on whole programs the bytes that the plan foretells (--dump=cost) are those that the
# runtime counts: the most that any device receives. All sizes divide, so that the same device is the busiest always.
# So are the algorithms: the same names, each for as many exchanges.
dtgc=$1 dir=$2 bad=0
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$dir" && cd "$dir" || exit 1
awk 'BEGIN { for (i = 0; i < 64; i++) { for (j = 0; j < 64; j++) printf "%s%d", j ? "," : "", (i * j) % 7; print "" } }' >square.csv
head -32 square.csv >image.csv
awk 'BEGIN { for (i = 0; i < 32; i++) print i % 16 }' >label.csv
check() { # ENTRY FEEDS LAYOUTS...
  entry=$1 feeds=$2
  shift 2
  "$dtgc" "$here/traffic.dtg" "$@" --dump=cost >cost.txt
  "$dtgc" run "$here/traffic.dtg" "$@" call "$entry" $feeds --traffic --transport threads >ran.txt
  plan=$(awk -v e="entry $entry:" 'index($0, e) { on = 1 } on && /exchanges/ { print $5; exit }' cost.txt)
  counted=$(awk '/^device/ { if ($4 + 0 > m) m = $4 + 0 } END { print m + 0 }' ran.txt)
  awk -v e="entry $entry:" '/^entry/ { on = index($0, e) } on && $1 == "by" { print $2, $NF }' cost.txt | sort >priced.txt
  awk '/^device/ { on = $2 == "0:" } on && $1 == "by" { print $2, $3 }' ran.txt | sort >used.txt
  if [ ! -s priced.txt ] || ! cmp -s priced.txt used.txt; then
    echo "$entry under $*: priced as $(cat priced.txt), done by $(cat used.txt)"
    bad=1
  fi
  if [ -z "$plan" ] || [ "$plan" != "$counted" ]; then
    echo "$entry under $*: planned $plan bytes a device, counted $counted"
    bad=1
  else
    echo "$entry under $*: $plan bytes"
  fi
}
train="--feed image=image.csv --feed label=label.csv"
moves="--feed a=image.csv --feed i=square.csv"
check train "$train" --mesh x=2,y=2 --layout 'train.image=[x, _]'
check train "$train" --mesh x=4,y=2 --layout 'train.image=[x, _]' --layout 'train.label=[x]'
check train "$train" --mesh x=2,y=2 --layout 'train.image=[x, _]' --layout 'model.d1.w=[_, y]' --layout 'model.d2.w=[y, _]'
check train "$train" --mesh x=2,y=4 --layout 'model.d1.w=[y, _]'
check train "$train" --mesh x=8,y=1 --layout 'train.image=[x, _]' --layout 'opt.m[model.d1.w]=[x, _]'
check many '' --mesh x=2,y=1 --layout 'big=[x, _]'
check many '' --mesh x=4,y=2 --layout 'big=[(x, y), _]'
check moves "$moves" --mesh x=2,y=2 --layout 'moves.a=[x, _]'
check moves "$moves" --mesh x=4,y=2 --layout 'moves.a=[x, y]' --layout 'moves.i=[y, x]'
exit $bad
