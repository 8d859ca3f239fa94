/* The grammar of .dtg. Every action is one call into ast.c. After a mistake parsing goes on at the next
 * statement, so that one run reports many. */
%code requires {
#include "ast.h"
}
%code {
#include "foreign.h"
#include "lex.h"
#include <string.h>
int dtg_yylex(YYSTYPE *value, Span *at, void *lex);
static void yyerror(Span *at, Parse *p, void *lex, const char *message);
#define YYSTACK_ALLOC(n) arena_alloc(p->arena, (n))
#define YYMAXDEPTH 4000
#define YYLLOC_DEFAULT(out, rhs, n)                                                                \
  ((out) = (n) ? span_join(YYRHSLOC(rhs, 1), YYRHSLOC(rhs, n))                                     \
               : (Span){YYRHSLOC(rhs, 0).file, YYRHSLOC(rhs, 0).end, YYRHSLOC(rhs, 0).end})
#if defined __GNUC__
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#endif
}

%define api.pure full
%define api.prefix {dtg_yy}
%define api.location.type {Span}
%define parse.error custom
%define lr.type canonical-lr
%locations
%expect 0
%lex-param {void *lex}
%parse-param {Parse *p} {void *lex}
%initial-action { @$ = (Span){p->file, 0, 0}; }

%union {
  AstExpr *expr;
  Stmt *stmt;
  SpecExpr *spec;
  Ident ident;
  AstGiven given;
  Sub sub;
  Param param;
  AstItem item;
  AstRange range;
  const char *sign; /* of an operator */
  ExprVec *exprs;
  GivenVec *givens;
  SubVec *subs;
  ParamVec *params;
  ItemVec *items;
  IdentVec *idents;
  StmtVec *stmts;
}

%token <expr> NUMBER "a number" INTEGER "an integer" STRING "a string"
%token <ident> NAME "a name" IN "`in`" FORBID "`forbid`"
%token <ident> REPEAT "`repeat`" SCAN "`scan`" COLLECT "`collect`" PRECISION "`precision`"
%token SEP "end of line"
%token IMPORT "`import`" CONST "`const`" FN "`fn`" LAYER "`layer`" ENTRY "`entry`" MESH "`mesh`"
%token LAYOUT "`layout`" PARAM "`param`" STATE "`state`" ON "`on`" FOR "`for`" WHILE "`while`" IF "`if`" ELSE "`else`"
%token RETURN "`return`" ASSERT "`assert`" AND "`and`" OR "`or`" NOT "`not`" TRUE "`true`" FALSE "`false`" NONE "`none`"
%token STACK "`stack`" RELAYOUT "`relayout`" REST "`...`" UPTO "`..`" POW "`**`" FLOORDIV "`//`" EQ "`==`" NE "`!=`"
%token LE "`<=`" GE "`>=`" ASSIGN "`<-`"
%token '(' "`(`" ')' "`)`" '[' "`[`" ']' "`]`" '{' "`{`" '}' "`}`" '+' "`+`" '-' "`-`" '*' "`*`"
%token '/' "`/`" '%' "`%`" '@' "`@`" '<' "`<`" '>' "`>`" '=' "`=`" ',' "`,`" '.' "`.`" ':' "`:`" '?' "`?`"
%token YYEOF 0 "end of text"

%type <ident> name forbid
%type <range> range steps each_range
%type <expr> each eaches slashed part expr disj conj neg cmp sum term factor power postfix atom number key type init times
%type <sign> cmp_op sum_op term_op
%type <exprs> exprs exprs1
%type <given> given axis result scan
%type <givens> givens givens1 axes results scans
%type <sub> sub
%type <subs> subs
%type <param> fparam
%type <params> fparams fparams1
%type <item> item base_item
%type <items> items
%type <idents> names
%type <spec> spec on
%type <stmt> stmt if
%type <stmts> stmts block

%%

