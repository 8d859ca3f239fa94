#include "slide.h"
#include "op.h"

Slide slide_of(const Node *n) {
  Slide s = {.n = (int)n->attr[0]};
  const int64_t *a = n->attr + 1;
  int64_t *const part[] = {s.stride, s.before, s.dilation, s.taps, s.large, s.wraps};
  for (int i = 0; i < 6; i++)
    for (int d = 0; d < s.n; d++) part[i][d] = *a++;
  s.groups = *a++;
  for (int d = 0; d < s.n; d++) s.small[d] = *a++;
  return s;
}

SlideTensors slide_tensors(const Graph *g, NodeId id) {
  const Node *n = graph_node(g, id);
  const NodeId x = n->operand[0], y = n->noperands > 1 ? n->operand[1] : NO_NODE;
  switch (n->op->makes) {
  case SIDE_LARGE: return (SlideTensors){.large = id, .small = x, .taps = y};
  case SIDE_TAPS: return (SlideTensors){.large = x, .small = y, .taps = id};
  default: return (SlideTensors){.large = x, .small = id, .taps = y};
  }
}

int slide_attrs(const Slide *s, int64_t *attr) {
  int64_t *a = attr;
  const int64_t *const part[] = {s->stride, s->before, s->dilation, s->taps, s->large, s->wraps};
  *a++ = s->n;
  for (int i = 0; i < 6; i++)
    for (int d = 0; d < s->n; d++) *a++ = part[i][d];
  *a++ = s->groups;
  for (int d = 0; d < s->n; d++) *a++ = s->small[d];
  return (int)(a - attr);
}

Window slide_up(const Slide *s, int d) {
  return (Window){s->small[d],
                  s->stride[d],
                  1,
                  -s->before[d],
                  -s->before[d] + (s->taps[d] - 1) * s->dilation[d],
                  s->wraps[d]};
}

Window slide_down(const Slide *s, int d) {
  return (Window){s->large[d],  1,
                  s->stride[d], s->before[d] - (s->taps[d] - 1) * s->dilation[d],
                  s->before[d], s->wraps[d]};
}

bool slide_is_tiles(const Slide *s, int d) {
  return s->stride[d] == s->taps[d] && s->before[d] == 0 && s->dilation[d] == 1 &&
         s->large[d] == s->small[d] * s->taps[d];
}

bool slide_is_depthwise(const Graph *g, const Node *n) {
  const Slide s = slide_of(n);
  const Shape *w = n->op->makes == SIDE_TAPS ? &n->shape : &graph_operand(g, n, 1)->shape;
  return s.groups > 1 && w->dim[s.n] == 1 && w->dim[s.n + 1] == s.groups;
}
