/* The loop IR (ir/loop.h, compiler/loops): which functions are one, what they say, that an index
 * that leaves its block is seen, and a sum in another order; and the statements of entries: their
 * laws, and blocks of steps that repeat. */
#include "frontend.h"
#include "loops.h"
#include "pipeline.h"
#include "schedule_passes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed;

#define CHECK(cond, ...)                                                                           \
  do {                                                                                             \
    if (!(cond)) printf("FAIL "), printf(__VA_ARGS__), printf("\n"), failed = 1;                   \
  } while (0)

static void on_message(void *user, const Message *m) {
  (void)user;
  fputs(m->rendered, stderr);
}

/* Of entry 1. */
static Plan *plan_of(Arena *a, Diag *d, const char *text) {
  FrontSource source = {.name = "m.dtg", .text = text, .len = strlen(text)};
  FrontOptions o = {.source = &source, .nsources = 1};
  diag_init(d, a, on_message, NULL);
  Program *g = front_compile(a, d, &o);
  Plan *p = g ? pipeline_run(g, NULL) : NULL;
  if (!p) {
    fprintf(stderr, "does not compile:\n%s", text);
    exit(1);
  }
  return p;
}

static const Step *step(const Plan *p, int i) {
  const LocalEntry *le = &p->entries.at[1];
  if (i < le->steps.n && le->steps.at[i].kind != STEP_TILES) return &le->steps.at[i];
  printf("FAIL step %d is not there, or in tiles\n", i);
  exit(1);
}

static LoopFunction loop_at(const Plan *p, int i) {
  const LoopSite site = {p->arena, p, &p->entries.at[1], NULL, NULL};
  LoopFunction f;
  if (!loop_of(&site, step(p, i), &f)) abort();
  return f;
}

static bool is_same(const LoopFunction *a, const LoopFunction *b) {
  return a->key.n == b->key.n && !memcmp(a->key.at, b->key.at, a->key.n);
}

typedef struct Pair {
  const char *what, *inputs, *first, *second;
  bool same;
} Pair;

/* Extents, which tensors they are and where in them loops read do not tell functions apart; all
 * else does. */
static const Pair pairs[] = {
    {"maps of other sizes", "x: f32[10, 7], y: f32[30, 50]", "exp(x)", "exp(y)", true},
    {"maps of other ops", "x: f32[10, 7], y: f32[30, 50]", "exp(x)", "tanh(y)", false},
    {"maps with other constants", "x: f32[10], y: f32[20]", "x * 2.0", "y * 3.0", false},
    {"maps of other types", "x: f32[10], y: f64[20]", "exp(x)", "exp(y)", false},
    {"slices of other sizes", "x: f32[10, 7], y: f32[30, 50]", "x[:, 2:] + 1", "y[:, 2:] + 1",
     true},
    {"slices elsewhere", "x: f32[10, 7], y: f32[30, 50]", "x[:, 2:] + 1", "y[:, 3:] + 1", true},
    {"slices from 1 and elsewhere", "x: f32[10, 7], y: f32[30, 50]", "x[:, 1:] + 1", "y[:, 3:] + 1",
     false},
    {"rows elsewhere", "x: f32[10, 7], y: f32[30, 50]", "x[4] + x[5]", "y[20] + y[21]", true},
    {"rows at other distances", "x: f32[10, 7], y: f32[30, 50]", "x[4] + x[5]", "y[21] + y[20]",
     false},
    {"operands in another order", "x: f32[10], y: f32[10], u: f32[20], v: f32[20]", "x - exp(y)",
     "v - exp(u)", true},
    {"an operand read twice", "x: f32[10], y: f32[10], u: f32[20]", "x - exp(y)", "u - exp(u)",
     false},
    {"sums of lines of other lengths", "x: f32[8, 300], y: f32[9, 400]", "sum(x, axis=1)",
     "sum(y, axis=1)", true},
    {"sums along another dim", "x: f32[64, 300], y: f32[300, 64]", "sum(x, axis=1)",
     "sum(y, axis=0)", false},
    {"the largest and the smallest", "x: f32[8, 300], y: f32[8, 300]", "max(x, axis=1)",
     "min(y, axis=1)", false},
    {"the places of the largest", "x: f32[8, 300], y: f32[9, 400]", "argmax(x, axis=1)",
     "argmax(y, axis=1)", true},
    {"running sums", "x: f32[8, 300], y: f32[9, 310]", "cumsum(x, axis=1)", "cumsum(y, axis=1)",
     true},
    {"running sums to either side", "x: f32[8, 300], y: f32[8, 300]", "cumsum(x, axis=1)",
     "cumsum(y, axis=1, reverse=true)", false},
};

