/* The list of passes, in order. After each the invariants of its stage are checked. */
#include "pipeline_parts.h"
#include "exchange_dims.h"
#include "graph_passes.h"
#include "layout_passes.h"
#include "loops.h"
#include "schedule_passes.h"
#include <string.h>
#include <time.h>

static void statements(Plan *p) { p->loops = loop_program_once(p); }

/* Required passes, and optimizations. */
enum { NEEDED, BETTER };

static const struct {
  const char *name;
  void (*run)(Plan *p);
  void (*verify)(const Plan *p, const char *after);
  int kind;
} passes[] = {
    {"complex", take_complex_apart, verify_global, NEEDED}, /* complex numbers become two real ones */
    {"joins", joins, verify_global, NEEDED},           /* paddings are part of what reads them */
    {"shorten", shorten, verify_global, NEEDED},       /* activations kept short are rounded */
    {"autodiff", autodiff, verify_global, NEEDED},     /* grad nodes become their computation */
    {"kept", kept, verify_global, NEEDED},             /* those the backward pass alone reads */
    {"precision", precision, verify_global, NEEDED},   /* products round their operands */
    {"simplify", simplify, verify_global, NEEDED},     /* constants fold, dead code goes */
    {"arrange", arrange, verify_global, BETTER},       /* products in an order that kernels take */
    {"transpose", transpose_before_loops, verify_global, BETTER}, /* matrices that loops read across */
    {"single", single, verify_global, NEEDED},         /* values are numbered; the mesh may go */
    {"refetch", refetch, verify_global, BETTER},       /* variables gathered again for each use */
    {"propagate", propagate, verify_global, NEEDED},   /* every tensor has a layout */
    {"contest", contest, verify_global, BETTER},       /* conflicts between ops, by cost */
    {"updates", updates, verify_global, BETTER},       /* sharded optimizer state */
    {"distribute", distribute, verify_global, NEEDED}, /* ops along a split dim, block by block */
    {"outputs", outputs, verify_global, BETTER},       /* layouts of unannotated outputs, by cost */
    {"carries", carries, verify_global, BETTER},       /* layouts of what loops carry, by cost */
    {"choose", choose, verify_global, NEEDED},         /* how each op is computed, by its cost */
    {"weigh", weigh, verify_global, NEEDED},           /* the best of these by all that counts */
    {"partition", partition, verify_local, NEEDED},    /* one device's graph, exchanges explicit */
    {"forbid", forbid, verify_local, NEEDED},          /* no gather that an annotation forbids */
    {"halos", halos, verify_local, BETTER},            /* one wider halo for several runs of a loop */
    {"panels", panels, verify_local, BETTER},          /* products and their exchanges in panels */
    {"unroll", unroll, verify_local, BETTER},          /* small products in loops are expressions */
    {"clamps", clamps, verify_local, BETTER},          /* gradients of clamps ask their results */
    {"inline", inline_values, verify_work, NEEDED},    /* which values are stored */
    {"steps", make_steps, verify_local, NEEDED},       /* one step for each stored value */
    {"bucket", bucket, verify_local, BETTER},          /* bucketing of exchanges */
    {"fuse", fuse, verify_work, BETTER},               /* loop fusion */
    {"tile", tile, verify_tiles, NEEDED},              /* tiling and epilogues */
    {"borders", borders, verify_sums, BETTER},         /* halos without the block between them */
    {"fills", fills, verify_sums, BETTER},             /* first values that loops write over */
    {"reorder", reorder, verify_sums, BETTER},         /* list scheduling for lower peak memory */
    {"overlap", overlap, verify_sums, BETTER},         /* exchanges during computation */
    {"named", named, verify_sums, BETTER},             /* updates of the rows that are named */
    {"memory", memory, verify_memory, NEEDED},         /* buffers and their offsets */
    {"remat", remat, verify_again, NEEDED},            /* rematerialization, to fit --memory */
    {"bypass", bypass, verify_memory, BETTER},         /* what is read much later, past the caches */
    {"loops", statements, verify_statements, NEEDED},  /* what a device runs, as loop IR */
};

static const struct {
  const char *name;
  Feature feature;
} features[] = {{"inline", FEATURE_INLINE},     {"tile", FEATURE_TILE},
                {"rows", FEATURE_ROWS},         {"band", FEATURE_BAND},
                {"epilogue", FEATURE_EPILOGUE}, {"repeat", FEATURE_REPEAT},
                {"assert", FEATURE_ASSERT},     {"print", FEATURE_PRINT},
                {"share", FEATURE_SHARE},       {"storing", FEATURE_STORING}};

enum { PASSES = sizeof passes / sizeof *passes, FEATURES = sizeof features / sizeof *features };
_Static_assert(PASSES <= 64, "Disabled.passes has a bit for each");

/* -------- by name -------- */

const char *pipeline_optimization(int k) {
  if (k < FEATURES) return features[k].name;
  k -= FEATURES;
  for (int i = 0; i < PASSES; i++)
    if (passes[i].kind == BETTER && k-- == 0) return passes[i].name;
  return NULL;
}

static bool is_name(const char *name, const char *text, int len) {
  return (int)strlen(name) == len && !strncmp(name, text, (size_t)len);
}

bool pipeline_needs(const char *name, int len) {
  for (int i = 0; i < PASSES; i++)
    if (passes[i].kind == NEEDED && is_name(passes[i].name, name, len)) return true;
  return false;
}

static bool disable(Disabled *d, const char *name, int len) {
  for (int i = 0; i < FEATURES; i++)
    if (is_name(features[i].name, name, len)) return d->features |= features[i].feature, true;
  for (int i = 0; i < PASSES; i++)
    if (passes[i].kind == BETTER && is_name(passes[i].name, name, len))
      return d->passes |= UINT64_C(1) << i, true;
  return false;
}

