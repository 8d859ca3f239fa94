/* einsum of any number of tensors: the equation is read, `...` becomes letters of its own, and the
 * tensors are multiplied two by two in the order of least work. */
#include "contraction.h"
#include "plural.h"
#include <string.h>

enum { MOST_TERMS = 24, EXACT_TERMS = 9, DOTS = -1 };

typedef struct Term {
  int8_t l[MAX_RANK + 1]; /* DOTS until the tensors' ranks are known */
  int n;
  NodeId x; /* NO_NODE: the result */
} Term;

typedef struct Einsum {
  Build *b;
  const Arg *text, *operand;
  Term term[MOST_TERMS], out;
  int n;
  uint32_t dots; /* letters that stand for dims of `...` */
  int64_t size[26];
} Einsum;

/* -------- the equation -------- */

static bool read_term(Einsum *e, const char *s, const char *end, Term *t) {
  Build *b = e->b;
  for (t->n = 0; s < end; s++) {
    if (*s == ' ') continue;
    bool dots = end - s >= 3 && !strncmp(s, "...", 3);
    if (dots) {
      if (memchr(t->l, DOTS, (size_t)t->n))
        return op_fail(b, e->text->span, "`...` occurs twice in one operand of \"%s\"",
                       e->text->text),
               false;
      s += 2;
    } else if (*s < 'a' || *s > 'z') {
      op_fail(b, e->text->span, "invalid index `%c` in \"%s\": expected a letter a to z", *s,
              e->text->text);
      return false;
    }
    if (t->n == MAX_RANK) {
      op_fail(b, e->text->span, "more than %d dims in one operand of \"%s\"", MAX_RANK,
              e->text->text);
      return false;
    }
    t->l[t->n++] = (int8_t)(dots ? DOTS : *s - 'a');
  }
  return true;
}

/* Without `->`, as NumPy: `...`, then the letters that occur once, in their order. */
static void implied_result(Einsum *e) {
  int often[26] = {0};
  bool dots = false;
  for (int t = 0; t < e->n; t++)
    for (int i = 0; i < e->term[t].n; i++)
      if (e->term[t].l[i] == DOTS)
        dots = true;
      else
        often[e->term[t].l[i]]++;
  e->out.n = 0;
  if (dots) e->out.l[e->out.n++] = DOTS;
  for (int8_t c = 0; c < 26; c++)
    if (often[c] == 1 && e->out.n < MAX_RANK) e->out.l[e->out.n++] = c;
}

static bool fail_count(Einsum *e, const char *end) {
  int names = 1;
  for (const char *c = e->text->text; c < end; c++) names += *c == ',';
  op_fail(e->b, e->text->span, "\"%s\" names %d operand%s, but %d %s given", e->text->text, names,
          PLURAL(names), e->n, e->n == 1 ? "is" : "are");
  return false;
}

static bool read_equation(Einsum *e) {
  const char *s = e->text->text, *arrow = strstr(s, "->"), *end = arrow ? arrow : s + strlen(s);
  for (int t = 0; t < e->n; t++) {
    const char *comma = memchr(s, ',', (size_t)(end - s));
    if ((comma != NULL) != (t + 1 < e->n)) return fail_count(e, end);
    if (!read_term(e, s, comma ? comma : end, &e->term[t])) return false;
    s = comma ? comma + 1 : end;
  }
  if (arrow) return read_term(e, arrow + 2, arrow + strlen(arrow), &e->out);
  return implied_result(e), true;
}

static uint32_t letters_of(const Term *t) {
  uint32_t s = 0;
  for (int i = 0; i < t->n; i++)
    if (t->l[i] != DOTS) s |= 1u << t->l[i];
  return s;
}

/* -------- `...` -------- */