static void compares(const Pair *c) {
  Arena *a = arena_new();
  Diag d;
  char text[512];
  if (!a || arena_catch(a)) abort();
  snprintf(text, sizeof text, "entry f(%s) {\n  a = %s\n  b = %s\n  return a, b\n}\n", c->inputs,
           c->first, c->second);
  const Plan *p = plan_of(a, &d, text);
  const int n = p->entries.at[1].steps.n;
  CHECK(n == 2, "%s: %d steps", c->what, n);
  if (n == 2) {
    const LoopFunction f = loop_at(p, 0), g = loop_at(p, 1), again = loop_at(p, 0);
    CHECK(is_same(&f, &again), "%s: the same step is another function", c->what);
    CHECK(is_same(&f, &g) == c->same, "%s are%s one function", c->what, c->same ? " not" : "");
  }
  arena_free(a);
}

static LoopStmt *first_store(LoopStmt *s) {
  for (; s; s = s->next) {
    if (s->kind == STMT_STORE) return s;
    LoopStmt *in = first_store(s->body);
    if (in) return in;
  }
  return NULL;
}

/* The text of a map; and the law, which holds of it and not of the same a row further on. */
static void says(void) {
  static const char want[] = "for i in 4, j in 6\n"
                             "  v0 = x[i, j] + y[j]\n"
                             "  f.a[i, j] = v0 * v0\n";
  Arena *a = arena_new();
  Diag d;
  if (!a || arena_catch(a)) abort();
  const Plan *p = plan_of(
      a, &d, "entry f(x: f32[4, 6], y: f32[6]) {\n  a = (x + y) * (x + y)\n  return a\n}\n");
  const LocalEntry *le = &p->entries.at[1];
  LoopFunction f = loop_at(p, 0);
  Str s = str_new(a);
  loop_put(&s, p, le, &f, 0);
  CHECK(!strcmp(s.at, want), "the text of a map is\n%s", s.at);
  const char *breach = loop_verify(a, p, le, &f);
  CHECK(!breach, "%s leaves its block", breach);
  LoopStmt *store = first_store(f.body);
  const ExprNode n = *expr_node(f.x, store->a);
  const Expr index[] = {expr_add(f.x, n.arg[0], expr_int(f.x, 1)), n.arg[1]};
  store->a = expr_element(f.x, EXPR_LOAD, n.type, (NodeId)n.v, 2, index);
  breach = loop_verify(a, p, le, &f);
  CHECK(breach && !strcmp(breach, "f.a[i + 1, j]"), "a store beyond the block is seen as %s",
        breach ? breach : "nothing");
  arena_free(a);
}

/* Which loop is done in parts; and what stays whole: what is short, and where parts would meet. */
static const struct {
  const char *what, *inputs, *value, *index; /* NULL: none */
} parts[] = {
    {"a map", "x: f32[4096, 512]", "exp(x)", "i"},
    {"a map of a dim in two", "x: f32[4096, 512]", "concat([x, x * 2.0], axis=1)", "i"},
    {"a short map", "x: f32[8, 16]", "exp(x)", NULL},
    {"a map of two long rows", "x: f32[2, 400000], y: f32[2, 1]", "x * y", "j"},
    {"sums of lines", "x: f32[4096, 512]", "sum(x * x, axis=1)", "i"},
    {"sums of few rows", "x: f32[30, 50000]", "sum(x * x, axis=0)", "j"},
    {"the largest of rows", "x: f32[3000, 5000]", "max(x, axis=0)", "j"},
    {"the largest of rows of one cache line", "x: f32[131072, 16]", "max(x, axis=0)", NULL},
    {"one sum of all", "x: f32[4096, 512]", "sum(x * x)", "unit"},
    {"a short sum of all", "x: f32[40, 51]", "sum(x * x)", NULL},
    {"sums of many rows", "x: f32[4096, 512]", "sum(x, axis=0)", "part_from"},
    {"sums of rows in runs", "x: f32[64, 300, 512]", "sum(x, axis=1)", "i"},
    {"places", "x: f32[4096, 512]", "argmax(x, axis=1)", "i"},
    {"places in few long rows", "x: f32[16, 50000]", "argmax(exp(x), axis=1)", "i"},
    {"running sums", "x: f32[4096, 512]", "cumsum(x, axis=1)", "j"},
    {"rows picked", "x: f32[4096, 512], y: i32[5000]", "gather(x, y)", "i"},
    {"rows added up", "x: f32[4096, 512], y: i32[5000], z: f32[5000, 512]", "scatter_add(x, y, z)",
     "part_from"}}; /* the first step of it, the last of others */