text: stmts                     { p->stmts = *$1; }
    ;

stmts: %empty                   { $$ = ast_stmts(p, NULL, NULL); }
     | stmt                     { $$ = ast_stmts(p, NULL, $1); }
     | wrong                    { $$ = ast_stmts(p, NULL, NULL); }
     | stmts sep                { $$ = $1; }
     | stmts sep stmt           { $$ = ast_stmts(p, $1, $3); }
     | stmts sep wrong          { $$ = $1; }
     ;

/* Each statement is reported by itself, however few words it has. */
sep: SEP                        { yyerrok; }
   ;

/* The blocks of a statement that is wrong belong to it: their braces close nothing around it. */
wrong: error
     | wrong block
     | wrong ELSE block
     | wrong ELSE IF expr block
     ;

block: '{' stmts '}'            { $$ = $2; yyerrok; }
     ;

stmt: IMPORT STRING             { $$ = ast_import(p, @$, $2); }
    | CONST name '=' expr       { $$ = ast_const(p, @$, $2, $4); }
    | FN name '(' fparams ')' block     { $$ = ast_decl(p, ST_FN, span_join(@1, @5), $2, $4, $6); }
    | LAYER name '(' fparams ')' block  { $$ = ast_decl(p, ST_LAYER, span_join(@1, @5), $2, $4, $6); }
    | ENTRY name '(' fparams ')' block  { $$ = ast_decl(p, ST_ENTRY, span_join(@1, @5), $2, $4, $6); }
    | MESH '[' axes ']'         { $$ = ast_mesh(p, @$, $3); }
    | LAYOUT postfix '=' spec   { $$ = ast_layout(p, @$, $2, $4, (Ident){0}); }
    | LAYOUT postfix '=' spec forbid    { $$ = ast_layout(p, @$, $2, $4, $5); }
    | LAYOUT slashed '=' spec   { $$ = ast_layout(p, @$, $2, $4, (Ident){0}); }
    | LAYOUT postfix forbid     { $$ = ast_layout(p, @$, $2, NULL, $3); }
    | LAYOUT forbid             { $$ = ast_layout(p, @$, NULL, NULL, $2); }
    | LAYOUT NAME               { $$ = ast_layout_word(p, @$, $2); }
    | PRECISION NAME            { $$ = ast_precision(p, @$, NULL, $2); }
    | PRECISION part '=' NAME   { $$ = ast_precision(p, @$, $2, $4); }
    | PRECISION STRING '=' NAME { $$ = ast_precision(p, @$, $2, $4); }
    | PRECISION NAME ',' NAME NAME      { $$ = ast_master(p, ast_precision(p, @$, NULL, $2), $4, $5); }
    | PRECISION NAME NAME NAME          { $$ = ast_no_comma(p, @$, $3, $4); }
    | PRECISION part '=' NAME NAME NAME         { $$ = ast_no_comma(p, @$, $5, $6); }
    | PRECISION part '=' NAME ',' NAME NAME     { $$ = ast_master(p, ast_precision(p, @$, $2, $4), $6, $7); }
    | PRECISION STRING '=' NAME ',' NAME NAME   { $$ = ast_master(p, ast_precision(p, @$, $2, $4), $6, $7); }
    | PARAM name key ':' type on init   { $$ = ast_var(p, ST_PARAM, @$, $2, $3, $5, $6, $7); }
    | STATE name key ':' type on init   { $$ = ast_var(p, ST_STATE, @$, $2, $3, $5, $6, $7); }
    | exprs1 '=' expr           { $$ = ast_bind(p, @$, $1, $3); }
    | expr ASSIGN expr          { $$ = ast_assign(p, @$, $1, $3); }
    | expr                      { $$ = ast_expr_stmt(p, $1); }
    | expr block                { $$ = ast_method(p, $1, $2); }
    | FOR name IN range block   { $$ = ast_for(p, span_join(@1, @4), $2, $4, $5); }
    | WHILE expr block          { $$ = ast_while(p, span_join(@1, @2), $2, $3); }
    | WHILE expr NAME '=' expr block    { $$ = ast_most(p, ast_while(p, span_join(@1, @5), $2, $6), $3, $5); }
    | REPEAT name IN steps block  { $$ = ast_repeat(p, span_join(@1, @4), $2, $4, $5); }
    | REPEAT name IN expr UPTO expr NAME '=' expr block {
        $$ = ast_most(p, ast_repeat(p, span_join(@1, @9), $2, (AstRange){$4, $6, NULL}, $10), $7, $9);
      }
    | REPEAT name IN expr UPTO expr NAME expr NAME '=' expr block {
        $$ = ast_most(p, ast_repeat(p, span_join(@1, @11), $2, ast_range_by(p, $4, $6, $7, $8), $12), $9, $11);
      }
    | REPEAT times block        { $$ = ast_repeat_times(p, span_join(@1, @2), $2, $3); }
    | REPEAT times NAME '=' expr block  { $$ = ast_most(p, ast_repeat_times(p, span_join(@1, @5), $2, $6), $3, $5); }
    | SCAN scans block          { $$ = ast_scan(p, span_join(@1, @2), $2, (Ident){0}, $3); }
    | SCAN scans NAME block     { $$ = ast_scan(p, span_join(@1, @3), $2, $3, $4); }
    | COLLECT name '=' expr     { $$ = ast_collect(p, @$, $2, $4); }
    | ASSERT expr               { $$ = ast_assert(p, @$, $2, NULL); }
    | ASSERT expr ',' expr      { $$ = ast_assert(p, @$, $2, $4); }
    | if                        { $$ = $1; }
    | ELSE block                { $$ = ast_else(p, @1); }
    | RETURN                    { $$ = ast_return(p, @$, NULL); }
    | RETURN results            { $$ = ast_return(p, @$, $2); }
    ;

