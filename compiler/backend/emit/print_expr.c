/* Expressions as C. What is used twice, or long, has a name, declared in the outermost scope that
 * uses it; what only one part of a select uses is computed where that part is taken. Without names,
 * a text would double with every op. */
#include "print_loop.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* -------- uses -------- */

static bool is_within(const Print *p, int scope, int outer) {
  while (scope > outer) scope = p->scopes.at[scope].parent;
  return scope == outer;
}

static ExprUse *find_use(Print *p, Expr e, int scope) {
  for (int u = p->use_of[e] - 1; u >= p->use; u = p->uses.at[u].next)
    if (is_within(p, scope, p->uses.at[u].scope)) return &p->uses.at[u];
  return NULL;
}

static int part_scope(Print *p, int parent, Expr select, int part) {
  for (int s = parent + 1; s < p->scopes.n; s++) {
    const Scope *c = &p->scopes.at[s];
    if (c->parent == parent && c->select == select && c->part == part) return s;
  }
  vec_push(p->arena, &p->scopes, ((Scope){parent, select, part, {0}}));
  return p->scopes.n - 1;
}

static void use(Print *p, Expr e, int scope) {
  ExprUse *had = find_use(p, e, scope);
  if (had) {
    had->uses++;
    return;
  }
  vec_push(p->arena, &p->uses, ((ExprUse){e, scope, 1, p->use_of[e] - 1, NULL, BIND_LOOSE}));
  p->use_of[e] = p->uses.n;
  const ExprNode *n = expr_node(p->x, e);
  for (int i = 0; i < n->n; i++)
    if (expr_is_part(n, i))
      part_scope(p, scope, e, i);
    else
      use(p, n->arg[i], scope);
}

BlockMark print_begin_block(Print *p) {
  const BlockMark m = {p->scope, p->use, p->looked};
  p->scope = p->looked = p->scopes.n;
  p->use = p->uses.n;
  vec_push(p->arena, &p->scopes, ((Scope){.parent = -1}));
  return m;
}

void print_end_block(Print *p, BlockMark m) {
  while (p->uses.n > p->use) {
    const ExprUse *u = &p->uses.at[--p->uses.n];
    p->use_of[u->of] = u->next + 1;
  }
  p->scopes.n = p->scope;
  p->scope = m.scope, p->use = m.use, p->looked = m.looked;
}

void print_count(Print *p, Expr e) { use(p, e, p->scope); }

/* Parts come after all that their scope uses itself, so that they find it there. */
void print_counted(Print *p) {
  for (; p->looked < p->scopes.n; p->looked++) {
    const Scope s = p->scopes.at[p->looked];
    if (p->looked > p->scope) use(p, expr_node(p->x, s.select)->arg[s.part], p->looked);
  }
}

/* -------- operators -------- */

typedef struct BoundText {
  const char *s;
  Bind bind;
} BoundText;

static const char *text(Print *p, Expr e, int scope);
static const char *wrapped(Print *p, Expr e, int scope);
static const char *bound(Print *p, Expr e, int scope, Bind least);

static Str *code_of(Print *p, int scope) {
  return scope == p->scope ? &p->code : &p->scopes.at[scope].code;
}

static const char *c_type(DType t) { return dtype_c_name(dtype_computed(t)); }

static BoundText compose(Print *p, Expr e, int scope);
static BoundText simple(const char *s) { return (BoundText){s, BIND_TIGHT}; }
static BoundText joined(const char *s) { return (BoundText){s, BIND_LOOSE}; }

static bool is_rounded(const Print *p, const ExprNode *n) {
  return dtype_is_half(n->type) && !(p->unrounded && n == expr_node(p->x, p->unrounded - 1));
}

static const char *round_half(Print *p, DType t, const char *v) {
  const char *s = dtype_name(t);
  return arena_printf(p->arena, "dtrt_%s_to_f32(dtrt_f32_to_%s(%s))", s, s, v);
}

/* Terms in the order of their atoms, one that is added first. */
static BoundText linear(Print *p, const ExprNode *n, int scope) {
  Str s = str_new(p->arena);
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
    str_puts(&s, bound(p, n->arg[i], scope, c == 1 || c == -1 ? BIND_PRODUCT : BIND_TIGHT));
    if (c != 1 && c != -1) str_printf(&s, " * %ld", c < 0 ? -(long)c : (long)c);
  }
  if (n->v && first >= 0)
    str_printf(&s, n->v < 0 ? " - %ld" : " + %ld", n->v < 0 ? -(long)n->v : (long)n->v);
  if (!n->n) return (BoundText){s.at, n->v < 0 ? BIND_LOOSE : BIND_TIGHT};
  const bool product = n->n == 1 && !n->v && first >= 0;
  return (BoundText){s.at, product ? BIND_PRODUCT : *s.at == '-' ? BIND_LOOSE : BIND_SUM};
}