static void runs_in_parts(int i) {
  Arena *a = arena_new();
  Diag d;
  char text[512];
  if (!a || arena_catch(a)) abort();
  snprintf(text, sizeof text, "entry f(%s) {\n  a = %s\n  return a\n}\n", parts[i].inputs,
           parts[i].value);
  const Plan *p = plan_of(a, &d, text);
  const bool last = i + 1 < (int)(sizeof parts / sizeof *parts);
  const LoopFunction f = loop_at(p, last ? p->entries.at[1].steps.n - 1 : 0);
  const char *want = parts[i].index;
  CHECK(!f.part == !want && (!want || !strcmp(f.part, want)), "%s runs in parts of %s, not of %s",
        parts[i].what, f.part ? f.part : "nothing", want ? want : "nothing");
  CHECK(!f.part || f.grain > 0, "%s: grain %ld", parts[i].what, (long)f.grain);
  arena_free(a);
}

/* -------- the order of sums -------- */

static LoopStmt *find_stmt(LoopStmt *s, LoopStmtKind kind, const Exprs *x, const char *name) {
  for (; s; s = s->next) {
    const char *own = s->kind == STMT_CALL ? expr_node(x, s->a)->name : s->name;
    if (s->kind == kind && own && !strncmp(own, name, strlen(name))) return s;
    LoopStmt *in = find_stmt(s->body, kind, x, name);
    if (!in) in = find_stmt(s->other, kind, x, name);
    if (in) return in;
  }
  return NULL;
}

static void swap_loops(LoopStmt *outer, LoopStmt *inner) {
  const LoopStmt was = *outer;
  outer->name = inner->name, outer->a = inner->a, outer->b = inner->b, outer->c = inner->c;
  inner->name = was.name, inner->a = was.a, inner->b = was.b, inner->c = was.c;
}

/* What a pass over loops might do to a sum. */
typedef enum Mistake {
  SWAPPED,
  TURNED,
  LANES_HALVED,
  NO_CARRY,
  LATER_PART_FIRST,
  COUNTED_OTHERWISE, /* an integer of the function is one more */
  POINTS_ELSEWHERE,  /* a pointer is another */
  NO_CONDITION       /* that the block ends here */
} Mistake;

/* The condition under which blocks are combined by a function of that name. */
static LoopStmt *find_condition(LoopStmt *s, const Exprs *x, const char *name) {
  for (; s; s = s->next) {
    LoopStmt *in = find_condition(s->body, x, name);
    if (in) return in;
    if (s->kind == STMT_IF && find_stmt(s->body, STMT_CALL, x, name)) return s;
  }
  return NULL;
}

static void make(LoopFunction *f, Mistake m, const char *name, const char *other) {
  Exprs *x = f->x;
  const bool local = m == COUNTED_OTHERWISE || m == POINTS_ELSEWHERE;
  const LoopStmtKind kind = m == NO_CARRY ? STMT_CALL : local ? STMT_LOCAL : STMT_FOR;
  LoopStmt *s =
      m == NO_CONDITION ? find_condition(f->body, x, name) : find_stmt(f->body, kind, x, name);
  if (!s) {
    printf("FAIL there is no %s to change in %s\n", name, f->what ? f->what : "");
    exit(1);
  }
  switch (m) {
  case SWAPPED: swap_loops(s, find_stmt(s->body, STMT_FOR, x, other)); break;
  case TURNED: s->c = expr_int(x, -1); break;
  case LANES_HALVED: s->c = expr_int(x, 16); break;
  case COUNTED_OTHERWISE: s->a = expr_add(x, s->a, expr_int(x, 1)); break;
  case POINTS_ELSEWHERE: s->a = find_stmt(f->body, STMT_LOCAL, x, other)->a; break;
  case NO_CONDITION: s->a = expr_int(x, 1); break;
  case NO_CARRY: s->a = expr_call(x, "dtrt_zero", DT_I64, 0, NULL, 0, 0); break;
  case LATER_PART_FIRST: {
    LoopStmt *rest = arena_copy(f->key.arena, s, sizeof *s);
    rest->b = s->a = expr_int(x, 7);
    s->next = rest;
  }
  }
}