static bool put_dots(Einsum *e, Term *t, const int8_t *dots, int n) {
  const char *at = memchr(t->l, DOTS, (size_t)t->n);
  if (!at) return true;
  int i = (int)(at - (const char *)t->l);
  if (t->n - 1 + n > MAX_RANK)
    return op_fail(e->b, e->b->span, "`...` stands for %d dims, which makes more than %d", n,
                   MAX_RANK),
           false;
  memmove(t->l + i + n, t->l + i + 1, (size_t)(t->n - i - 1));
  memcpy(t->l + i, dots, (size_t)n);
  t->n += n - 1;
  return true;
}

/* The dims of `...` are aligned at the right; each has a letter that is free. */
static bool expand_dots(Einsum *e) {
  uint32_t used = letters_of(&e->out);
  int most = 0, free[MAX_RANK], nfree = 0;
  int8_t dots[MAX_RANK];
  for (int t = 0; t < e->n; t++) {
    used |= letters_of(&e->term[t]);
    int more = op_node(e->b, e->term[t].x)->shape.rank - (e->term[t].n - 1);
    if (memchr(e->term[t].l, DOTS, (size_t)e->term[t].n) && more > most) most = more;
  }
  for (int c = 25; c >= 0 && nfree < most; c--)
    if (!(used & 1u << c)) free[nfree++] = c;
  if (nfree < most) return op_fail(e->b, e->text->span, "no letters are left for `...`"), false;
  for (int i = 0; i < most; i++) dots[i] = (int8_t)free[most - 1 - i];
  for (int t = 0; t < e->n; t++) {
    Term *r = &e->term[t];
    int rank = op_node(e->b, r->x)->shape.rank, n = rank - (r->n - 1);
    bool has = memchr(r->l, DOTS, (size_t)r->n) != NULL;
    if (has ? n < 0 : rank != r->n) {
      op_fail(e->b, e->operand[t].span, "operand %d has %d dim%s, %s; \"%s\" gives it %s%d", t + 1,
              rank, PLURAL(rank), op_describe(e->b, r->x), e->text->text, has ? "at least " : "",
              has ? r->n - 1 : r->n);
      return false;
    }
    if (has && !put_dots(e, r, dots + most - n, n)) return false;
  }
  if (most && !memchr(e->out.l, DOTS, (size_t)e->out.n))
    return op_fail(e->b, e->text->span, "\"%s\" has `...` in an operand, not in the result",
                   e->text->text),
           false;
  return put_dots(e, &e->out, dots, most);
}

/* -------- sizes -------- */

static bool fail_sizes(Einsum *e, int c, int x, int64_t nx, int y, int64_t ny) {
  char what[24];
  snprintf(what, sizeof what, e->dots & 1u << c ? "a dim of `...`" : "index `%c`", 'a' + c);
  if (x == y)
    op_fail(e->b, e->operand[x].span, "%s has sizes %ld and %ld in operand %d, %s", what, (long)nx,
            (long)ny, x + 1, op_describe(e->b, e->term[x].x));
  else
    op_fail(e->b, e->b->span, "%s has size %ld in operand %d, %s, and %ld in operand %d, %s", what,
            (long)nx, x + 1, op_describe(e->b, e->term[x].x), (long)ny, y + 1,
            op_describe(e->b, e->term[y].x));
  return false;
}

static bool check_sizes(Einsum *e) {
  int from[26];
  for (int c = 0; c < 26; c++) e->size[c] = -1;
  for (int t = 0; t < e->n; t++)
    for (int i = 0; i < e->term[t].n; i++) {
      const int c = e->term[t].l[i];
      const int64_t n = op_node(e->b, e->term[t].x)->shape.dim[i];
      if (e->size[c] >= 0 && e->size[c] != n) return fail_sizes(e, c, from[c], e->size[c], t, n);
      e->size[c] = n, from[c] = t;
    }
  for (int i = 0; i < e->out.n; i++) {
    int c = e->out.l[i];
    bool twice = letter_set(e->out.l, i) & 1u << c;
    if (!twice && e->size[c] >= 0) continue;
    op_fail(e->b, e->text->span,
            twice ? "index `%c` occurs twice in the result"
                  : "index `%c` of the result is in no operand",
            'a' + c);
    return false;
  }
  return true;
}

