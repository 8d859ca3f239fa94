/* Inside the elaborator: it executes a program's text at compile time and produces graphs.
 *
 * Two modes. *Making*: top level and layer bodies, which create sizes, instances and variables; no
 * tensor is computed (Elab.at is NULL). *Building*: the body of an entry, of functions it calls,
 * or of an initial value, where every operation on a tensor becomes a node of Elab.at's graph.
 * Invariant: V_ERROR means that the error was reported; operations on it give V_ERROR without
 * another report. */
#ifndef DTG_ELABORATE_H
#define DTG_ELABORATE_H
#include "ast.h"
#include "frontend.h"
#include "op_list.h"

typedef enum ValueKind {
  V_ERROR,
  V_NONE,
  V_INT,
  V_REAL,
  V_BOOL,
  V_STRING,
  V_LIST,
  V_DTYPE,
  V_TYPE,
  V_TENSOR,
  V_VAR,    /* a variable itself; its value in an entry is read where it is used */
  V_ROW,    /* a variable of one layer of a stack: rows of that variable */
  V_FAMILY, /* state m[p]: one variable a key */
  V_INSTANCE,
  V_LAYER,
  V_FN,
  V_METHOD,
  V_OP,    /* a builtin of compiler/ops */
  V_MAKE,  /* a builtin of the elaborator: len, params, grad ... */
  V_GIVEN, /* what a parameter `name...` took */
  V_ENTRY
} ValueKind;

typedef struct Value Value;
typedef struct Module Module;
typedef struct Instance Instance;

typedef struct ValueList {
  const Value *at;
  int n;
} ValueList;

typedef struct Type {
  DType dtype;
  Shape shape;
} Type;

/* A fn, layer or entry where it was declared. */
typedef struct Def {
  const Stmt *stmt;
  Module *module;
} Def;

typedef struct Method {
  const Stmt *stmt;
  Instance *instance;
} Method;

typedef struct Family Family;

/* stack(n) layer(...), stack.c */
typedef struct Stack {
  struct Stack *up; /* it is made in a layer of that one */
  const char *path;
  int64_t n;
  int depth; /* 1 and more */
} Stack;
enum { MOST_STACKS = 4 };

/* What a layer of a stack has of a variable. */
typedef struct LayerRow {
  int var, n;
  const NodeId *at; /* [n] positions in the variable's first dims */
} LayerRow;

struct Value {
  ValueKind kind;
  union {
    int64_t i; /* int; bool as 0 or 1 */
    double real;
    const char *text;
    const ValueList *list;
    DType dtype;
    const Type *type;
    NodeId node;
    int var;
    const LayerRow *row;
    Family *family;
    Instance *instance;
    const Def *def;
    const Method *method;
    const OpDef *op;
    const char *make; /* the name in builtin.c's table */
    const struct Given *given;
  };
};

typedef struct Binding {
  const char *name;
  Span span;
  Value value;
  Module *lazy_in; /* a const not yet evaluated, else NULL */
  const Stmt *lazy;
  bool is_const, evaluating;
  bool given; /* a parameter: its value comes from the call */
  const char *value_of; /* the variable whose value it was bound to, NULL: none, */
  Span as;              /* and how that was written */
} Binding;

typedef struct NameScope {
  struct NameScope *up;
  Module *module; /* of the outermost scope only */
  VEC(Binding *) names;
} NameScope;

typedef VEC(Module *) ModuleVec;

struct Module {
  const char *path; /* as shown, and its identity */
  bool library;
  NameScope scope;
  ModuleVec imports;
  StmtVec stmts;
  Module *importer; /* while loading: the module that imports it */
  bool seen;        /* in the search for a name that is under way */
};

struct Instance {
  const char *path;
  const Def *def;
  NameScope scope;
  Span span;
  bool called;
  int precision; /* 1 + the statement about it; 0: none, or not looked for yet (`called`) */
  const Instance *scaled;      /* what scales its losses (loss_scaling.c); NULL: nothing */
  const Stack *stack, *within; /* that it is, or one layer of; the innermost around it */
  const NodeId *row;           /* of a layer of stacks: its positions in them */
  int nrow;
};

struct Family {
  const char *path;
  Lookup members; /* 1 + the variable, by its key: the interned text in the brackets of the path */
  const NodeId *row; /* as of an instance */
  int nrow;
};

/* The stack of a pipeline, and what a layout cuts its first dim by (microbatch.c). */
typedef struct Staged {
  const char *path;
  DimLayout dim;
  Span span; /* of the layout; before it is known, of the pipeline */
} Staged;
typedef VEC(Staged) StagedVec;

