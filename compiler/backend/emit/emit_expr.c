/* Expressions as C. A body is gone through twice: first its expressions are counted, scope by
 * scope, then they are written. What is used twice, or long, has a name, declared in the outermost
 * scope that uses it; what only one part of a select uses is computed where that part is taken.
 * Without names, a text would double with every op. */
#include "emit_loop.h"
#include <string.h>

static bool step_writes_buffer(const Loop *l, int b) {
  for (int i = 0; l->step && i < l->step->nodes.n; i++)
    if (l->le->buffer[l->step->nodes.at[i]] == b) return true;
  return false;
}

/* -------- uses -------- */

static bool is_within(const Loop *l, int scope, int outer) {
  while (scope > outer) scope = l->scopes.at[scope].parent;
  return scope == outer;
}

static ExprUse *find_use(Loop *l, Expr e, int scope) {
  if (e >= l->use_of.n) return NULL;
  for (int u = l->use_of.at[e] - 1; u >= 0; u = l->uses.at[u].next)
    if (is_within(l, scope, l->uses.at[u].scope)) return &l->uses.at[u];
  return NULL;
}

static int part_scope(Loop *l, int parent, Expr select, int part) {
  for (int s = parent + 1; s < l->scopes.n; s++) {
    const Scope *c = &l->scopes.at[s];
    if (c->parent == parent && c->select == select && c->part == part) return s;
  }
  vec_push(l->e->arena, &l->scopes, ((Scope){parent, select, part, {0}}));
  return l->scopes.n - 1;
}

static bool is_part(const ExprNode *n, int i) {
  return n->kind == EXPR_SELECT && (i % 2 || i == n->n - 1);
}

static void use(Loop *l, Expr e, int scope) {
  Arena *a = l->e->arena;
  ExprUse *had = find_use(l, e, scope);
  if (had) {
    had->uses++;
    return;
  }
  while (l->use_of.n <= e) vec_push(a, &l->use_of, 0);
  vec_push(a, &l->uses, ((ExprUse){e, scope, 1, l->use_of.at[e] - 1, NULL}));
  l->use_of.at[e] = l->uses.n;
  const ExprNode n = *expr_node(l->x, e);
  for (int i = 0; i < n.n; i++)
    if (is_part(&n, i))
      part_scope(l, scope, e, i);
    else
      use(l, n.arg[i], scope);
}

/* Parts come after all that their scope uses itself, so that they find it there. */
static void use_parts(Loop *l) {
  for (; l->looked < l->scopes.n; l->looked++) {
    const Scope s = l->scopes.at[l->looked];
    if (l->looked) use(l, expr_node(l->x, s.select)->arg[s.part], l->looked);
  }
}

void loop_use(Loop *l, Expr e) {
  if (!l->scopes.n) vec_push(l->e->arena, &l->scopes, ((Scope){.parent = -1}));
  use(l, e, 0);
}

void loop_count(Loop *l, bool counting) {
  l->counting = counting;
  if (!counting) {
    use_parts(l);
    return;
  }
  l->uses.n = l->use_of.n = l->scopes.n = l->looked = 0;
}

/* -------- operators -------- */

static const char *text(Loop *l, Expr e, int scope);

static const char *round_half(Emit *e, DType t, const char *v) {
  if (!loop_is_half(t)) return v;
  const char *s = dtype_name(t);
  return arena_printf(e->arena, "dtrt_%s_to_f32(dtrt_f32_to_%s(%s))", s, s, v);
}

static const char *wrapped(Loop *l, Expr e, int scope) {
  return loop_wrap(l->e, text(l, e, scope));
}

