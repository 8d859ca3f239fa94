/* Loop functions as C, and their calls. */
#include "print_loop.h"
#include <math.h>
#include <string.h>

/* -------- names of parameters -------- */

const Node *emit_named(Emit *e, const Node *n) {
  while (!n->name && n->op == OP_exchange) n = graph_operand(e->le->graph, n, 0);
  return n;
}

/* opt.m[model.d1.w] -> m_w, model.d1.w -> d1_w: short, but telling. What has no name is called by
 * its op. */
const char *emit_short_name(Emit *e, const Node *n) {
  n = emit_named(e, n);
  const char *name = node_called(n), *last = name;
  int dots = 0;
  for (const char *c = name + strlen(name); c > name && dots < 2; c--)
    if (c[-1] == '.' && ++dots == 2) last = c;
  return emit_identifier(e, dots < 2 ? name : last);
}

static const char *const param_word[] = {
    [PARAM_EXTENT] = "n",    [PARAM_OFFSET] = "from", [PARAM_KEY] = "key",
    [PARAM_FIRST] = "first", [PARAM_BOUND] = "bound", [PARAM_BITS] = "bits",
    [PARAM_INDEX] = "index"};

/* What every function may call so: "n0", "from12", "v12". */
static bool print_is_local(const char *s) {
  static const char *const numbered[] = {"n",    "from",  "key", "first", "bound",
                                         "bits", "index", "v",   "p"};
  for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++) {
    size_t n = strlen(numbered[i]);
    if (!strncmp(s, numbered[i], n) && s[n] && strspn(s + n, "0123456789") == strlen(s + n))
      return true;
  }
  return false;
}

/* What the function declares itself. */
static void keep_locals(Emit *e, const LoopStmt *s, Lookup *taken) {
  for (; s; s = s->next) {
    if (s->name) emit_keep(e, taken, s->name, 1);
    keep_locals(e, s->body, taken);
    keep_locals(e, s->other, taken);
  }
}

const char *emit_unique(Emit *e, Lookup *used, const char *base) {
  if (print_is_local(base) || emit_find(e, used, base) == 1)
    base = arena_printf(e->arena, "%s_", base);
  const char *name = base;
  int k = emit_find(e, used, base);
  for (int taken = k; taken; taken = emit_find(e, used, name)) name = emit_numbered(e, base, k++);
  if (k) emit_keep(e, used, base, k);
  emit_keep(e, used, name, 2);
  return name;
}

static void name_parameters(Emit *e, Print *p) {
  static const char *const own[] = {"dev", "part_from", "part_to", "partial"};
  const LoopFunction *f = p->f;
  int count[8] = {0};
  Lookup used = {0};
  for (int i = 0; i < f->used.n; i++) {
    const ParamUse use = f->params.at[f->used.at[i]].use;
    p->param[i] = arena_printf(p->arena, "%s%d", param_word[use], count[use]++);
  }
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) emit_keep(e, &used, own[i], 1);
  keep_locals(e, f->body, &used);
  for (int i = 0; i < f->buffers.n; i++)
    p->buffer[i] =
        emit_unique(e, &used, emit_short_name(e, graph_node(e->le->graph, f->buffers.at[i].node)));
}

static const char *room_text(Print *p, Expr room) {
  const ExprNode *n = expr_node(p->x, room);
  if (n->kind == EXPR_PARAM) return p->param[p->f->params.at[n->v].place];
  return "1"; /* no element also has a place in C */
}

static const char *buffer_text(Print *p, const Graph *g, int i) {
  const LoopFunction *f = p->f;
  const LoopBuffer *b = &f->buffers.at[i];
  const Node *n = graph_node(g, b->node);
  const char *type = dtype_c_name(n->dtype);
  if (f->flat || b->first >= n->shape.rank - 1)
    return arena_printf(p->arena, "%s%s *restrict %s", b->written ? "" : "const ", type,
                        p->buffer[i]);
  Str s = str_new(p->arena);
  str_printf(&s, "%s (*restrict %s)", type, p->buffer[i]);
  for (int d = b->first + 1; d < n->shape.rank; d++)
    str_printf(&s, "[%s]", room_text(p, b->room[d]));
  return s.at;
}

