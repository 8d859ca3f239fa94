/* Inside of the choice of how every op is computed and where every value is converted.
 *
 *   Form    all tensors of one shape and dtype, with the layouts met so far and what it costs to
 *           turn one into another (route.c)
 *   Way     one way to compute an op: the layouts it needs its operands in, the layout its result
 *           comes out in, and the work (ways.c)
 *   Choice  for an entry one way an op; what a value costs follows (choose.c) */
#ifndef DTG_CHOOSE_H
#define DTG_CHOOSE_H
#include "exchange_table.h"
#include "layout_passes.h"

/* -------- route.c -------- */

typedef struct Terms {
  uint32_t partial;
  Reduce how;
  bool all; /* every layout with these or fewer is in the form, as a stop */
} Terms;
enum { MAX_TERMS = 16 };

/* What a tensor that may not be gathered pays CHOICE_FORBIDDEN for. */
typedef enum Guard {
  GUARD_NONE,
  GUARD_GATHER, /* being made whole from a layout that is cut */
  GUARD_WHOLE   /* being whole at all: it is split */
} Guard;
static const double CHOICE_FORBIDDEN = 1e3; /* seconds: in no plan that compiles */

typedef struct Form {
  Shape shape;
  DType dtype;
  Guard guard;
  VEC(const Layout *) layouts;
  ExchangeTable *exchanges; /* between them */
  Lookup at;       /* 1 + the place there */
  VEC(int) row;    /* by layout: its row in the tables; -1: it has windows, nothing leads on */
  VEC(int) plain;  /* by row: the layout */
  int closed; /* the shortest paths among the first so many are known */
  int nterms; /* the sets of terms that were met */
  Terms terms[MAX_TERMS];
  int cap, rows;          /* of the tables */
  double *cost;           /* [row of from * cap + to]; < 0: not computed yet */
  int *via;               /* the first stop on the way, or -1 */
  struct KnownTree *tree; /* of conversions: what the cheapest costs */
  int ntrees, tree_slots;
  int trees_closed; /* `closed`, when they were found */
} Form;

typedef struct AxisMaps AxisMaps;
enum { ROUTE_SLOTS = 1024 };
typedef struct Routes {
  Program *program;
  Arena *arena;
  VEC(Form) forms;
  VEC(int) form_next; /* by form: 1 + the next one of its slot */
  int form_slot[ROUTE_SLOTS];
  const AxisMaps *maps; /* of axes to others that are alike; NULL: not found yet */
  struct Routes *brief; /* the same with shorter latencies: choice_brief_routes */
  struct RouteTable *table[ROUTE_SLOTS];
} Routes;

int form_of(Routes *r, const Shape *s, DType t);
int form_guarded(Routes *r, const Shape *s, DType t, Guard guard);
int form_layout(Routes *r, int form, const Layout *l); /* its index, added when it is new */
static inline const Layout *form_at(const Routes *r, int form, int i) {
  return r->forms.at[form].layouts.at[i];
}
/* Of a layout that is plain: its row of the table. */
static inline double *form_costs(const Form *f, int from) {
  return &f->cost[f->row.at[from] * f->cap];
}
double route_find(Routes *r, int form, int from, int to);
/* Cost of the cheapest way from one layout to the other, several exchanges if need be; INFINITY:
 * there is none. */
static inline double route(Routes *r, int form, int from, int to) {
  const Form *f = &r->forms.at[form];
  const int row = f->row.at[from];
  double c = row >= 0 && row < f->rows && to < f->cap ? f->cost[row * f->cap + to] : -1;
  return c >= 0 ? c : route_find(r, form, from, to);
}
/* The costs from some layouts to others, kept: trials of a program ask for most of them again. */
typedef struct RouteTable {
  struct RouteTable *next;
  int form, nfrom, nto;
  int *from, *to;
  int closed;            /* layouts of the form that the costs take into account */
  double *cost, *turned; /* by from, then to; by to, then from */
} RouteTable;
const RouteTable *route_table(Routes *r, int form, const int *from, int nfrom, const int *to,
                              int nto);
/* The next layout on that way. */
int route_next(Routes *r, int form, int from, int to);