/* Terms in the order of their atoms, one that is added first. */
static const char *linear(Loop *l, const ExprNode *n, int scope) {
  Str s = str_new(l->e->arena);
  int first = 0;
  while (first < n->n && n->coef[first] < 0) first++;
  if (first == n->n) {
    first = -1;
    if (n->v || !n->n) str_printf(&s, "%ld", (long)n->v);
  }
  for (int k = -1; k < n->n; k++) {
    const int i = k < 0 ? first : k;
    if (i < 0 || (k >= 0 && k == first)) continue;
    const int64_t c = n->coef[i];
    str_puts(&s, c < 0 ? (s.n ? " - " : "-") : s.n ? " + " : "");
    str_puts(&s, c == 1 ? text(l, n->arg[i], scope) : wrapped(l, n->arg[i], scope));
    if (c != 1 && c != -1) str_printf(&s, " * %ld", c < 0 ? -(long)c : (long)c);
  }
  if (n->v && first >= 0)
    str_printf(&s, n->v < 0 ? " - %ld" : " + %ld", n->v < 0 ? -(long)n->v : (long)n->v);
  return s.at;
}

static const char *between(Loop *l, const ExprNode *n, const char *op, int scope) {
  Str s = str_new(l->e->arena);
  const bool all = n->kind == EXPR_AND; /* binds less than what it joins */
  for (int i = 0; i < n->n; i++)
    str_printf(&s, "%s%s", i ? op : "",
               all ? text(l, n->arg[i], scope) : wrapped(l, n->arg[i], scope));
  return s.at;
}

static const char *call(Loop *l, const ExprNode *n, int scope) {
  Str s = str_new(l->e->arena);
  const bool dev = !strcmp(n->name, "dtrt_index");
  l->needs_dev |= dev;
  str_printf(&s, "%s(%s", n->name, dev ? "dev" : "");
  for (int i = 0; i < n->n; i++)
    str_printf(&s, "%s%s", i || dev ? ", " : "", text(l, n->arg[i], scope));
  str_puts(&s, ")");
  return s.at;
}

static const char *number(Emit *e, const ExprNode *n) {
  if (!dtype_is_int(n->type)) return loop_constant(e, loop_computed_as(n->type), n->real);
  if (n->v == INT64_MIN) return "DTRT_I64_MIN";
  if (n->v == INT32_MIN) return "DTRT_I32_MIN";
  return arena_printf(e->arena, "%ld", (long)n->v);
}

static const char *count(Emit *e, const ExprNode *n, const char *i) {
  i = loop_wrap(e, i);
  if (loop_is_half(n->type))
    return arena_printf(e->arena, "dtrt_%1$s_to_f32(dtrt_f64_to_%1$s((double)%2$s))",
                        dtype_name(n->type), i);
  return arena_printf(e->arena, "(%s)%s", dtype_c_name(n->type), i);
}

static const char *cast(Emit *e, DType wide, DType t, const char *v) {
  const DType from = loop_computed_as(wide), to = loop_computed_as(t);
  const char *s = dtype_name(t);
  if (loop_is_half(t) && wide == DT_I32) v = arena_printf(e->arena, "(double)%s", loop_wrap(e, v));
  if (loop_is_half(t) && wide == DT_I64) v = arena_printf(e->arena, "dtrt_i64_to_odd_f64(%s)", v);
  if (loop_is_half(t) && (wide == DT_F64 || wide == DT_I32 || wide == DT_I64))
    return arena_printf(e->arena, "dtrt_%s_to_f32(dtrt_f64_to_%s(%s))", s, s, v);
  if (from != to)
    v = arena_printf(e->arena, "dtrt_cast_%s_%s(%s)", dtype_name(from), dtype_name(to), v);
  return loop_is_half(t) && !loop_is_half(wide) ? round_half(e, t, v) : v;
}

static const char *operation(Loop *l, const ExprNode *n, int scope) {
  Emit *e = l->e;
  Str s = str_new(e->arena);
  const DType first = expr_node(l->x, n->arg[0])->type, t = loop_computed_as(first);
  if (!n->op->c) return cast(e, first, n->type, text(l, n->arg[0], scope));
  const bool whole = n->op->c_whole && dtype_is_int(n->type);
  for (const char *c = whole ? n->op->c_whole : n->op->c; *c; c++) {
    if (*c == '@')
      str_puts(&s, dtype_name(t));
    else if (*c == '$')
      str_puts(&s, wrapped(l, n->arg[*++c - '0'], scope));
    else
      str_put(&s, c, 1);
  }
  return n->op->flags & OPF_MOVES ? s.at : round_half(e, n->type, s.at);
}