if: IF expr block               { $$ = ast_if(p, span_join(@1, @2), $2, $3, NULL); }
  | IF expr block ELSE block    { $$ = ast_if(p, span_join(@1, @2), $2, $3, $5); }
  | IF expr block ELSE if       { $$ = ast_if(p, span_join(@1, @2), $2, $3, ast_stmts(p, NULL, $5)); }
  ;

scans: scan                     { $$ = ast_givens(p, NULL, &$1); }
     | scans ',' scan           { $$ = ast_givens(p, $1, &$3); }
     ;

scan: name IN expr              { $$ = (AstGiven){.name = $1, .value = $3}; }
    ;

key: %empty                     { $$ = NULL; }
   | '[' expr ']'               { $$ = $2; }
   ;

type: postfix                   { $$ = $1; }
    ;

on: %empty                      { $$ = NULL; }
  | ON spec                     { $$ = $2; }
  ;

init: %empty                    { $$ = NULL; }
    | '=' expr                  { $$ = $2; }
    ;

fparams: %empty                 { $$ = ast_params(p, NULL, NULL); }
       | fparams1               { $$ = $1; }
       | fparams1 ','           { $$ = $1; }
       ;

fparams1: fparam                { $$ = ast_params(p, NULL, &$1); }
        | fparams1 ',' fparam   { $$ = ast_params(p, $1, &$3); }
        ;

fparam: name                    { $$ = (Param){.name = $1}; }
      | name '=' expr           { $$ = (Param){.name = $1, .value = $3}; }
      | name REST               { $$ = (Param){.name = $1, .rest = true}; }
      | name ':' type on        { $$ = (Param){.name = $1, .type = $3, .on = $4}; }
      ;

axes: axis                      { $$ = ast_givens(p, NULL, &$1); }
    | axes ',' axis             { $$ = ast_givens(p, $1, &$3); }
    ;

axis: name '=' expr             { $$ = (AstGiven){.name = $1, .value = $3}; }
    ;