#define COUNTED "its blocks are counted otherwise"

static const struct {
  const char *inputs, *value;
  Mistake mistake;
  const char *name, *other, *law;
} mistakes[] = {
    {"x: f32[4, 5, 64]", "sum(x, axis=[0, 1])", SWAPPED, "i", "j",
     "i goes over a dim before that of the loop around it"},
    {"x: f32[4, 5, 64]", "sum(x, axis=[0, 1])", TURNED, "j", NULL, "j does not count up"},
    {"x: f32[4, 20, 64]", "sum(x * x, axis=[0, 1])", TURNED, "j", NULL, "j does not count up"},
    {"x: f32[8, 20, 64]", "sum(x, axis=1)", LATER_PART_FIRST, "j", NULL,
     "j comes after a later part of its dim"},
    {"x: f32[8, 300]", "sum(x, axis=1)", LANES_HALVED, "lane0", NULL,
     "lane0 takes other than DTRT_LANES elements at once"},
    {"x: f32[8, 300]", "sum(exp(x), axis=1)", LANES_HALVED, "lane0", NULL,
     "lane goes beyond a turn of the loop around it"},
    {"x: f32[100, 8]", "sum(x * x, axis=0)", NO_CARRY, "dtrt_carry", NULL,
     "blocks are combined otherwise"},
    {"x: f32[8, 3000]", "sum(x, axis=1)", NO_CARRY, "dtrt_fold", NULL,
     "blocks are combined otherwise"},
    /* blocks of rows, counted while running */
    {"x: f32[4096, 8]", "sum(x * x, axis=0)", COUNTED_OTHERWISE, "first", NULL, COUNTED},
    {"x: f32[4096, 8]", "sum(x * x, axis=0)", COUNTED_OTHERWISE, "base", NULL, COUNTED},
    {"x: f32[4096, 8]", "sum(x * x, axis=0)", NO_CONDITION, "dtrt_carry", NULL, COUNTED},
    {"x: f32[100, 8]", "sum(x * x, axis=0)", NO_CONDITION, "dtrt_carry", NULL, COUNTED},
    {"x: f32[4096, 8]", "sum(x * x, axis=0)", POINTS_ELSEWHERE, "own", "sums", COUNTED},
    {"x: f32[100, 8]", "sum(x * x, axis=0)", COUNTED_OTHERWISE, "next", NULL, COUNTED},
    {"x: f32[100, 8]", "sum(x * x, axis=0)", COUNTED_OTHERWISE, "end", NULL, COUNTED},
    {"x: f32[64, 300, 8]", "sum(x * x, axis=[0, 1])", COUNTED_OTHERWISE, "rest", NULL, COUNTED},
    {"x: f32[8, 30000]", "sum(exp(x), axis=1)", COUNTED_OTHERWISE, "lane0", NULL, COUNTED},
    /* rows that the runtime adds up */
    {"x: f32[100, 8]", "sum(x, axis=0)", NO_CARRY, "dtrt_sum_rows", NULL,
     "blocks are combined otherwise"},
    {"x: f32[4096, 8]", "sum(x, axis=0)", COUNTED_OTHERWISE, "base", NULL, COUNTED},
    {"x: f32[4096, 8]", "sum(x, axis=0)", COUNTED_OTHERWISE, "rows", NULL, COUNTED},
    {"x: f32[4096, 8]", "sum(x, axis=0)", POINTS_ELSEWHERE, "own_sum", "sums", COUNTED},
    /* running sums */
    {"x: f32[4096, 8]", "cumsum(x, axis=0)", TURNED, "i", NULL, "i does not count up"},
    {"x: f32[8, 20]", "cumsum(x, axis=1)", TURNED, "i", NULL, "i does not count up"},
    {"x: f32[8, 300]", "cumsum(x, axis=1)", COUNTED_OTHERWISE, "begin", NULL, COUNTED},
    {"x: f32[8, 300]", "cumsum(x, axis=1)", COUNTED_OTHERWISE, "end", NULL, COUNTED},
    {"x: f32[300, 8]", "cumsum(x, axis=0)", COUNTED_OTHERWISE, "end", NULL, COUNTED},
    {"x: f32[8, 20]", "cumsum(x, axis=1)", LATER_PART_FIRST, "i", NULL,
     "i comes after a later part of its dim"},
    /* scatters */
    {"x: f32[9, 8], i: i32[5, 70], u: f32[5, 70, 8]", "scatter_add(x, i, u)", SWAPPED, "i", "j",
     "i goes over a dim before that of the loop around it"},
    {"x: f32[9, 8], i: i32[5, 70], u: f32[5, 70, 8]", "scatter_add(x, i, u)", NO_CARRY,
     "dtrt_scatter_hit", NULL, "blocks are combined otherwise"},
    {"x: f32[9, 8], i: i32[7], u: f32[7, 8]", "scatter_add(x, i, u)", TURNED, "i", NULL,
     "i does not count up"},
    {"x: f32[9], i: i32[7], u: f32[7]", "scatter_mul(x, i, u)", LATER_PART_FIRST, "i", NULL,
     "i comes after a later part of its dim"},
    /* products in loops */
    {"x: f32[3, 4, 5], y: f32[5, 6, 4]", "einsum(\"adc,cbd->ba\", x, y)", SWAPPED, "i2", "i3",
     "i2 goes over a dim before that of the loop around it"},
    {"x: f32[3, 4, 5], y: f32[5, 6, 4]", "einsum(\"adc,cbd->ba\", x, y)", TURNED, "i3", NULL,
     "i3 does not count up"}};

