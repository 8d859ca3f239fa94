/* dtgc --auto: layouts for everything that is not annotated, as a layout file.
 *
 * Several are tried, each compiled as the user would compile it: those of auto_find, with what
 * loops carry as it is and open, at rising prices of memory if there is a limit; the program as it
 * is; and the batch split over all axes. The one that fits with the least modelled time of a call,
 * which the summary and --dump=cost show, is written, so the result is never worse than data
 * parallelism or than propagation alone. The search itself adds up ops, without the starts of steps
 * and what later passes save: its own count may rank two of them the other way round. */
#include "auto.h"
#include "choose.h"
#include "cost.h"
#include "program.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PRICES = 12 };
enum { FOUND, CARRIES, AS_IT_IS, PARALLEL, NTRIALS };
static const char within_memory[] = "within memory";

typedef struct Texts {
  VEC(const char *) t;
} Texts;

typedef struct AutoTrial {
  const char *what;
  Texts layouts; /* --layout statements that were added */
  const Plan *plan;
  double time;    /* of a call of the entries that count */
  double counted; /* the same as the search counts, and its bound */
  int64_t memory;
} AutoTrial;

typedef struct AutoArgs {
  uint64_t memory;
  Str out;
  const char *no_plan; /* why there is none */
} AutoArgs;

/* -------- trials -------- */

static double plan_counted(const Plan *p) {
  double t = 0;
  for (int e = 0; e < p->entries.n; e++)
    if (auto_entry(p, e)) t += p->entries.at[e].choice->total;
  return t;
}

static double plan_time(const Plan *p) {
  double t = 0;
  for (int e = 0; e < p->entries.n; e++)
    if (auto_entry(p, e)) t += cost_entry(p, &p->entries.at[e]).time;
  return t;
}

static int64_t plan_memory(const Plan *p) {
  int64_t most = 0;
  for (int e = 0; e < p->entries.n; e++)
    if (auto_entry(p, e) && p->entries.at[e].arena_bytes > most)
      most = p->entries.at[e].arena_bytes;
  return p->vars_bytes + most;
}

static void measure(AutoTrial *t, const Plan *plan) {
  t->plan = plan;
  t->time = plan_time(plan);
  t->counted = plan_counted(plan);
  t->memory = plan_memory(plan);
}

/* Compiles the program again with more layouts, and on another mesh if one is given. No plan: they
 * contradict an annotation. */
static void try_on_mesh(dtgc_program *p, AutoTrial *t, const char *mesh) {
  Diag *diag = arena_new_of(p->arena, Diag);
  FrontOptions f = p->front;
  const char **all = arena_array(p->arena, const char *, f.nlayouts + t->layouts.t.n + 1);
  for (int i = 0; i < f.nlayouts; i++) all[i] = f.layout[i];
  for (int i = 0; i < t->layouts.t.n; i++) all[f.nlayouts + i] = t->layouts.t.at[i];
  f.layout = all, f.nlayouts += t->layouts.t.n;
  f.parsed = p->program->parsed;
  if (mesh) f.mesh = mesh;
  diag_init(diag, p->arena, NULL, NULL);
  Program *program = front_compile(p->arena, diag, &f);
  PipelineOptions po = {.machine = p->program->machine,
                        .disabled = p->plan->disabled,
                        .fast_sums = p->program->fast_sums};
  const Plan *plan = program ? pipeline_run(program, &po) : NULL;
  if (plan) measure(t, plan);
}

static void try_layouts(dtgc_program *p, AutoTrial *t) { try_on_mesh(p, t, NULL); }

static const char *says(dtgc_program *p, const AutoLayout *a) {
  return arena_printf(p->arena, "%s=%s", a->path,
                      layout_text(p->arena, &p->program->mesh, a->layout));
}

static AutoTrial try_found(dtgc_program *p, const char *what, const Auto *found) {
  AutoTrial t = {.what = what};
  for (int i = 0; i < found->found.n; i++)
    if (found->found.at[i].shape.rank)
      vec_push(p->arena, &t.layouts.t, says(p, &found->found.at[i]));
  try_layouts(p, &t);
  return t;
}

