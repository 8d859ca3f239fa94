/* The parser's result: statements and expressions, each with its span. Names are interned, so
 * equal names are equal pointers. Everything is in the compilation's arena. Invariant: no tree is
 * deeper than AST_DEEPEST; deeper ones are reported and become EX_ERROR, so that passes over the
 * tree may recurse. */
#ifndef DTG_AST_H
#define DTG_AST_H
#include "graph.h"

enum { AST_DEEPEST = 400 };

typedef struct AstExpr AstExpr;
typedef struct Stmt Stmt;

/* A name where it stands in the text. */
typedef struct Ident {
  const char *text; /* NULL: none */
  Span span;
} Ident;

/* An argument of a call, or one `name = value` of a mesh or a return. */
typedef struct AstGiven {
  Ident name; /* none: by position */
  AstExpr *value;
  bool spread; /* `value...`: all arguments that a parameter `value...` took */
} AstGiven;

/* One place of x[...]: an index, or begin:end:step with each part possibly NULL. */
typedef struct Sub {
  Span span;
  bool slice, rest; /* rest: `...` */
  AstExpr *begin, *end, *step;
} Sub;

/* What a `for` goes through: a list, or from..to, in steps unless `by` is NULL. */
typedef struct AstRange {
  AstExpr *from, *to, *by;
} AstRange;

typedef VEC(AstExpr *) ExprVec;
typedef VEC(AstGiven) GivenVec;
typedef VEC(Sub) SubVec;
typedef VEC(Stmt *) StmtVec;
typedef VEC(Ident) IdentVec;

/* -------- layouts as written -------- */

typedef enum ItemKind { ITEM_WHOLE, ITEM_OPEN, ITEM_REST, ITEM_AXES } ItemKind;

typedef struct AstItem {
  ItemKind kind;
  Span span;
  IdentVec axes;
  bool tuple;      /* written (a, b) */
  int64_t granule; /* 1 unless `by N` was written */
} AstItem;

typedef VEC(AstItem) ItemVec;

typedef struct SpecExpr {
  Span span;
  bool replicated; /* the word; `[]` has no items */
  ItemVec items;
  IdentVec partial; /* the names in partial(...), a word for the reduction last */
} SpecExpr;

/* -------- expressions -------- */

typedef enum AstExprKind {
  EX_ERROR, /* reported */
  EX_INT,
  EX_REAL,
  EX_STRING,
  EX_BOOL,
  EX_NONE,
  EX_NAME,
  EX_LIST,  /* [a, b] */
  EX_EACH,  /* [x for name in from..to if y] */
  EX_CALL,  /* x(given) */
  EX_INDEX, /* x[subs] */
  EX_FIELD, /* x.name */
  EX_UNARY,
  EX_BINARY,
  EX_CHOICE,   /* x if from else y */
  EX_RELAYOUT, /* relayout(x, spec) */
  EX_STACK     /* stack(from) x, a call */
} AstExprKind;

struct AstExpr {
  AstExprKind kind;
  Op op; /* unary and binary: of op_operator */
  int depth;
  bool wrapped; /* stood in ( ), which the span includes */
  bool joined;  /* each: x is the next `for` of the same list */
  Span span;
  int64_t i; /* int; bool as 0 or 1 */
  double real;
  const char *text;        /* string */
  Ident name;              /* name, field, each */
  AstExpr *x, *y;          /* operands; callee, base; each: the element */
  AstExpr *from, *to, *by; /* each: a list, or from..to by by; choice: the condition */
  ExprVec list;
  GivenVec given;
  SubVec subs;
  SpecExpr *spec;
};

/* -------- statements -------- */

typedef enum StmtKind {
  ST_ERROR,
  ST_IMPORT, /* string in value */
  ST_CONST,
  ST_FN,
  ST_LAYER,
  ST_ENTRY,
  ST_METHOD,
  ST_MESH,
  ST_LAYOUT,
  ST_PRECISION, /* name: a type; value: the instance or the pattern, NULL for all; master */
  ST_PARAM,
  ST_STATE,
  ST_BIND,   /* targets = value */
  ST_ASSIGN, /* target <- value */
  ST_EXPR,
  ST_FOR,
  ST_IF,
  ST_WHILE,   /* value: the condition */
  ST_REPEAT,  /* name, from, to */
  ST_SCAN,    /* given: names and sequences; keep: in reverse */
  ST_COLLECT, /* name = value */
  ST_ASSERT,  /* value, and the text in `to` */
  ST_RETURN
} StmtKind;

