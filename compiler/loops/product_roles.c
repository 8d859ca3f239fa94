/* The letters of a contraction are dealt to the roles of a matrix product: m (in x and the result),
 * n (in y and the result), k (summed), and a batch that is looped over. Letters of one role that
 * lie side by side in every tensor are one dim. Strides decide whether a matrix is read as it lies
 * or transposed, so nothing is ever copied into another order; what fits no matrix product becomes
 * plain loops. */
#include "product.h"

static int find_letter(const Side *s, int64_t c) {
  for (int d = 0; d < s->n->shape.rank; d++)
    if (s->letter[d] == c) return d;
  return -1;
}

/* Where a part lies in its tensor. */
static void measure_part(Product *p, Side *s, const TensorPart *part) {
  Expr stride[MAX_RANK];
  const Node *of = graph_node(p->build->en->le->graph, part->of);
  s->of = part->of, s->type = of->dtype;
  s->begin = loop_int(p->l, 0);
  entry_strides(p->build, of, stride);
  for (int d = 0; d < of->shape.rank; d++) {
    s->begin = expr_add(p->x, s->begin, expr_scale(p->x, stride[d], part->begin[d]));
    if (part->at[d] == NO_NODE) continue;
    const Expr at = entry_position(p->build, part->at[d], part->reach[d], of->shape.dim[d]);
    s->begin = expr_add(p->x, s->begin, expr_mul(p->x, at, stride[d]));
  }
  for (int d = 0; d < s->n->shape.rank; d++)
    s->stride[d] = part->dim[d] == NO_DIM ? loop_int(p->l, 1) : stride[part->dim[d]];
}

Expr product_row(Loop *l) { return loop_symbol(l, "row", 0, INT64_MAX); }

/* Where the list of ends has that of the row which the loops are at. A tile has some rows, and of
 * the list those too, if it makes it. */
static Expr end_of_row(Product *p, const Side *s, const TensorPart *part) {
  const Node *list = graph_node(p->build->en->le->graph, part->filled);
  bool tiled = false;
  for (int d = 0; d < list->shape.rank; d++)
    tiled = tiled || site_len(p->l, list, d) != site_extent(p->l, list, d);
  Expr row = tiled ? loop_int(p->l, 0) : site_at(p->l, s->n, part->row);
  if (!is_int(p->l, s->len[part->row], 1)) {
    row = expr_add(p->x, row, product_row(p->l));
    p->row = s->letter[part->row];
  }
  const Expr first =
      tiled ? entry_place(p->build, part->filled) : entry_whole(p->build, part->filled);
  return is_int(p->l, row, 0) ? first : entry_after(p->build, list->dtype, first, row);
}

static void measure(Product *p, Side *s, const TensorPart *part) {
  s->of = NO_NODE, s->along = NO_DIM, s->type = s->n->dtype;
  if (part)
    measure_part(p, s, part);
  else
    entry_strides(p->build, s->n, s->stride);
  for (int d = 0; d < s->n->shape.rank; d++) {
    s->len[d] = site_len(p->l, s->n, d);
    s->part[d] = s->len[d] != site_room(p->l, s->n, d);
  }
  if (!part || part->filled == NO_NODE) return;
  s->along = part->along;
  const Expr at =
      part->row == NO_DIM ? entry_whole(p->build, part->filled) : end_of_row(p, s, part);
  const DType t = graph_node(p->build->en->le->graph, part->filled)->dtype;
  s->filled = entry_filled(p->build, t, at, part->more, s->len[part->along]);
}

/* A letter of which one tensor has only so many elements that count is no longer in the others. */
static void fill(Product *p) {
  for (int t = 0; t < 3; t++) {
    const Side *s = &p->t[t];
    if (s->along == NO_DIM) continue;
    const int64_t letter = s->letter[s->along];
    p->filled |= 1u << letter;
    for (int q = 0; q < 3; q++)
      for (int d = 0; d < p->t[q].n->shape.rank; d++)
        if (p->t[q].letter[d] == letter) p->t[q].len[d] = s->filled;
  }
}