static bool compares(const ExprNode *n) {
  return n->kind == EXPR_LESS || n->kind == EXPR_LEAST || n->kind == EXPR_EQUAL ||
         (n->kind == EXPR_OP && n->op->compares && n->op->c);
}

static BoundText between(Print *p, const ExprNode *n, const char *op, int scope) {
  const bool logic = n->kind == EXPR_AND || n->kind == EXPR_OR;
  const bool product = n->kind == EXPR_PRODUCT || n->kind == EXPR_DIV || n->kind == EXPR_MOD;
  Str s = str_new(p->arena);
  for (int i = 0; i < n->n; i++) {
    const bool bare = logic && compares(expr_node(p->x, n->arg[i]));
    const Bind least = bare ? BIND_LOOSE : logic || product ? BIND_TIGHT : BIND_SUM;
    str_printf(&s, "%s%s", i ? op : "", bound(p, n->arg[i], scope, least));
  }
  return (BoundText){s.at, product ? BIND_PRODUCT : BIND_LOOSE};
}

static BoundText call(Print *p, const ExprNode *n, int scope) {
  Str s = str_new(p->arena);
  const bool seeds = !strcmp(n->name, "dtrt_stream_key") || !strcmp(n->name, "dtrt_seed_word");
  emit_uses_function(p->headers, n->name);
  const char *const dev = expr_takes_device(n) ? "dev" : seeds ? "dev->seed" : "";
  str_printf(&s, "%s(%s", n->name, dev);
  for (int i = 0; i < n->n; i++)
    str_printf(&s, "%s%s", i || *dev ? ", " : "", text(p, n->arg[i], scope));
  str_puts(&s, ")");
  return simple(s.at);
}

static const char *real_text(Arena *a, DType t, double v) {
  const char *suffix = t == DT_F64 ? "" : "f", *type = t == DT_F64 ? "F64" : "F32";
  if (isnan(v)) return arena_printf(a, "DTRT_NAN_%s", type);
  if (isinf(v)) return arena_printf(a, "%sDTRT_INF_%s", v < 0 ? "-" : "", type);
  /* The shortest text that is read as the same number: 0.1, not 0.100000001. */
  char s[40];
  for (int digits = t == DT_F64 ? 15 : 6; digits <= (t == DT_F64 ? 17 : 9); digits++) {
    double back;
    snprintf(s, sizeof s, "%.*g", digits, v);
    sscanf(s, "%lf", &back);
    if (t == DT_F64 ? back == v : (float)back == (float)v) break;
  }
  const bool point = strpbrk(s, ".e") != NULL;
  return arena_printf(a, "%s%s%s", s, point ? "" : ".0", suffix);
}

static const char *number(Arena *a, const ExprNode *n) {
  if (!dtype_is_int(n->type) && n->type != DT_BOOL)
    return real_text(a, dtype_computed(n->type), n->real);
  if (n->type == DT_U64 && n->v < 0) return arena_printf(a, "%luu", (unsigned long)n->v);
  if (n->v == INT64_MIN) return "DTRT_I64_MIN";
  if (n->v == INT32_MIN) return "DTRT_I32_MIN";
  return arena_printf(a, "%ld", (long)n->v);
}

static BoundText number_text(Arena *a, const ExprNode *n) {
  const char *s = number(a, n);
  return (BoundText){s, *s == '-' ? BIND_SUM : BIND_TIGHT};
}

static BoundText count(Print *p, const ExprNode *n, int scope) {
  const char *i = wrapped(p, n->arg[0], scope), *s = dtype_name(n->type);
  if (dtype_is_half(n->type))
    return simple(arena_printf(p->arena, "dtrt_%s_to_f32(dtrt_f64_to_%s((double)%s))", s, s, i));
  return simple(arena_printf(p->arena, "(%s)%s", dtype_c_name(n->type), i));
}