results: result                 { $$ = ast_givens(p, NULL, &$1); }
       | results ',' result     { $$ = ast_givens(p, $1, &$3); }
       ;

result: expr                    { $$ = (AstGiven){.value = $1}; }
      | name '=' expr           { $$ = (AstGiven){.name = $1, .value = $3}; }
      ;

/* -------- layouts -------- */

spec: '[' ']'                   { $$ = ast_spec(p, @$, NULL); }
    | '[' items ']'             { $$ = ast_spec(p, @$, $2); }
    | '[' items ']' NAME '(' names ')'  { $$ = ast_spec_partial(p, @$, ast_spec(p, @$, $2), $4, $6); }
    | '[' ']' NAME '(' names ')'        { $$ = ast_spec_partial(p, @$, ast_spec(p, @$, NULL), $3, $5); }
    | NAME                      { $$ = ast_spec_word(p, $1); }
    ;

part: NAME                      { $$ = ast_name(p, $1); }
    | part '.' name             { $$ = ast_field(p, @$, $1, $3); }
    | part '[' INTEGER ']'      { $$ = ast_item_of(p, @$, $1, $3); }
    ;

slashed: postfix '/' postfix    { $$ = ast_slashed(p, @$, $1, $3); }
       | slashed '/' postfix    { $$ = ast_slashed(p, @$, $1, $3); }
       ;

forbid: FORBID NAME             { $$ = ast_forbid(p, @$, $2); }
      ;

items: item                     { $$ = ast_items(p, NULL, &$1); }
     | items ',' item           { $$ = ast_items(p, $1, &$3); }
     ;

item: '?'                       { $$ = (AstItem){.kind = ITEM_OPEN, .span = @$, .granule = 1}; }
    | REST                      { $$ = (AstItem){.kind = ITEM_REST, .span = @$, .granule = 1}; }
    | base_item                 { $$ = $1; }
    | base_item NAME            { $$ = ast_item_by(p, $1, $2, NULL); }
    | base_item NAME INTEGER    { $$ = ast_item_by(p, $1, $2, $3); }
    ;

base_item: name                 { $$ = ast_item_name(p, $1); }
         | '(' names ')'        { $$ = ast_item_tuple(p, @$, $2); }
         ;

names: name                     { $$ = ast_idents(p, NULL, $1); }
     | names ',' name           { $$ = ast_idents(p, $1, $3); }
     ;

/* -------- expressions, loosest first -------- */

name: NAME                      { $$ = $1; }
    | IN                        { $$ = $1; }
    | FORBID                    { $$ = $1; }
    | REPEAT                    { $$ = $1; }
    | SCAN                      { $$ = $1; }
    | COLLECT                   { $$ = $1; }
    | PRECISION                 { $$ = $1; }
    ;

expr: disj                      { $$ = $1; }
    | disj IF disj ELSE expr    { $$ = ast_choice(p, @$, $1, $3, $5); }
    ;

range: expr                     { $$ = (AstRange){.from = $1}; }
     | steps
     ;
steps: expr UPTO expr           { $$ = (AstRange){$1, $3, NULL}; }
     | expr UPTO expr NAME expr { $$ = ast_range_by(p, $1, $3, $4, $5); }
     ;

disj: conj                      { $$ = $1; }
    | disj OR conj              { $$ = ast_binary(p, "or", $1, $3); }
    ;

conj: neg                       { $$ = $1; }
    | conj AND neg              { $$ = ast_binary(p, "and", $1, $3); }
    ;

neg: cmp                        { $$ = $1; }
   | NOT neg                    { $$ = ast_unary(p, @$, "not", $2); }
   ;

cmp: sum                        { $$ = $1; }
   | cmp cmp_op sum             { $$ = ast_binary(p, $2, $1, $3); }
   ;

sum: term                       { $$ = $1; }
   | sum sum_op term            { $$ = ast_binary(p, $2, $1, $3); }
   ;