bool pipeline_disable(Disabled *d, const char *list, const char **word, int *len) {
  for (*word = list;; *word += *len + 1) {
    *len = (int)strcspn(*word, ",");
    if (!disable(d, *word, *len)) return false;
    if (!(*word)[*len]) return true;
  }
}

/* -------- running -------- */

/* Where each value is to be observed, steps are neither joined nor moved. */
static bool joins_steps(void (*run)(Plan *p)) {
  return run == bucket || run == fuse || run == reorder || run == overlap;
}

static void run_pass(Plan *p, size_t i) {
  if (!(p->disabled.passes >> i & 1)) passes[i].run(p);
}

/* The passes from `inline` to `memory`. */
static void pipeline_place(Plan *p) {
  p->vars_bytes = 0;
  size_t i = 0;
  while (passes[i].run != inline_values) i++;
  for (; passes[i].run != remat; i++) run_pass(p, i);
}

/* The passes from `inline` to before `memory`: all that a modelled time depends on. Nothing is
 * disabled, so that layouts and exchanges do not depend on what later passes may do. */
static void pipeline_steps(Plan *p) {
  const Disabled disabled = p->disabled;
  size_t i = 0;
  while (passes[i].run != inline_values) i++;
  p->disabled = (Disabled){0};
  for (; passes[i].run != memory; i++) run_pass(p, i);
  p->disabled = disabled;
}

/* The first pass after which there are steps. */
static size_t first_of_steps(void) {
  size_t i = 0;
  while (passes[i].run != make_steps) i++;
  return i;
}

/* Without what the passes from steps on make. */
static void without_steps(Arena *a, LocalEntry *le) {
  const size_t n = (size_t)le->entry->regions.n;
  memset(&le->steps, 0, sizeof le->steps);
  memset(&le->bounds, 0, sizeof le->bounds);
  memset(&le->buffers, 0, sizeof le->buffers);
  memset(&le->copies, 0, sizeof le->copies);
  if (n) le->region = arena_copy(a, le->region, n * sizeof *le->region);
  for (size_t r = 0; r < n; r++) {
    memset(&le->region[r].copies, 0, sizeof le->region->copies);
    memset(&le->region[r].rotations, 0, sizeof le->region->rotations);
  }
}

/* Whether the pass, or one before it, is that. */
static bool includes(size_t at, void (*run)(Plan *p)) {
  for (size_t i = 0; i <= at; i++)
    if (passes[i].run == run) return true;
  return false;
}

const char *pipeline_shows(int i) {
  size_t at = first_of_steps();
  while (i > 0 && passes[at].run != remat) at++, i--;
  return i || passes[at].run == remat ? NULL : passes[at].name;
}

bool pipeline_show(Plan *p, const char *pass, void (*show)(const Plan *p, Str *out), Str *out) {
  size_t first = first_of_steps(), last = first, i = 0;
  while (passes[last].run != remat && strcmp(passes[last].name, pass)) last++;
  if (passes[last].run == remat) return false;
  const Plan kept = *p;
  LocalEntry *le = arena_array(p->arena, LocalEntry, p->entries.n + 1);
  for (int e = 0; e < p->entries.n; e++) {
    le[e] = p->entries.at[e];
    without_steps(p->arena, &p->entries.at[e]);
  }
  while (passes[i].run != inline_values) i++;
  for (; i <= last; i++)
    if (!p->observe || !joins_steps(passes[i].run)) run_pass(p, i);
  for (int e = 0; e < p->entries.n && !includes(last, memory); e++)
    p->entries.at[e].buffers.n = 0; /* a pass has looked how they would lie */
  p->loops = NULL; /* of other steps */
  show(p, out);
  for (int e = 0; e < p->entries.n; e++) p->entries.at[e] = le[e];
  *p = kept;
  return true;
}

static double now_ms(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static bool fits(const Plan *p) {
  for (int e = 0; e < p->entries.n; e++)
    if (p->vars_bytes + p->entries.at[e].arena_bytes > p->memory) return false;
  return true;
}

Plan *pipeline_once(Program *program, const PipelineRun *r) {
  const PipelineOptions *o = r->o;
  Plan *p = arena_new_of(program->arena, Plan);
  p->arena = program->arena;
  p->scratch = arena_child(program->arena);
  p->program = program;
  p->place = pipeline_place;
  p->steps = pipeline_steps;
  program->machine = o && o->machine ? o->machine : machine_generic();
  program->fast_sums = o && o->fast_sums;
  program->known = known_new(program);
  p->variables_of = o ? o->variables_of : NULL;
  if (o) p->lists_forbidden = o->lists_forbidden, p->cure = o->cure, p->cure_user = o->user;
  if (o) p->memory = o->memory, p->single = o->single, p->observe = o->observe;
  if (o) p->disabled = o->disabled, p->repeat_saves = o->repeat_saves;
  p->loops_keep = r->loops_keep, p->all_kept = r->first, p->trying = r->trying;
  if (r->as_first) p->variables_as = p->alike = r->first;
  if (p->variables_of) p->variables_as = p->variables_of;
  for (size_t i = 0; i < PASSES; i++) {
    if (p->observe && joins_steps(passes[i].run)) continue;
    double start = now_ms();
    run_pass(p, i);
    if (program->diag->errors) return NULL;
    if (passes[i].run == remat && p->trying && !fits(p)) break;
    if (passes[i].run != remat || p->memory > 0) passes[i].verify(p, passes[i].name);
    if (o && o->timed) o->timed(o->user, passes[i].name, now_ms() - start);
  }
  return p;
}