/* The conversions of one value, from the layout it is computed in to all that its uses require: the
 * cheapest tree by way of any stops; when more than a few are required, each is made from the
 * nearest that is there by then. */
typedef struct Hop {
  int from, to;
} Hop;
enum { MAX_HOPS = 64 };
typedef struct Tree {
  double cost;
  int nhops;
  Hop hop[MAX_HOPS];
} Tree;
/* `wanted`: the required layouts, distinct. hops may be NULL. */
double route_tree(Routes *r, int form, int from, const int *wanted, int n, Tree *hops);

/* -------- hops.c -------- */

/* In one exchange; INFINITY: it cannot. */
double hop(const Routes *r, const Form *f, int from, int to);
/* Between all of the first n layouts, whose rows are not computed yet. */
void hops(Routes *r, Form *f, int n);

/* -------- ways.c -------- */

typedef struct Way {
  double work;
  int result;      /* in the result's form */
  const int *need; /* by operand, in the operand's form */
} Way;

/* The distinct layouts of one operand or of the result over all ways. */
typedef struct Distinct {
  int n;
  int *layout; /* in the form */
  int *of;     /* by way: index here */
} Distinct;

typedef struct Ways {
  int n, noperands;
  Way *way;
  Distinct result, *need; /* need: by operand */
  bool partial;           /* some way leaves the result partial */
  double least;           /* work */
} Ways;

typedef struct WaysCache WaysCache;
/* With routes of its own. `work`: it counts. */
WaysCache *ways_cache(Program *p, Arena *a, bool work);
/* One for all passes that choose layouts for the plan: with work. */
WaysCache *plan_ways(Plan *p);
Routes *ways_routes(const WaysCache *c);
/* `form` and `can_be_partial` are by node. */
const Ways *ways_of(WaysCache *c, const Graph *g, NodeId id, const int *form,
                    const bool *can_be_partial);
/* Recomputed for each use. */
static inline bool node_is_free(const Node *n) { return op_is(n, OPF_FREE) && !n->spec; }
/* A shift reads its operand at places that it works out, so a larger box than it needs serves. */
/* One of them alone. */
const Ways *ways_one(Arena *a, const Routes *r, int form, const Ways *all, int way);
/* Those of a value that may have any layout without windows and partials, and requires noperands
 * values in the layout that it has itself: an open variable, with what is assigned to it. `price`
 * is of one byte of its block. */
const Ways *ways_of_lying(WaysCache *c, int form, int noperands, const int *operand_form,
                          double price);

/* -------- choice.c, choose.c -------- */

typedef struct Want { /* a layout required of a value, by how many uses */
  int layout, count;
} Want;

typedef struct ChoiceValue {
  int form;
  bool free;
  int lies;            /* without operands: the layout it has; else -1 */
  int said;            /* an op's result may not be gathered: its annotated layout; or -1 */
  int prefer;          /* what propagate found */
  VEC(Want) want;      /* of ops and of the end of the entry */
  NodeVec readers; /* one an operand */
  VEC(int) at_the_end; /* layouts that assignments, outputs and the annotation require */
} ChoiceValue;

enum { MOST_NOTED = 8 };
typedef struct Noted {
  double total;
  int *way; /* by node */
} Noted;

typedef struct MinSum MinSum;
typedef struct ChoiceSeen ChoiceSeen;
typedef enum ChoiceLook { LOOK_GREEDY, LOOK_IMPROVE, LOOK_DECODE, LOOKS } ChoiceLook;

typedef struct Choice {
  Plan *plan;
  Routes *routes;
  Routes *figures; /* at the machine's own rates; `routes` may be at others for a while */
  Arena *arena;
  const Graph *graph;
  ChoiceValue *value;     /* by node */
  const Ways **ways;      /* by node; NULL: nothing to choose */
  const NodeId **operand; /* by node: those of the node; of a variable that is open, what is
                             assigned to it; of a carry that is, its next value too */
  double *runs, *moves;   /* by node: how often it runs in a call; its result is converted */
  int *way;               /* by node: the choice; -1: none yet */
  double total;           /* modelled seconds of a call of the entry, without starts of steps */
  double greedy;          /* the same when each op chose for itself in turn */
  double least;           /* of all choices that were met; `total` may be another's (weigh.c) */
  bool notes;             /* choices that are met are noted */
  MinSum *messages;       /* NULL: none yet */
  int nnoted;
  Noted noted[MOST_NOTED]; /* the cheapest, with the messages of alike exchanges counted once */
  double *price;           /* scratch: of one op's needs, operand after operand */
  double *result_price;
  bool *dirty;
  const NodeId *class_of;  /* by node: the first of its class; NULL: classes are not known */
  ChoiceSeen *seen[LOOKS]; /* by node that is the first of its class (seen.c) */
  int round;               /* of messages */
} Choice;