/* Splits the first dim of every input without annotation over all axes. */
static AutoTrial try_data_parallel(dtgc_program *p) {
  AutoTrial t = {.what = "data parallel"};
  const Mesh *m = &p->program->mesh;
  for (int e = 0; e < p->program->entries.n; e++) {
    const Entry *en = &p->program->entries.at[e];
    for (int i = 0; auto_entry(p->plan, e) && i < en->inputs.n; i++) {
      const Node *n = graph_node(en->graph, en->inputs.at[i].node);
      Str s = str_new(p->arena);
      if (n->spec || !n->shape.rank) continue;
      str_printf(&s, "%s.%s=[(", en->name, en->inputs.at[i].name);
      for (int a = 0; a < m->naxes; a++) str_printf(&s, "%s%s", a ? ", " : "", m->axis[a].name);
      str_puts(&s, ")");
      for (int d = 1; d < n->shape.rank; d++) str_puts(&s, ", _");
      str_puts(&s, "]");
      vec_push(p->arena, &t.layouts.t, s.at);
    }
  }
  if (m->naxes) try_layouts(p, &t);
  return t;
}

/* -------- devices and cores -------- */

/* The same layouts on a host's cores, by devices that have some each: the mesh, and with its last
 * axis ever smaller, then the one before. */
typedef struct CoreShare {
  const char *mesh;
  int64_t devices, cores, memory; /* of all devices */
  double time;
} CoreShare;

enum { MOST_SHARED = 8 };

static bool is_one_host(const Plan *p) {
  const Mesh *m = &p->program->mesh;
  for (int a = 0; a < m->naxes; a++)
    if (machine_axis(p->program->machine, m, a).by != LINK_MEMORY) return false;
  return p->program->machine->cores > 1 && mesh_devices(m) > 1;
}

static bool make_smaller(int64_t *size, int naxes) {
  for (int a = naxes - 1; a >= 0; a--) {
    if (size[a] == 1) continue;
    int64_t by = 2;
    while (size[a] % by) by++;
    size[a] /= by;
    return true;
  }
  return false;
}

static const char *mesh_of_sizes(dtgc_program *p, const Mesh *m, const int64_t *size) {
  Str s = str_new(p->arena);
  for (int a = 0; a < m->naxes; a++)
    str_printf(&s, "%s%s=%ld", a ? "," : "", m->axis[a].name, (long)size[a]);
  return s.at;
}

static bool try_shared(dtgc_program *p, const AutoTrial *best, const int64_t *size,
                       CoreShare *out) {
  AutoTrial t = {.layouts = best->layouts};
  out->mesh = mesh_of_sizes(p, &p->program->mesh, size);
  try_on_mesh(p, &t, out->mesh);
  if (!t.plan) return false;
  out->devices = mesh_devices(&t.plan->program->mesh);
  out->cores = machine_cores(p->program->machine, out->devices);
  out->time = 0;
  int64_t own = 0;
  for (int e = 0; e < t.plan->entries.n; e++) {
    const LocalEntry *le = &t.plan->entries.at[e];
    if (!auto_entry(t.plan, e)) continue;
    out->time += cost_call_on_cores(t.plan, le, out->cores);
    if (le->own_bytes > own) own = le->own_bytes;
  }
  out->memory = out->devices * (t.memory + (out->cores - 1) * own);
  return true;
}

static void put_shared(dtgc_program *p, const AutoTrial *best, Str *out) {
  const Mesh *m = &p->program->mesh;
  int64_t size[MAX_AXES];
  CoreShare shared[MOST_SHARED];
  int n = 0, least = 0;
  char time[16];
  if (!is_one_host(best->plan)) return;
  for (int a = 0; a < m->naxes; a++) size[a] = m->axis[a].size;
  for (bool more = true; more && n < MOST_SHARED; more = make_smaller(size, m->naxes))
    n += try_shared(p, best, size, &shared[n]);
  for (int i = 1; i < n; i++)
    if (shared[i].time < shared[least].time) least = i;
  if (n < 2) return;
  str_printf(out,
             "# These layouts on a host of %ld cores, shared out among devices (memory of all, as\n"
             "# if replicas shared none):\n",
             (long)p->program->machine->cores);
  for (int i = 0; i < n; i++)
    str_printf(out, "#   --mesh %s: %ld device%s x %ld core%s, %s, %ld bytes%s\n", shared[i].mesh,
               (long)shared[i].devices, shared[i].devices == 1 ? "" : "s", (long)shared[i].cores,
               shared[i].cores == 1 ? "" : "s", cost_time_text(shared[i].time, time),
               (long)shared[i].memory, i == least ? ", the least time" : "");
}

/* -------- the file -------- */

/* "model.block[3].attn.q" as a pattern for all blocks. */
static void put_pattern(Str *out, const char *path) {
  for (const char *c = path; *c; c++) {
    if (*c >= '0' && *c <= '9' && c > path && c[-1] == '[') {
      while (c[1] >= '0' && c[1] <= '9') c++;
      str_puts(out, "\\d+");
    } else if (strchr(".[](){}*+?|^$\\", *c)) {
      str_printf(out, "\\%c", *c);
    } else {
      str_put(out, c, 1);
    }
  }
}

