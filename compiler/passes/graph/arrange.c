/* Products whose tensors have their dims in an order that no matrix product takes, or only many
 * small ones, read transposed copies, or their result is transposed, where that is less work:
 *
 *   contract(x, y) "adc,cbd->ba"   ->   contract(x, transpose(y)) "adc,bdc->ba"
 *
 * As they were they would be loops over single elements (loop_contract.c), 50 times as slow.
 *
 * Invariant: it follows from the letters and the whole tensors' sizes alone, since it decides the
 * order of sums (docs/sums.md): no layout, machine or number of cores changes it. */
#include "graph_passes.h"
#include "opdefs.h"
#include <math.h>
#include <string.h>

enum { X, Y, OUT, TENSORS };

/* Prices, in operations of a matrix product at its best. They are part of the order of sums, as the
 * length of its blocks is: another price is other bits. So they follow no machine; they stand for
 * the generic one, whose rates are in brackets. */
enum {
  PRICE_ROW = 2,      /* an operation of a loop along rows, which is one of vectors (50 / 20) */
  PRICE_INTEGER = 10, /* one of a loop over single elements: vectors that are gathered, (4 rows) */
  PRICE_ELEMENT = 16, /* or of floats one by one (a vector's lanes) */
  PRICE_FAR = 48,     /* the same where each comes from beyond a core's own cache, (a line of L2) */
  CACHE = 1 << 18,    /* of so many bytes */
  PRICE_COPIED = 10,  /* a byte that is copied into another order (read and written: 10 GB/s) */
  PRICE_CALL = 2000,  /* of a kernel (40 ns) */
  PRICE_STEP = 20000, /* one step more (0.4 us) */
  HALF_ROWS = 4,      /* so many rows run at half the speed of many; */
  HALF_COLUMNS = 16,  /* so many columns, too, */
  HALF_DEPTHS = 16,   /* and so many numbers to sum */
  GAIN = 2            /* a copy takes memory: it has to be worth it */
};

/* The order of each tensor's dims, by letter. */
typedef struct DimOrders {
  int rank[TENSORS];
  int8_t letter[TENSORS][MAX_RANK];
} DimOrders;

typedef struct Arranging {
  DType dtype;
  int in[26]; /* LETTER_M, ... */
  int64_t size[26];
  DimOrders order;
} Arranging;

/* Letters of one role that lie side by side wherever they are: one dim of matrices. */
typedef struct LetterRun {
  int role;
  double len, stride[TENSORS]; /* 0: not there */
} LetterRun;

/* -------- what a product in some order takes -------- */

static int place_of(const DimOrders *o, int t, int letter) {
  for (int d = 0; d < o->rank[t]; d++)
    if (o->letter[t][d] == letter) return d;
  return -1;
}

static double stride_of(const Arranging *p, const DimOrders *o, int t, int letter) {
  double stride = 1;
  const int at = place_of(o, t, letter);
  if (at < 0) return 0;
  for (int d = at + 1; d < o->rank[t]; d++) stride *= (double)p->size[o->letter[t][d]];
  return stride;
}

/* As product_roles.c of the loops finds them. */
static int runs_of(const Arranging *p, const DimOrders *o, LetterRun *run) {
  static const int read[] = {OUT, X, Y};
  uint32_t done = 0;
  int n = 0;
  for (int i = 0; i < TENSORS; i++)
    for (int d = 0; d < o->rank[read[i]]; d++) {
      const int c = o->letter[read[i]][d];
      if (done >> c & 1 || p->size[c] == 1) continue;
      done |= 1u << c;
      LetterRun r = {.role = p->in[c], .len = (double)p->size[c]};
      bool joins = n && run[n - 1].role == r.role;
      for (int t = 0; t < TENSORS; t++) {
        r.stride[t] = stride_of(p, o, t, c);
        joins = joins && run[n - 1].stride[t] == r.stride[t] * r.len;
      }
      if (joins) r.len *= run[--n].len;
      run[n++] = r;
    }
  return n;
}

static const LetterRun *pick(const LetterRun *run, int n, int role) {
  const LetterRun *best = NULL;
  bool best_lies = false;
  for (int i = 0; i < n; i++) {
    if (run[i].role != role) continue;
    bool lies = false;
    for (int t = 0; t < TENSORS; t++) lies = lies || run[i].stride[t] == 1;
    if (!best || lies || !best_lies) best = &run[i], best_lies = lies;
  }
  return best;
}

/* A kernel reads this matrix, as it lies or transposed. */
static bool is_matrix(int t, const LetterRun *rows, const LetterRun *columns) {
  return !rows || !columns || rows->stride[t] == 1 || columns->stride[t] == 1;
}