static BoundText cast(Print *p, const ExprNode *n, int scope) {
  const Expr arg = n->arg[0];
  const DType wide = expr_node(p->x, arg)->type, from = dtype_computed(wide),
              to = dtype_computed(n->type);
  const char *s = dtype_name(n->type);
  const bool word = wide == DT_I32 || wide == DT_U32, longer = wide == DT_I64 || wide == DT_U64;
  if (dtype_is_half(n->type) && word)
    return simple(arena_printf(p->arena, "dtrt_%s_to_f32(dtrt_f32_to_%s(dtrt_%s_to_odd_f32(%s)))",
                               s, s, dtype_name(wide), text(p, arg, scope)));
  if (dtype_is_half(n->type) && (wide == DT_F64 || longer)) {
    const char *v = text(p, arg, scope),
               *open = wide == DT_I64   ? "dtrt_i64_to_odd_f64("
                       : wide == DT_U64 ? "dtrt_u64_to_odd_f64("
                                        : "",
               *close = longer ? ")" : "";
    return simple(
        arena_printf(p->arena, "dtrt_%s_to_f32(dtrt_f64_to_%s(%s%s%s))", s, s, open, v, close));
  }
  const bool rounds = is_rounded(p, n) && n->type != wide;
  if (from == to && !rounds) return simple(wrapped(p, arg, scope));
  const char *v = text(p, arg, scope);
  if (from != to) {
    emit_uses_type(p->headers, from);
    emit_uses_type(p->headers, to);
    v = arena_printf(p->arena, "dtrt_cast_%s_%s(%s)", dtype_name(from), dtype_name(to), v);
  }
  return simple(rounds ? round_half(p, n->type, v) : v);
}

/* Of an op's text: "dtrt_max_@($0, $1)", and not "$0 + $1". */
static bool is_call(const char *c) {
  int depth = 0;
  if (*c == '-') return false;
  for (; *c; c++) {
    depth += (*c == '(' || *c == '[') - (*c == ')' || *c == ']');
    if (*c == ' ' && !depth) return false;
  }
  return true;
}

static Bind bind_of(Op op, const char *form) {
  if (is_call(form)) return BIND_TIGHT;
  return op->binds == BINDS_SUM ? BIND_SUM : op->binds == BINDS_TERM ? BIND_PRODUCT : BIND_LOOSE;
}

/* How firmly the operand at c has to hold together: not at all as an argument of a call. */
static Bind least_of(Op op, const char *form, const char *c) {
  const char before = c == form ? 0 : c[-1] == ' ' ? c[-2] : c[-1], behind = c[2];
  const Bind own = bind_of(op, form);
  if ((before == '(' || before == ',') && (behind == ')' || behind == ',')) return BIND_LOOSE;
  if (own == BIND_SUM || own == BIND_PRODUCT) return c == form ? own : own + 1;
  return op->compares || (op->flags & OPF_CHOICE && c != form) ? BIND_SUM : BIND_TIGHT;
}

/* Its index counts loops alone, so that it lies in memory whatever a condition says. */
static bool is_plain_load(const Print *p, Expr e) {
  const ExprNode *n = expr_node(p->x, e);
  if (n->kind != EXPR_LOAD || p->moves[e]) return false;
  for (int i = 0; i < n->n; i++) {
    const ExprNode *index = expr_node(p->x, n->arg[i]);
    if (index->reads || (index->kind != EXPR_LINEAR && index->kind != EXPR_SYMBOL)) return false;
  }
  return true;
}

/* Names what the arm of a choice loads, in front of it: loads that are made or not, element by
 * element, are branches, or masked. Those of the first few ops, and not within a part of a select,
 * which would become statements. */
static void name_loads(Print *p, Expr e, int scope, int *looks) {
  enum { MOST_LOOKS = 8 };
  const ExprNode *n = expr_node(p->x, e);
  ExprUse *u = find_use(p, e, scope);
  if (++*looks > MOST_LOOKS || !u || u->text || u->scope != p->scope) return;
  if (is_plain_load(p, e)) {
    const BoundText t = compose(p, e, u->scope);
    const char *name = arena_printf(p->arena, "v%d", p->values++);
    str_line(code_of(p, u->scope), "const %s %s = %s;", c_type(n->type), name, t.s);
    u = find_use(p, e, scope);
    u->text = name, u->bind = BIND_TIGHT;
    return;
  }
  if (n->kind != EXPR_OP || u->uses > 1) return; /* what is used twice gets a name, too */
  for (int i = 0; i < n->n; i++) name_loads(p, n->arg[i], scope, looks);
}