term: factor                    { $$ = $1; }
    | term term_op factor       { $$ = ast_binary(p, $2, $1, $3); }
    ;

cmp_op: EQ                      { $$ = "=="; }
      | NE                      { $$ = "!="; }
      | '<'                     { $$ = "<"; }
      | LE                      { $$ = "<="; }
      | '>'                     { $$ = ">"; }
      | GE                      { $$ = ">="; }
      ;

sum_op: '+'                     { $$ = "+"; }
      | '-'                     { $$ = "-"; }
      ;

term_op: '*'                    { $$ = "*"; }
       | '/'                    { $$ = "/"; }
       | FLOORDIV               { $$ = "//"; }
       | '%'                    { $$ = "%"; }
       | '@'                    { $$ = "@"; }
       ;

factor: power                   { $$ = $1; }
      | '-' factor              { $$ = ast_unary(p, @$, "-", $2); }
      | '+' factor              { $$ = $2; }
      ;

power: postfix                  { $$ = $1; }
     | postfix POW factor       { $$ = ast_binary(p, "**", $1, $3); }
     ;

postfix: atom                   { $$ = $1; }
       | postfix '(' givens ')' { $$ = ast_call(p, @$, $1, $3); }
       | postfix '[' subs ']'   { $$ = ast_index(p, @$, $1, $3); }
       | postfix '[' ']'        { $$ = ast_index(p, @$, $1, NULL); }
       | postfix '.' name       { $$ = ast_field(p, @$, $1, $3); }
       | RELAYOUT '(' expr ',' spec ')' { $$ = ast_relayout(p, @$, $3, $5); }
       | STACK '(' expr ')' NAME '(' givens ')' {
           $$ = ast_stack(p, @$, $3, ast_call(p, span_join(@5, @8), ast_name(p, $5), $7));
         }
       ;

times: number                   { $$ = $1; }
     | name                     { $$ = ast_name(p, $1); }
     ;

number: NUMBER                  { $$ = $1; }
      | INTEGER                 { $$ = $1; }
      ;

atom: number                    { $$ = $1; }
    | STRING                    { $$ = $1; }
    | TRUE                      { $$ = ast_bool(p, @$, true); }
    | FALSE                     { $$ = ast_bool(p, @$, false); }
    | NONE                      { $$ = ast_new(p, EX_NONE, @$); }
    | name                      { $$ = ast_name(p, $1); }
    | '(' expr ')'              { $$ = ast_wrap(@$, $2); }
    | '[' exprs ']'             { $$ = ast_list(p, @$, $2); }
    | '[' expr eaches ']'       { $$ = ast_each(p, @$, $2, $3); }
    ;

eaches: each                    { $$ = $1; }
      | each eaches             { $1->x = $2; $$ = $1; }
      ;

each: FOR name IN each_range            { $$ = ast_clause(p, @$, $2, $4, NULL); }
    | FOR name IN each_range IF disj    { $$ = ast_clause(p, @$, $2, $4, $6); }
    ;

/* A conditional expression in it stands in brackets: `if` begins the condition of the clause. */
each_range: disj                { $$ = (AstRange){.from = $1}; }
          | disj UPTO disj      { $$ = (AstRange){$1, $3, NULL}; }
          | disj UPTO disj NAME disj    { $$ = ast_range_by(p, $1, $3, $4, $5); }
          ;

exprs: %empty                   { $$ = ast_exprs(p, NULL, NULL); }
     | exprs1                   { $$ = $1; }
     | exprs1 ','               { $$ = $1; }
     ;

exprs1: expr                    { $$ = ast_exprs(p, NULL, $1); }
      | exprs1 ',' expr         { $$ = ast_exprs(p, $1, $3); }
      ;

givens: %empty                  { $$ = ast_givens(p, NULL, NULL); }
      | givens1                 { $$ = $1; }
      | givens1 ','             { $$ = $1; }
      ;