/* The verifier names a sum whose loops were reordered, and no sum as it was built. */
static void sums_in_another_order(int i) {
  Arena *a = arena_new();
  Diag d;
  char text[256];
  if (!a || arena_catch(a)) abort();
  snprintf(text, sizeof text, "entry f(%s) {\n  a = %s\n  return a\n}\n", mistakes[i].inputs,
           mistakes[i].value);
  const Plan *p = plan_of(a, &d, text);
  const LocalEntry *le = &p->entries.at[1];
  LoopFunction f = p->loops->entries.at[1]->runs.at[0];
  CHECK(f.sum, "%s has no order", mistakes[i].value);
  const char *law = loop_verify_sum(a, p, le, &f);
  CHECK(!law, "%s as it was built: %s", mistakes[i].value, law);
  make(&f, mistakes[i].mistake, mistakes[i].name, mistakes[i].other);
  law = loop_verify_sum(a, p, le, &f);
  snprintf(text, sizeof text, "the sum %s is added up in another order: %s",
           node_called(graph_node(le->graph, f.sum->node)), mistakes[i].law);
  CHECK(law && !strcmp(law, text), "in place of `%s` the verifier says `%s`", text,
        law ? law : "nothing");
  arena_free(a);
}

/* A product that tiles of rows sum, in parts of its kernels. */
static void products_in_parts_of_tiles(void) {
  Arena *a = arena_new();
  Diag d;
  if (!a || arena_catch(a)) abort();
  const Plan *p =
      plan_of(a, &d,
              "entry f(q: f32[1, 3000, 1, 4], k: f32[1, 3000, 1, 4], v: f32[1, 3000, 1, 4]) {\n"
              "  o = einsum(\"bhst,bthe->bshe\", softmax(einsum(\"bshe,bthe->bhst\", q, k)), v)\n"
              "  return grad(sum(o * o), v)\n}\n");
  const LocalEntry *le = &p->entries.at[1];
  NodeId where;
  const char *law = sums_breach(p, le, &where);
  CHECK(!law, "tiles as they were built: %s", law);
  int changed = 0;
  for (int s = 0; s < le->steps.n; s++) {
    Tiles *t = le->steps.at[s].kind == STEP_TILES ? (Tiles *)le->steps.at[s].tile : NULL;
    for (int i = 0; t && i < t->nodes.n; i++) {
      const Node *n = graph_node(le->graph, t->nodes.at[i].node);
      if (op_class(n) != OPC_PRODUCT || t->nodes.at[i].sums != 1) continue;
      t->loop[0].most += 16;
      law = sums_breach(p, le, &where);
      t->loop[0].most -= 16;
      CHECK(law && !strcmp(law, "tiles cut the sums of a product within a part"),
            "parts that are longer: %s", law ? law : "nothing");
      changed++;
    }
  }
  CHECK(changed, "no product is summed in tiles");
  arena_free(a);
}