static void put_head(Print *p, Str *s, const Graph *g, const char *head) {
  const LoopFunction *f = p->f;
  const char **text = arena_array(p->arena, const char *, f->used.n + f->buffers.n + 5);
  int n = 0;
  if (f->uses_dev) text[n++] = "dtrt_device *dev";
  if (f->part) text[n++] = "int64_t part_from", text[n++] = "int64_t part_to";
  for (int i = 0; i < f->used.n; i++) text[n++] = arena_printf(p->arena, "int64_t %s", p->param[i]);
  for (int i = 0; i < f->buffers.n; i++) text[n++] = buffer_text(p, g, i);
  if (f->partial != NO_NODE)
    text[n++] = arena_printf(p->arena, "%s *restrict partial", dtype_c_name(f->partial_type));
  if (!n) text[n++] = "void";
  emit_list(s, head, text, n, " {");
}

/* -------- statements -------- */

static void put_body(Print *p, const LoopStmt *s) {
  p->code.indent++;
  print_block(p, s);
  p->code.indent--;
}

/* The function reads or writes f16. */
static bool has_f16(const Print *p) {
  for (int i = 0; p->f && i < p->f->buffers.n; i++)
    if (graph_node(p->le->graph, p->f->buffers.at[i].node)->dtype == DT_F16) return true;
  return false;
}

static void put_how(Print *p, LoopHow how) {
  static const char *const word[] = {[LOOP_PLAIN] = "DTRT_PLAIN",
                                     [LOOP_OUTER] = "DTRT_OUTER",
                                     [LOOP_FEW] = "DTRT_FEW",
                                     [LOOP_WHOLE] = "DTRT_WHOLE",
                                     [LOOP_LONG] = "DTRT_LONG"};
  const bool plain = how == LOOP_PLAIN || how == LOOP_LONG;
  if (how)
    str_line(&p->code, "%s%s", plain && has_f16(p) ? "DTRT_OF_F16 " : "",
             how == LOOP_PLAIN && p->f && p->f->draws_once ? "DTRT_LONG" : word[how]);
}

static void put_for(Print *p, const LoopStmt *s) {
  const bool part = loop_in_parts(p->f, s);
  const char *i = s->name, *from = part ? "part_from" : print_expr(p, s->a),
             *to = part ? "part_to" : print_wrapped(p, s->b), *by = print_expr(p, s->c);
  int64_t step;
  put_how(p, s->how);
  if (s->goes_on)
    str_line(&p->code, "for (; %s + %s <= %s; %s += %s) {", i, by, to, i, by);
  else if (expr_is_int(p->x, s->c, &step) && step == 1)
    str_line(&p->code, "for (int64_t %s = %s; %s < %s; %s++) {", i, from, i, to, i);
  else
    str_line(&p->code, "for (int64_t %s = %s; %s < %s; %s += %s) {", i, from, i, to, i, by);
  put_body(p, s->body);
  str_line(&p->code, "}");
}

static void put_if(Print *p, const LoopStmt *s) {
  str_line(&p->code, "if (%s) {", print_expr(p, s->a));
  put_body(p, s->body);
  if (s->other) {
    str_line(&p->code, "} else {");
    put_body(p, s->other);
  }
  str_line(&p->code, "}");
}

static bool is_zero(const ExprNode *n) {
  return n->kind == EXPR_NUMBER && n->real == 0 && !signbit(n->real);
}