static const char *draw(Loop *l, const ExprNode *n, int scope) {
  return arena_printf(l->e->arena, "dtrt_%s_key_%s((uint64_t)%s, (uint64_t)%s, %s)", n->op->name,
                      dtype_name(n->type), text(l, n->arg[0], scope), wrapped(l, n->arg[1], scope),
                      text(l, n->arg[2], scope));
}

static const char *element(Loop *l, const ExprNode *n, int scope) {
  const NodeId id = (NodeId)n->v;
  Index at = {0};
  const bool flat = n->n == 1 && graph_node(l->g, id)->shape.rank != 1;
  for (int d = 0; d < n->n; d++) at.at[d] = text(l, n->arg[d], scope);
  if (flat || l->flat) at.flat = n->n ? at.at[0] : "0";
  return loop_load(l, id, &at);
}

/* -------- selects -------- */

typedef struct Part {
  const char *cond, *value;
  const char *block; /* what has to stand before the value; "": nothing */
} Part;

/* Of so many parts the one is looked for by halves: conditions that follow each other each hold
 * where the one before does. */
enum { MOST_IN_A_ROW = 16 };

static const char *chosen(Emit *e, const Part *part, int n, const char *other) {
  if (n > MOST_IN_A_ROW) {
    const char *first = chosen(e, part, n / 2, NULL),
               *rest = chosen(e, part + n / 2, n - n / 2, other);
    return arena_printf(e->arena, "%s ? %s : %s", part[n / 2 - 1].cond, loop_wrap(e, first),
                        loop_wrap(e, rest));
  }
  const char *v = other;
  for (int i = n - 1; i >= 0; i--)
    v = v ? arena_printf(e->arena, "%s ? %s : %s", part[i].cond, loop_wrap(e, part[i].value),
                         v == other ? v : loop_wrap(e, v))
          : part[i].value;
  return v;
}

static void close_block(Str *to) {
  to->indent--;
  str_line(to, "}");
}

/* The same as statements, each part behind its block. */
static void put_chosen(Str *to, const char *name, const Part *part, int n, const char *other) {
  if (n == 1) {
    if (other) str_line(to, "if (%s) {", part->cond), to->indent++;
    str_puts(to, part->block);
    str_line(to, "%s = %s;", name, part->value);
    if (other) close_block(to);
    return;
  }
  str_line(to, "if (%s) {", part[n / 2 - 1].cond);
  to->indent++;
  put_chosen(to, name, part, n / 2, NULL);
  to->indent--;
  str_line(to, "} else {");
  to->indent++;
  put_chosen(to, name, part + n / 2, n - n / 2, other);
  close_block(to);
}

static Str *code_of(Loop *l, int scope) { return scope ? &l->scopes.at[scope].code : &l->code; }

/* A select of conditions and parts in turn and a last value. Where that is a constant it stands for
 * all else; otherwise it is one part more. */
static const char *selected(Loop *l, Expr e, int scope) {
  Emit *emit = l->e;
  const ExprNode n = *expr_node(l->x, e);
  const bool constant = expr_node(l->x, n.arg[n.n - 1])->kind == EXPR_NUMBER;
  const int nparts = n.n / 2 + !constant;
  Part *part = arena_array(emit->arena, Part, nparts);
  bool blocks = false;
  for (int i = 0; i < nparts; i++) {
    const int arg = i < n.n / 2 ? 2 * i + 1 : n.n - 1, s = part_scope(l, scope, e, arg);
    l->scopes.at[s].code = str_new(emit->arena);
    l->scopes.at[s].code.indent = code_of(l, scope)->indent + 1;
    if (i < n.n / 2) {
      const Expr cond = n.arg[2 * i];
      part[i].cond =
          expr_node(l->x, cond)->kind == EXPR_AND ? wrapped(l, cond, scope) : text(l, cond, scope);
    }
    part[i].value = text(l, n.arg[arg], s);
    part[i].block = l->scopes.at[s].code.at;
    blocks = blocks || *part[i].block;
  }
  const char *other = constant ? number(emit, expr_node(l->x, n.arg[n.n - 1])) : NULL;
  if (!blocks) return chosen(emit, part, nparts, other);
  const char *name = arena_printf(emit->arena, "v%d", l->temps++);
  const char *first = other ? arena_printf(emit->arena, " = %s", other) : "";
  str_line(code_of(l, scope), "%s %s%s;", loop_type(n.type), name, first);
  put_chosen(code_of(l, scope), name, part, nparts, other);
  return name;
}