typedef struct AutoLine {
  const char *path, *pattern, *layout;
  int64_t bytes, whole;
  int members;  /* of the pattern */
  bool grouped; /* an earlier line stands for it */
} AutoLine;

typedef struct AutoLines {
  VEC(AutoLine) l;
} AutoLines;

static void add_line(dtgc_program *p, AutoLines *out, const char *path, const Shape *s, DType t,
                     const Layout *l) {
  Str pattern = str_new(p->arena);
  put_pattern(&pattern, path);
  AutoLine x = {.path = path,
                .pattern = pattern.at,
                .layout = layout_text(p->arena, &p->program->mesh, l),
                .bytes = layout_bytes(&p->program->mesh, l, s, t),
                .whole = shape_count(s) * dtype_size(t),
                .members = 1};
  if (s->rank) vec_push(p->arena, &out->l, x);
}

static int count_alike(const AutoLines *lines, const AutoLine *x, bool layout_too) {
  int n = 0;
  for (int k = 0; k < lines->l.n; k++)
    n += lines->l.at[k].pattern == x->pattern &&
         (!layout_too ||
          (!strcmp(lines->l.at[k].layout, x->layout) && lines->l.at[k].bytes == x->bytes));
  return n;
}

/* Variables alike but for an index become one line, when all that the pattern matches are among
 * them; those few with another layout keep lines of their own, which are stronger than the pattern.
 */
static void group_lines(const Program *g, AutoLines *lines, Arena *a) {
  Names *names = names_new(a);
  for (int i = 0; i < lines->l.n; i++) {
    AutoLine *x = &lines->l.at[i];
    x->pattern = name_of(names, x->pattern, strlen(x->pattern));
  }
  for (int i = 0; i < lines->l.n; i++) {
    AutoLine *x = &lines->l.at[i];
    int matching = 0;
    if (x->grouped || x->members > 1) continue;
    for (int v = 0; v < g->vars.n; v++) {
      Str s = str_new(a);
      put_pattern(&s, g->vars.at[v].path);
      matching += strcmp(s.at, x->pattern) == 0;
    }
    int all = count_alike(lines, x, false), alike = count_alike(lines, x, true);
    if (matching < 2 || all != matching || alike * 2 <= all) continue;
    for (int k = i + 1; k < lines->l.n; k++) {
      AutoLine *y = &lines->l.at[k];
      if (y->pattern == x->pattern && !strcmp(y->layout, x->layout) && y->bytes == x->bytes)
        y->grouped = true;
    }
    x->members = alike;
  }
}

static void put_lines(const AutoLines *lines, Str *out) {
  for (int i = 0; i < lines->l.n; i++) {
    const AutoLine *x = &lines->l.at[i];
    if (x->grouped) continue;
    size_t at = out->n;
    if (x->members > 1)
      str_printf(out, "layout \"%s\" = %s", x->pattern, x->layout);
    else
      str_printf(out, "layout %s = %s", x->path, x->layout);
    while (out->n - at < 56) str_puts(out, " ");
    str_printf(out, "  # %ld of %ld bytes", (long)x->bytes, (long)x->whole);
    if (x->members > 1) str_printf(out, ", each of %d", x->members);
    str_puts(out, "\n");
  }
}

static void put_layouts(dtgc_program *p, const Plan *plan, Str *out) {
  const Program *g = plan->program;
  AutoLines lines = {0};
  for (int e = 0; e < g->entries.n; e++) {
    const Entry *en = &g->entries.at[e];
    for (int i = 0; auto_entry(plan, e) && i < en->inputs.n; i++) {
      const Node *was =
          graph_node(p->program->entries.at[e].graph, p->program->entries.at[e].inputs.at[i].node);
      const Node *n = graph_node(en->graph, en->inputs.at[i].node);
      if (was->spec) continue;
      add_line(p, &lines, arena_printf(p->arena, "%s.%s", en->name, en->inputs.at[i].name),
               &n->shape, n->dtype, n->layout);
    }
  }
  for (int v = 0; v < g->vars.n; v++)
    if (!p->program->vars.at[v].spec)
      add_line(p, &lines, g->vars.at[v].path, &g->vars.at[v].shape, g->vars.at[v].dtype,
               g->vars.at[v].layout);
  group_lines(g, &lines, p->arena);
  put_lines(&lines, out);
}