bool product_leaves_zeros(const Product *p) {
  const Side *out = &p->t[OUT];
  for (int d = 0; d < out->n->shape.rank; d++)
    if (p->filled >> out->letter[d] & 1) return true;
  return false;
}

/* Tiles add to each other's sums, or have parts of what is filled: plain loops ask each element. */
static bool fills_in_parts(const Product *p) {
  bool parts = p->filled && site_first(p->l, p->t[OUT].id) != NO_EXPR;
  for (int t = 0; t < 3; t++)
    for (int d = 0; d < p->t[t].n->shape.rank; d++)
      parts = parts || (p->filled >> p->t[t].letter[d] & 1 && p->t[t].part[d]);
  return parts;
}

Expr product_place(Product *p, const Side *s) {
  if (s->of == NO_NODE) return entry_place(p->build, s->id);
  Expr at = loop_int(p->l, 0);
  for (int d = 0; d < s->n->shape.rank && site_is_part(p->l, s->n); d++)
    at = expr_add(p->x, at, expr_mul(p->x, site_at(p->l, s->n, d), s->stride[d]));
  const Expr place = entry_part(p->build, s->id, s->of, s->begin);
  return is_int(p->l, at, 0) ? place : entry_after(p->build, s->type, place, at);
}

/* The dims of a letter, by tensor; -1: it is not there. */
static void places_of(const Product *p, int64_t letter, int at[3]) {
  for (int t = 0; t < 3; t++) at[t] = find_letter(&p->t[t], letter);
}

/* The dims lie side by side: the first goes on where the second ends. */
static bool goes_on(const Product *p, const Side *s, int first, int second) {
  if (first < 0 || second < 0) return first < 0 && second < 0;
  return s->stride[first] == expr_mul(p->x, s->stride[second], s->len[second]);
}

/* Each letter, in the order of the result and then of x, joined to the one before where both lie
 * side by side in every tensor that has them. */
static void find_groups(Product *p) {
  int last[3] = {-2, -2, -2}, last_role = 0; /* 0: none may join */
  uint32_t done = 0;
  const int order[3] = {OUT, X, Y};
  for (int o = 0; o < 3; o++)
    for (int d = 0; d < p->t[order[o]].n->shape.rank; d++) {
      const int64_t letter = p->t[order[o]].letter[d];
      if (done & 1u << letter) continue;
      done |= 1u << letter;
      int at[3];
      const int role = p->letters.in[letter];
      places_of(p, letter, at);
      const Expr len = p->t[order[o]].len[d];
      if (is_int(p->l, len, 1)) continue;
      bool joins = role == last_role && p->ngroups && letter != p->row;
      for (int t = 0; joins && t < 3; t++) joins = goes_on(p, &p->t[t], last[t], at[t]);
      LetterGroup *g = joins ? &p->group[p->ngroups - 1] : &p->group[p->ngroups++];
      g->len = joins ? expr_mul(p->x, g->len, len) : len;
      g->role = role;
      g->letter = joins ? NO_LETTER : letter;
      for (int t = 0; t < 3; t++) {
        g->stride[t] = at[t] >= 0 ? p->t[t].stride[at[t]] : NO_EXPR;
        last[t] = at[t];
      }
      last_role = letter == p->row ? 0 : role;
    }
}

static bool has_unit(const Product *p, const LetterGroup *g, int t) {
  return g->stride[t] != NO_EXPR && is_int(p->l, g->stride[t], 1);
}

/* The group of a role that the product takes: one with unit stride where there is one, else the
 * last. */
static LetterGroup *pick(Product *p, int role) {
  LetterGroup *best = NULL;
  for (int i = 0; i < p->ngroups; i++) {
    LetterGroup *g = &p->group[i];
    if (g->role != role) continue;
    bool own = false, best_own = false;
    for (int t = 0; t < 3; t++) {
      own |= has_unit(p, g, t);
      best_own |= best && has_unit(p, best, t);
    }
    if (!best || own || !best_own) best = g;
  }
  return best;
}