/* -------- texts -------- */

static const char *compose(Loop *l, Expr e, int scope) {
  const ExprNode n = *expr_node(l->x, e);
  switch (n.kind) {
  case EXPR_LINEAR: return linear(l, &n, scope);
  case EXPR_SYMBOL: return n.name;
  case EXPR_PRODUCT: return between(l, &n, " * ", scope);
  case EXPR_DIV: return between(l, &n, " / ", scope);
  case EXPR_MOD: return between(l, &n, " % ", scope);
  case EXPR_LESS: return between(l, &n, " < ", scope);
  case EXPR_LEAST: return between(l, &n, " >= ", scope);
  case EXPR_EQUAL: return between(l, &n, " == ", scope);
  case EXPR_AND: return between(l, &n, " && ", scope);
  case EXPR_CALL: return call(l, &n, scope);
  case EXPR_NUMBER: return number(l->e, &n);
  case EXPR_COUNT: return count(l->e, &n, text(l, n.arg[0], scope));
  case EXPR_OP: return operation(l, &n, scope);
  case EXPR_RANDOM: return draw(l, &n, scope);
  case EXPR_SELECT: return selected(l, e, scope);
  default: return element(l, &n, scope);
  }
}

static bool is_value(const ExprNode *n) { return n->kind >= EXPR_NUMBER; }
static bool is_condition(const ExprNode *n) { return !is_value(n) && n->type == DT_BOOL; }

/* What the loop itself overwrites is read before anything is stored. */
static bool is_overwritten(const Loop *l, const ExprNode *n) {
  return n->kind == EXPR_LOAD &&
         step_writes_buffer(l, l->le->buffer[node_base(l->g, (NodeId)n->v)]);
}

static bool wants_name(const Loop *l, const ExprNode *n, const char *t, int scope, int uses) {
  const bool overwritten = !scope && is_overwritten(l, n), again = uses > 1;
  if (is_condition(n) || (!strpbrk(t, " (") && !overwritten)) return false;
  const size_t length = strlen(t);
  if (!is_value(n)) return length > LONG_TEXT || (again && n->reads);
  if (scope) return length > (again ? LONG_TEXT : LONGEST_TEXT);
  return again || overwritten || length > LONG_TEXT;
}

static const char *text(Loop *l, Expr e, int scope) {
  if (!find_use(l, e, scope)) use(l, e, scope), use_parts(l);
  ExprUse *u = find_use(l, e, scope);
  if (u->text) return u->text;
  const int home = u->scope, uses = u->uses;
  const ExprNode n = *expr_node(l->x, e);
  const char *t = compose(l, e, home);
  if (wants_name(l, &n, t, home, uses)) {
    const bool v = is_value(&n);
    const char *name = arena_printf(l->e->arena, v ? "v%d" : "p%d", v ? l->temps++ : l->places++);
    str_line(code_of(l, home), "const %s %s = %s;", v ? loop_type(n.type) : "int64_t", name, t);
    t = name;
  }
  return find_use(l, e, scope)->text = t;
}

/* What no first pass has counted is known for this text alone. */
const char *loop_text(Loop *l, Expr e) {
  if (!l->scopes.n) vec_push(l->e->arena, &l->scopes, ((Scope){.parent = -1}));
  const int known = l->uses.n;
  const bool counted = find_use(l, e, 0);
  const char *t = text(l, e, 0);
  while (!counted && l->uses.n > known) {
    const ExprUse *u = &l->uses.at[--l->uses.n];
    l->use_of.at[u->of] = u->next + 1;
  }
  return t;
}
