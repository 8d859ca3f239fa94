/* Tiling as statements: one nest of loops around several steps, in which a node that the loops run
 * over is seen as the part of it that belongs to the tile; the rows of an epilogue, which are such
 * a nest within the kernel; and nests whose scores are masked (band.c), of which the columns that
 * the mask leaves are computed:
 *
 *   for whole from 0 to 2          # and all columns, if some masked score is not 0
 *     low = ..., high = ...
 *     ... scores, their largest ...
 *     if whole == 0 and exp(...)   # beside such small ones
 *       next
 *     ... the rest ...
 *     leave */
#include "entry_build.h"
#include "op_list.h"
#include "work.h"
#include <math.h>

enum { MOST_READ = 8 };

/* -------- the band -------- */

static bool is_masked(const EntryBuild *b) {
  const TileBand *band = loop_band(b->l);
  return band && band->vanishes != NO_NODE;
}

static Expr far_bound(EntryBuild *b, int side) {
  return expr_scale(b->en->x, loop_word(b->l, "DTRT_FAR", (int64_t)1 << 40), side);
}

static Expr bound(EntryBuild *b, int64_t v) {
  const TileBand *band = loop_band(b->l);
  const Node *n = graph_node(b->en->le->graph, band->of);
  if (v == BAND_FAR || v == -BAND_FAR) return far_bound(b, v < 0 ? -1 : 1);
  const Expr rows = site_from(b->l, n, band->row), columns = site_from(b->l, n, n->shape.rank - 1);
  return expr_add(b->en->x, loop_int(b->l, v), expr_sub(b->en->x, rows, columns));
}

/* Whether this is the second turn, of all columns. */
static Expr is_whole(EntryBuild *b, int64_t turn) {
  return expr_compare(b->en->x, EXPR_EQUAL, loop_symbol(b->l, "whole", 0, 1), loop_int(b->l, turn));
}

static void set_bound(EntryBuild *b, const char *name, int64_t v, int side) {
  Expr own = bound(b, v);
  const Expr far = far_bound(b, side);
  if (is_masked(b) && own != far) own = loop_choose(b->l, is_whole(b, 1), far, own);
  loop_integer(b->l, name, own, true);
}

static void open_band(EntryBuild *b) {
  const TileBand *band = loop_band(b->l);
  if (!band) return;
  if (is_masked(b)) loop_open(b->l, loop_symbol(b->l, "whole", 0, 1), loop_int(b->l, 2), LOOP_SOME);
  set_bound(b, "low", band->low, -1);
  set_bound(b, "high", band->high, 1);
}

static void close_band(EntryBuild *b) {
  if (!is_masked(b)) return;
  loop_add(b->l, (LoopStmt){.kind = STMT_LEAVE, .a = NO_EXPR});
  loop_close(b->l, 1);
}

/* Before step i: whether some row's value, outside of the band, is not 0. */
static void check_band(EntryBuild *b, int i) {
  if (!is_masked(b) || loop_band(b->l)->at != i) return;
  const LoopSite site = entry_site(b);
  const ArenaMark before = arena_mark(b->functions);
  LoopFunction f;
  build_band_check(&site, &f);
  const Expr counts = entry_run(b, &f, before);
  loop_if(b->l, expr_and(b->en->x, is_whole(b, 0), counts));
  loop_add(b->l, (LoopStmt){.kind = STMT_NEXT, .a = NO_EXPR});
  loop_close(b->l, 1);
}

void entry_clear(EntryBuild *b, const Node *n, Expr place, const Expr *stride) {
  const int last = n->shape.rank - 1, row = b->l->tile->band.row;
  Expr at = loop_int(b->l, 0);
  int loops = 0;
  for (int d = 0; d < last; d++) {
    const Expr len = site_len(b->l, n, d);
    if (d == row || is_int(b->l, len, 1)) continue;
    const Expr i = loop_symbol(b->l, arena_printf(b->l->arena, "i%d", loops++), 0, INT64_MAX);
    loop_open(b->l, i, len, LOOP_SOME);
    at = expr_add(b->en->x, at, expr_mul(b->en->x, i, stride[d]));
  }
  loop_run(b->l, "dtrt_band_clear", 6,
           (Expr[]){entry_after(b, DT_F32, place, at), site_len(b->l, n, row),
                    site_len(b->l, n, last), stride[row], site_bound(b->l, INTEGER_LOW),
                    site_bound(b->l, INTEGER_HIGH)});
  loop_close(b->l, loops);
}