givens1: given                  { $$ = ast_givens(p, NULL, &$1); }
       | givens1 ',' given      { $$ = ast_givens(p, $1, &$3); }
       ;

given: expr                     { $$ = (AstGiven){.value = $1}; }
     | expr REST                { $$ = (AstGiven){.value = $1, .spread = true}; }
     | name '=' expr            { $$ = (AstGiven){.name = $1, .value = $3}; }
     ;

subs: sub                       { $$ = ast_subs(p, NULL, $1); }
    | subs ',' sub              { $$ = ast_subs(p, $1, $3); }
    ;

sub: expr                       { $$ = (Sub){.span = @$, .begin = $1}; }
   | REST                       { $$ = (Sub){.span = @$, .rest = true}; }
   | ':'                        { $$ = (Sub){.span = @$, .slice = true}; }
   | expr ':'                   { $$ = (Sub){.span = @$, .slice = true, .begin = $1}; }
   | ':' expr                   { $$ = (Sub){.span = @$, .slice = true, .end = $2}; }
   | expr ':' expr              { $$ = (Sub){.span = @$, .slice = true, .begin = $1, .end = $3}; }
   | ':' ':' expr               { $$ = (Sub){.span = @$, .slice = true, .step = $3}; }
   | expr ':' ':' expr          { $$ = (Sub){.span = @$, .slice = true, .begin = $1, .step = $4}; }
   | ':' expr ':' expr          { $$ = (Sub){.span = @$, .slice = true, .end = $2, .step = $4}; }
   | expr ':' expr ':' expr     { $$ = (Sub){.span = @$, .slice = true, .begin = $1, .end = $3, .step = $5}; }
   ;

%%

/* Tokens that begin an expression or a statement, or go on after one, are many: they are named as one. */
static bool begins_expr(yysymbol_kind_t k) {
  switch (k) {
  case YYSYMBOL_NUMBER:
  case YYSYMBOL_INTEGER:
  case YYSYMBOL_STRING:
  case YYSYMBOL_NAME:
  case YYSYMBOL_IN:
  case YYSYMBOL_FORBID:
  case YYSYMBOL_REPEAT:
  case YYSYMBOL_SCAN:
  case YYSYMBOL_COLLECT:
  case YYSYMBOL_PRECISION:
  case YYSYMBOL_TRUE:
  case YYSYMBOL_FALSE:
  case YYSYMBOL_NONE:
  case YYSYMBOL_STACK:
  case YYSYMBOL_RELAYOUT:
  case YYSYMBOL_NOT: return true;
  default: {
    const char *s = yysymbol_name(k);
    return !strcmp(s, "`(`") || !strcmp(s, "`[`") || !strcmp(s, "`-`") || !strcmp(s, "`+`");
  }
  }
}

static bool goes_on(yysymbol_kind_t k) {
  static const char *const signs[] = {"`(`", "`[`", "`-`", "`+`", "`*`", "`/`", "`%`", "`@`", "`<`",
                                      "`>`", "`.`", "`==`", "`!=`", "`<=`", "`>=`", "`and`", "`or`",
                                      "`**`", "`//`", "`if`"};
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (!strcmp(signs[i], yysymbol_name(k))) return true;
  return false;
}

static bool begins_stmt(yysymbol_kind_t k) {
  return (k >= YYSYMBOL_IMPORT && k <= YYSYMBOL_STATE) || k == YYSYMBOL_FOR || k == YYSYMBOL_WHILE ||
         k == YYSYMBOL_REPEAT || k == YYSYMBOL_SCAN || k == YYSYMBOL_COLLECT || k == YYSYMBOL_PRECISION || k == YYSYMBOL_IF ||
         k == YYSYMBOL_ELSE || k == YYSYMBOL_RETURN || k == YYSYMBOL_ASSERT;
}