static BoundText operation(Print *p, const ExprNode *n, int scope) {
  Str s = str_new(p->arena);
  if (!n->op->c) return cast(p, n, scope);
  for (int i = 1, looks = 0; n->op->flags & OPF_CHOICE && i < n->n; i++)
    name_loads(p, n->arg[i], scope, &looks);
  const DType t = dtype_computed(expr_node(p->x, n->arg[0])->type);
  const bool whole = n->op->c_whole && dtype_is_int(n->type);
  const char *form = whole ? n->op->c_whole : n->op->c;
  const bool special = n->op->c_special || (n->op->c_special_f64 && t == DT_F64);
  p->headers->special = p->headers->special || special;
  for (const char *c = form; *c; c++) {
    if (*c == '@')
      str_puts(&s, dtype_name(t)), emit_uses_type(p->headers, t);
    else if (*c == '$')
      str_puts(&s, bound(p, n->arg[c[1] - '0'], scope, least_of(n->op, form, c))), c++;
    else
      str_put(&s, c, 1);
  }
  if (is_rounded(p, n) && !(n->op->flags & OPF_MOVES)) return simple(round_half(p, n->type, s.at));
  return (BoundText){s.at, bind_of(n->op, form)};
}

static BoundText draw(Print *p, const ExprNode *n, int scope) {
  emit_uses_type(p->headers, n->type);
  return simple(arena_printf(p->arena, "dtrt_%s_key_%s(%s, %s, %s)", n->op->name,
                             dtype_name(n->type), text(p, n->arg[0], scope),
                             text(p, n->arg[1], scope), text(p, n->arg[2], scope)));
}

static const char *place(Print *p, const ExprNode *n, int scope) {
  Str s = str_new(p->arena);
  int first = 0;
  if (n->kind == EXPR_LOAD) {
    const NodeId id = (NodeId)n->v;
    const int b = loop_buffer(p->f, p->le->graph, id);
    str_puts(&s, p->buffer[b]);
    if (n->n && !p->f->flat) first = p->f->buffers.at[b].first;
    if (!graph_node(p->le->graph, id)->shape.rank) {
      str_puts(&s, "[0]");
      return s.at;
    }
  } else {
    str_puts(&s, n->name);
  }
  for (int d = first; d < n->n; d++) str_printf(&s, "[%s]", text(p, n->arg[d], scope));
  return s.at;
}

static const char *address(Print *p, const ExprNode *n, int scope) {
  const ExprNode *of = expr_node(p->x, n->arg[0]);
  if (of->kind == EXPR_LIST) return arena_printf(p->arena, "&%s", text(p, n->arg[0], scope));
  if (of->kind == EXPR_LOAD && !of->n)
    return p->buffer[loop_buffer(p->f, p->le->graph, (NodeId)of->v)];
  return arena_printf(p->arena, "&%s", place(p, of, scope));
}

static const char *load(Print *p, const ExprNode *n, int scope) {
  const char *s = place(p, n, scope);
  return n->kind == EXPR_LOAD && dtype_is_half(n->type)
             ? arena_printf(p->arena, "dtrt_%s_to_f32(%s)", dtype_name(n->type), s)
             : s;
}

/* -------- selects -------- */

typedef struct SelectPart {
  const char *cond, *value;
  Bind bind;         /* of the value */
  const char *block; /* what has to stand before the value; "": nothing */
} SelectPart;

/* Of so many parts the one is looked for by halves: conditions that follow each other each hold
 * where the one before does. */
enum { MOST_IN_A_ROW = 16 };

static const char *in_parentheses(Arena *a, BoundText t) {
  return t.bind >= BIND_SUM ? t.s : arena_printf(a, "(%s)", t.s);
}

static BoundText chosen(Arena *a, const SelectPart *part, int n, const char *other) {
  if (n > MOST_IN_A_ROW) {
    const BoundText first = chosen(a, part, n / 2, NULL),
                    rest = chosen(a, part + n / 2, n - n / 2, other);
    return joined(arena_printf(a, "%s ? %s : %s", part[n / 2 - 1].cond, in_parentheses(a, first),
                               in_parentheses(a, rest)));
  }
  BoundText v = {other, BIND_TIGHT};
  for (int i = n - 1; i >= 0; i--) {
    const BoundText own = {part[i].value, part[i].bind};
    v = !v.s ? own
             : joined(arena_printf(a, "%s ? %s : %s", part[i].cond, in_parentheses(a, own),
                                   in_parentheses(a, v)));
  }
  return v;
}

