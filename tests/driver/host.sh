#!/bin/bash
# `dtgc model.dtg host.c -o host`: an executable around a program of one's own.   host.sh DTGC FOLDER
set -u
. "$(dirname "$0")/../lib.sh"
dtgc=$1
docs=$(cd "$(dirname "$0")/../../docs" && pwd)
rm -rf "$2" && mkdir -p "$2" && cd "$2" || exit 2
export XDG_CACHE_HOME=$PWD/cache TMPDIR=$PWD
unset CFLAGS
# refused PART COMMAND...: it fails, says so, leaves the older executable and nothing else
refused() {
  local part=$1 out status
  shift
  out=$("$@" 2>&1)
  status=$?
  [ $status -ne 0 ] && [[ $out == *"$part"* ]] || fail "$*: expected a failure with \"$part\", found $status: $out"
  [ "$(sha256sum host 2>&1)" = "$sum" ] || fail "$*: the older executable has changed"
  ls -d host.new-* dtgc-* 2>/dev/null && fail "$*: leaves files behind"
}

cat >m.dtg <<'E'
const batch = 4
param w: f32[2] = 3
entry mul(x: f32[batch, 2]) { return y = sum(x * w, axis=1) }
mesh [a=2]
layout x = [a, _]
E
cat >host.c <<'E'
#include <dtrt.h>
#include "scale.h"
#include <stdint.h>
#include <stdio.h>
int main(void) {
  float x[] = {1, 2, 3, 4, 5, 6, 7, 8}, y[4], w[] = {1, SCALE};
  const void *in[] = {x};
  void *out[] = {y};
  dtrt_session *s;
  int which, mul = dtrt_find_entry(&dtg_program, "mul");
  dtrt_options o = {.transport = "threads"};
  if (dtrt_open(&dtg_program, &o, &s) || dtrt_call(s, mul, in, out)) return 1;
  printf("%g %g %g %g\n", y[0], y[1], y[2], y[3]);
  if (dtrt_set_var(s, dtrt_find_var(&dtg_program, "w"), w, sizeof w)) return 1;
  if (!dtg_variants[0] || dtg_variants[1]) return 2;
  if (dtrt_add_program(s, dtg_variants[0], &which)) return 3;
  if (dtrt_call(s, mul, in, out)) return 1;
  printf("%g %g %g %g of %s\n", y[0], y[1], y[2], y[3], part());
  printf("%d\n", (int)dtg_variants[0]->entry[mul].in[0].layout->dim[0].n);
  dtrt_close(s);
}
E
echo 'const char *part(void);' >scale.h
echo 'const char *part(void) { return "an archive"; }' >part.c
cc -c part.c -o part.o && ar rc part.a part.o || exit 2
CFLAGS="-DSCALE=10 -Wall -Wextra -Werror" "$dtgc" m.dtg host.c part.a --also batch=2 --transport=threads -o host || fail 'no executable'
out=$(./host)
[ "$out" = $'9 21 33 45\n21 43 65 87 of an archive\n2' ] || fail "host says: $out"
ls -d dtgc-* 2>/dev/null && fail 'a folder is left behind'
CFLAGS="-DSCALE=10" "$dtgc" m.dtg --also batch=2 part.o host.c --transport=threads -o host2 && ./host2 >/dev/null || fail 'with an object'

# The one that docs/running.md shows.
echo 'entry mul(x: f32[4]) { return y = 2 * x }' >shown.dtg
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$docs/running.md" >shown.c
"$dtgc" shown.dtg shown.c -o shown --transport=threads && [ "$(./shown)" = 8 ] || fail 'what docs/running.md shows'

sum=$(sha256sum host)
refused 'C sources, objects and archives go with -o' "$dtgc" m.dtg host.c
refused 'is neither a .dtg file nor' "$dtgc" run m.dtg host.c info
refused 'expected a .dtg file' "$dtgc" host.c -o host
refused 'SCALE' "$dtgc" m.dtg host.c part.o --transport=threads -o host
refused 'none.c' "$dtgc" m.dtg none.c --transport=threads -o host
refused 'part' env CFLAGS=-DSCALE=1 "$dtgc" m.dtg host.c --transport=threads -o host
mkfifo pipe
refused 'pipe is not a regular file' "$dtgc" m.dtg --transport=threads -o pipe
refused 'main' "$dtgc" m.dtg part.c --transport=threads -o host
exit $failed
