/* Random convolutions and pools. Images are [batch, space..., channels]. */
#include "generate.h"
#include <stdio.h>
#include <string.h>

typedef struct Windows {
  int n; /* spatial dims */
  int taps[2], stride[2], dilation[2], pad[2][2];
  bool same, valid;
  char text[200]; /* the arguments, from `stride=` on */
} Windows;

static int64_t windows_places(const Windows *w, int i, int64_t size) {
  int reach = (w->taps[i] - 1) * w->dilation[i] + 1;
  if (w->same) return (size + w->stride[i] - 1) / w->stride[i];
  int64_t room = size + w->pad[i][0] + w->pad[i][1] - reach;
  return room < 0 ? 0 : room / w->stride[i] + 1;
}

static Windows windows_random(Gen *g, int n, bool dilates) {
  Windows w = {.n = n};
  char stride[20] = "", dilation[20] = "", pad[60] = "";
  int how = gen_below(g, 3);
  w.same = how == 0, w.valid = how == 1;
  for (int i = 0; i < n; i++) {
    const char *comma = i ? ", " : "";
    w.taps[i] = 1 + gen_below(g, 3);
    w.stride[i] = gen_below(g, 2) ? 1 : 1 + gen_below(g, 3);
    w.dilation[i] = dilates && gen_below(g, 3) == 0 ? 2 : 1;
    for (int k = 0; k < 2 && how == 2; k++) w.pad[i][k] = gen_below(g, w.taps[i]);
    snprintf(stride + strlen(stride), sizeof stride - strlen(stride), "%s%d", comma, w.stride[i]);
    snprintf(dilation + strlen(dilation), sizeof dilation - strlen(dilation), "%s%d", comma,
             w.dilation[i]);
    snprintf(pad + strlen(pad), sizeof pad - strlen(pad), "%s[%d, %d]", comma, w.pad[i][0],
             w.pad[i][1]);
  }
  int at = snprintf(w.text, sizeof w.text, "stride=[%s], padding=", stride);
  at += how == 2
            ? snprintf(w.text + at, sizeof w.text - (size_t)at, "[%s]", pad)
            : snprintf(w.text + at, sizeof w.text - (size_t)at, "\"%s\"", how ? "valid" : "same");
  if (dilates) snprintf(w.text + at, sizeof w.text - (size_t)at, ", dilation=[%s]", dilation);
  return w;
}

/* Values that are images already are rare, so any of rank 2 to 4 is made one on the way. */
static Value *pick_image(Gen *g, char *expr, size_t n, Value *as) {
  Value *x = gen_pick(g);
  *as = *x;
  if (x->rank < 2 || x->rank > 4) return NULL;
  if (x->rank > 2)
    snprintf(expr, n, "%s", x->name);
  else if (gen_below(g, 2)) {
    snprintf(expr, n, "expand(%s, 2)", x->name);
    as->dim[as->rank++] = 1;
  } else {
    snprintf(expr, n, "expand(%s, 0)", x->name);
    memmove(as->dim + 1, as->dim, sizeof *as->dim * 2);
    as->dim[0] = 1, as->rank++;
  }
  return x;
}

static bool can_wrap(const Windows *w, const Value *image) {
  for (int i = 0; i < w->n; i++) {
    const int64_t size = image->dim[1 + i];
    if (size % w->stride[i] || (w->taps[i] - 1) * w->dilation[i] >= size) return false;
  }
  return true;
}

bool say_convolution(Gen *g) {
  char image[60];
  Value x, v, w = {0};
  if (!pick_image(g, image, sizeof image, &x)) return false;
  int n = x.rank - 2, groups = 1, in = (int)x.dim[x.rank - 1];
  Windows win = windows_random(g, n, true);
  if (win.same && can_wrap(&win, &x) && gen_below(g, 2))
    memcpy(strstr(win.text, "same"), "wrap", strlen("wrap"));
  if (gen_below(g, 2)) groups = in % 2 == 0 && gen_below(g, 2) ? 2 : in;
  int out = groups * (1 + gen_below(g, 3));
  v = x;
  for (int i = 0; i < n; i++) {
    w.dim[w.rank++] = win.taps[i];
    v.dim[i + 1] = windows_places(&win, i, x.dim[i + 1]);
    if (!v.dim[i + 1]) return false;
  }
  w.dim[w.rank++] = in / groups;
  w.dim[w.rank++] = out;
  v.dim[v.rank - 1] = out;
  v.most = x.most * 3 * (double)gen_count(&w) / out;
  if (gen_count(&w) > 120 || gen_count(&v) > MOST_COUNT || v.most > MOST_MAGNITUDE) return false;
  Tensor *taps = gen_input(g, DTGC_F64, &w, 0);
  return taps && gen_say(g, v, "conv(%s, %s, %s, groups=%d)", image, taps->name, win.text, groups);
}

/* With "same" the result is stride times as large. */
bool say_transposed(Gen *g) {
  char image[60];
  Value y, v, w = {0};
  if (!pick_image(g, image, sizeof image, &y)) return false;
  int n = y.rank - 2, stride = 1 + gen_below(g, 2), in = 1 + gen_below(g, 3);
  v = y;
  for (int i = 0; i < n; i++) {
    w.dim[w.rank++] = 1 + gen_below(g, 3);
    v.dim[i + 1] *= stride;
  }
  w.dim[w.rank++] = in;
  w.dim[w.rank++] = y.dim[y.rank - 1];
  v.dim[v.rank - 1] = in;
  v.most = y.most * 3 * (double)gen_count(&w) / in;
  if (gen_count(&w) > 120 || gen_count(&v) > MOST_COUNT || v.most > MOST_MAGNITUDE) return false;
  Tensor *taps = gen_input(g, DTGC_F64, &w, 0);
  return taps && gen_say(g, v, "conv_transpose(%s, %s, stride=%d)", image, taps->name, stride);
}

/* The largest only in `whole` programs: its gradient jumps. The mean only in the others. */
bool say_pool(Gen *g) {
  char image[60], window[20] = "";
  Value x, v;
  if (!pick_image(g, image, sizeof image, &x)) return false;
  Windows win = windows_random(g, x.rank - 2, false);
  v = x;
  for (int i = 0; i < win.n; i++) {
    v.dim[i + 1] = windows_places(&win, i, x.dim[i + 1]);
    if (!v.dim[i + 1]) return false;
    snprintf(window + strlen(window), sizeof window - strlen(window), "%s%d", i ? ", " : "",
             win.taps[i]);
  }
  return gen_say(g, v, "%s(%s, [%s], %s)", g->s->whole ? "max_pool" : "avg_pool", image, window,
                 win.text);
}
