/* Products. The letters of a contraction are dealt to the roles of a matrix product: m (in x and
 * the result), n (in y and the result), k (summed), and a batch that is looped over. Letters of one
 * role that lie side by side in every tensor are one dim. Strides decide whether a matrix is read
 * as it lies or transposed, so nothing is ever copied into another order; what fits no matrix
 * product becomes plain loops. */
#include "emit.h"
#include <stdlib.h>
#include <string.h>

typedef struct Side {
  const Node *n;
  const int64_t *letter;
  const char *stride[MAX_RANK], *len[MAX_RANK]; /* in elements */
  bool part[MAX_RANK];                          /* a tile has a part of the dim */
} Side;

enum { X, Y, OUT, NO_LETTER = -1 };

/* One letter, or several that are one dim everywhere. */
typedef struct LetterGroup {
  int role;       /* 'b' batch, 'm', 'n', 'k' */
  int64_t letter; /* NO_LETTER: several */
  const char *len;
  const char *stride[3]; /* in X, Y, OUT; NULL: not there */
} LetterGroup;

typedef struct Contract {
  Emit *e;
  Side t[3];
  LetterGroup group[26];
  int ngroups;
} Contract;

static int find_letter(const Side *s, int64_t c) {
  for (int d = 0; d < s->n->shape.rank; d++)
    if (s->letter[d] == c) return d;
  return -1;
}

static void measure(Emit *e, Side *s) {
  const char *stride = "1";
  for (int d = s->n->shape.rank - 1; d >= 0; d--) {
    const char *room = emit_room(e, s->n, d);
    s->len[d] = emit_len(e, s->n, d);
    s->part[d] = strcmp(room, s->len[d]) != 0;
    s->stride[d] = stride;
    stride = emit_product(e, stride, room);
  }
}

static int role_of(const int at[3]) {
  return at[X] >= 0 && at[Y] >= 0 ? (at[OUT] >= 0 ? 'b' : 'k') : at[X] >= 0 ? 'm' : 'n';
}

/* Each letter, in the order of the result and then of x, joined to the one before where both lie
 * side by side in every tensor that has them. */
static void find_groups(Contract *c) {
  int last[3] = {-2, -2, -2}, last_role = 0;
  uint32_t done = 0;
  const int order[3] = {OUT, X, Y};
  for (int o = 0; o < 3; o++)
    for (int d = 0; d < c->t[order[o]].n->shape.rank; d++) {
      int64_t letter = c->t[order[o]].letter[d];
      if (done & 1u << letter) continue;
      done |= 1u << letter;
      int at[3];
      for (int t = 0; t < 3; t++) at[t] = find_letter(&c->t[t], letter);
      const char *len = c->t[order[o]].len[d];
      if (is_number(len, 1)) continue;
      int role = role_of(at);
      bool joins = role == last_role && c->ngroups;
      for (int t = 0; joins && t < 3; t++)
        joins = at[t] < 0 ? last[t] < 0 : at[t] == last[t] + 1 && !c->t[t].part[at[t]];
      LetterGroup *g = joins ? &c->group[c->ngroups - 1] : &c->group[c->ngroups++];
      g->len = joins ? emit_product(c->e, g->len, len) : len;
      g->role = role;
      g->letter = joins ? NO_LETTER : letter;
      for (int t = 0; t < 3; t++) {
        g->stride[t] = at[t] >= 0 ? c->t[t].stride[at[t]] : NULL;
        last[t] = at[t];
      }
      last_role = role;
    }
}

static bool unit(const LetterGroup *g, int t) { return !g || is_number(g->stride[t], 1); }

/* The group of a role that the product takes: one with unit stride where there is one, else the
 * last. */
static LetterGroup *pick(Contract *c, int role) {
  LetterGroup *best = NULL;
  for (int i = 0; i < c->ngroups; i++) {
    LetterGroup *g = &c->group[i];
    if (g->role != role) continue;
    bool u = false, best_u = false;
    for (int t = 0; t < 3; t++) {
      u |= g->stride[t] && is_number(g->stride[t], 1);
      best_u |= best && best->stride[t] && is_number(best->stride[t], 1);
    }
    if (!best || u || !best_u) best = g;
  }
  return best;
}

static const char *stride_of(const LetterGroup *g, int t) { return g ? g->stride[t] : "1"; }

typedef struct Operand {
  int t, transposed;
  const char *lead;
} Operand;

