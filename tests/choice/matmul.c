/* One matrix product on a 4x2 mesh, all 11^3 triples of layouts of its operands and its result, in
 * several shapes: the plan costs what the best found by exhaustive search costs.
 *
 * The search shares nothing with the compiler's but the price of one exchange and of one op. It
 * deals each axis to m, k, n or none, in every order, and converts by shortest paths over all
 * layouts a matrix can have on the mesh, terms included (Floyd and Warshall). */
#include "kit.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIMS = 11, TERMS = 4, ALL = DIMS * TERMS };
static const char *const text_of[DIMS] = {"[_, _]",      "[a, _]",      "[b, _]",     "[_, a]",
                                          "[_, b]",      "[a, b]",      "[b, a]",     "[(a, b), _]",
                                          "[(b, a), _]", "[_, (a, b)]", "[_, (b, a)]"};

static Layout dims_layout(int i) {
  static const int axes[DIMS][2][2] = {
      {{-1, -1}, {-1, -1}}, {{0, -1}, {-1, -1}}, {{1, -1}, {-1, -1}}, {{-1, -1}, {0, -1}},
      {{-1, -1}, {1, -1}},  {{0, -1}, {1, -1}},  {{1, -1}, {0, -1}},  {{0, 1}, {-1, -1}},
      {{1, 0}, {-1, -1}},   {{-1, -1}, {0, 1}},  {{-1, -1}, {1, 0}}};
  Layout l = {.rank = 2};
  for (int d = 0; d < 2; d++) {
    l.dim[d].granule = 1;
    for (int j = 0; j < 2; j++)
      if (axes[i][d][j] >= 0) l.dim[d].axis[l.dim[d].naxes++] = axes[i][d][j];
  }
  return l;
}

static int number_of(const Layout *const *all, const Layout *l) {
  for (int i = 0; i < ALL; i++)
    if (all[i] == l) return i;
  return -1;
}

typedef struct Space {       /* of one matrix */
  const Layout *layout[ALL]; /* NULL: an axis both cuts and is summed over */
  double path[ALL][ALL];
} Space;

static bool same_dims(const Layout *a, const Layout *b) {
  return dim_equal(&a->dim[0], &b->dim[0]) && dim_equal(&a->dim[1], &b->dim[1]);
}

static void space_make(Space *s, Program *p, const Shape *shape) {
  for (int i = 0; i < ALL; i++) {
    Layout l = dims_layout(i % DIMS);
    l.partial = (uint32_t)(i / DIMS);
    s->layout[i] = l.partial & layout_axes(&l) ? NULL : layout_of(p->layouts, &l, shape);
  }
  for (int i = 0; i < ALL; i++)
    for (int j = 0; j < ALL; j++) {
      const Layout *x = s->layout[i], *y = s->layout[j];
      s->path[i][j] = INFINITY;
      if (!x || !y || y->partial & ~x->partial) continue;
      uint32_t settle = x->partial & ~y->partial;
      /* what one exchange can do: sum in place, sum and cut, or move */
      if (settle && !same_dims(x, y) && settle & ~layout_axes(y)) continue;
      s->path[i][j] = cost_exchange(p, x, y, shape, DT_F32);
    }
  for (int k = 0; k < ALL; k++)
    for (int i = 0; i < ALL; i++)
      for (int j = 0; j < ALL; j++)
        s->path[i][j] = fmin(s->path[i][j], s->path[i][k] + s->path[k][j]);
}

/* The list of axes dealt to one letter, in order. */
typedef struct Dealt {
  int n, axis[2];
} Dealt;

static const Layout *two_dims(Program *p, const Shape *s, Dealt x, Dealt y, uint32_t partial) {
  Layout l = {.rank = 2, .partial = partial};
  const Dealt *d[2] = {&x, &y};
  for (int i = 0; i < 2; i++) {
    l.dim[i].granule = 1;
    l.dim[i].naxes = d[i]->n;
    for (int j = 0; j < d[i]->n; j++) l.dim[i].axis[j] = d[i]->axis[j];
  }
  return layout_of(p->layouts, &l, s);
}

typedef struct Product {
  Program *p;
  const Graph *g;
  const Node *n;
  Rule rule;
  Shape shape[3]; /* a, b, y */
  Space space[3];
  int nways;
  int way[64][3];
  double work[64];
} Product;