static void put_local(Print *p, const LoopStmt *s) {
  const char *type = s->type == DT_I64 ? "int64_t" : dtype_c_name(s->type),
             *lanes = dtype_name(s->type), *v = s->a == NO_EXPR ? NULL : print_expr(p, s->a);
  switch (s->local) {
  case LOCAL_ARRAY: /* a vector that lies in two lines, or pages, is waited for when it is read back
                     */
    str_line(&p->code, "_Alignas(64) %s %s[%ld];", type, s->name, (long)s->count);
    break;
  case LOCAL_LANES:
    emit_uses_lanes(p->headers, s->type);
    if (is_zero(expr_node(p->x, s->a)))
      str_line(&p->code, "dtrt_lanes_%s %s = {0};", lanes, s->name);
    else
      str_line(&p->code, "dtrt_lanes_%s %s = (dtrt_lanes_%s){0} + %s;", lanes, s->name, lanes,
               print_wrapped(p, s->a));
    break;
  case LOCAL_LANES_ARRAY:
    emit_uses_lanes(p->headers, s->type);
    str_line(&p->code, "dtrt_lanes_%s %s[%ld];", lanes, s->name, (long)s->count);
    break;
  case LOCAL_SCATTER: str_line(&p->code, "dtrt_scatter %s = %s;", s->name, v); break;
  case LOCAL_POINTER: { /* a buffer itself may be a pointer to rows */
    const ExprNode *a = expr_node(p->x, s->a);
    const bool whole = a->kind == EXPR_ADDRESS && !expr_node(p->x, a->arg[0])->n;
    str_line(&p->code, whole ? "%s *%s = (void *)%s;" : "%s *%s = %s;", type, s->name, v);
    break;
  }
  default:
    str_line(&p->code, v ? "%s%s %s = %s;" : "%s%s %s;", s->local == LOCAL_CONST ? "const " : "",
             type, s->name, v);
  }
}

static void put_assignment(Print *p, const LoopStmt *s, const char *v) {
  const ExprNode *n = expr_node(p->x, s->a);
  const char *to = print_place(p, s->a);
  if (n->kind == EXPR_LOAD && dtype_is_half(n->type))
    str_line(&p->code, "%s = dtrt_f32_to_%s(%s);", to, dtype_name(n->type), v);
  else
    str_line(&p->code, "%s = %s;", to, v);
}

/* What is stored lies elsewhere as the same 16 bits, and they are copied. */
static bool is_copy_of_half(const Print *p, const LoopStmt *s) {
  const ExprNode *to = expr_node(p->x, s->a), *from = expr_node(p->x, s->b);
  return to->kind == EXPR_LOAD && from->kind == EXPR_LOAD && to->type == from->type &&
         dtype_is_half(to->type);
}

/* Values of stores that follow each other are computed before any is stored; the last of them. One
 * that depends on a local has no name of its own (print_expr.c), but is named here. */
static const LoopStmt *put_stores(Print *p, const LoopStmt *s) {
  int n = 1;
  for (const LoopStmt *k = s; k->next && k->next->kind == STMT_STORE; k = k->next) n++;
  const char **v = arena_array(p->arena, const char *, n);
  const LoopStmt *k = s, *last = s;
  if (n == 1 && is_copy_of_half(p, s)) {
    str_line(&p->code, "%s = %s;", print_place(p, s->a), print_place(p, s->b));
    return s;
  }
  for (int i = 0; i < n; i++, k = k->next) {
    v[i] = print_stored(p, k->a, k->b);
    if (n == 1 || !p->moves[k->b] || !p->reads_stored[k->b]) continue;
    const char *name = arena_printf(p->arena, "v%d", p->values++);
    const DType t = dtype_computed(expr_node(p->x, k->b)->type);
    str_line(&p->code, "const %s %s = %s;", dtype_c_name(t), name, v[i]);
    v[i] = name;
  }
  for (int i = 0; i < n; i++, last = s, s = s->next) put_assignment(p, s, v[i]);
  return last;
}

static const LoopStmt *put_stmt(Print *p, const LoopStmt *s) {
  switch (s->kind) {
  case STMT_FOR: put_for(p, s); break;
  case STMT_WHILE:
    put_how(p, s->how);
    str_line(&p->code, "while (%s) {", print_expr(p, s->a));
    put_body(p, s->body);
    str_line(&p->code, "}");
    break;
  case STMT_IF: put_if(p, s); break;
  case STMT_LOCAL: put_local(p, s); break;
  case STMT_SET: put_assignment(p, s, print_stored(p, s->a, s->b)); break;
  case STMT_STORE: return put_stores(p, s);
  case STMT_CALL:
    if (p->own_stmt)
      p->own_stmt(p, s);
    else
      str_line(&p->code, "%s;", print_expr(p, s->a));
    break;
  case STMT_NEXT: str_line(&p->code, "continue;"); break;
  case STMT_LEAVE: str_line(&p->code, "break;"); break;
  case STMT_STEP:
  case STMT_EXCHANGE:
  case STMT_ROTATE:
  case STMT_REPEAT: p->own_stmt(p, s); break;
  case STMT_RETURN: str_line(&p->code, "return %s;", print_expr(p, s->a)); break;
  }
  return s;
}