/* A parameter of a fn, layer or method; an input of an entry. */
typedef struct Param {
  Ident name;
  AstExpr *type;  /* entries only */
  SpecExpr *on;   /* entries only */
  AstExpr *value; /* default, or NULL */
  bool rest;      /* `name...`: takes the arguments by name that no other parameter has */
} Param;

typedef VEC(Param) ParamVec;

struct Stmt {
  StmtKind kind;
  int depth;
  Span span; /* a declaration with a body: its head alone */
  Ident name;
  ParamVec params;
  GivenVec given;  /* return: results; mesh: axes */
  ExprVec targets; /* bind, assign */
  AstExpr *key;    /* state NAME[key] */
  AstExpr *type;
  SpecExpr *spec; /* on; layout: NULL when it only forbids */
  Ident master;   /* precision: the type of variables */
  Span forbid;    /* layout: of `forbid gather` or `forbid keep`; file 0: not written */
  bool keep;      /* layout: it is `forbid keep`; scan: in reverse */
  AstExpr *value; /* const, bind, assign, expr; if: the condition; layout: the target, NULL for all
                  tensors */
  AstExpr *from, *to, *by; /* for: as in a list */
  AstExpr *most;           /* while, repeat: or NULL */
  StmtVec body, other;
  bool rest; /* if: what follows a jump in the same body (jumps.c) */
};

/* -------- parsing -------- */

typedef struct Parse {
  Arena *arena;
  Diag *diag;
  Names *names;
  uint32_t file;
  uint32_t at;             /* offset of the next byte */
  int brackets;            /* open ( and [: within them a newline is a blank */
  uint32_t brackets_begin; /* where the outermost of them is */
  int unclosed;            /* of the last mistake: their other ends in its block belong to it */
  int unclosed_in;         /* how many braces were open */
  VEC(uint32_t) braces;    /* where the open { are */
  Span wrong, meant; /* the last mistakes: of syntax, of words that were understood; end 0: none */
  StmtVec stmts;     /* the result */
} Parse;

/* Adds the text as a source and parses it; errors go to d. What could be parsed is returned all the
 * same. */
StmtVec parse_text(Arena *a, Diag *d, Names *names, const char *name, const char *text, size_t len);

/* Reports a mistake of spelling or syntax: one a line, since others on it mostly follow from the
 * first. False: it was not reported. */