/* How a matrix with `rows` and `columns` lies in tensor t; false: neither dim has unit stride. */
static bool matrix(int t, const LetterGroup *rows, const LetterGroup *columns, Operand *out) {
  out->t = t;
  out->transposed = 0;
  if (unit(columns, t)) {
    out->lead = rows ? stride_of(rows, t) : columns ? columns->len : "1";
    return true;
  }
  if (unit(rows, t)) {
    out->transposed = 1;
    out->lead = stride_of(columns, t);
    return true;
  }
  return false;
}

static const char *offset_text(Contract *c, const LetterGroup *const *loops, int n, int t) {
  Str s = str_new(c->e->arena);
  for (int i = 0; i < n; i++)
    if (loops[i]->stride[t])
      str_printf(&s, is_number(loops[i]->stride[t], 1) ? " + i%d" : " + i%d * %s", i,
                 loops[i]->stride[t]);
  return s.at;
}

/* How many leading dims of the result are the rows of a product that is one call; 0: no loop can
 * ride on it. */
static int row_dims(const Contract *c, const LetterGroup *m, const LetterGroup *nn) {
  const Side *out = &c->t[OUT];
  if (!m || !nn || !is_number(nn->stride[OUT], 1) || strcmp(m->stride[OUT], nn->len)) return 0;
  const char *rows = "1";
  int d = 0;
  for (; d < out->n->shape.rank; d++) {
    int at[3];
    for (int t = 0; t < 3; t++) at[t] = find_letter(&c->t[t], out->letter[d]);
    if (role_of(at) != m->role) break;
    rows = emit_product(c->e, rows, out->len[d]);
  }
  return strcmp(rows, m->len) ? 0 : d;
}

/* -------- in the band of a tile (emit_band.c) -------- */

typedef struct Live {
  int t; /* the tensor that lies in the band; -1: none does */
  const char *of;
  bool turned; /* its rows are the product's columns there */
} Live;

static Live live_part(Contract *c, const NodeId *id, const LetterGroup *m, const LetterGroup *n,
                      const LetterGroup *k) {
  const LetterGroup *const role[3][2] = {{m, n}, {m, k}, {k, n}};
  static const char *const names[] = {"DTRT_LIVE_C", "DTRT_LIVE_A", "DTRT_LIVE_B"};
  Live v = {.t = -1};
  for (int t = 0; t < 3; t++)
    if (emit_in_band(c->e, id[t])) v.t = t;
  if (v.t < 0) return v;
  const Side *s = &c->t[v.t];
  const int64_t row = s->letter[c->e->tile->band.row], column = s->letter[s->n->shape.rank - 1];
  for (int i = 0; i < 3; i++)
    for (int turned = 0; turned < 2; turned++) {
      const LetterGroup *r = role[i][turned], *q = role[i][!turned];
      if (r && q && r->letter == row && q->letter == column) v.of = names[i], v.turned = turned;
    }
  return v;
}

/* Where the product cannot leave out what is outside of the band, that has to be 0. */
static void clear_dead(Contract *c, const Live *v, const char *p) {
  if (!v->of && (v->t == X || v->t == Y)) emit_clear(c->e, c->t[v->t].n, p, c->t[v->t].stride);
}

/* Where a tile's depths lie among all that the product sums over: false if they are not one run of
 * them. */
static bool depths_before(const Contract *c, const LetterGroup *k, const char **at,
                          const char **all) {
  Emit *e = c->e;
  const Node *x = c->t[X].n;
  bool first = true;
  *at = "0", *all = "1";
  for (int d = 0; d < x->shape.rank; d++) {
    if (find_letter(&c->t[OUT], c->t[X].letter[d]) >= 0) continue;
    const char *len = emit_extent(e, &x->layout->dim[d], x->shape.dim[d]), *from = emit_at(e, x, d);
    if (is_number(len, 1)) continue;
    if (!first && c->t[X].part[d]) return false;
    if (first) *at = from;
    if (!first) *at = emit_product(e, *at, len);
    *all = emit_product(e, *all, len);
    first = false;
  }
  return k && !first;
}