typedef struct Expected {
  const char *name[8];
  int n;
} Expected;

static void expect(Expected *x, const char *name) {
  if (x->n < 8) x->name[x->n++] = name;
}

/* Words that are names, too. */
static bool is_name(yysymbol_kind_t k) {
  return k == YYSYMBOL_IN || k == YYSYMBOL_FORBID || k == YYSYMBOL_REPEAT || k == YYSYMBOL_SCAN || k == YYSYMBOL_COLLECT ||
         k == YYSYMBOL_PRECISION;
}

static void expected_of(const yypcontext_t *ctx, Expected *out) {
  yysymbol_kind_t want[YYNTOKENS];
  int n = yypcontext_expected_tokens(ctx, want, YYNTOKENS);
  bool expr = false, more = false, stmt = false, arguments = false, name = false, in = false;
  for (int i = 0; i < n; i++) {
    name = name || want[i] == YYSYMBOL_NAME;
    in = in || want[i] == YYSYMBOL_IN;
    arguments = arguments || !strcmp(yysymbol_name(want[i]), "`)`");
    expr = expr || want[i] == YYSYMBOL_NUMBER;
    stmt = stmt || want[i] == YYSYMBOL_IMPORT;
    more = more || want[i] == YYSYMBOL_EQ;
  }
  if (stmt) expect(out, "a statement");
  else if (expr) expect(out, "an expression");
  for (int i = 0; i < n; i++) {
    bool line = stmt && (begins_stmt(want[i]) || want[i] == YYSYMBOL_SEP);
    if (want[i] == YYSYMBOL_FORBID) continue; /* may stand where `=` may */
    if (name && in && is_name(want[i])) continue; /* each stands where any name may */
    if (arguments && want[i] == YYSYMBOL_REST) continue; /* what few write */
    if (!more && !strcmp(yysymbol_name(want[i]), "`/`")) continue; /* in a path, for a hint */
    if (!line && !(expr && begins_expr(want[i])) && !(more && goes_on(want[i])))
      expect(out, yysymbol_name(want[i]));
  }
}

/* Which of the expected tokens to show. */
static Stopped stopped_at(const yypcontext_t *ctx) {
  yysymbol_kind_t want[YYNTOKENS], found = yypcontext_token(ctx);
  int n = yypcontext_expected_tokens(ctx, want, YYNTOKENS);
  Stopped s = {.at = *yypcontext_location(ctx), .ends = found == YYSYMBOL_SEP || found == YYSYMBOL_YYEOF};
  for (int i = 0; i < n; i++) {
    s.name = s.name || want[i] == YYSYMBOL_NAME;
    s.expr = s.expr || want[i] == YYSYMBOL_NUMBER;
    s.stmt = s.stmt || want[i] == YYSYMBOL_IMPORT;
    s.brace = s.brace || !strcmp(yysymbol_name(want[i]), "`{`");
    s.parenthesis = s.parenthesis || !strcmp(yysymbol_name(want[i]), "`)`");
  }
  return s;
}

static void show_unexpected(Str *s, Parse *p, yysymbol_kind_t found, Span at) {
  const char *text = diag_source(p->diag, p->file)->text + at.begin;
  if (found == YYSYMBOL_SEP || found == YYSYMBOL_YYEOF)
    str_printf(s, "unexpected %s", yysymbol_name(found));
  else str_printf(s, "unexpected `%.*s`", (int)(at.end - at.begin > 40 ? 40 : at.end - at.begin), text);
}

