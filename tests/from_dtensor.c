/* The host around the C lines of docs/from-dtensor.md, which the script has put into calls.inc:
 * each must succeed. */
#include <dtgc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dtgc_program *p, *one;

static int bad(const char *call) {
  printf("%s: %s / %s\n", call, dtgc_error(p), dtgc_error(one));
  return 1;
}

static int calls(void) {
  static float x[16 * 8], w[8 * 12], loss, room[8][8 * 12];
  static int32_t y[16];
  for (int i = 0; i < 16 * 8; i++) x[i] = (float)(i % 7) - 3;
  for (int i = 0; i < 16; i++) y[i] = i % 4;
  dtgc_buffer in[] = {{"x", x, sizeof x}, {"y", y, sizeof y}},
              out[] = {{"loss", &loss, sizeof loss}};
  dtgc_block blocks[4], feed[8];
  int64_t size, at[2], first, count, lo[2], hi[2];
  size_t bytes;
  const char *name;
  char *text = NULL;
  int hits, misses;
  /* The columns of w by model; rows of x and y by batch. */
  for (int d = 0; d < 4; d++) {
    if (dtgc_box(p, NULL, "model.d1.w", d, lo, hi, &bytes)) return bad("box");
    blocks[d] = (dtgc_block){NULL, d, room[d], bytes};
    for (int i = 0; i < 8 * 6; i++) room[d][i] = (float)(d % 2) + (float)i;
    feed[d] = (dtgc_block){"x", d, x + d / 2 * 8 * 8, 8 * 8 * sizeof *x};
    feed[4 + d] = (dtgc_block){"y", d, y + d / 2 * 8, 8 * sizeof *y};
  }
  dtgc_feed rows[] = {{"x", .data = x, .rows = 16}, {"y", .data = y, .rows = 16}};
  dtgc_fit_options fit = {.train = {"train", rows, 2}, .epochs = 2};
#include "calls.inc"
  dtgc_free_text(text);
  return 0;
}

int main(void) {
  const char *small[] = {"model.d1.w=[_, model]"};
  dtgc_options o = {.mesh = "batch=1,model=2", .layout = small, .nlayouts = 1};
  int status = dtgc_compile_file("m.dtg", NULL, &p) || dtgc_compile_file("m.dtg", &o, &one)
                   ? bad("compile")
                   : calls();
  dtgc_free(p);
  dtgc_free(one);
  if (!status) puts("all calls made");
  return status;
}
