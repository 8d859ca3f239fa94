/* Paddings with a tensor's own elements: what is at the other end, the last element again, or the
 * elements before an end in reverse. Dim by dim, joins of slices; those around the ends are read as
 * rolls where slices take them apart (simplify_rolls.c). */
#include "compose.h"

typedef enum PadMode { PAD_EDGE, PAD_REFLECT, PAD_SYMMETRIC, PAD_WRAP } PadMode;

static const char *const mode_name[] = {"edge", "reflect", "symmetric", "wrap"};

bool pad_has_mode(const Arg *mode) {
  return mode->kind != ARG_NONE && !(mode->kind == ARG_STRING && !strcmp(mode->text, "constant"));
}

static bool mode_arg(Build *b, const Arg *a, PadMode *out) {
  for (int i = 0; i <= PAD_WRAP && a->kind == ARG_STRING; i++)
    if (!strcmp(a->text, mode_name[i])) return *out = (PadMode)i, true;
  op_fail(b, a->span,
          "`mode` must be \"constant\", \"edge\", \"reflect\", \"symmetric\" or \"wrap\"");
  return false;
}

static NodeId reversed(Build *b, NodeId x, int dim) {
  return build_node(b, &op_reverse, 1, &x, 1, (int64_t[]){1 << dim}, 0);
}

/* The first or the last element `size` times. */
static NodeId edge_of(Build *b, NodeId x, int dim, int64_t at, int64_t size) {
  const NodeId one = part_of(b, x, dim, at, 1);
  Shape s = op_node(b, x)->shape;
  s.dim[dim] = size;
  return mk_broadcast_to(b, one, &s);
}

static NodeId before(Build *b, NodeId x, int dim, int64_t size, PadMode mode) {
  const int64_t n = op_node(b, x)->shape.dim[dim];
  if (mode == PAD_EDGE) return edge_of(b, x, dim, 0, size);
  if (mode == PAD_WRAP) return part_of(b, x, dim, n - size, size);
  return reversed(b, part_of(b, x, dim, mode == PAD_REFLECT, size), dim);
}

static NodeId behind(Build *b, NodeId x, int dim, int64_t size, PadMode mode) {
  const int64_t n = op_node(b, x)->shape.dim[dim];
  if (mode == PAD_EDGE) return edge_of(b, x, dim, n - 1, size);
  if (mode == PAD_WRAP) return part_of(b, x, dim, 0, size);
  return reversed(b, part_of(b, x, dim, n - size - (mode == PAD_REFLECT), size), dim);
}

static bool fits(Build *b, const Arg *a, NodeId x, int dim, int64_t size, PadMode mode) {
  const int64_t n = op_node(b, x)->shape.dim[dim];
  const int64_t most = mode == PAD_EDGE && n ? INT64_MAX : mode == PAD_REFLECT && n ? n - 1 : n;
  if (size <= most) return true;
  op_fail(b, a->span, "\"%s\" pads a dim of %ld with at most %ld elements, not %ld",
          mode_name[mode], (long)n, (long)most, (long)size);
  return false;
}

NodeId pad_by_mode(Build *b, const Arg *a, NodeId x, const int64_t *lo, const int64_t *hi) {
  PadMode mode;
  if (!mode_arg(b, &a[4], &mode)) return NO_NODE;
  if (a[3].kind != ARG_INT || a[3].i)
    return op_fail(b, a[3].span, "`value` is for `mode=\"constant\"`");
  for (int d = 0; d < op_node(b, x)->shape.rank; d++) {
    if (!lo[d] && !hi[d]) continue;
    if (!fits(b, &a[1], x, d, lo[d], mode) || !fits(b, &a[2], x, d, hi[d], mode)) return NO_NODE;
    NodeId part[3];
    int n = 0;
    if (lo[d]) part[n++] = before(b, x, d, lo[d], mode);
    part[n++] = x;
    if (hi[d]) part[n++] = behind(b, x, d, hi[d], mode);
    x = mk_concat(b, n, part, d);
    if (x == NO_NODE) return NO_NODE;
  }
  return x;
}