/* Tiles over two dims of a sum, an element of the outer one at a time. */
static void tiles_in_another_order(void) {
  Arena *a = arena_new();
  Diag d;
  if (!a || arena_catch(a)) abort();
  const Plan *p = plan_of(a, &d,
                          "entry f(y: f32[64, 400, 512]) {\n  a = sum(y, axis=[0, 1])\n"
                          "  b = sum(y, axis=2)\n  return a, b\n}\n");
  const LocalEntry *le = &p->entries.at[1];
  NodeId where;
  CHECK(le->steps.n == 1 && le->steps.at[0].kind == STEP_TILES, "the two sums are in no tiles");
  const char *law = sums_breach(p, le, &where);
  CHECK(!law, "tiles as they were built: %s", law);
  Tiles *t = (Tiles *)le->steps.at[0].tile;
  CHECK(t->nloops == 2 && t->loop[0].most == 1, "tiles are over %d loops", t->nloops);
  t->loop[0].most = 2;
  law = sums_breach(p, le, &where);
  CHECK(law && !strcmp(law, "tiles add up parts of a dim before all of the dims before it"),
        "two rows of tiles: %s", law ? law : "nothing");
  t->loop[0].most = 1;
  for (int i = 0; i < t->nodes.n; i++)
    for (int k = 0; k < MAX_RANK; k++)
      if (t->nodes.at[i].loop[k] >= 0) t->nodes.at[i].loop[k] ^= 1;
  law = sums_breach(p, le, &where);
  CHECK(law && !strcmp(law, "tiles add up dims in another order than the sum's"),
        "loops of tiles swapped: %s", law ? law : "nothing");
  arena_free(a);
}

/* The law holds after each step of the schedule, of the loops that it would have then. */
static void show_sums(const Plan *p, Str *out) {
  int sums = 0;
  for (int e = 0; e < p->entries.n; e++) {
    NodeId where;
    const char *law = sums_breach(p, &p->entries.at[e], &where);
    if (law) str_printf(out, "%s\n", law);
  }
  const LoopProgram *all = loop_program(p);
  for (int e = 0; e < all->entries.n; e++) {
    const LoopEntry *en = all->entries.at[e];
    for (int i = 0; i < en->runs.n; i++) {
      const char *law = loop_verify_sum(p->arena, p, en->le, &en->runs.at[i]);
      sums += en->runs.at[i].sum != NULL;
      if (law) str_printf(out, "%s\n", law);
    }
  }
  if (sums < 5) str_printf(out, "%d sums\n", sums);
}

static void sums_after_each_step(void) {
  Arena *a = arena_new();
  Diag d;
  if (!a || arena_catch(a)) abort();
  Plan *p =
      plan_of(a, &d,
              "mesh [a=2]\nparam w: f32[512, 256] = normal()\n"
              "entry f(x: f32[800, 512], y: f32[64, 400, 512]) {\n"
              "  z = softmax(x @ w)\n  m = mean(y, axis=[0, 1])\n  v = sum(y * y, axis=2)\n"
              "  loss = sum(z * z)\n  w <- w - grad(loss, w)\n  s = sum(x, axis=0)\n"
              "  return loss, m, v, s, sum(z)\n}\nlayout f.x = [a, _]\nlayout f.y = [a, ...]\n");
  int steps = 0;
  for (const char *pass; (pass = pipeline_shows(steps)); steps++) {
    Str out = str_new(a);
    CHECK(pipeline_show(p, pass, show_sums, &out), "there is no step %s", pass);
    CHECK(!out.n, "after %s: %s", pass, out.at);
  }
  CHECK(steps > 8, "%d steps", steps);
  arena_free(a);
}

/* -------- functions that equal an earlier one -------- */

/* A chain of `layers` steps that are alike, which reads and writes other memory in each. */
static const Plan *layers_of(Arena *a, Diag *d, int layers) {
  Str text = str_new(a);
  str_puts(&text, "mesh [a=2]\nentry f(x: f32[64, 256], w: f32[256, 256]) {\n");
  for (int i = 0; i < layers; i++) str_puts(&text, "  x = softmax(x @ w) * 2.0\n");
  str_puts(&text, "  return x\n}\nlayout f.x = [a, _]\n");
  return plan_of(a, d, text.at);
}