/* Of the speed with many of them. */
static double share(const LetterRun *r, double half) {
  const double len = r ? r->len : 1;
  return len / (len + half);
}

static double bytes_of(const Arranging *p, int t) {
  double bytes = (double)dtype_size(p->dtype);
  for (int d = 0; d < p->order.rank[t]; d++) bytes *= (double)p->size[p->order.letter[t][d]];
  return bytes;
}

static double all_products(const Arranging *p) {
  double n = 2;
  for (int c = 0; c < 26; c++)
    if (p->in[c]) n *= (double)p->size[c];
  return n;
}

/* By kernels of matrices; INFINITY: none takes them. */
static double price_of_kernels(const Arranging *p, const LetterRun *run, int n) {
  if (!dtype_is_float(p->dtype)) return INFINITY;
  const LetterRun *m = pick(run, n, LETTER_M), *c = pick(run, n, LETTER_N),
                  *k = pick(run, n, LETTER_SUMMED);
  if (!is_matrix(OUT, m, c) || !is_matrix(X, m, k) || !is_matrix(Y, k, c)) return INFINITY;
  double calls = 1;
  for (int i = 0; i < n; i++)
    if (&run[i] != m && &run[i] != c && &run[i] != k) calls *= run[i].len;
  if (c && m && m->stride[OUT] == 1) {
    const LetterRun *rows = m;
    m = c, c = rows;
  }
  const double part = share(m, HALF_ROWS) * share(c, HALF_COLUMNS) * share(k, HALF_DEPTHS);
  return all_products(p) / part + calls * PRICE_CALL;
}

/* By loops: along a row of the result, if what is read lies along it too, or of integers along
 * what they add. */
static double price_of_loops(const Arranging *p, const LetterRun *run, int n) {
  const bool floats = dtype_is_float(p->dtype);
  double bytes = 0;
  for (int t = 0; t < TENSORS; t++) bytes += bytes_of(p, t);
  double price = !floats ? PRICE_INTEGER : bytes > CACHE ? PRICE_FAR : PRICE_ELEMENT;
  for (int i = 0; i < n; i++) {
    bool lies = run[i].stride[OUT] == 1 || !floats;
    for (int t = 0; t < TENSORS; t++) lies = lies && run[i].stride[t] <= 1;
    if (lies) price = fmin(price, PRICE_ROW / share(&run[i], HALF_COLUMNS));
  }
  return all_products(p) * price;
}

static double price_of(const Arranging *p, const DimOrders *o) {
  LetterRun run[26];
  const int n = runs_of(p, o, run);
  return fmin(price_of_kernels(p, run, n), price_of_loops(p, run, n));
}

/* -------- other orders -------- */

/* The letters of a role as tensor t has them. */
static void add_role(const Arranging *p, const DimOrders *o, int t, int role, int8_t *letter,
                     int *n) {
  for (int d = 0; d < o->rank[t]; d++)
    if (p->in[o->letter[t][d]] == role) letter[(*n)++] = o->letter[t][d];
}

/* A product of matrices, of which the tensors that are not in `moved` stay as they lie. */
static DimOrders arranged(const Arranging *p, int moved) {
  const DimOrders *o = &p->order;
  const bool out_stays = !(moved >> OUT & 1), x_stays = !(moved >> X & 1);
  static const int roles[TENSORS][3] = {{LETTER_BATCH, LETTER_M, LETTER_SUMMED},
                                        {LETTER_BATCH, LETTER_SUMMED, LETTER_N},
                                        {LETTER_BATCH, LETTER_M, LETTER_N}};
  DimOrders to = *o;
  for (int t = 0; t < TENSORS; t++) {
    if (!(moved >> t & 1)) continue;
    int n = 0;
    for (int i = 0; i < 3; i++) {
      int from = X;
      if (roles[t][i] == LETTER_N) from = Y;
      if (roles[t][i] == LETTER_SUMMED && !x_stays) from = Y;
      if (roles[t][i] == LETTER_BATCH && !x_stays) from = Y;
      if (roles[t][i] != LETTER_SUMMED && out_stays) from = OUT;
      add_role(p, o, from, roles[t][i], to.letter[t], &n);
    }
  }
  return to;
}

static double price_of_copies(const Arranging *p, const DimOrders *to) {
  double price = 0;
  for (int t = 0; t < TENSORS; t++) {
    if (!memcmp(to->letter[t], p->order.letter[t], (size_t)to->rank[t])) continue;
    price += bytes_of(p, t) * PRICE_COPIED + PRICE_STEP;
  }
  return price;
}

