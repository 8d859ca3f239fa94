/* The arguments of sliding windows: stride, padding, dilation. */
#include "slide_args.h"
#include <string.h>

/* A number for all dims, or a list of one each. */
static bool each(Build *b, const Arg *a, const char *param, int n, int64_t *out) {
  if (a->kind == ARG_LIST && a->n != n) {
    op_fail(b, a->span, "`%s` must be a number or list %d of them", param, n);
    return false;
  }
  for (int d = 0; d < n; d++) {
    if (!arg_int(b, a->kind == ARG_LIST ? &a->at[d] : a, param, &out[d])) return false;
    if (out[d] < 1 || out[d] > 1 << 20) {
      op_fail(b, a->span, "`%s` must be between 1 and 2^20, but it is %ld", param, (long)out[d]);
      return false;
    }
  }
  return true;
}

static bool explicit_padding(Build *b, const Arg *a, int n, bool may_wrap, int64_t *before,
                             int64_t *after) {
  if (a->kind != ARG_LIST || a->n != n) {
    op_fail(b, a->span,
            "`padding` must be \"same\", %s\"valid\" or a list of %d pairs [before, after]",
            may_wrap ? "\"wrap\", " : "", n);
    return false;
  }
  for (int d = 0; d < n; d++) {
    const Arg *p = &a->at[d];
    if (p->kind != ARG_LIST || p->n != 2) {
      op_fail(b, p->span, "a padding is a pair [before, after]");
      return false;
    }
    if (!arg_int(b, &p->at[0], "padding", &before[d]) ||
        !arg_int(b, &p->at[1], "padding", &after[d]))
      return false;
    if (before[d] < 0 || after[d] < 0 || before[d] > 1 << 20 || after[d] > 1 << 20) {
      op_fail(b, p->span, "a padding must be between 0 and 2^20");
      return false;
    }
  }
  return true;
}

bool slide_args(Build *b, const Arg *stride, const Arg *padding, const Arg *dilation, bool may_wrap,
                Slide *s) {
  int64_t after[MAX_SLIDE] = {0};
  const bool wrap = may_wrap && padding->kind == ARG_STRING && !strcmp(padding->text, "wrap");
  bool same = wrap || (padding->kind == ARG_STRING && !strcmp(padding->text, "same"));
  bool valid = padding->kind == ARG_STRING && !strcmp(padding->text, "valid");
  if (!each(b, stride, "stride", s->n, s->stride) ||
      !each(b, dilation, "dilation", s->n, s->dilation))
    return false;
  for (int d = 0; d < s->n; d++) s->before[d] = s->wraps[d] = 0;
  if (!same && !valid && !explicit_padding(b, padding, s->n, may_wrap, s->before, after))
    return false;
  for (int d = 0; d < s->n; d++) {
    int64_t reach;
    if (s->taps[d] < 1) {
      op_fail(b, b->span, "the window is empty in spatial dim %d", d);
      return false;
    }
    if (s->taps[d] > (int64_t)1 << 40) {
      op_fail(b, b->span, "a window of %ld is too large", (long)s->taps[d]);
      return false;
    }
    reach = (s->taps[d] - 1) * s->dilation[d] + 1; /* at most 2^60 */
    if (same) {
      s->small[d] = (s->large[d] + s->stride[d] - 1) / s->stride[d];
      int64_t pad = (s->small[d] - 1) * s->stride[d] + reach - s->large[d];
      s->before[d] = pad > 0 ? pad / 2 : 0;
      s->wraps[d] = wrap && pad > 0;
      continue;
    }
    int64_t room = s->large[d] + s->before[d] + after[d] - reach;
    if (room < 0) {
      op_fail(b, b->span, "a window that reaches over %ld does not fit into %ld in spatial dim %d",
              (long)reach, (long)(room + reach), d);
      return false;
    }
    s->small[d] = room / s->stride[d] + 1;
  }
  return true;
}

bool slide_can_wrap(Build *b, const Arg *padding, const Slide *s) {
  for (int d = 0; d < s->n; d++) {
    const int64_t n = s->large[d], reach = (s->taps[d] - 1) * s->dilation[d] + 1;
    if (!s->wraps[d]) continue;
    if (s->small[d] * s->stride[d] != n) {
      op_fail(
          b, padding->span,
          "\"wrap\" takes dims that the stride divides; spatial dim %d is of %ld, and the stride "
          "is %ld",
          d, (long)n, (long)s->stride[d]);
      return false;
    }
    if (reach > n) {
      op_fail(b, padding->span,
              "a window that reaches over %ld would see elements of spatial dim %d, which is of "
              "%ld, twice",
              (long)reach, d, (long)n);
      return false;
    }
  }
  return true;
}