/* They are the functions that the whole program has, with the same calls. */
static void equal_functions_are_forgotten(void) {
  Arena *a = arena_new();
  Diag d;
  if (!a || arena_catch(a)) abort();
  const Plan *p = layers_of(a, &d, 24);
  const LoopProgram *whole = loop_program(p), *once = loop_program_once(p);
  int forgotten = 0;
  CHECK(whole->units.n == once->units.n, "%d functions, %d if each is there once", whole->units.n,
        once->units.n);
  for (int e = 0; e < whole->entries.n; e++) {
    const LoopEntry *x = whole->entries.at[e], *y = once->entries.at[e];
    NodeId where;
    const char *law = loop_verify_entry(a, p, y, &where);
    CHECK(!law, "entry %d: %s", e, law);
    CHECK(x->identity == y->identity && x->runs.n == y->runs.n, "entry %d is another", e);
    for (int i = 0; i < y->runs.n; i++) {
      const LoopFunction *f = &x->runs.at[i], *g = &y->runs.at[i];
      const LoopUnit *u = &once->units.at[g->number];
      const bool first = u->entry == y && u->run == i;
      forgotten += !g->x;
      CHECK(f->x && !g->x == !first && (first || !g->body), "function %d of entry %d", i, e);
      CHECK(f->number == g->number && f->used.n == g->used.n && f->buffers.n == g->buffers.n &&
                !f->part == !g->part && f->uses_dev == g->uses_dev && f->key.n == g->key.n,
            "function %d of entry %d takes other things", i, e);
    }
  }
  CHECK(forgotten > 20, "%d functions are forgotten", forgotten);
  arena_free(a);
}

/* What a function that equals an earlier one has of its own is looked at before it is forgotten. */
static void forgotten_functions_are_verified(void) {
  Arena *a = arena_new();
  Diag d;
  if (!a || arena_catch(a)) abort();
  const Plan *p = layers_of(a, &d, 4);
  const LocalEntry *le = &p->entries.at[p->entries.n - 1];
  const LoopProgram *whole = loop_program(p);
  const LoopEntry *en = whole->entries.at[p->entries.n - 1];
  /* The last map lies where what it reads does, as another array. */
  int last = en->runs.n - 1;
  while (last > 0 && en->runs.at[last].buffers.n < 2) last--;
  const LoopFunction *f = &en->runs.at[last];
  CHECK(last > 0 && f->buffers.n >= 2 && whole->units.at[f->number].run != last,
        "no function equals an earlier one");
  le->buffer[node_base(le->graph, f->buffers.at[0].node)] =
      le->buffer[node_base(le->graph, f->buffers.at[1].node)];
  NodeId where;
  const LoopProgram *once = loop_program_once(p);
  const char *law = loop_verify_entry(a, p, once->entries.at[p->entries.n - 1], &where);
  CHECK(law, "an array that is written where another is read breaks no law");
  arena_free(a);
}

/* -------- entries -------- */

static LoopEntry *entry_of(Arena *a, Diag *d, const Plan **p, const char *text) {
  *p = plan_of(a, d, text);
  return (*p)->loops->entries.at[1];
}

static void breaks_law(const Plan *p, const LoopEntry *en, const char *want) {
  NodeId where;
  const char *law = loop_verify_entry(p->arena, p, en, &where);
  CHECK(law && !strcmp(law, want), "in place of `%s` the verifier says `%s`", want,
        law ? law : "nothing");
}