static void close_block(Str *to) {
  to->indent--;
  str_line(to, "}");
}

/* The same as statements, each part behind its block. */
static void put_chosen(Str *to, const char *name, const SelectPart *part, int n,
                       const char *other) {
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

/* A select of conditions and parts in turn and a last value. Where that is a constant it stands for
 * all else; otherwise it is one part more. */
static BoundText selected(Print *p, Expr e, int scope) {
  const ExprNode n = *expr_node(p->x, e);
  const ExprNode *rest = expr_node(p->x, n.arg[n.n - 1]);
  const bool constant = rest->kind == EXPR_NUMBER;
  const int nparts = n.n / 2 + !constant;
  SelectPart *part = arena_array(p->arena, SelectPart, nparts);
  bool blocks = false;
  for (int i = 0; i < nparts; i++) {
    const int arg = i < n.n / 2 ? 2 * i + 1 : n.n - 1, s = part_scope(p, scope, e, arg);
    p->scopes.at[s].code = str_new(p->arena);
    p->scopes.at[s].code.indent = code_of(p, scope)->indent + 1;
    if (i < n.n / 2) {
      const ExprKind kind = expr_node(p->x, n.arg[2 * i])->kind;
      part[i].cond = (kind == EXPR_AND || kind == EXPR_OR ? wrapped : text)(p, n.arg[2 * i], scope);
    }
    part[i].value = text(p, n.arg[arg], s);
    part[i].bind = find_use(p, n.arg[arg], s)->bind;
    part[i].block = p->scopes.at[s].code.at;
    blocks = blocks || *part[i].block;
  }
  const char *other = constant ? number(p->arena, rest) : NULL;
  if (!blocks) return chosen(p->arena, part, nparts, other);
  const char *name = arena_printf(p->arena, "v%d", p->values++);
  const char *first = other ? arena_printf(p->arena, " = %s", other) : "";
  str_line(code_of(p, scope), "%s %s%s;", c_type(n.type), name, first);
  put_chosen(code_of(p, scope), name, part, nparts, other);
  return simple(name);
}

/* -------- texts -------- */

static BoundText compose(Print *p, Expr e, int scope) {
  const ExprNode *n = expr_node(p->x, e);
  switch (n->kind) {
  case EXPR_LINEAR: return linear(p, n, scope);
  case EXPR_SYMBOL: return simple(p->own_expr ? p->own_expr(p, n, scope) : n->name);
  case EXPR_GIVEN:
  case EXPR_COLUMN:
  case EXPR_MEMORY:
  case EXPR_PLACE:
  case EXPR_AFTER:
  case EXPR_LIST:
  case EXPR_RUN:
  case EXPR_ROWS: return simple(p->own_expr(p, n, scope));
  case EXPR_PARAM: return simple(p->param[p->f->params.at[n->v].place]);
  case EXPR_PRODUCT: return between(p, n, " * ", scope);
  case EXPR_DIV: return between(p, n, " / ", scope);
  case EXPR_MOD: return between(p, n, " % ", scope);
  case EXPR_LESS: return between(p, n, " < ", scope);
  case EXPR_LEAST: return between(p, n, " >= ", scope);
  case EXPR_EQUAL: return between(p, n, " == ", scope);
  case EXPR_AND: return between(p, n, " && ", scope);
  case EXPR_OR: return between(p, n, " || ", scope);
  case EXPR_CALL: return call(p, n, scope);
  case EXPR_ADDRESS: return simple(address(p, n, scope));
  case EXPR_NUMBER: return number_text(p->arena, n);
  case EXPR_COUNT: return count(p, n, scope);
  case EXPR_OP: return operation(p, n, scope);
  case EXPR_RANDOM: return draw(p, n, scope);
  case EXPR_SELECT: return selected(p, e, scope);
  default: return simple(load(p, n, scope));
  }
}

static bool is_value(const ExprNode *n) {
  return n->kind >= EXPR_NUMBER || (n->kind == EXPR_CALL && dtype_is_float(n->type));
}
static bool is_condition(const ExprNode *n) { return !is_value(n) && n->type == DT_BOOL; }

/* A name for it would say no less. */
static bool is_word(const Print *p, const ExprNode *n) {
  if (n->kind == EXPR_LINEAR || n->kind == EXPR_NUMBER) return !n->n;
  if (n->kind == EXPR_LOAD && dtype_is_half(n->type)) return false;
  if (n->kind != EXPR_LOAD && n->kind != EXPR_SYMBOL && n->kind != EXPR_PARAM) return false;
  for (int i = 0; i < n->n; i++)
    if (!is_word(p, expr_node(p->x, n->arg[i]))) return false;
  return true;
}

bool print_is_overwritten(const Print *p, const ExprNode *n) {
  for (int i = 0; n->kind == EXPR_LOAD && p->stored.n > 1 && i < p->stored.n; i++)
    if (p->stored.at[i] == p->le->buffer[node_base(p->le->graph, (NodeId)n->v)]) return true;
  return false;
}

/* A name holds what is read before a store overwrites it: a load, or a select with a part that
 * loads it, by its text or by its statements. */
static bool reads_overwritten(const Print *p, Expr e, BoundText t) {
  const ExprNode *n = expr_node(p->x, e);
  const bool select = n->kind == EXPR_SELECT && t.bind != BIND_TIGHT;
  return print_is_overwritten(p, n) || (select && p->late[e]);
}

static bool wants_name(const Print *p, Expr e, const ExprUse *u, BoundText t) {
  const ExprNode *n = expr_node(p->x, e);
  const bool outer = u->scope == p->scope, again = u->uses > 1;
  const bool overwritten = outer && reads_overwritten(p, e, t);
  if (is_condition(n) || p->moves[e] || (is_word(p, n) && !overwritten)) return false;
  if (n->kind >= EXPR_GIVEN && n->kind <= EXPR_ADDRESS) return false;
  const size_t length = strlen(t.s);
  if (!is_value(n)) return length > LONG_TEXT || (again && n->reads);
  if (!outer) return length > (again ? LONG_TEXT : LONGEST_TEXT);
  return again || overwritten || length > LONG_TEXT;
}

static const ExprUse *written(Print *p, Expr e, int scope) {
  ExprUse *u = find_use(p, e, scope);
  if (u->text) return u;
  BoundText t = compose(p, e, u->scope);
  u = find_use(p, e, scope); /* it may have been moved */
  if (wants_name(p, e, u, t)) {
    const ExprNode *n = expr_node(p->x, e);
    const bool v = is_value(n);
    const char *name = arena_printf(p->arena, v ? "v%d" : "p%d", v ? p->values++ : p->integers++);
    str_line(code_of(p, u->scope), "const %s %s = %s;", v ? c_type(n->type) : "int64_t", name, t.s);
    t = simple(name);
  }
  u->text = t.s, u->bind = t.bind;
  return u;
}

static const char *text(Print *p, Expr e, int scope) { return written(p, e, scope)->text; }

static const char *bound(Print *p, Expr e, int scope, Bind least) {
  const ExprUse *u = written(p, e, scope);
  return u->bind >= least ? u->text : arena_printf(p->arena, "(%s)", u->text);
}

static const char *wrapped(Print *p, Expr e, int scope) { return bound(p, e, scope, BIND_TIGHT); }

const char *print_expr(Print *p, Expr e) { return text(p, e, p->scope); }
const char *print_stored(Print *p, Expr to, Expr e) {
  const ExprNode *n = expr_node(p->x, e), *a = expr_node(p->x, to);
  const ExprUse *u = find_use(p, e, p->scope);
  const bool once = n->kind == EXPR_OP && a->kind == EXPR_LOAD && a->type == n->type && u &&
                    !u->text && u->uses == 1;
  p->unrounded = once ? 1 + e : 0;
  const char *s = print_expr(p, e);
  p->unrounded = 0;
  return s;
}
const char *print_wrapped(Print *p, Expr e) { return wrapped(p, e, p->scope); }
const char *print_place(Print *p, Expr e) { return place(p, expr_node(p->x, e), p->scope); }
const char *print_in(Print *p, Expr e, int scope) { return text(p, e, scope); }
const char *print_wrapped_in(Print *p, Expr e, int scope) { return wrapped(p, e, scope); }

const char *print_alone(Print *p, Expr e) {
  const BlockMark m = print_begin_block(p);
  print_count(p, e);
  print_counted(p);
  const char *s = text(p, e, p->scope);
  print_end_block(p, m);
  return s;
}