Choice *choose_entry(Plan *p, int entry, WaysCache *cache);
/* `each`: nothing that was found of an op is taken over for others of its class (seen.c), for the
 * test that it changes nothing. */
Choice *choose_entry_by(Plan *p, int entry, WaysCache *cache, bool each);
/* Searches for cheaper ones (exact.c, probe.c), and records those it finds. */
void choice_probe(Choice *c);
void choice_take(Choice *c, const Noted *x);
/* Makes the local graph of an entry, the next of the plan's entries, by that choice. */
void partition_as(Plan *p, int entry, const Choice *c);

/* -------- weigh.c -------- */

/* What the plan by that choice costs by the figures of --dump=cost. */
double choice_figure(const Plan *p, int entry, const Choice *c);
Routes *choice_brief_routes(const Choice *c);
void choice_note(Choice *c); /* as it is now, if it is among the cheapest */
double choice_total(const Choice *c);
/* The layout a node is computed in. */
int choice_result(const Choice *c, NodeId id);
/* The layouts that uses of a value require, distinct, in out[]; returns how many. */
int choice_wanted(const Choice *c, NodeId id, int *out, int most);

/* The layout that the others are made from when the op makes `result`: that, or the one that the
 * user gave a value that may not be gathered. So no use has more of it than was annotated.
 */
int choice_source(const Choice *c, NodeId id, int result);
/* The annotation requires the op's result in the node's layout, besides those its uses require.
 * (Of sources it is their layout, of a relayout that of its result.) */
bool choice_is_said(const Node *n);

/* For min_sum.c and auto.c. */
void choice_begin(Choice *c, Plan *p, const Graph *g, Routes *routes);
/* Before ways are listed: by node; NULL: none. */
void choice_guard(Choice *c, const Guard *guard);
void choice_add_end(Choice *c, NodeId id, const Layout *l);
/* Where regions want what their bodies make: a carry's next value as the carry lies (one that is
 * open asks for that itself), a condition whole. `map`: by node of the entry, the choice's; NULL:
 * they are the same. */
void choice_add_regions(Choice *c, const Entry *e, const NodeId *map);
/* By how often its nodes run; `map` likewise. Before choice_search. A variable of which a loop reads
 * a part in each run is taken to be converted in each, so that parts are: the whole, converted
 * before the loop, would take memory for all of them (a stack's layers, which are gathered one by
 * one). */
void choice_weigh(Choice *c, const Entry *e, const NodeId *map);
void choice_list_ways(Choice *c, WaysCache *cache);
void choice_ready(Choice *c); /* after all ways are there */
void choice_search(Choice *c, bool each);
void choice_clear(Choice *c);
void choice_set(Choice *c, NodeId id, int way);
void choice_unset(Choice *c, NodeId id);
/* What op id requires of its operands by that way, `by` times more. */
void choice_want_operands(Choice *c, NodeId id, int way, int by);
/* The work of op id by that way, in a call. */
static inline double choice_work(const Choice *c, NodeId id, int way) {
  return c->ways[id]->way[way].work * c->runs[id];
}
/* What is known of where a value is computed: 0 stands for anywhere. */
static inline bool choice_is_made(const Choice *c, NodeId id) {
  return !c->value[id].free && (c->value[id].lies >= 0 || c->way[id] >= 0);
}
bool choice_is_fixed(const ChoiceValue *v);
/* A variable or a carry that may have any layout (auto.c). */
bool choice_is_open(const Choice *c, NodeId id);
/* The conversions of a value, as it is computed now or if it were computed in layout `from`. */
double choice_value_cost(const Choice *c, NodeId id);
double choice_value_cost_from(const Choice *c, NodeId id, int from);
/* Prices all needs of op id, with what is chosen so far, into c->price; then the way that is best
 * with these and with result[]. */
