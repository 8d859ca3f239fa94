/* Borders of convolutions. Paddings of what a convolution reads become its own border: zeros, or
 * where the padding is what is at the other end, positions that wrap. Devices that share a dim out
 * then exchange one halo, where a padded tensor would be one of other blocks. Once it is known
 * which dims they share out, what wraps in the others is put around the block after all.
 *
 *   conv(pad(x, [0, 1, 1, 0], [0, 1, 1, 0]), w)  ->  conv x, w  before=[1, 1] */
#include "compose.h"
#include "slide.h"

/* How many elements of the large side lie behind what the windows reach; below 0: zeros that they
 * do reach. */
static int64_t left_behind(const Slide *s, int d) {
  const int64_t end = (s->small[d] - 1) * s->stride[d] + (s->taps[d] - 1) * s->dilation[d] + 1;
  return s->large[d] - (end - s->before[d]);
}

/* What a convolution reads: x through its windows, cast on the way as `cast` is; NULL: it is not.
 */
typedef struct WindowedOn {
  NodeId x;
  const Node *cast;
  Slide slide;
} WindowedOn;

/* Zeros around spatial dims that do not wrap. */
static bool take_zeros(const Graph *g, const Node *pad, WindowedOn *s) {
  const Shape *of = &graph_operand(g, pad, 0)->shape;
  Slide *slide = &s->slide;
  if (pad->value != 0 || pad->whole != 0) return false;
  for (int d = 0; d < pad->shape.rank; d++) {
    const int64_t lo = node_attrs(pad, "before")[d], hi = node_attrs(pad, "after")[d];
    const bool space = d > 0 && d <= slide->n;
    if (node_attrs(pad, "between")[d] || lo < 0 || hi < 0) return false;
    if ((lo || hi) && (!space || slide->wraps[d - 1] || !of->dim[d])) return false;
  }
  for (int d = 0; d < slide->n; d++) {
    slide->before[d] += node_attrs(pad, "before")[1 + d];
    slide->large[d] = of->dim[1 + d];
  }
  s->x = pad->operand[0];
  return true;
}

/* What is at the other end, where as many windows as come round end where they began. */
static bool take_ends(const NewGraph *w, const Node *joined, WindowedOn *s) {
  Cycle c;
  Slide *slide = &s->slide;
  if (!is_cycle(w, joined, &c)) return false;
  const int d = c.dim - 1;
  if (d < 0 || d >= slide->n || slide->wraps[d] || slide->before[d]) return false;
  const int64_t n = graph_node(w->graph, c.x)->shape.dim[c.dim];
  if (slide->small[d] * slide->stride[d] != n || left_behind(slide, d) < 0) return false;
  slide->wraps[d] = 1, slide->before[d] = c.begin ? n - c.begin : 0, slide->large[d] = n;
  s->x = c.x;
  return left_behind(slide, d) + n >= 0;
}

/* One step towards the source; *border: it went past one. */
static bool look_behind(const NewGraph *w, WindowedOn *s, bool *border) {
  const Node *of = graph_node(w->graph, s->x);
  *border = of->op == &op_pad || of->op == &op_concat;
  if (w->stays(w->user, s->x)) return false;
  if (*border) return of->op == &op_pad ? take_zeros(w->graph, of, s) : take_ends(w, of, s);
  if (of->op == &op_cast && !s->cast)
    s->cast = of;
  else if (!op_is(of, OPF_LAYOUT)) /* a border has the layout of what reads it */
    return false;
  s->x = of->operand[0];
  return true;
}

NodeId join_convolution(NewGraph *w, Node *n) {
  WindowedOn best = {.x = NO_NODE}, s = {.x = n->operand[0], .slide = slide_of(n)};
  bool border;
  while (look_behind(w, &s, &border))
    if (border) best = s;
  if (best.x == NO_NODE) return NO_NODE;
  if (best.cast) {
    Node cast = *best.cast;
    cast.shape = graph_node(w->graph, best.x)->shape;
    cast.operand = arena_copy(w->arena, &best.x, sizeof best.x);
    cast.name = NULL, cast.spec = NULL, cast.forbid = (Span){0};
    best.x = w->intern(w->user, &cast);
  }
  int64_t attr[SLIDE_ATTRS];
  const NodeId operand[] = {best.x, n->operand[1]};
  Node conv = *n;
  conv.nattr = slide_attrs(&best.slide, attr);
  conv.attr = arena_copy(w->arena, attr, sizeof *attr * (size_t)conv.nattr);
  conv.operand = arena_copy(w->arena, operand, sizeof operand);
  return w->intern(w->user, &conv);
}

/* How far the windows of dim d reach beyond the tensor they are on: *lo before it, *hi behind. */
static void reach_beyond(const Slide *s, int d, bool from_small, int64_t *lo, int64_t *hi) {
  *lo = s->before[d], *hi = -left_behind(s, d);
  if (from_small) {
    const int64_t reach = (s->taps[d] - 1) * s->dilation[d];
    *lo = law_floor_div(reach - s->before[d], s->stride[d]);
    *hi = law_floor_div(s->large[d] - 1 + s->before[d], s->stride[d]) - (s->small[d] - 1);
  }
  if (*lo < 0) *lo = 0;
  if (*hi < 0) *hi = 0;
}

static NodeId with_ends(Build *b, NodeId x, int dim, int64_t lo, int64_t hi) {
  const int64_t size = op_node(b, x)->shape.dim[dim];
  NodeId part[3];
  int k = 0;
  if (lo) part[k++] = part_of(b, x, dim, size - lo, lo);
  part[k++] = x;
  if (hi) part[k++] = part_of(b, x, dim, 0, hi);
  return k == 1 ? x : mk_concat(b, k, part, dim);
}

NodeId convolution_ends(Build *b, Node *n, uint32_t dims) {
  const bool from_small = n->op->makes == SIDE_LARGE;
  Slide s = slide_of(n);
  NodeId x = n->operand[0];
  int64_t attr[SLIDE_ATTRS];
  for (int d = 0; d < s.n; d++) {
    int64_t lo, hi;
    if (!s.wraps[d] || !(dims >> (1 + d) & 1)) continue;
    reach_beyond(&s, d, from_small, &lo, &hi);
    x = with_ends(b, x, 1 + d, lo, hi);
    s.wraps[d] = 0;
    s.before[d] = from_small ? s.before[d] + lo * s.stride[d] : 0;
    *(from_small ? &s.small[d] : &s.large[d]) += lo + hi;
  }
  n->nattr = slide_attrs(&s, attr);
  n->attr = arena_copy(b->arena, attr, sizeof *attr * (size_t)n->nattr);
  return x;
}