/* A list of three steps: a product, a loop, an exchange. Each law is broken in one. */
static void entry_laws(void) {
  static const char text[] = "mesh [a=2]\n"
                             "entry f(x: f32[8, 6], y: f32[6, 4]) {\n"
                             "  z = x @ y\n  s = sum(exp(z), axis=0)\n  return z, s\n}\n"
                             "layout f.x = [a, _]\nlayout f.s = [_]\n";
  Arena *a = arena_new();
  Diag d;
  if (!a || arena_catch(a)) abort();
  const Plan *p;
  LoopEntry *en = entry_of(a, &d, &p, text);
  NodeId where;
  const char *law = loop_verify_entry(a, p, en, &where);
  CHECK(!law, "a right entry breaks the law: %s", law);

  LoopStmt *second = en->body->next, *call = second->body;
  const Expr number = second->a, run = call->a;
  second->a = expr_int(en->x, 2);
  breaks_law(p, en, "a step out of order");
  second->a = number;

  ExprNode n = *expr_node(en->x, run);
  CHECK(n.kind == EXPR_RUN && n.n > 1, "the second step calls no loop function");
  call->a = expr_of_entry(en->x, EXPR_RUN, n.type, n.v, NULL, n.n - 1, n.arg);
  breaks_law(p, en, "a call that does not fit its function");
  call->a = run;

  LoopView *v = &en->views.at[expr_node(en->x, n.arg[n.n - 1])->v];
  const Expr address = v->address, far = expr_of_entry(en->x, EXPR_GIVEN, DT_I64,
                                                       p->entries.at[1].arena_bytes, NULL, 0, NULL);
  v->address = expr_of_entry(en->x, EXPR_MEMORY, DT_I64, SPACE_ARENA, NULL, 1, &far);
  breaks_law(p, en, "a view that is not in its memory");
  v->address = address;

  LoopStmt *exchange = second->next->body;
  CHECK(exchange->kind == STMT_EXCHANGE, "the third step is no exchange");
  exchange->count = 3;
  breaks_law(p, en, "an in-flight slot that is not awaited");
  exchange->count = 0;

  second->next = NULL;
  breaks_law(p, en, "steps that are missing");
  arena_free(a);
}

/* Equal layers with an exchange each become one block, of which each run has its own addresses and
 * exchanges. (What a block used was once looked up by the number of its column.) */
static void repeated_block(void) {
  enum { LAYERS = 40 };
  Arena *a = arena_new();
  Diag d;
  if (!a || arena_catch(a)) abort();
  Str text = str_new(a);
  str_puts(&text, "mesh [a=2]\nentry f(x: f32[8, 6], w: f32[40, 6, 6]) {\n  for i in 0..40 {\n"
                  "    x = tanh(x @ w[i])\n  }\n  return x\n}\n"
                  "layout f.x = [_, a]\nlayout f.w = [_, a, _]\n");
  const Plan *p;
  LoopEntry *en = entry_of(a, &d, &p, text.at);
  const LoopStmt *s = en->body;
  while (s && s->kind != STMT_REPEAT) s = s->next;
  CHECK(s, "%d equal layers are no block", LAYERS);
  if (!s) return;
  const LoopRepeat *r = s->repeat;
  CHECK(r->runs > 2 && r->columns > 0, "%d runs of %d columns", r->runs, r->columns);
  int exchanges = 0, steps = 0;
  for (const LoopStmt *in = s->body; in; in = in->next, steps++) {
    LoopUses uses;
    loop_uses(a, en, in->body, &uses);
    for (int i = 0; i < uses.views.n; i++) {
      const ExprNode *m = expr_node(en->x, en->views.at[uses.views.at[i]].address);
      const ExprNode *at = expr_node(en->x, m->arg[0]);
      CHECK(at->kind == EXPR_GIVEN || (at->kind == EXPR_COLUMN && at->v < r->columns),
            "a view of the block is nowhere");
    }
    if (in->body->kind != STMT_EXCHANGE || in->body->a == NO_EXPR) continue;
    const ExprNode *x = expr_node(en->x, expr_node(en->x, in->body->a)->arg[0]);
    CHECK(x->kind == EXPR_COLUMN, "all runs do the same exchange");
    for (int k = 1; x->kind == EXPR_COLUMN && k < r->runs; k++) {
      const int64_t *row = r->given + k * r->columns;
      CHECK(row[x->v] > row[x->v - r->columns], "run %d has another's exchange", k);
    }
    exchanges++;
  }
  CHECK(steps == r->steps, "%d steps in a block of %d", steps, r->steps);
  CHECK(exchanges > 0, "the block has no exchange");
  NodeId where;
  const char *law = loop_verify_entry(a, p, en, &where);
  CHECK(!law, "an entry with a block breaks the law: %s", law);
  arena_free(a);
}

int main(void) {
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) runs_in_parts((int)i);
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) sums_in_another_order((int)i);
  tiles_in_another_order();
  products_in_parts_of_tiles();
  sums_after_each_step();
  equal_functions_are_forgotten();
  forgotten_functions_are_verified();
  entry_laws();
  repeated_block();
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) compares(&pairs[i]);
  says();
  return failed;
}