void choice_price_operands(Choice *c, NodeId id);
int choice_best_way(const Choice *c, NodeId id, const double *result);
static const double CHOICE_TIE = 1e-12; /* seconds: less is no difference */

/* -------- seen.c -------- */

void choice_classes(Choice *c, const NodeId *class_of);
/* Whether an op of its class was looked at with all alike, n numbers besides; then *found. Else
 * what is found is passed to choice_see before another of its class is looked at, or is not
 * remembered. */
bool choice_seen(Choice *c, ChoiceLook look, NodeId id, const int *more, int n, int *found);
void choice_see(Choice *c, ChoiceLook look, NodeId id, int found);

/* -------- alike.c -------- */

/* What the other plan's entry has too is computed as there. */
void alike_ways(Choice *c, const Plan *other, int entry);

/* -------- together.c -------- */

/* Moves groups of ops that gain only together. True when one did. */
bool improve_together(Choice *c);

/* -------- min_sum.c -------- */

/* `shared`: the price of a conversion is split among all readers of the value. With `bound` the
 * messages are those of a lower bound (tree-reweighted), otherwise those that find good choices. */
MinSum *min_sum_new(Choice *c, bool bound); /* without messages: until the first reset */
const NodeId *min_sum_classes(const MinSum *m); /* by node: the first of its class */
/* No message is sent yet, by the routes that the choice has now. */
void min_sum_reset(MinSum *m, bool shared);
void min_sum_sweep(MinSum *m);
/* Sets every op in turn by what is chosen before it and by the messages from those after it. */
void min_sum_decode(MinSum *m);
/* No choice costs less than this. Holds for any messages when `shared` was set. */
double min_sum_bound(MinSum *m);

/* The op makes its result so, whatever that costs: the place among the distinct ones of its ways.
 * NO_NODE: it need not. */
void min_sum_hold(MinSum *m, NodeId id, int result);
/* What the entry would cost with each result of op id, less what is the same for all; the next call
 * overwrites it. */
const double *min_sum_costs(MinSum *m, NodeId id);

/* -------- probe.c -------- */

typedef struct ChoiceProbe {
  NodeId op;
  int result; /* among the distinct ones of its ways */
} ChoiceProbe;
/* What to hold ops to, most promising first; returns how many. */
int probes(const Choice *c, MinSum *m, ChoiceProbe *out, int room);

/* -------- forbid.c -------- */

/* By node the statement that forbids to gather it (forbid_of), with what follows: what is assigned
 * to such a variable, reshapes. NULL: none. */
const Span *forbid_find(const Program *p, const Entry *e);
const Guard *forbid_guards(const Program *p, const Entry *e); /* by node; NULL: none */

/* -------- exact.c -------- */

/* The best of all choices in way[], by node; false when the graph is too large for it, or nothing
 * is cheaper than `upper`. */
bool choose_exactly(Choice *c, double upper, int *way);

/* -------- trials.c -------- */

/* Other layouts are worth it where that part of the time is saved. */
#define TRIAL_GAIN 0.01

/* All entries but `init`, under the layouts of now. */
typedef struct PlanTrial {
  double time;
  Choice **chosen; /* by entry */
} PlanTrial;
PlanTrial trial_of_plan(Plan *p, WaysCache *ways);
int trial_nodes(const Program *g); /* of these entries */

typedef struct EntryTrials {
  Plan *plan;
  Entry *entry;
  int index;
  int left; /* trials */
  WaysCache *ways;
  Choice *best;
  uint32_t axes; /* that cut something in the entry */
} EntryTrials;
/* Has a pass `place` what is open in each entry but `init`, if something is. An entry has so many
 * trials that they choose `most` nodes, so that large programs compile as fast as before. */
void trials_of_entries(Plan *p, int most, bool (*opens)(const Entry *e),
                       void (*place)(EntryTrials *t));
/* True when the layouts of now are the best so far, by TRIAL_GAIN. */
bool trial_wins(EntryTrials *t);

#endif
