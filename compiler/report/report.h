/* Reports on a plan: the dumps, reasons, and comparisons with other plans. Everything here only
 * reads; texts are made in the plan's arena. */
#ifndef DTG_REPORT_H
#define DTG_REPORT_H
#include "cost.h"
#include "frontend.h"
#include "plan.h"

/* -------- stages of --dump -------- */

void dump_graph(const Plan *p, Str *out);
void dump_layouts(const Plan *p, Str *out);
void dump_layouts_why(const Plan *p, Str *out); /* with the chains of reasons */
void dump_statements(const Plan *p, Str *out);
void dump_loops(const Plan *p, Str *out);
void dump_spmd(const Plan *p, Str *out);
void dump_comm(const Plan *p, const FrontOptions *front, Str *out);
void dump_memory(const Plan *p, Str *out);
/* What the device that needs most will take once all entries have run; exchanges and total are -1
 * when there was no memory to plan them. */
dtrt_memory report_memory(const Plan *p);
void dump_cost(const Plan *p, Str *out);
void dump_summary(const Plan *p,
                  Str *out); /* one line: no error was found, and what it would cost */
/* graph, layouts, statements, spmd, comm, edits, loops, memory, cost; layouts:why; for programs
 * layouts:json, comm:json, memory:json, cost:json (docs/dumps.md); false for another name. `front`
 * is what the plan was compiled from, for reports that try edits. */
bool report_dump(const Plan *p, const FrontOptions *front, const char *stage, Str *out);

/* JSON, one line each (dump_json.c). */
void dump_layouts_json(const Plan *p, Str *out);
void dump_comm_json(const Plan *p, Str *out);
void dump_memory_json(const Plan *p, Str *out);
void dump_cost_json(const Plan *p, Str *out);

/* -------- words that they share (report.c) -------- */

enum { REPORT_WIDTH = 100 }; /* columns of text for readers */
/* Breaks longer lines between words, outside of brackets where that can be; what is carried over is
 * indented by eight more than its line, which nothing else is. */
void report_wrap(const char *text, Str *out);

void report_mesh(const Plan *p, Str *out);                 /* mesh [a=2]  2 devices */
const char *report_axes(const Plan *p, uint32_t axes);     /* a, b */
const char *report_where(const Plan *p, Span s);           /* file:line */
const char *report_bytes(const Plan *p, double n);         /* 1.25 MB */
const char *report_time(const Plan *p, double seconds);    /* 1.25 ms */
const char *report_turns(const Plan *p, const Turns *t);   /* " x 256", " x ?"; "": in no loop */
/* ", by messages-two-shot: 2 waits, 6 messages"; "" for what is no exchange. */
const char *report_algorithm(const Plan *p, const StepCost *c);
/* "+2.3%"; "new" where there was nothing. */
const char *report_change(const Plan *p, double was, double is);
const char *report_layout(const Plan *p, const Layout *l); /* [batch, _] */
/* The statement that a layout's span ends, "layout x = [batch, _]"; of `on` and relayout the layout
 * alone. */
const char *statement_text(const Plan *p, Span layout);
/* The whole line that a layout statement's target stands in, without a comment. */
const char *statement_line(const Plan *p, Span target);
/* Its name and op, "y (add)"; of a value without a name its text has the op already. */
const char *report_value(const Plan *p, const Entry *e, NodeId id);
/* Where a layout comes from, in a word: annotated, from x, default. */
const char *report_origin(const Plan *p, TensorId t, const Layout *l);
/* Of a value, which may have been computed in another layout than was inferred; *trial begins NULL.
 */
struct Choice;
const char *report_origin_of_node(const Plan *p, const LocalEntry *le, struct Choice **trial,
                                  NodeId id);
const Layout *report_computed(const Plan *p, const LocalEntry *le, NodeId id);
/* A local node that talks to other devices: no copy within one. */
bool report_moves(const Plan *p, const LocalEntry *le, NodeId id);

/* -------- chains of reasons (chain.c) -------- */

typedef struct ChainHop {
  TensorId tensor;
  Reason why; /* the tensor has the axis */
} ChainHop;

/* From a tensor back to an annotation. The next hop is that of why.from, until why.kind is another
 * than WHY_FROM. */
typedef struct Chain {
  int axis;
  int hops; /* from first to last */
  ChainHop first, last;
  const char *through[2]; /* named tensors between, the nearest to the last first; NULL: none */
} Chain;

Chain chain_of(const Plan *p, TensorId t, int axis);
/* The first link and the end, in one line:
 * from h by exp at m.dtg:13 <- x, annotated at l.dtg:4 (9 ops, through g, f) */
void chain_put(const Plan *p, const Chain *c, Str *out);
void chain_put_whole(const Plan *p, const Chain *c, const char *indent,
                     Str *out); /* a line a hop */
/* chain_put of each axis of a tensor's layout: "batch: annotated at l.dtg:4; model: ..." */
void chain_put_tensor(const Plan *p, TensorId t, const Layout *l, Str *out);

Reason reason_of(const Plan *p, TensorId t, int axis);
TensorId tensor_of_node(const Plan *p, int entry, NodeId id); /* a var node means the variable */
const char *tensor_text(const Plan *p, TensorId t);           /* node_text */
const Layout *tensor_layout(const Plan *p, TensorId t);
bool tensor_is_named(const Plan *p, TensorId t);
const Spec *tensor_spec(const Plan *p, TensorId t); /* its annotation, or NULL */
bool tensor_equal(TensorId a, TensorId b);

/* -------- exchanges (explain.c, dump_comm.c) -------- */

/* Kind, axes, bytes and layouts; and the op that requires it. */
void report_exchange(const Plan *p, const LocalEntry *le, NodeId exchange, Str *out);

/* Why the value has its layout and why another is required, one line for each axis that differs. */
void explain_exchange(const Plan *p, const LocalEntry *le, NodeId exchange, Str *out);

/* -------- --emit-html (html.c) -------- */

/* A page of its own about a program called `name`. */
void html_page(const Plan *p, const char *name, Str *out);
/* Built in from page.css and the scripts beside it, in their order; ends in NULL. */
extern const char html_page_css[];
extern const char *const html_scripts[];

#endif