/* False: as it lies is best. */
static bool find_order(const Arranging *p, DimOrders *best) {
  double least = price_of(p, &p->order) / GAIN;
  bool found = false;
  for (int moved = 1; moved < 1 << TENSORS; moved++) {
    const DimOrders to = arranged(p, moved);
    const double price = price_of(p, &to) + price_of_copies(p, &to);
    if (price >= least) continue;
    least = price, *best = to, found = true;
  }
  return found;
}

/* -------- the graph -------- */

static Arranging product_of(const Graph *g, const Node *n) {
  const Node *const tensor[] = {graph_operand(g, n, 0), graph_operand(g, n, 1), n};
  const Letters l = product_letters(g, n);
  const int64_t *letter = n->attr;
  Arranging p = {.dtype = tensor[X]->dtype};
  for (int c = 0; c < 26; c++) p.in[c] = l.in[c];
  for (int t = 0; t < TENSORS; t++) {
    p.order.rank[t] = tensor[t]->shape.rank;
    for (int d = 0; d < p.order.rank[t]; d++, letter++) {
      p.order.letter[t][d] = (int8_t)*letter;
      p.size[*letter] = tensor[t]->shape.dim[d];
    }
  }
  return p;
}

static bool is_moved(const Arranging *p, const DimOrders *to, int t) {
  return memcmp(to->letter[t], p->order.letter[t], (size_t)to->rank[t]) != 0;
}

static NodeId moved(Build *b, const Program *program, const Arranging *p, const DimOrders *to,
                    int t, NodeId x) {
  int perm[MAX_RANK];
  if (!is_moved(p, to, t)) return x;
  for (int d = 0; d < to->rank[t]; d++) perm[d] = place_of(&p->order, t, to->letter[t][d]);
  const NodeId id = mk_transpose(b, x, perm);
  graph_node(b->graph, id)->forbid = forbid_of(program, graph_node(b->graph, x));
  return id;
}

/* The product in another order, and what puts its result back, which has the product's name. */
static NodeId reorder_product(Build *b, const Program *program, const Arranging *p,
                              const DimOrders *to, const Node *n) {
  b->span = n->span, b->site = n->site, b->within = n->within;
  NodeId *x = arena_array(b->arena, NodeId, 2);
  for (int t = X; t <= Y; t++) x[t] = moved(b, program, p, to, t, n->operand[t]);
  int64_t *letter = arena_array(b->arena, int64_t, n->nattr), *at = letter;
  for (int t = 0; t < TENSORS; t++)
    for (int d = 0; d < to->rank[t]; d++) *at++ = to->letter[t][d];
  Node product = *n;
  product.operand = x, product.attr = letter;
  if (!is_moved(p, to, OUT)) return graph_add(b->graph, &product);
  product.name = NULL, product.spec = NULL;
  int perm[MAX_RANK];
  for (int d = 0; d < n->shape.rank; d++) {
    product.shape.dim[d] = p->size[to->letter[OUT][d]];
    perm[d] = place_of(to, OUT, p->order.letter[OUT][d]);
  }
  const NodeId id = mk_transpose(b, graph_add(b->graph, &product), perm);
  Node *result = graph_node(b->graph, id);
  result->name = n->name, result->spec = n->spec, result->forbid = n->forbid;
  result->back = n->back, result->stores = n->stores, result->keep = n->keep;
  return id;
}

static void rewrite(Plan *p, Entry *e) {
  const Graph *g = e->graph;
  const int n = g->nodes.n;
  NodeId *map = arena_array(p->arena, NodeId, n);
  Build b = {.arena = p->arena,
             .diag = p->program->diag,
             .graph = graph_new(p->arena, VIEW_GLOBAL, n + n / 8)};
  for (NodeId i = 0; i < n; i++) {
    Node copy = *graph_node(g, i);
    NodeId *x = arena_array(p->arena, NodeId, copy.noperands);
    for (int k = 0; k < copy.noperands; k++) x[k] = map[copy.operand[k]];
    copy.operand = x;
    map[i] = NO_NODE;
    if (op_class(&copy) == OPC_PRODUCT) {
      DimOrders to;
      const Arranging product = product_of(g, graph_node(g, i));
      if (find_order(&product, &to)) map[i] = reorder_product(&b, p->program, &product, &to, &copy);
    }
    if (map[i] == NO_NODE) map[i] = graph_add(b.graph, &copy);
  }
  entry_rewritten(e, b.graph, map);
}

static bool has_products(const Graph *g) {
  for (NodeId i = 0; i < g->nodes.n; i++)
    if (op_class(graph_node(g, i)) == OPC_PRODUCT) return true;
  return false;
}

void arrange(Plan *p) {
  for (int i = 0; i < p->program->entries.n; i++)
    if (has_products(p->program->entries.at[i].graph)) rewrite(p, &p->program->entries.at[i]);
}