typedef struct OpenRegion OpenRegion; /* flow.c */

/* An entry being built. */
typedef struct Building {
  Entry entry;
  int index; /* of the entry in the program; 0: init */
  Build build;
  NodeVec *version; /* [variables]: every value so far, the last is current; empty: not read yet */
  int *assigned;    /* [variables]: 1 + its place in assigns; 0: it is not assigned */
  int nversions;
  const char *stream_path; /* init: of the variable being initialised */
  VEC(Assign) assigns;
  OpenRegion *open; /* the innermost region whose body is being built; NULL: none */
  NodeId told;      /* the token of what was told last (ops/told.c); NO_NODE: nothing was */
  int drawn;        /* how many calls its path had before the last draw */
  Lookup streams;   /* random calls so far, by interned path */
  bool random;      /* some node reads the random step */
  int writes;       /* assignments so far */
  NodeId run;       /* i64[]: which layer of a pipeline is built, on which part; NO_NODE: none */
} Building;

/* A call in progress. */
typedef struct Frame {
  struct Frame *up;
  const Stmt *decl;
  Instance *instance; /* of a method or a layer being made */
  Span call;
} Frame;

typedef enum NamedKind {
  NAMED_VAR,
  NAMED_INPUT,
  NAMED_OUTPUT,
  NAMED_NODE,        /* a value of an entry; `h = x` is one name more of its input x */
  NAMED_ALIAS_OF_VAR /* `h = w` in an entry: one name more of the variable */
} NamedKind;

/* A tensor that a layout statement can name. */
typedef struct Named {
  const char *text;
  const char *plain; /* of an input: its name without the entry's */
  NamedKind kind;
  int entry, index;
  bool of_rows; /* it has a dim more, in front, than the text says: of the rows of a pipeline */
} Named;

/* A layout annotation. */
typedef enum Strength { BY_PATTERN = 1, BY_NAME, BY_OPTION_PATTERN, BY_OPTION_NAME } Strength;

typedef struct Said {
  const char *target; /* path, or the text of a pattern */
  bool pattern;
  bool here;   /* `on` at the declaration */
  bool option; /* from the command line */
  Strength strength;
  const SpecExpr *spec; /* NULL: it only forbids */
  Span span;
  Span forbid;       /* the statement, when it forbids to gather or to keep */
  bool keep;         /* it forbids to keep */
  bool first;        /* a pattern among those of which the first that matches wins */
  Statement *record; /* NULL: `on` */
} Said;

/* Where a flow of statements stands. */
typedef enum Where { IN_TOP, IN_LAYER, IN_FN, IN_METHOD, IN_ENTRY } Where;

typedef struct ParsedText {
  const char *name, *text;
  size_t len;
  uint32_t file; /* which the spans name */
  StmtVec stmts;
} ParsedText;

struct Parsed {
  const Names *names;
  VEC(ParsedText) texts; /* without any message */
};

/* A number that a loop or a branch carries as what its body makes of it (adopt.c). */
typedef struct Adopted {
  uint64_t key;
  Type type;
} Adopted;
typedef struct Adoptions {
  VEC(Adopted) at;
  int changes; /* so far */
  Span region; /* the last one that was wrong in fewer places by them */
} Adoptions;

typedef struct Elab {
  Arena *arena;
  Diag *diag;
  Names *names;
  const FrontOptions *options;
  Parsed *parsed;
  Program *program;
  ModuleVec modules; /* in the order they are run */
  Module *main;
  Building *at; /* NULL: making */
  Building init;
  const Type *declared; /* of the variable being initialised */
  const char *owner;    /* path of what is being made, "" at top level */
  const char *base;     /* path that an instance made here would take, NULL: none */
  Frame *frame;
  Value result; /* of the return statement that ended a body */
  Span returned; /* that statement */
  int depth;
  int64_t steps;
  bool mesh_failed; /* reported: axes are not complained of again */
  IdentVec no_axes; /* names reported not to be axes */
  bool stop;        /* a limit was passed: unwind */
  bool full;        /* ... as there are more errors than are shown */
  VEC(Named) named;
  VEC(Said *) said;
  StmtVec optional; /* of --layout */
  VEC(Ident) paths; /* of instances and variables, against doubles */
  Lookup path_at;   /* 1 + its place in paths, by interned path */
  Stack *stack;     /* the innermost of those whose layer is being made */
  VEC(Stack *) stacks;
  OpenRegion *init_rows;  /* the loop that computes the first values of a stack's rows */
  const NodeId *init_row; /* the position of its run in each stack; NULL: not asked for yet */
  IdentVec ended;         /* names that only bodies of regions bound */
  IdentVec failed;        /* names of statements with a mistake, which bound nothing */
  struct PrecisionRules *precision;
  StagedVec piped;  /* stacks of pipelines, of which nothing is known yet */
  StagedVec staged; /* those that layouts cut: they are known from an elaboration before */
  int step_var;     /* random.step, -1 before a random op is met */
  Adoptions *adopted;
  uint64_t place; /* which calls, and turns of `for`, are open */
  int peels;      /* first runs alone that are being built */
  int in_vain;    /* how often that a number takes a type was tried, and helped nothing */
} Elab;