void print_block(Print *p, const LoopStmt *first) {
  const BlockMark m = print_begin_block(p);
  Expr own[LOOP_EXPRS];
  for (const LoopStmt *s = first; s; s = s->next)
    for (int i = 0, n = loop_exprs(p->x, p->f, s, own); i < n; i++) print_count(p, own[i]);
  print_counted(p);
  for (const LoopStmt *s = first; s; s = s->next) s = put_stmt(p, s);
  print_end_block(p, m);
}

/* -------- functions -------- */

static void find_written(Print *p, const LoopStmt *s, bool *set) {
  for (; s; s = s->next) {
    const ExprNode *n = s->a == NO_EXPR ? NULL : expr_node(p->x, s->a);
    if (s->kind == STMT_STORE)
      vec_push(p->arena, &p->stored, p->le->buffer[node_base(p->le->graph, (NodeId)n->v)]);
    if (s->kind == STMT_SET && n->kind == EXPR_LOAD)
      set[loop_buffer(p->f, p->le->graph, (NodeId)n->v)] = true;
    find_written(p, s->body, set);
    find_written(p, s->other, set);
  }
}

/* What has a local in it, or what the function sets as it goes on; and selects with a part that
 * reads what is stored to. */
static void find_moving(Print *p, bool *set) {
  bool *reads = p->reads_stored;
  for (Expr e = 0; e < p->x->n; e++) {
    const ExprNode *n = expr_node(p->x, e);
    const ExprNode *of = n->kind == EXPR_ADDRESS ? expr_node(p->x, n->arg[0]) : NULL;
    if (of && of->kind == EXPR_LOAD && !p->f->fills_first)
      set[loop_buffer(p->f, p->le->graph, (NodeId)of->v)] = true;
  }
  for (Expr e = 0; e < p->x->n; e++) {
    const ExprNode *n = expr_node(p->x, e);
    bool moves = n->kind == EXPR_LOCAL || n->kind == EXPR_ADDRESS;
    if (n->kind == EXPR_LOAD) {
      const int b = loop_buffer(p->f, p->le->graph, (NodeId)n->v);
      moves = b >= 0 && set[b];
    }
    reads[e] = print_is_overwritten(p, n);
    for (int i = 0; i < n->n; i++) {
      const Expr a = n->arg[i];
      moves = moves || p->moves[a], reads[e] = reads[e] || reads[a];
      p->late[e] = p->late[e] || p->late[a] || (expr_is_part(n, i) && reads[a]);
    }
    p->moves[e] = moves;
  }
}

void print_begin(Print *p) {
  p->moves = arena_array(p->arena, bool, p->x->n);
  p->late = arena_array(p->arena, bool, p->x->n);
  p->reads_stored = arena_array(p->arena, bool, p->x->n);
  p->use_of = arena_array(p->arena, int, p->x->n);
}

void print_function(Emit *e, const LoopFunction *f, const char *name) {
  Print p = {.arena = e->arena,
             .le = e->le,
             .f = f,
             .x = f->x,
             .headers = &e->counts->uses,
             .param = arena_array(e->arena, const char *, f->used.n + 1),
             .buffer = arena_array(e->arena, const char *, f->buffers.n + 1),
             .code = str_new(e->arena)};
  bool *set = arena_array(e->arena, bool, f->buffers.n + 1);
  print_begin(&p);
  name_parameters(e, &p);
  find_written(&p, f->body, set);
  find_moving(&p, set);
  p.code.indent = 1;
  print_block(&p, f->body);
  put_head(&p, &e->loops, e->le->graph,
           arena_printf(e->arena, "DTRT_LOOP %s %s", f->returns ? "int" : "void", name));
  str_printf(&e->loops, "%s}\n\n", p.code.at);
  e->counts->functions++;
}