static void put_time(Str *out, const char *what, const AutoTrial *t) {
  char time[16], counted[16];
  if (t->plan)
    str_printf(out, "#   %-14s %-10s (%s) %ld bytes a device\n", what,
               cost_time_text(t->time, time), cost_time_text(t->counted, counted), (long)t->memory);
}

static void put_file(dtgc_program *p, const AutoTrial *trial, const AutoTrial *best, double bound,
                     Str *out) {
  char text[16];
  const Mesh *m = &p->program->mesh;
  str_printf(out,
             "# Layouts found for machine %s. Modelled time a call, in brackets as the search\n"
             "# counts it (op by op, without the starts of steps), and memory:\n",
             p->program->machine->name);
  for (int i = 0; i < NTRIALS; i++) put_time(out, trial[i].what, &trial[i]);
  if (strcmp(best->what, within_memory) == 0) put_time(out, within_memory, best);
  str_printf(out, "# Below: %s. So counted no layouts take less than %s:", best->what,
             cost_time_text(bound, text));
  if (bound > 0 || best->counted == 0) {
    double gap = bound > 0 ? fmax(0, best->counted / bound - 1) : 0;
    str_printf(out, " these are within %.1f %% of the best.\n", 100 * gap);
  } else {
    str_puts(out, " how far these are from the best is not known.\n");
  }
  put_shared(p, best, out);
  if (p->front.mesh) {
    str_puts(out, "mesh [");
    for (int a = 0; a < m->naxes; a++)
      str_printf(out, "%s%s=%ld", a ? ", " : "", m->axis[a].name, (long)m->axis[a].size);
    str_puts(out, "]\n");
  }
  put_layouts(p, best->plan, out);
}

/* -------- -------- */

static bool fits(const AutoArgs *a, const AutoTrial *t) {
  return t->plan && (!a->memory || (uint64_t)t->memory <= a->memory);
}

static dtgc_status auto_inside(dtgc_program *p, void *arg) {
  AutoArgs *a = arg;
  const bool carries = auto_carries(p->plan);
  const Auto *open = auto_find(p->plan, 0, carries, true);
  AutoTrial trial[NTRIALS] = {
      [FOUND] = try_found(p, "found", carries ? auto_find(p->plan, 0, false, false) : open),
      [AS_IT_IS] = {.what = "as it is"},
      [PARALLEL] = try_data_parallel(p)};
  if (carries) trial[CARRIES] = try_found(p, "found of loops", open);
  measure(&trial[AS_IT_IS], p->plan);
  AutoTrial best = {0}, least = trial[FOUND];
  for (int i = 0; i < NTRIALS; i++) {
    if (fits(a, &trial[i]) && (!best.plan || trial[i].time < best.time)) best = trial[i];
    if (trial[i].plan && (!least.plan || trial[i].memory < least.memory)) least = trial[i];
  }
  /* A byte is dearer each time, from where it is as dear as sending it to where nothing else
   * counts.
   */
  double price = 1e-12;
  bool fit = !a->memory || fits(a, &trial[FOUND]) || fits(a, &trial[CARRIES]);
  for (int i = 0; !fit && i < MOST_PRICES; i++, price *= 8)
    for (int k = 0; k <= carries; k++) {
      const AutoTrial t = try_found(p, within_memory, auto_find(p->plan, price, k, false));
      if (t.plan && (!least.plan || t.memory < least.memory)) least = t;
      if (!fits(a, &t)) continue;
      if (!best.plan || t.time < best.time) best = t;
      fit = true;
    }
  a->out = str_new(p->arena);
  if (best.plan)
    put_file(p, trial, &best, open->bound, &a->out);
  else
    a->no_plan = arena_printf(
        p->arena,
        "no layouts were found that fit into %llu bytes a device; the smallest found takes %ld",
        (unsigned long long)a->memory, (long)least.memory);
  return DTGC_OK;
}

dtgc_status dtgc_auto(dtgc_program *p, uint64_t memory, char **text) {
  if (text) *text = NULL;
  PROGRAM_USE(p);
  dtgc_status s = program_plan(p);
  if (s) return s;
  if (!text) return program_fail(p, DTGC_BAD_ARGUMENT, "text is NULL");
  AutoArgs a = {.memory = memory};
  if ((s = program_guard(p, auto_inside, &a))) return s;
  if (a.no_plan) return program_fail(p, DTGC_BAD_ARGUMENT, "%s", a.no_plan);
  *text = text_copy(&a.out);
  return *text ? DTGC_OK : program_fail(p, DTGC_NO_MEMORY, "out of memory");
}
