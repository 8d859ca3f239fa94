/* The bound of --auto against an exact solver, on random programs with few annotations.
 *
 * Each problem is written as an integer program (CPLEX LP format) from the ways of its ops and the
 * price of one exchange alone, and solved by glpsol or cbc:
 *
 *   one binary an op (or variable without an annotation) and way; of each op exactly one is 1
 *   one binary an exchange of a value between two layouts
 *   for each layout that uses can require of a value, a flow of as much as is required, from the
 * layout the value is computed in, over exchanges that are made
 *
 * Then: no bound is above the solver's optimum, for layouts that are to be found (auto_find) and
 * for those that propagation left (the choice of a plan); no choice is below it; and it is counted
 * how often the choice is above it, and of these how often the tree of conversions alone is.
 *
 *   choice_bound [first seed] [how many]      exit status 77: there is no solver */
#include "kit.h"
#include "auto.h"
#include "cost.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double SCALE = 1e6; /* microseconds: solvers' tolerances are absolute */
static const char *solver;

/* -------- programs -------- */

static void random_program(uint64_t seed, char *out, size_t size) {
  static const char *const one_axis[] = {"[_, _]", "[a, _]", "[_, a]"};
  static const char *const two_axes[] = {"[_, _]", "[a, _]", "[b, _]",
                                         "[_, a]", "[a, b]", "[_, (b, a)]"};
  uint64_t r = seed;
  bool two = kit_random(&r, 5) == 0;
  const char *mesh = two ? "[a=2, b=2]" : kit_random(&r, 2) ? "[a=2]" : "[a=4]";
  int n = (int)(int[]){8, 30, 256, 1000}[kit_random(&r, 4)];
  int ops = two ? 1 + (int)kit_random(&r, 2) : 1 + (int)kit_random(&r, 8);
  size_t at = (size_t)snprintf(out, size,
                               "mesh %s\nparam x1: f32[%d, %d] = 0\nparam x2: f32[%d, %d] = 0\n"
                               "entry f(x0: f32[%d, %d]) {\n",
                               mesh, n, n, n, n, n, n);
  for (int i = 0; i < ops; i++) {
    int a = (int)kit_random(&r, (uint64_t)(3 + i)), b = (int)kit_random(&r, (uint64_t)(3 + i));
    if (kit_random(&r, 3)) a = 2 + i;
    const char *form = (const char *[]){"x%d @ x%d",
                                        "x%d @ x%d",
                                        "x%d + x%d",
                                        "x%d * x%d",
                                        "exp(x%d) - x%d",
                                        "transpose(x%d) + x%d",
                                        "x%d - sum(x%d, axis=0)",
                                        "x%d * x%d - 3"}[kit_random(&r, 8)];
    at += (size_t)snprintf(out + at, size - at, "  x%d = ", 3 + i);
    at += (size_t)snprintf(out + at, size - at, form, a, b);
    at += (size_t)snprintf(out + at, size - at, "\n");
  }
  if (kit_random(&r, 3)) at += (size_t)snprintf(out + at, size - at, "  x1 <- x1 - x%d\n", 2 + ops);
  at += (size_t)snprintf(out + at, size - at, "  return x%d\n}\n", 2 + ops);
  for (int i = 0; i < 3 + ops; i++) {
    if (kit_random(&r, 4)) continue;
    const char *l = two ? two_axes[kit_random(&r, 6)] : one_axis[kit_random(&r, 3)];
    bool var = i == 1 || i == 2;
    at += (size_t)snprintf(out + at, size - at, "layout %sx%d = %s\n", var ? "" : "f.", i, l);
  }
}

/* -------- the integer program -------- */

typedef struct Writer {
  const Choice *c;
  FILE *f;
  int v;                      /* the value at hand: */
  int n;                      /* layouts of its form */
  double *hop;                /* [from * n + to]: INFINITY where no exchange is worth it */
  bool *can_be_wanted, *sure; /* by layout */
} Writer;

static bool same_dims(const Layout *a, const Layout *b) {
  for (int d = 0; d < a->rank; d++)
    if (!dim_equal(&a->dim[d], &b->dim[d])) return false;
  return true;
}

static double one_exchange(const Program *p, const Form *f, const Layout *x, const Layout *y) {
  uint32_t settle = x->partial & ~y->partial;
  if (x == y) return 0;
  if (!layout_is_plain(x) || y->partial & ~x->partial) return INFINITY;
  if (y->partial && x->reduce != y->reduce) return INFINITY;
  if (settle && !same_dims(x, y) && settle & ~layout_axes(y)) return INFINITY;
  return cost_exchange(p, x, y, &f->shape, f->dtype);
}