bool parse_wrong(Parse *p, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Reports a word of another language that is taken for the one that was meant: each of a line is
 * one. */
void parse_meant(Parse *p, Span at, const char *message);

/* -------- making (ast.c): a grammar action is one call -------- */

Ident ast_ident(Parse *p, Span at, const char *text, size_t n);
AstExpr *ast_new(Parse *p, AstExprKind kind, Span at);
/* `base`: 10, or 16 of a text that begins with 0x. */
AstExpr *ast_int(Parse *p, Span at, const char *text, size_t n, int base);
AstExpr *ast_real(Parse *p, Span at, const char *text, size_t n);
AstExpr *ast_string(Parse *p, Span at, const char *text, size_t n);
AstExpr *ast_bool(Parse *p, Span at, bool value);
AstExpr *ast_name(Parse *p, Ident name);
AstExpr *ast_list(Parse *p, Span at, const ExprVec *items);
/* `for name in over if condition`; of the first of several, x is the next. */
AstExpr *ast_clause(Parse *p, Span at, Ident name, AstRange over, AstExpr *condition);
AstExpr *ast_each(Parse *p, Span at, AstExpr *x, AstExpr *clauses);
AstExpr *ast_choice(Parse *p, Span at, AstExpr *x, AstExpr *condition, AstExpr *y);
AstRange ast_range_by(Parse *p, AstExpr *from, AstExpr *to, Ident by, AstExpr *step);
AstExpr *ast_wrap(Span at, AstExpr *x);
AstExpr *ast_call(Parse *p, Span at, AstExpr *x, const GivenVec *given);
AstExpr *ast_index(Parse *p, Span at, AstExpr *x, const SubVec *subs);
AstExpr *ast_field(Parse *p, Span at, AstExpr *x, Ident name);
AstExpr *ast_unary(Parse *p, Span at, const char *sign, AstExpr *x);
AstExpr *ast_binary(Parse *p, const char *sign, AstExpr *x, AstExpr *y);
AstExpr *ast_relayout(Parse *p, Span at, AstExpr *x, SpecExpr *spec);
AstExpr *ast_stack(Parse *p, Span at, AstExpr *n, AstExpr *layer);

ExprVec *ast_exprs(Parse *p, ExprVec *v,
                   AstExpr *x); /* v NULL: a new vector; x NULL: stays empty */
GivenVec *ast_givens(Parse *p, GivenVec *v, const AstGiven *g);
SubVec *ast_subs(Parse *p, SubVec *v, Sub s);
IdentVec *ast_idents(Parse *p, IdentVec *v, Ident name);
ParamVec *ast_params(Parse *p, ParamVec *v, const Param *one);
ItemVec *ast_items(Parse *p, ItemVec *v, const AstItem *item);
StmtVec *ast_stmts(Parse *p, StmtVec *v, Stmt *s);

AstItem ast_item_name(Parse *p, Ident name);
AstItem ast_item_tuple(Parse *p, Span at, const IdentVec *axes);
AstItem ast_item_by(Parse *p, AstItem item, Ident by, AstExpr *granule);
SpecExpr *ast_spec(Parse *p, Span at, const ItemVec *items);
SpecExpr *ast_spec_word(Parse *p, Ident word);
SpecExpr *ast_spec_partial(Parse *p, Span at, SpecExpr *s, Ident word, const IdentVec *names);

Stmt *ast_import(Parse *p, Span at, AstExpr *module);
AstExpr *ast_slashed(Parse *p, Span at, AstExpr *x,
                     AstExpr *y); /* a path as other systems write it: for a hint */
Stmt *ast_const(Parse *p, Span at, Ident name, AstExpr *value);
Stmt *ast_decl(Parse *p, StmtKind kind, Span at, Ident name, const ParamVec *params,
               const StmtVec *body);
Stmt *ast_method(Parse *p, AstExpr *head, const StmtVec *body);
Stmt *ast_mesh(Parse *p, Span at, const GivenVec *axes);
Ident ast_forbid(Parse *p, Span at, Ident what);
/* forbid: what ast_forbid gave, or none */
Stmt *ast_layout(Parse *p, Span at, AstExpr *target, SpecExpr *spec, Ident forbid);
Stmt *ast_layout_word(Parse *p, Span at, Ident word);            /* layout first */
AstExpr *ast_item_of(Parse *p, Span at, AstExpr *x, AstExpr *i); /* x[i] */
Stmt *ast_precision(Parse *p, Span at, AstExpr *target, Ident type);
Stmt *ast_master(Parse *p, Stmt *precision, Ident word, Ident type); /* precision, master f32 */
Stmt *ast_no_comma(Parse *p, Span at, Ident word, Ident type);
Stmt *ast_var(Parse *p, StmtKind kind, Span at, Ident name, AstExpr *key, AstExpr *type,
              SpecExpr *on, AstExpr *value);
Stmt *ast_bind(Parse *p, Span at, const ExprVec *targets, AstExpr *value);
Stmt *ast_assign(Parse *p, Span at, AstExpr *target, AstExpr *value);
Stmt *ast_expr_stmt(Parse *p, AstExpr *x);
Stmt *ast_for(Parse *p, Span at, Ident name, AstRange over, const StmtVec *body);
Stmt *ast_if(Parse *p, Span at, AstExpr *cond, const StmtVec *body, const StmtVec *other);
Stmt *ast_assert(Parse *p, Span at, AstExpr *cond, AstExpr *text);
Stmt *ast_while(Parse *p, Span at, AstExpr *cond, const StmtVec *body);
Stmt *ast_most(Parse *p, Stmt *s, Ident word, AstExpr *most); /* of a while or a repeat */
Stmt *ast_repeat(Parse *p, Span at, Ident name, AstRange over, const StmtVec *body);
Stmt *ast_repeat_times(Parse *p, Span at, AstExpr *times, const StmtVec *body);
/* order: `reverse`, or none */
Stmt *ast_scan(Parse *p, Span at, const GivenVec *over, Ident order, const StmtVec *body);
Stmt *ast_collect(Parse *p, Span at, Ident name, AstExpr *value);
Stmt *ast_else(Parse *p, Span at); /* one without an `if` */
Stmt *ast_return(Parse *p, Span at, const GivenVec *results);

/* -------- printing (ast_print.c) -------- */

void ast_print_stmts(Str *out, const StmtVec *stmts);
void ast_print_expr(Str *out, const AstExpr *x);
void ast_print_spec(Str *out, const SpecExpr *s);
void ast_print_path(Str *out, const AstExpr *x); /* a layout's target */

#endif