/* A dim of 1 among those of `...` grows: it is dropped where another operand has more. */
static bool drop_ones(Einsum *e) {
  int64_t most[26] = {0};
  for (int pass = 0; pass < 2; pass++)
    for (int t = 0; t < e->n; t++) {
      Term *r = &e->term[t];
      Shape s = op_node(e->b, r->x)->shape, kept = {0};
      int n = 0;
      for (int i = 0; i < r->n; i++) {
        int c = r->l[i];
        if (!pass && s.dim[i] > most[c]) most[c] = s.dim[i];
        if (pass && e->dots & 1u << c && s.dim[i] == 1 && most[c] > 1) continue;
        kept.dim[kept.rank++] = s.dim[i];
        if (pass) r->l[n++] = r->l[i];
      }
      if (!pass) continue;
      r->n = n;
      if (kept.rank != s.rank) r->x = mk_reshape(e->b, r->x, &kept);
      if (r->x == NO_NODE) return false;
    }
  return true;
}

/* -------- the order of products -------- */

static double volume(const Einsum *e, uint32_t letters) {
  double v = 1;
  for (int c = 0; c < 26; c++)
    if (letters & 1u << c) v *= (double)e->size[c];
  return v;
}

/* Index letters that the product of a set of operands keeps: another operand or the result has them. */
static uint32_t kept_by(const Einsum *e, uint32_t set) {
  uint32_t in = 0, others = letter_set(e->out.l, e->out.n);
  for (int t = 0; t < e->n; t++)
    if (set & 1u << t)
      in |= letters_of(&e->term[t]);
    else
      others |= letters_of(&e->term[t]);
  return in & others;
}

static Term product(Einsum *e, Term x, Term y, uint32_t kept, const Term *as) {
  Term r = {.n = 0};
  for (int8_t c = 0; c < 26 && !as; c++)
    if (kept & 1u << c && r.n <= MAX_RANK) r.l[r.n++] = c;
  if (as) r = *as;
  if (r.n > MAX_RANK) {
    r.x = op_fail(e->b, e->b->span, "a product of \"%s\" would have more than %d dims",
                  e->text->text, MAX_RANK);
    return r;
  }
  r.x = contract_any(e->b, x.x, y.x, x.l, y.l, r.n, r.l);
  return r;
}

/* Above EXACT_TERMS the cheapest pair is taken until so many are left. */
static bool merge_cheapest(Einsum *e) {
  int p = 0, q = 1;
  double best = INFINITY;
  for (int i = 0; i < e->n; i++)
    for (int j = i + 1; j < e->n; j++) {
      double v = volume(e, letters_of(&e->term[i]) | letters_of(&e->term[j]));
      if (v < best) best = v, p = i, q = j;
    }
  Term r = product(e, e->term[p], e->term[q], kept_by(e, 1u << p | 1u << q), NULL);
  e->term[p] = r;
  e->term[q] = e->term[--e->n];
  return r.x != NO_NODE;
}

typedef struct ContractionOrder {
  double cost[1 << EXACT_TERMS];
  uint32_t left[1 << EXACT_TERMS], kept[1 << EXACT_TERMS];
} ContractionOrder;

static void find_order(const Einsum *e, ContractionOrder *o) {
  for (uint32_t set = 1; set < 1u << e->n; set++) {
    o->kept[set] = kept_by(e, set);
    o->cost[set] = set & (set - 1) ? INFINITY : 0;
    for (uint32_t left = (set - 1) & set; left > (set ^ left); left = (left - 1) & set) {
      double v =
          o->cost[left] + o->cost[set ^ left] + volume(e, o->kept[left] | o->kept[set ^ left]);
      if (v < o->cost[set]) o->cost[set] = v, o->left[set] = left;
    }
  }
}