/* -------- value.c -------- */

Value value_int(int64_t i);
Value value_real(double r);
Value value_bool(bool b);
Value value_text(const char *s);
Value value_node(NodeId id); /* NO_NODE: V_ERROR */
Value value_list(Elab *e, const Value *at, int n);
bool list_fits(Elab *e, Span at, int64_t n); /* else it is an error: a list may have a million */
Value value_type(Elab *e, DType t, const Shape *s);
extern const Value value_error, value_none;
bool value_number(const Value *v, double *out);  /* int or real */
bool value_same(const Value *a, const Value *b); /* == at compile time */
const Stack *value_stack(const Value *v);        /* NULL: it is none, or a layer of one */
/* "the number 3", "a tensor f32[2, 3]", "the layer `dense`" */
const char *value_describe(Elab *e, const Value *v);
/* Behind a message: what of v is a tensor, as "; its variables are `m.w`, `m.b`", or "". */
const char *value_instead(Elab *e, const Value *v);
const char *type_text(Elab *e, DType t, const Shape *s);
Value elab_fail(Elab *e, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

Binding *scope_find(const NameScope *s, const char *name); /* in this scope alone */
Binding *scope_bind(Elab *e, NameScope *s, Ident name, Value v);
void scope_drop(NameScope *s, const char *name);
/* "; did you mean `x`?" of the names seen so far, or "". */
typedef struct Near {
  const char *want, *best;
  int distance;
} Near;
void near_offer(Near *n, const char *candidate);
const char *near_text(Elab *e, const Near *n);
const char *path_join(Elab *e, const char *owner, const char *name);
bool path_below(const char *path, const char *top); /* or that itself */

/* -------- lookup.c -------- */

/* Through the scopes, the imports and the builtins; reports an unknown name, once. */
Value scope_lookup(Elab *e, NameScope *s, Ident name);
/* Whether np.sum or the like is read, which is reported. */
bool lookup_module(Elab *e, NameScope *s, const AstExpr *x);
/* Adds to the last error, which is about the value of `x`, where it comes from if x is a name that
 * a statement binds. `how` is "bound here" or the like. */
void lookup_note(Elab *e, const NameScope *s, const AstExpr *x, const char *how);
bool lookup_known(Elab *e, const NameScope *s, Ident name);
/* Whether x is a name that is bound to the value of a variable; a note says so. */
bool lookup_value_of(Elab *e, const NameScope *s, const AstExpr *x);
void lookup_note_value(Elab *e, const NameScope *s, const AstExpr *x);

/* -------- eval.c, operate.c -------- */

Value eval_expr(Elab *e, NameScope *s, const AstExpr *x);
bool eval_type(Elab *e, NameScope *s, const AstExpr *x, Type *out);
bool eval_size(Elab *e, NameScope *s, const AstExpr *x, const char *what, int64_t *out); /* >= 0 */
/* The values a `for` goes through: a list, or from..to, which is not spelled out. */
typedef struct Sequence {
  const ValueList *list; /* NULL: numbers from `first` on */
  int64_t first, by;
  int n;
} Sequence;
bool eval_sequence(Elab *e, NameScope *s, AstRange over, Sequence *out);
/* Value i; false when a limit was passed. */
bool eval_step(Elab *e, const Sequence *q, int i, Span at, Value *out);
/* A variable becomes its current value; the rest stays. */
Value eval_read(Elab *e, Value v, Span at);
Value operate_unary(Elab *e, const AstExpr *x, Value v);
Value operate_binary(Elab *e, const AstExpr *x, Value l, Value r);
Value operate_index(Elab *e, NameScope *s, const AstExpr *x, Value base);
/* The tensor `base` with v in the place of the part that the subscripts of x name. */
Value operate_put(Elab *e, NameScope *s, const AstExpr *x, NodeId base, Value v, Span at);
bool elab_tick(Elab *e, Span at); /* false: a limit was passed */

/* -------- call.c -------- */

typedef struct Actual {
  Ident name; /* none: by position */
  Span span;
  Value value;
  bool *taken; /* handed on by `name...`: whether some parameter took it; else NULL */
} Actual;

/* What a parameter `name...` took. */
typedef struct Given {
  const Actual *at;
  int n;
} Given;

Value call_expr(Elab *e, NameScope *s, const AstExpr *x);
/* An instance of a layer under e->base. */
Value call_layer(Elab *e, const Def *def, Span call, const Actual *a, int na);
const Method *call_find_method(const Instance *in, const char *name); /* its own; NULL */

Value call_instance(Elab *e, Instance *in, Span call, const Actual *a, int na);

/* Of an instance that has just been bound to a name. */
void loss_scaling_of(Elab *e, Instance *in);
/* In place of a method that is called; the method itself where no loss is scaled. */
const Method *loss_scaling_method(const Method *m);
/* One parameter of a callee, for binding. */
typedef struct Formal {
  const char *name;
  bool required, rest;
} Formal;
/* Writes for each formal the index of its actual, -1: not given. `rest` takes those from *rest_from
 * on. */
bool call_bind(Elab *e, Span call, const char *label, const char *signature, Span declared_at,
               const Formal *formals, int n, const Actual *actuals, int nactuals, int *which,
               int *rest_from);

/* -------- builtin.c -------- */

bool builtin_find(const char *name, Value *out);
/* A call of the operation of that name, or NULL. */
const char *builtin_example(const char *name);
void builtin_near(Near *n);
/* The module of the shipped library that defines a name, or NULL. */
const char *builtin_shipped(const char *name);
Value builtin_call(Elab *e, const char *make, Span call, const Actual *a, int n);
bool builtin_gives(const Value *callee); /* it hands on what it is given by other names */
Value builtin_op(Elab *e, const OpDef *op, Span call, const Actual *a, int n);
bool builtin_arg(Elab *e, const Value *v, Span at, Arg *out); /* reports what no op takes */
Value builtin_from_arg(Elab *e, const Arg *a);
Value builtin_cast(Elab *e, DType t, Span call, const Actual *a, int n);
Value builtin_field(Elab *e, const Value *v, const char *name, bool *found); /* x.shape, x.dtype */

/* -------- fold_numbers.c -------- */

/* What an op makes of numbers known while compiling; V_NONE: it is not a matter of numbers alone.
 */
Value fold_values(Elab *e, Op op, Span at, const Value *const *v, int n);
/* The same of a call whose arguments were bound to `n` parameters by call_bind. */
Value fold_call(Elab *e, const OpDef *def, Span call, const Actual *a, const int *which, int n);

/* -------- stmt.c, entry.c, variable.c -------- */

/* True when a return was met; its value is e->result. */
bool stmt_run(Elab *e, NameScope *s, const StmtVec *body, Where where);
void entry_build(Elab *e, const Def *def);
void entry_begin(Elab *e, Building *b, const char *name, int index, Span span);
void entry_end(Elab *e, Building *b); /* closes its list of assignments */
void entry_return(Elab *e, NameScope *s, const Stmt *stmt);
void entry_name_node(Elab *e, const char *text, NodeId id);
void variable_declare(Elab *e, NameScope *s, const Stmt *stmt);
int variable_add(Elab *e, const char *path, const Type *t, bool trainable, Span at);
NodeId variable_read(Elab *e, int var, Span at);
void variable_assign(Elab *e, int var, Value v, Span at);
NodeId variable_read_row(Elab *e, const LayerRow *row, Span at);
void variable_assign_row(Elab *e, const LayerRow *row, Value v, Span at);
/* The value of the variable that the loss was computed from. */
NodeVec *variable_versions(Elab *e, Building *b, int var);
NodeId variable_in_loss(Elab *e, int var, NodeId loss, Span at);
/* The key of a state family as text: a variable, an instance, a number or a string; NULL after a
 * report. */
const char *variable_key(Elab *e, const Value *key, Span at);
bool elab_claim_path(Elab *e, const char *path, Span at);

/* -------- bound.c -------- */

void bound_add(Elab *e, IdentVec *names, Ident name);
/* All names that statements bind, but for the numbers of loops; or those that they write parts of.
 */
void bound_names(Elab *e, const StmtVec *body, bool parts, IdentVec *names);
/* What the statement would have bound, but for its mistake: no error follows from these names. */
void bound_in_vain(Elab *e, const Stmt *s);
/* What has the name in scope s or those around it; NULL: nothing. */
const Binding *bound_before(const NameScope *s, const char *name);

/* -------- assert.c -------- */

void tell_begin(Building *b);
void tell_assert(Elab *e, NameScope *s, const Stmt *stmt);

/* -------- flow.c, flow_stmt.c, flow_rows.c -------- */

void region_while(Elab *e, NameScope *s, const Stmt *stmt, Where where);
void region_repeat(Elab *e, NameScope *s, const Stmt *stmt, Where where);
void region_scan(Elab *e, NameScope *s, const Stmt *stmt, Where where);
void region_collect(Elab *e, NameScope *s, const Stmt *stmt, Where where);
void region_if(Elab *e, NameScope *s, const Stmt *stmt, Value condition, Where where);
/* Before a variable is read or assigned: the regions that are open carry it from then on. */
void region_carry_variable(Elab *e, int var, Span at);
/* The variable of which a node is the value in a region, or behind it; -1: it is of none. */
int region_variable_of(Elab *e, NodeId id);
/* A loop of n runs around what is built until its end, each of which gives a row; its number. The
 * end gives all rows, or `row` itself where no run asked for its number. */
OpenRegion *region_rows_begin(Elab *e, int64_t n, Span at);
NodeId region_rows_run(Elab *e, OpenRegion *r);
NodeId region_rows_end(Elab *e, OpenRegion *r, NodeId row);
/* The number of a random draw: the step of the entry, moved on for each run of open loops. */
NodeId region_random_step(Elab *e, NodeId step);
/* The token of what the entry told last, as open regions carry it. */
NodeId region_told(Elab *e);

/* One turn of a `for` that a `break` may have ended while running. */
typedef struct Jumps Jumps;
void region_turn(Elab *e, NameScope *s, const Stmt *stmt, const Jumps *j, Value step, Where where);

/* -------- adopt.c -------- */

/* Enters a turn or a call; returns the place before, which is put back behind it. */
uint64_t place_enter(Elab *e, uint64_t which);
uint64_t place_span(Span at);

/* -------- jumps.c -------- */

/* The body of a loop with `break` and `continue` written out. */
struct Jumps {
  StmtVec body;
  Ident stop; /* the name that a `break` sets, bound before the loop; `text` NULL: there is none */
  Ident skip; /* ... and a `continue`, bound in each run */
};
Jumps jumps_begin(Elab *e, NameScope *s, const Stmt *stmt);
void jumps_end(NameScope *s, const Jumps *j);
/* Whether a `break` was met: true or false, or a tensor; V_NONE: there is none in the loop. */
Value jumps_met(const NameScope *s, const Jumps *j);

/* -------- stack.c (stack.h) -------- */

Value stack_make(Elab *e, NameScope *s, const AstExpr *x);

/* -------- microbatch.c -------- */

/* more: what the layers' method is given beside x. */
Value pipeline_call(Elab *e, Span at, const Actual *blocks, const Actual *x, const Actual *parts,
                    const Actual *more, int nmore);
bool pipeline_cuts(Elab *e, StagedVec *out); /* false after a report */

/* -------- precision_rules.c -------- */

void precision_begin(Elab *e);
/* What a method of the instance multiplies by, where its caller does by `outer`: 1 + a statement,
 * or 0. */
int precision_of(Elab *e, Instance *in, int outer);
void precision_end(Elab *e); /* statements without effect */

/* -------- module.c -------- */

/* Parses the sources and all they import, into e->modules, and applies -D. */
void module_load_all(Elab *e);

/* What messages call the i-th of n texts that came as options: "--layout 2" on a command line,
 * "layout[1]" for a host. */
const char *module_option(Elab *e, const char *flag, const char *field, int i, int n);

/* -------- spec.c, says.c -------- */

/* The mesh of the program, from the command line or its one `mesh` statement. */
void spec_mesh(Elab *e);
/* x with the names that fns, layers and methods have bound replaced by the axes that their values
 * name; NULL after a report. */
const SpecExpr *spec_named(Elab *e, const NameScope *s, const SpecExpr *x);
/* What was written, for a tensor of that rank; NULL after a report. */
const Spec *spec_make(Elab *e, const SpecExpr *x, int rank, const char *what, bool may_be_partial,
                      bool may_match);
/* Two statements of one tensor: a dim that one leaves open, `?`, is taken from the other. NULL:
 * they give it different layouts. */
const Spec *spec_both(Arena *a, const Spec *x, const Spec *y);
/* `on [...]` at the declaration of `target`. */
void says_here(Elab *e, const char *target, const SpecExpr *spec);
/* Of --layout: before a pipeline points at one, which it knows from an elaboration before. */
void says_read_options(Elab *e);
/* Writes all annotations to their tensors. */
void says_apply(Elab *e);

#endif