static bool in_name(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The first word of the statement that `at` stands in: it begins a line or a block, and no sign that a statement
 * goes on with follows it, but a name, a string or, for a mesh, a bracket. */
static Span first_word(const Parse *p, Span at) {
  const char *text = diag_source(p->diag, p->file)->text;
  uint32_t begin = at.begin, end;
  while (begin > 0 && text[begin - 1] != '\n' && text[begin - 1] != '{' && text[begin - 1] != ';') begin--;
  begin += (uint32_t)strspn(text + begin, " \t");
  for (end = begin; in_name(text[end]);) end++;
  return (Span){p->file, begin, end};
}

/* A name where a statement's word belongs, as in `retrn x`: that word, or NULL. */
static const char *meant_word(Parse *p, Span word) {
  static const char *const words[] = {"import", "const", "fn",   "layer", "entry",   "mesh",   "layout", "param",  "state",
                                      "for",    "while", "scan", "if",    "collect", "repeat", "assert", "return"};
  const char *text = diag_source(p->diag, p->file)->text, *best = NULL;
  const int n = (int)(word.end - word.begin);
  const char *wrote = arena_printf(p->arena, "%.*s", n, text + word.begin);
  const char next = text[word.end + strspn(text + word.end, " \t")];
  int least = n <= 3 ? 1 : 2;
  for (size_t i = 0; n && i < sizeof words / sizeof *words; i++) {
    const bool follows = next == '[' ? !strcmp(words[i], "mesh") : next == '"' || in_name(next);
    const int d = follows ? str_distance(wrote, words[i], least) : 0;
    if (d && d <= least) best = words[i], least = d - 1;
  }
  return best;
}

static void forget_brackets(Parse *p) {
  if (p->brackets) p->unclosed = p->brackets, p->unclosed_in = p->braces.n;
  p->brackets = 0;
}

/* "unexpected X; expected A or B". More than four do not help. */
static int yyreport_syntax_error(const yypcontext_t *ctx, Parse *p, void *lex) {
  (void)lex;
  Span at = *yypcontext_location(ctx);
  yysymbol_kind_t found = yypcontext_token(ctx);
  /* What was left out behind a mistake may have held the brace that is missed here. */
  if (found == YYSYMBOL_YYEOF && p->wrong.end) return 0;
  Expected want = {.n = 0};
  Str s = str_new(p->arena);
  Stopped stopped = stopped_at(ctx);
  const Span word = first_word(p, at);
  const char *foreign = foreign_syntax(p, &stopped), *meant = foreign ? NULL : meant_word(p, word);
  if (foreign) str_puts(&s, foreign);
  else if (meant) {
    str_printf(&s, "`%.*s` begins no statement; did you mean `%s`?", (int)(word.end - word.begin),
               diag_source(p->diag, p->file)->text + word.begin, meant);
    parse_wrong(p, word, "%s", s.at);
    forget_brackets(p);
    return 0;
  }
  else show_unexpected(&s, p, found, at);
  if (!foreign) expected_of(ctx, &want);
  for (int i = 0; i < want.n && want.n <= 4; i++)
    str_printf(&s, "%s%s", i == 0 ? "; expected " : i == want.n - 1 ? " or " : ", ", want.name[i]);
  /* Show the line that ends, not the next. */
  bool ends = found == YYSYMBOL_SEP || found == YYSYMBOL_YYEOF;
  if (ends && at.begin > 0 && diag_source(p->diag, p->file)->text[at.begin] != ';') at.begin--;
  const bool told = parse_wrong(p, at, "%s", s.at);
  if (told && p->brackets && p->brackets_begin != at.begin)
    diag_note(p->diag, (Span){p->file, p->brackets_begin, p->brackets_begin + 1},
              "inside the bracket opened here");
  else if (told && found == YYSYMBOL_YYEOF && p->braces.n) {
    uint32_t b = p->braces.at[p->braces.n - 1];
    diag_note(p->diag, (Span){p->file, b, b + 1}, "inside the block opened here");
  }
  forget_brackets(p);
  return 0;
}

static void yyerror(Span *at, Parse *p, void *lex, const char *message) {
  (void)lex, (void)message; /* syntax errors take the way above: what remains is the end of the stack */
  diag_error(p->diag, *at, "the text is nested too deeply here");
}