Expr product_len(const Product *p, const LetterGroup *g) { return g ? g->len : loop_int(p->l, 1); }

/* How a matrix with `rows` and `columns` lies in tensor t; false: neither dim has unit stride. */
static bool matrix(const Product *p, int t, const LetterGroup *rows, const LetterGroup *columns,
                   Operand *out) {
  const bool along = !columns || has_unit(p, columns, t);
  if (!along && rows && !has_unit(p, rows, t)) return false;
  out->t = t;
  out->transposed = !along;
  if (along)
    out->lead = rows ? rows->stride[t] : product_len(p, columns);
  else
    out->lead = columns->stride[t];
  return true;
}

/* A kernel multiplies these numbers: half-width floats whole, not in parts, nor in a mask's band.
 */
static bool has_kernel(const Product *p) {
  const DType type = p->t[X].n->dtype;
  if (!dtype_is_half(type)) return type == DT_F32 || type == DT_F64;
  bool band = false;
  for (int t = 0; t < 3; t++) band |= in_band(p->l, p->t[t].id);
  return !band && site_first(p->l, p->t[OUT].id) == NO_EXPR;
}

static bool find_matrices(Product *p) {
  p->m = pick(p, LETTER_M), p->n = pick(p, LETTER_N), p->k = pick(p, LETTER_SUMMED);
  if (!has_kernel(p)) return false;
  if (!matrix(p, OUT, p->m, p->n, &p->out) || !matrix(p, X, p->m, p->k, &p->a) ||
      !matrix(p, Y, p->k, p->n, &p->b))
    return false;
  if (!p->out.transposed) return true;
  /* The result lies with its rows innermost: its transpose is the product of the transposes. */
  LetterGroup *rows = p->m;
  const Operand a = p->a;
  p->m = p->n, p->n = rows;
  matrix(p, Y, p->k, p->m, &p->b);
  p->a = (Operand){p->b.t, !p->b.transposed, p->b.lead};
  p->b = (Operand){a.t, !a.transposed, a.lead};
  return true;
}

static void find_loops(Product *p) {
  for (int summed = 0; summed < 2; summed++)
    for (int i = 0; i < p->ngroups; i++) {
      const LetterGroup *g = &p->group[i];
      if (g == p->m || g == p->n || g == p->k || (g->role == LETTER_SUMMED) != summed) continue;
      p->loop[p->nloops++] = g;
      p->nsummed += summed;
    }
}

int product_row_dims(const Product *p) {
  const Side *out = &p->t[OUT];
  const LetterGroup *m = p->m;
  if (!m || !p->n || !has_unit(p, p->n, OUT) || m->stride[OUT] != p->n->len) return 0;
  Expr rows = loop_int(p->l, 1);
  int d = 0;
  for (; d < out->n->shape.rank; d++) {
    if (p->letters.in[out->letter[d]] != m->role) break;
    rows = expr_mul(p->x, rows, out->len[d]);
  }
  return rows == m->len ? d : 0;
}

bool product_find(Product *p, EntryBuild *b, NodeId id) {
  const Graph *g = b->en->le->graph;
  const Node *n = graph_node(g, id);
  *p = (Product){
      .build = b, .l = b->l, .x = b->en->x, .letters = product_letters(g, n), .row = NO_LETTER};
  const NodeId ids[3] = {n->operand[0], n->operand[1], id};
  const int64_t *const letter[3] = {p->letters.x, p->letters.y, p->letters.out};
  for (int t = 0; t < 3; t++) {
    TensorPart part;
    const bool stored = t == OUT || b->en->le->stored[node_base(g, ids[t])];
    p->t[t] = (Side){.n = graph_node(g, ids[t]), .id = ids[t], .letter = letter[t]};
    measure(p, &p->t[t], !stored && product_part(b->en->le, n, t, &part) ? &part : NULL);
  }
  fill(p);
  find_groups(p);
  if (fills_in_parts(p) || !find_matrices(p)) {
    p->m = p->n = p->k = NULL;
    return false;
  }
  find_loops(p);
  return true;
}