/* What a step makes in the band, and others than the tile read, is 0 elsewhere. */
static void clear_outside(EntryBuild *b, const Step *s) {
  const LocalEntry *le = b->en->le;
  Expr stride[MAX_RANK];
  for (int i = 0; i < s->nodes.n; i++) {
    const NodeId id = s->nodes.at[i];
    const Node *n = graph_node(le->graph, id);
    if (!in_band(b->l, id) || (le->tile_bytes && le->tile_bytes[id])) continue;
    entry_strides(b, n, stride);
    entry_clear(b, n, entry_place(b, id), stride);
  }
}

/* -------- the nest -------- */

/* Of loop i: of an epilogue's rows, the product of their dims. */
static Expr loop_length(EntryBuild *b, const Tiles *s, int i) {
  const TileLoop *t = &s->loop[i];
  const Node *n = graph_node(b->en->le->graph, t->node);
  return site_product(b->l, n, s->epilogue ? 0 : t->dim, t->dim + 1, site_extent);
}

/* From `from` to `to`, as the rows of an epilogue, and the outermost loop of what cores do at once;
 * NO_EXPR: over all. */
static void open_loop(EntryBuild *b, int i, Expr from, Expr to) {
  const TileLoop *t = &b->l->tile->loop[i];
  const Expr at = site_tile(b->l, INTEGER_AT, i), most = loop_int(b->l, t->most);
  if (to == NO_EXPR) from = loop_int(b->l, 0), to = loop_length(b, b->l->tile, i);
  loop_open_by(b->l, at, from, to, most, LOOP_SOME);
  if (t->most == 1) return;
  const Expr rest = expr_sub(b->en->x, to, at);
  loop_integer(b->l, expr_node(b->en->x, site_tile(b->l, INTEGER_LEN, i))->name,
               loop_choose(b->l, expr_compare(b->en->x, EXPR_LESS, rest, most), rest, most), true);
}

static void nest(EntryBuild *b, const Tiles *s, Expr from, Expr to) {
  b->l->tile = s;
  for (int i = 0; i < s->nloops; i++) open_loop(b, i, i ? NO_EXPR : from, i ? NO_EXPR : to);
  open_band(b);
  for (int i = s->epilogue; i < s->steps.n; i++) {
    check_band(b, i);
    if (i + 1 < s->steps.n && entry_storing(b, &s->steps.at[i], &s->steps.at[i + 1])) {
      i++;
      continue;
    }
    loop_open_body(b->l, (LoopStmt){.kind = STMT_STEP, .a = NO_EXPR, .step = &s->steps.at[i]});
    entry_step(b, &s->steps.at[i]);
    clear_outside(b, &s->steps.at[i]);
    loop_close(b->l, 1);
  }
  close_band(b);
  loop_close(b->l, s->nloops);
  b->l->tile = NULL;
}

/* -------- epilogues -------- */

/* What the epilogue reads along with the kernel's result; what its own steps make is in the cache.
 */
static int read_ahead(EntryBuild *b, const Tiles *s, Expr *out) {
  const LocalEntry *le = b->en->le;
  const Node *result = graph_node(le->graph, s->steps.at[0].nodes.at[0]);
  const Step whole = {.kind = STEP_TILES, .tile = s};
  Reads reads = {0};
  int n = 0;
  step_reads(le, &whole, b->l->arena, &reads);
  for (int i = 0; i < reads.n && n < MOST_READ; i++) {
    const NodeId id = reads.at[i].node;
    const Node *x = graph_node(le->graph, id);
    if (!tiles_make(s, id) && tiles_node(s, le->graph, id) && x->dtype == DT_F32 &&
        same_space(x, result))
      out[n++] = entry_whole(b, id);
  }
  return n;
}

/* The body of `s`, as a function of what it is passed: *arg, with room for `more`; its place. */
static int rows_of(EntryBuild *b, const Tiles *s, LoopRows *r, int more, Expr **arg, int *n) {
  const LocalEntry *le = b->en->le;
  Arena *a = b->l->arena, *scratch = b->l->plan->scratch;
  const ArenaMark mark = arena_mark(scratch);
  const int place = b->en->rows.n;
  LoopUses uses;
  int64_t *own = arena_array(scratch, int64_t, le->buffers.n + 1);
  tiles_own(le, s, own);
  b->en->symbols = b->l->f.symbols;
  loop_uses(scratch, b->en, r->body, &uses);
  *arg = arena_array(a, Expr, uses.views.n + uses.integers.n + more);
  for (int i = 0; i < uses.views.n; i++) {
    const LoopView *v = &b->en->views.at[uses.views.at[i]];
    const int64_t at = v->buffer >= 0 && v->buffer < le->buffers.n ? own[v->buffer] : 0;
    vec_push(a, &r->views, uses.views.at[i]);
    vec_push(a, &r->own, at);
    str_put(&uses.key, (const char *)&at, sizeof at);
    (*arg)[(*n)++] = expr_of_entry(b->en->x, EXPR_PLACE, v->type, uses.views.at[i], NULL, 0, NULL);
  }
  for (int i = 0; i < uses.integers.n; i++) {
    vec_push(a, &r->integers, uses.integers.at[i]);
    (*arg)[(*n)++] = uses.integers.at[i];
  }
  vec_push(a, &b->en->rows, *r);
  const int number =
      entry_unit(b, r->tiles ? "tiles " : "rows ", &uses.key, (LoopUnit){b->en, -1, place});
  b->en->rows.at[place].number = number;
  arena_release(scratch, mark);
  return place;
}