/* Exchanges that two others do for less are in no best tree. */
static void find_hops(Writer *w) {
  const Form *f = &w->c->routes->forms.at[w->c->value[w->v].form];
  int n = w->n = f->layouts.n;
  double *path = malloc(sizeof *path * (size_t)n * (size_t)n);
  w->hop = malloc(sizeof *w->hop * (size_t)n * (size_t)n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      w->hop[i * n + j] = path[i * n + j] =
          one_exchange(w->c->plan->program, f, f->layouts.at[i], f->layouts.at[j]);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        path[i * n + j] = fmin(path[i * n + j], path[i * n + k] + path[k * n + j]);
  for (int i = 0; i < n * n; i++)
    if (w->hop[i] > path[i] * (1 + 1e-12)) w->hop[i] = INFINITY;
  free(path);
}

static void find_wanted(Writer *w) {
  const Choice *c = w->c;
  const ChoiceValue *v = &c->value[w->v];
  w->can_be_wanted = calloc((size_t)w->n, sizeof(bool));
  w->sure = calloc((size_t)w->n, sizeof(bool));
  for (int i = 0; i < v->at_the_end.n; i++)
    w->can_be_wanted[v->at_the_end.at[i]] = w->sure[v->at_the_end.at[i]] = true;
  for (NodeId r = 0; r < c->graph->nodes.n; r++)
    for (int k = 0; c->ways[r] && k < c->ways[r]->noperands; k++)
      for (int s = 0; c->operand[r][k] == w->v && s < c->ways[r]->n; s++)
        w->can_be_wanted[c->ways[r]->way[s].need[k]] = true;
}

/* Where everybody reads the value from; -1: where it is computed, which is open. */
static int fixed_root(const ChoiceValue *v) { return v->lies; }

static void put_objective(Writer *w) {
  const Choice *c = w->c;
  for (int a = 0; a < w->n; a++)
    for (int b = 0; b < w->n; b++)
      if (a != b && w->hop[a * w->n + b] < INFINITY)
        fprintf(w->f, " + %.17g y%d_%d_%d\n", w->hop[a * w->n + b] * c->moves[w->v] * SCALE, w->v, a,
                b);
  for (int s = 0; c->ways[w->v] && s < c->ways[w->v]->n; s++) {
    double cost = choice_work(c, w->v, s);
    const int result = c->ways[w->v]->way[s].result, source = choice_source(c, w->v, result);
    if (source != result)
      cost += route(c->routes, c->value[w->v].form, result, source) * c->moves[w->v];
    if (cost > 0 && cost < INFINITY) fprintf(w->f, " + %.17g x%d_%d\n", cost * SCALE, w->v, s);
  }
}

/* One way an op; none that cannot be. */
static void put_op(Writer *w) {
  const Choice *c = w->c;
  const Ways *ways = c->ways[w->v];
  if (!ways) return;
  for (int s = 0; s < ways->n; s++) fprintf(w->f, " + x%d_%d%s", w->v, s, s % 8 == 7 ? "\n" : "");
  fprintf(w->f, " = 1\n");
  for (int s = 0; s < ways->n; s++) {
    const int result = ways->way[s].result, source = choice_source(c, w->v, result);
    bool can = source == result || route(c->routes, c->value[w->v].form, result, source) < INFINITY;
    for (int k = 0; k < ways->noperands; k++) {
      const ChoiceValue *x = &c->value[c->operand[w->v][k]];
      can = can && !(x->free && form_at(c->routes, x->form, ways->way[s].need[k])->partial);
    }
    if (!can) fprintf(w->f, " x%d_%d = 0\n", w->v, s);
  }
}

static void put_demands(Writer *w) {
  const Choice *c = w->c;
  for (int t = 0; t < w->n; t++)
    if (w->sure[t]) fprintf(w->f, " u%d_%d = 1\n", w->v, t);
  for (NodeId r = 0; r < c->graph->nodes.n; r++)
    for (int k = 0; c->ways[r] && k < c->ways[r]->noperands; k++) {
      if (c->operand[r][k] != w->v) continue;
      for (int t = 0; t < w->n; t++) {
        bool any = false;
        for (int s = 0; s < c->ways[r]->n; s++)
          if (c->ways[r]->way[s].need[k] == t)
            fprintf(w->f, " %s x%d_%d\n", any ? "+" : "", r, s), any = true;
        if (any) fprintf(w->f, " - u%d_%d <= 0\n", w->v, t);
      }
    }
}

/* The flow of what is wanted in layout t. */
static void put_flow(Writer *w, int t) {
  const Choice *c = w->c;
  int v = w->v, n = w->n, root = fixed_root(&c->value[v]);
  for (int x = 0; x < n; x++) {
    fprintf(w->f, " 0 nothing");
    for (int y = 0; y < n; y++) {
      if (x == y) continue;
      if (w->hop[y * n + x] < INFINITY) fprintf(w->f, " + g%d_%d_%d_%d\n", v, t, y, x);
      if (w->hop[x * n + y] < INFINITY) fprintf(w->f, " - g%d_%d_%d_%d\n", v, t, x, y);
    }
    if (root < 0 || root == x) fprintf(w->f, " + s%d_%d_%d", v, t, x);
    if (x == t) fprintf(w->f, " - u%d_%d", v, t);
    fprintf(w->f, " = 0\n");
    for (int y = 0; y < n; y++)
      if (x != y && w->hop[x * n + y] < INFINITY)
        fprintf(w->f, " g%d_%d_%d_%d - y%d_%d_%d <= 0\n", v, t, x, y, v, x, y);
    if (root >= 0) continue;
    fprintf(w->f, " s%d_%d_%d", v, t, x); /* it begins where the value is computed */
    for (int s = 0; s < c->ways[v]->n; s++)
      if (choice_source(c, v, c->ways[v]->way[s].result) == x) fprintf(w->f, " - x%d_%d\n", v, s);
    fprintf(w->f, " <= 0\n");
  }
}

static void put_binaries(Writer *w) {
  for (int s = 0; w->c->ways[w->v] && s < w->c->ways[w->v]->n; s++)
    fprintf(w->f, " x%d_%d\n", w->v, s);
  for (int a = 0; w->hop && a < w->n * w->n; a++)
    if (a / w->n != a % w->n && w->hop[a] < INFINITY)
      fprintf(w->f, " y%d_%d_%d\n", w->v, a / w->n, a % w->n);
}

static void write_lp(const Choice *c, const char *path) {
  enum { OBJECTIVE, CONSTRAINTS, BINARIES };
  Writer w = {.c = c, .f = fopen(path, "w")};
  if (!w.f) abort();
  for (int part = OBJECTIVE; part <= BINARIES; part++) {
    fputs(part == OBJECTIVE     ? "Minimize\n cost: 0 nothing\n"
          : part == CONSTRAINTS ? "Subject To\n nothing = 0\n"
                                : "Binary\n",
          w.f);
    for (w.v = 0; w.v < c->graph->nodes.n; w.v++) {
      w.n = 0, w.hop = NULL, w.can_be_wanted = w.sure = NULL;
      if (!c->value[w.v].free) {
        find_hops(&w);
        find_wanted(&w);
      }
      if (part == OBJECTIVE) put_objective(&w);
      if (part == CONSTRAINTS) {
        put_op(&w);
        if (w.hop) put_demands(&w);
        for (int t = 0; t < w.n; t++)
          if (w.can_be_wanted[t]) put_flow(&w, t);
      }
      if (part == BINARIES) put_binaries(&w);
      free(w.hop), free(w.can_be_wanted), free(w.sure);
    }
  }
  fputs("End\n", w.f);
  if (fclose(w.f)) abort();
}

/* -------- solving -------- */

/* Negative: not in time. */
static double solve(const char *lp) {
  char command[600], answer[300], line[400];
  double best = -1;
  snprintf(answer, sizeof answer, "%s.sol", lp);
  remove(answer);
  if (strcmp(solver, "cbc") == 0)
    snprintf(command, sizeof command,
             "cbc %s sec 20 ratioGap 0 allowableGap 0 solve solution %s >/dev/null 2>&1", lp,
             answer);
  else
    snprintf(command, sizeof command, "glpsol --lp %s --tmlim 20 -w %s >/dev/null 2>&1", lp,
             answer);
  if (system(command)) return -1;
  FILE *f = fopen(answer, "r");
  if (!f) return -1;
  char status;
  while (best < 0 && fgets(line, sizeof line, f)) {
    if (sscanf(line, "s mip %*d %*d %c %lf", &status, &best) == 2 && status != 'o') best = -1;
    if (strcmp(solver, "cbc") == 0) sscanf(line, "Optimal - objective value %lf", &best);
  }
  fclose(f);
  remove(answer);
  return best < 0 ? -1 : best / SCALE;
}

static bool has(const char *program) {
  char command[100];
  snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
  return system(command) == 0;
}

/* -------- -------- */

typedef struct Tally {
  int solved, unsolved, wrong, above, bound_met;
  double most_above, gap; /* gap: sum of optimum / bound - 1 */
} Tally;

static double bound_of(Choice *c) {
  MinSum *m = min_sum_new(c, true);
  min_sum_reset(m, true);
  double best = 0;
  for (int i = 0; i < 60; i++) {
    min_sum_sweep(m);
    best = fmax(best, min_sum_bound(m));
  }
  return best;
}

/* CHOICE_SHOW set: the program, and how each op was computed. */
static void show(const Choice *c, const char *text) {
  if (!getenv("CHOICE_SHOW")) return;
  fputs(text, stdout);
  const Mesh *m = &c->plan->program->mesh;
  for (NodeId i = 0; i < c->graph->nodes.n; i++) {
    const Node *n = graph_node(c->graph, i);
    const ChoiceValue *v = &c->value[i];
    printf("  %%%d %s%s%s", i, n->op->name, v->free ? " free" : "", v->lies >= 0 ? " fixed" : "");
    if (!v->free)
      printf(" %s", layout_text(c->arena, m, form_at(c->routes, v->form, choice_result(c, i))));
    for (int k = 0; c->ways[i] && k < c->ways[i]->noperands; k++)
      printf("%s %%%d %s", k ? "," : " <-", c->operand[i][k],
             layout_text(c->arena, m,
                         form_at(c->routes, c->value[c->operand[i][k]].form,
                                 c->ways[i]->way[c->way[i]].need[k])));
    if (c->ways[i])
      printf("  work %.3g of %d ways", c->ways[i]->way[c->way[i]].work, c->ways[i]->n);
    printf("\n");
  }
}

static void check(Tally *t, const Choice *c, double bound, const char *what, uint64_t seed,
                  const char *text) {
  char lp[100];
  snprintf(lp, sizeof lp, "/tmp/choice_bound_%ld.lp", (long)getpid());
  write_lp(c, lp);
  double best = solve(lp);
  if (!getenv("KEEP")) remove(lp);
  t->solved += best >= 0, t->unsolved += best < 0;
  if (best < 0) return;
  const char *wrong = NULL;
  if (bound > best * (1 + 1e-7) + 1e-12) wrong = "the bound is above the optimum";
  if (c->total < best * (1 - 1e-7) - 1e-12) wrong = "the choice is below the optimum";
  if (fabs(choice_total(c) - c->total) > 1e-9 * c->total)
    wrong = "the choice does not cost what it says";
  if (c->total > best * (1 + 1e-7) + 1e-12) {
    t->above++;
    t->most_above = fmax(t->most_above, c->total / best - 1);
    printf("seed %ld, %s: the choice takes %.9g, the best %.9g (%.2f %% above)\n", (long)seed, what,
           c->total, best, 100 * (c->total / best - 1));
    show(c, text);
  }
  t->bound_met += bound >= best * (1 - 1e-3);
  if (bound > 0) t->gap += best / bound - 1;
  if (!wrong) return;
  t->wrong++;
  printf("FAIL seed %ld, %s: %s: bound %.9g, best %.9g, choice %.9g\n%s", (long)seed, what, wrong,
         bound, best, c->total, text);
}

static void say(const char *what, const Tally *t) {
  printf("%s: %d solved, %d not in time, %d wrong; the choice is above the best %d times, by up to "
         "%.2f %%; the bound within 0.1 %% of the best %d times, on average %.2f %% below\n",
         what, t->solved, t->unsolved, t->wrong, t->above, 100 * t->most_above, t->bound_met,
         t->solved ? 100 * t->gap / t->solved : 0);
}

int main(int argc, char **argv) {
  uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  int count = argc > 2 ? atoi(argv[2]) : 30;
  Tally found = {0}, plans = {0};
  solver = getenv("CHOICE_SOLVER") ? getenv("CHOICE_SOLVER") : has("glpsol") ? "glpsol" : "cbc";
  if (!has(solver)) {
    printf("skipped: there is neither glpsol (Debian: glpk-utils) nor cbc (coinor-cbc)\n");
    return 77;
  }
  for (int i = 0; i < count; i++) {
    char text[8192];
    uint64_t seed = first + (uint64_t)i;
    if (seed % 3)
      random_program(seed, text, sizeof text);
    else
      kit_loop_program(seed, text, sizeof text);
    Kit *k = kit_compile(text);
    if (!k) {
      printf("FAIL seed %ld does not compile:\n%s", (long)seed, text);
      return 1;
    }
    Choice *plan = (Choice *)k->plan->entries.at[1].choice;
    check(&plans, plan, bound_of(plan), "as propagated", seed, text);
    const Auto *a = auto_find(k->plan, 0, true, true);
    check(&found, a->choice, a->bound, "layouts to be found", seed, text);
    kit_free(k);
  }
  say("as propagated", &plans);
  say("layouts to be found", &found);
  return found.wrong || plans.wrong || !found.solved || !plans.solved;
}