static void add_way(Product *x, const Dealt *letter /* m, k, n */) {
  uint32_t summed = 0;
  for (int i = 0; i < letter[1].n; i++) summed |= 1u << letter[1].axis[i];
  const Layout *l[3] = {two_dims(x->p, &x->shape[0], letter[0], letter[1], 0),
                        two_dims(x->p, &x->shape[1], letter[1], letter[2], 0),
                        two_dims(x->p, &x->shape[2], letter[0], letter[2], summed)};
  for (int i = 0; i < 3; i++) x->way[x->nways][i] = number_of(x->space[i].layout, l[i]);
  x->work[x->nways++] = cost_op(x->p, x->g, x->n, &x->rule, l, l[2]);
}

static void list_ways(Product *x) {
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 4; b++)
      for (int order = 0; order < (a == b && a < 3 ? 2 : 1); order++) {
        Dealt letter[3] = {{0}};
        if (order == 1) letter[b].axis[letter[b].n++] = 1;
        if (a < 3) letter[a].axis[letter[a].n++] = 0;
        if (b < 3 && order == 0) letter[b].axis[letter[b].n++] = 1;
        add_way(x, letter);
      }
}

static double best_of(const Product *x, int a, int b, int y) {
  double best = INFINITY;
  for (int i = 0; i < x->nways; i++)
    best = fmin(best, x->space[0].path[a][x->way[i][0]] + x->space[1].path[b][x->way[i][1]] +
                          x->work[i] + x->space[2].path[x->way[i][2]][y]);
  return best;
}

static Kit *compile(int m, int k, int n, int a, int b, int y) {
  char text[512];
  snprintf(
      text, sizeof text,
      "mesh [a=4, b=2]\nentry f(x: f32[%d, %d], w: f32[%d, %d]) {\n  y = x @ w\n  return y\n}\n"
      "layout f.x = %s\nlayout f.w = %s\nlayout f.y = %s\n",
      m, k, k, n, text_of[a], text_of[b], text_of[y]);
  return kit_compile(text);
}

/* The product in the entry's graph as the exhaustive search needs it. */
static bool product_make(Product *x, const Kit *kit) {
  const Entry *e = &kit->program->entries.at[1];
  *x = (Product){.p = kit->program, .g = e->graph};
  for (NodeId i = 0; i < e->graph->nodes.n; i++)
    if (op_class(graph_node(e->graph, i)) == OPC_PRODUCT) x->n = graph_node(e->graph, i);
  if (!x->n || e->graph->nodes.n != 3) return false;
  x->shape[0] = graph_operand(x->g, x->n, 0)->shape;
  x->shape[1] = graph_operand(x->g, x->n, 1)->shape;
  x->shape[2] = x->n->shape;
  rule_of(x->g, x->n, &x->rule, kit->arena);
  for (int i = 0; i < 3; i++) space_make(&x->space[i], x->p, &x->shape[i]);
  list_ways(x);
  return true;
}

int main(int argc, char **argv) {
  static const int shapes[][3] = {{64, 64, 64},   {512, 512, 512}, {4096, 64, 64},   {64, 4096, 64},
                                  {64, 64, 4096}, {30, 50, 70},    {1024, 64, 4096}, {3, 5, 7}};
  bool all = argc > 1 && strcmp(argv[1], "all") == 0;
  int nshapes = all ? (int)(sizeof shapes / sizeof *shapes) : 1, wrong = 0, count = 0;
  for (int s = 0; s < nshapes; s++) {
    const int *z = shapes[s];
    for (int t = 0; t < DIMS * DIMS * DIMS; t++) {
      static Product x;
      int a = t % DIMS, b = t / DIMS % DIMS, y = t / DIMS / DIMS;
      Kit *kit = compile(z[0], z[1], z[2], a, b, y);
      if (!kit) return 1;
      if (!product_make(&x, kit)) {
        printf("the graph is not one product\n");
        return 1;
      }
      double best = best_of(&x, a, b, y), got = kit->plan->entries.at[1].choice->least;
      count++;
      if (fabs(got - best) > 1e-9 * best) {
        wrong++;
        if (wrong < 10)
          printf("FAIL %dx%dx%d %s @ %s -> %s: plan %.9g s, best %.9g s\n", z[0], z[1], z[2],
                 text_of[a], text_of[b], text_of[y], got, best);
      }
      kit_free(kit);
    }
  }
  printf("%d of %d triples (%d shapes): the plan is the best there is\n", count - wrong, count,
         nshapes);
  return wrong != 0;
}