static void rows_body(EntryBuild *b, const Tiles *s, LoopRows *r) {
  vec_push(b->l->arena, &b->l->open, ((OpenBody){NULL, &r->body}));
  nest(b, s, loop_symbol(b->l, "first_row", 0, INT64_MAX),
       loop_symbol(b->l, "end_row", 0, INT64_MAX));
  loop_close(b->l, 1);
}

Expr entry_rows(EntryBuild *b, const Tiles *s) {
  const LocalEntry *le = b->en->le;
  const Node *result = graph_node(le->graph, s->steps.at[0].nodes.at[0]);
  LoopRows r = {.what = node_called(result),
                .most = s->loop[0].most,
                .unit = !tiles_apart(s, le->graph) ? LOOP_ALL_ROWS : s->unit};
  rows_body(b, s, &r);
  Expr *arg, ahead[MOST_READ];
  int n = 0;
  r.ahead = read_ahead(b, s, ahead);
  const int place = rows_of(b, s, &r, r.ahead, &arg, &n);
  for (int i = 0; i < r.ahead; i++) arg[n++] = ahead[i];
  return expr_of_entry(b->en->x, EXPR_ROWS, DT_I64, place, NULL, n, arg);
}

/* -------- tiles on cores -------- */

/* Elements of the outermost loop that a core takes at a time at least, a multiple of a tile's; 0:
 * one core goes over all tiles, as they take too short, or cannot be done at once. */
static int64_t grain_of(const EntryBuild *b, const Step *step) {
  const LocalEntry *le = b->en->le;
  const Tiles *s = step->tile;
  const Program *program = b->l->plan->program;
  const Machine *m = program->machine;
  const TileLoop *l = &s->loop[0];
  if (!tiles_apart(s, le->graph)) return 0;
  const int64_t most = tiles_turns(&program->mesh, le->graph, s),
                tiles = (most + l->most - 1) / l->most;
  const StepWork w = work_step(program, le, step);
  const double time = fmax(w.flops / m->flops, w.bytes / m->memory_bandwidth);
  if (tiles < 2 || !machine_deals(m, time)) return 0;
  const int64_t at_once = (int64_t)ceil(machine_part(m) / (time / (double)tiles));
  const int64_t grain =
      s->unit ? (at_once * l->most + s->unit - 1) / s->unit * s->unit : at_once * l->most;
  return grain < most ? grain : 0;
}

static bool has_half_product(const Graph *g, const Step *s) {
  for (int i = 0; i < s->nodes.n; i++) {
    const Node *n = graph_node(g, s->nodes.at[i]);
    if (op_class(n) == OPC_PRODUCT && dtype_is_half(graph_operand(g, n, 0)->dtype)) return true;
  }
  return false;
}

void entry_tiles(EntryBuild *b, const Step *step) {
  const Tiles *s = step->tile;
  const int64_t grain = grain_of(b, step);
  if (has_half_product(b->en->le->graph, step)) loop_run(b->l, "dtrt_gemm_nest", 0, NULL);
  if (!grain) {
    nest(b, s, NO_EXPR, NO_EXPR);
    return;
  }
  const Node *last = graph_node(b->en->le->graph, s->steps.at[s->steps.n - 1].nodes.at[0]);
  LoopRows r = {.what = node_called(last), .most = s->loop[0].most, .tiles = true};
  rows_body(b, s, &r);
  Expr *arg;
  int n = 0;
  const int place = rows_of(b, s, &r, 2, &arg, &n);
  arg[n++] = loop_length(b, s, 0);
  arg[n++] = loop_int(b->l, grain);
  const Expr call = expr_of_entry(b->en->x, EXPR_ROWS, DT_I64, place, NULL, n, arg);
  loop_add(b->l, (LoopStmt){.kind = STMT_CALL, .a = call});
}