bool emit_contract(Emit *e, NodeId id, const Epilogue *epilogue) {
  const Graph *g = e->le->graph;
  const Node *n = graph_node(g, id), *x = graph_operand(g, n, 0), *y = graph_operand(g, n, 1);
  const Letters letters = product_letters(g, n);
  Contract c = {.e = e,
                .t = {{.n = x, .letter = letters.x},
                      {.n = y, .letter = letters.y},
                      {.n = n, .letter = letters.out}}};
  for (int t = 0; t < 3; t++) measure(e, &c.t[t]);
  find_groups(&c);
  LetterGroup *m = pick(&c, 'm'), *nn = pick(&c, 'n'), *k = pick(&c, 'k');
  Operand a, b, out;
  bool fits = n->dtype == DT_F32 || n->dtype == DT_F64;
  fits = fits && matrix(OUT, m, nn, &out) && matrix(X, m, k, &a) && matrix(Y, k, nn, &b);
  const NodeId ids[3] = {n->operand[0], n->operand[1], id};
  if (!fits) {
    Live v = live_part(&c, ids, NULL, NULL, NULL);
    if (v.t >= 0) clear_dead(&c, &v, emit_start(e, ids[v.t], NULL));
    const LoopSite site = emit_site(e);
    LoopFunction f;
    loop_of_contract(&site, id, &f);
    emit_loop(e, &f);
    return false;
  }
  if (out.transposed) {
    /* The result lies with its rows innermost: its transpose is the product of the transposes. */
    LetterGroup *r = m;
    m = nn, nn = r;
    Operand old = a;
    matrix(Y, k, m, &b);
    a = (Operand){b.t, !b.transposed, b.lead};
    b = (Operand){old.t, !old.transposed, old.lead};
  }
  const LetterGroup *loops[26];
  int nloops = 0, first_k = -1;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < c.ngroups; i++) {
      LetterGroup *q = &c.group[i];
      if (q == m || q == nn || q == k || (q->role == 'k') != (pass == 1)) continue;
      if (pass == 1 && first_k < 0) first_k = nloops;
      loops[nloops++] = q;
    }
  const char *p[3] = {emit_start(e, n->operand[0], NULL), emit_start(e, n->operand[1], NULL),
                      emit_start(e, id, NULL)};
  const char *first = emit_first(e, id);
  Live live = live_part(&c, ids, m, nn, k);
  if (live.t >= 0) clear_dead(&c, &live, p[live.t]);
  const char *type = dtype_c_name(n->dtype);
  /* A further summed dim is added up, which an empty one must not leave undone. */
  if (first_k >= 0)
    str_line(&e->body, "dtrt_zero(%s, %s * %d);", p[OUT], emit_count(e, n), dtype_size(n->dtype));
  for (int i = 0; i < nloops; i++) {
    str_line(&e->body, "for (int64_t i%d = 0; i%d < %s; i%d++)%s", i, i, loops[i]->len, i, "");
    e->body.indent++;
  }
  const char *at[3];
  for (int t = 0; t < 3; t++) {
    const char *off = offset_text(&c, loops, nloops, t);
    at[t] = *off ? arena_printf(e->arena, "(%s%s *)%s%s", t == OUT ? "" : "const ", type, p[t], off)
                 : p[t];
  }
  if (epilogue && nloops == 0 && row_dims(&c, m, nn)) {
    str_line(&e->body, "dtrt_gemm_then(%d, %d, %s, %s, %s, %s, %s, %s, %s, %s,", a.transposed,
             b.transposed, m->len, nn->len, k ? k->len : "1", at[a.t], a.lead, at[b.t], b.lead,
             at[OUT]);
    str_line(&e->body, "    %s);", epilogue->then);
    return true;
  }
  const char *adds = first ? arena_printf(e->arena, "!(%s)", first) : first_k >= 0 ? "1" : "0";
  const char *before, *all;
  if (first && !(live.of && live.t == OUT) && e->le->scratch[id] >= 0 && !nloops &&
      depths_before(&c, k, &before, &all)) {
    str_line(&e->body, "dtrt_gemm_sum(%d, %d, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s,",
             a.transposed, b.transposed, m ? m->len : "1", nn ? nn->len : "1", k->len, at[a.t],
             a.lead, at[b.t], b.lead, at[OUT], out.lead, emit_partial(e, id), before, all);
    if (live.of)
      str_line(&e->body, "    &(dtrt_live){%s, %s});", live.of,
               live.turned ? "1 - high, 1 - low" : "low, high");
    else
      str_line(&e->body, "    0);");
    return false;
  }
  if (live.of) {
    str_line(&e->body, "dtrt_gemm_live(%d, %d, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s,",
             a.transposed, b.transposed, m->len, nn->len, k ? k->len : "1", at[a.t], a.lead,
             at[b.t], b.lead, at[OUT], out.lead, adds);
    str_line(&e->body, "    (dtrt_live){%s, %s});", live.of,
             live.turned ? "1 - high, 1 - low" : "low, high");
    e->body.indent -= nloops;
    return false;
  }
  str_line(&e->body, "dtrt_gemm(DTRT_%s, %d, %d, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s);",
           n->dtype == DT_F32 ? "F32" : "F64", a.transposed, b.transposed, m ? m->len : "1",
           nn ? nn->len : "1", k ? k->len : "1", at[a.t], a.lead, at[b.t], b.lead, at[OUT],
           out.lead, adds);
  e->body.indent -= nloops;
  return false;
}