static Term multiply(Einsum *e, const ContractionOrder *o, uint32_t set, const Term *as) {
  if (!(set & (set - 1))) return e->term[__builtin_ctz(set)];
  Term x = multiply(e, o, o->left[set], NULL), y = multiply(e, o, set ^ o->left[set], NULL);
  if (x.x == NO_NODE || y.x == NO_NODE) return (Term){.x = NO_NODE};
  /* In the order in which they are written. */
  bool turned = __builtin_ctz(set) != __builtin_ctz(o->left[set]);
  return product(e, turned ? y : x, turned ? x : y, o->kept[set], as);
}

/* -------- the call -------- */

/* One operand: diagonals, sums, a transpose. */
static NodeId of_one(Einsum *e) {
  Term *t = &e->term[0];
  int perm[MAX_RANK] = {0};
  for (int i = 0; i < e->out.n; i++)
    for (int d = 0; d < op_node(e->b, t->x)->shape.rank; d++)
      if (t->l[d] == e->out.l[i]) perm[i] = d;
  return mk_transpose(e->b, t->x, perm);
}

static Arg call_einsum(Build *b, const Arg *a) {
  Einsum e = {.b = b, .text = &a[0], .operand = a[1].at, .n = a[1].n};
  if (a[0].kind != ARG_STRING)
    return arg_node(op_fail(b, a[0].span, "the equation must be a string such as \"ik,kj->ij\""));
  if (e.n < 1 || e.n > MOST_TERMS)
    return arg_node(op_fail(b, b->span, "takes 1 to %d tensors, not %d", MOST_TERMS, e.n));
  NodeId x[MOST_TERMS];
  for (int t = 0; t < e.n; t++)
    if (!arg_tensor(b, &a[1].at[t], "operand", &x[t])) return arg_node(NO_NODE);
  if (!untyped_agree(b, e.n, x)) return arg_node(NO_NODE);
  for (int t = 0; t < e.n; t++) e.term[t].x = x[t];
  if (!read_equation(&e)) return arg_node(NO_NODE);
  uint32_t named = letters_of(&e.out);
  for (int t = 0; t < e.n; t++) named |= letters_of(&e.term[t]);
  e.dots = ~named;
  if (!expand_dots(&e) || !drop_ones(&e) || !check_sizes(&e)) return arg_node(NO_NODE);
  for (int t = 0; t < e.n; t++) {
    Term *r = &e.term[t];
    uint32_t wanted = letter_set(e.out.l, e.out.n);
    for (int i = 0; i < e.n; i++)
      if (i != t) wanted |= letters_of(&e.term[i]);
    r->x = unrepeat(b, r->x, r->l);
    r->x = sum_alone(b, r->x, r->l, wanted);
    if (r->x == NO_NODE) return arg_node(NO_NODE);
    r->n = op_node(b, r->x)->shape.rank;
  }
  if (e.n == 1) return arg_node(of_one(&e));
  while (e.n > EXACT_TERMS)
    if (!merge_cheapest(&e)) return arg_node(NO_NODE);
  ContractionOrder *o = arena_alloc(b->arena, sizeof *o);
  find_order(&e, o);
  return arg_node(multiply(&e, o, (1u << e.n) - 1, &e.out).x);
}

const OpDef op_einsum = {.name = "einsum",
                         .params = "equation, operands...",
                         .doc = "NumPy's einsum: sums of products over the indices that the result "
                                "does not have; `...` stands for further dims, which broadcast. "
                                "Several tensors are multiplied in the order of least work",
                         .example =
                             "f32[3, 4, 5] x, f32[3, 5, 2] y: einsum(\"bik,bkj->bij\", x, y)",
                         .call = call_einsum,
                         .flags = OPF_COMPLEX};
