/* dtgc_verify: runs the plan and the oracle side by side and reports differences; see verify.h.
 * Three programs: the plan as it is, which continues from step to step like a training run; the
 * oracle and the plan with its named values in memory, which receive its variables before each
 * step. If one differs a fourth, the plan with every value in memory, finds the first difference.
 */
#include "verify.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 3 }; /* outputs, and variables, that differ, of a step */

/* -------- buffers -------- */

static void tensors_free(Tensors *t) {
  for (int i = 0; t->data && i < t->n; i++) free(t->data[i]);
  free(t->data);
  free(t->of);
  *t = (Tensors){0};
}

static bool tensors_make(Tensors *t, const dtgc_tensor *of, int n) {
  tensors_free(t);
  t->of = calloc((size_t)n + 1, sizeof *t->of);
  t->data = calloc((size_t)n + 1, sizeof *t->data);
  t->n = t->of && t->data ? n : 0;
  bool good = t->of && t->data;
  for (int i = 0; good && i < n; i++) {
    t->of[i] = &of[i];
    good = (t->data[i] = calloc(1, of[i].bytes + 1)) != NULL;
  }
  return good;
}

static void tensors_copy(Tensors *to, const Tensors *from) {
  for (int i = 0; i < from->n; i++) memcpy(to->data[i], from->data[i], from->of[i]->bytes);
}

static dtgc_status no_memory(Verify *v) {
  return program_fail(v->p, DTGC_NO_MEMORY, "out of memory");
}

/* What failed in a program of ours. */
static dtgc_status failed(Verify *v, dtgc_status s, dtgc_program *q, const char *which) {
  if (q == v->p) return s;
  return program_fail(v->p, s, "%s: %s", which, dtgc_error(q));
}

static dtgc_status get_vars(dtgc_program *q, Tensors *to) {
  dtgc_status s = DTGC_OK;
  for (int i = 0; i < to->n && !s; i++)
    s = dtgc_get(q, to->of[i]->name, to->data[i], to->of[i]->bytes);
  return s;
}

static dtgc_status set_vars(dtgc_program *q, const Tensors *from) {
  dtgc_status s = DTGC_OK;
  for (int i = 0; i < from->n && !s; i++)
    s = dtgc_set(q, from->of[i]->name, from->data[i], from->of[i]->bytes);
  return s;
}

static dtgc_status run_entry(dtgc_program *q, const char *name, const Tensors *in,
                             const Tensors *out) {
  dtgc_buffer *b = calloc((size_t)(in->n + out->n) + 1, sizeof *b);
  if (!b) return program_fail(q, DTGC_NO_MEMORY, "out of memory");
  for (int i = 0; i < in->n; i++)
    b[i] = (dtgc_buffer){in->of[i]->name, in->data[i], in->of[i]->bytes};
  for (int i = 0; i < out->n; i++)
    b[in->n + i] = (dtgc_buffer){out->of[i]->name, out->data[i], out->of[i]->bytes};
  dtgc_status s = dtgc_run(q, name, b, in->n, b + in->n, out->n);
  free(b);
  return s;
}

/* -------- inputs -------- */

static bool is_fed(const Verify *v, const char *name) {
  for (int i = 0; i < v->o->nfeed; i++)
    if (v->o->feed[i].name && !strcmp(v->o->feed[i].name, name)) return true;
  return false;
}

static void say_drawn(Verify *v, const dtgc_tensor *t, const Range *r) {
  char type[TENSOR_TEXT];
  inspect_text(t, type, sizeof type);
  if (v->o->json) return;
  str_printf(&v->text, "%s: input %s, %s, is drawn from ", v->entry->name, t->name, type);
  if (r->whole)
    str_printf(&v->text, "%lld to %lld", (long long)r->least, (long long)r->most);
  else
    str_printf(&v->text, "[%g, %g)", r->low, r->high);
  str_printf(&v->text, " with seed %llu\n", (unsigned long long)v->o->seed);
}

static void draw(Verify *v) {
  int e = program_find_entry(v->oracle->program, v->entry->name);
  for (int i = 0; i < v->in.n; i++) {
    const dtgc_tensor *t = v->in.of[i];
    if (is_fed(v, t->name)) continue;
    Range r = draw_range(&v->oracle->program->entries.at[e], i);
    if (v->step == 0) say_drawn(v, t, &r);
    uint64_t seed = v->o->seed * 0x100000001b3u + hash_bytes(t->name, strlen(t->name), 1);
    draw_input(&r, t, seed + (uint64_t)v->step * 0x9e3779b9u, v->in.data[i]);
  }
}

static dtgc_status fill_inputs(Verify *v) {
  char why[768];
  draw(v);
  int e = dtrt_find_entry(v->p->code, v->entry->name), n = 0;
  dtrt_feed *feed = calloc((size_t)v->o->nfeed + 1, sizeof *feed);
  if (!feed) return no_memory(v);
  for (int i = 0; i < v->o->nfeed; i++) {
    const dtgc_feed *f = &v->o->feed[i];
    for (int k = 0; k < v->in.n; k++)
      if (!strcmp(f->name, v->in.of[k]->name))
        feed[n++] = (dtrt_feed){f->name, f->file, f->data, f->rows};
  }
  dtrt_status st = dtrt_read_inputs(v->p->code, e, feed, n, v->step, v->in.data, why, sizeof why);
  free(feed);
  return st ? program_fail(v->p, DTGC_BAD_ARGUMENT, "%s", why) : DTGC_OK;
}

/* -------- the oracle -------- */

static dtgc_status oracle_run(Verify *v, int run, const Tensors *in) {
  dtgc_program *q = v->oracle;
  dtgc_status s = set_vars(q, &v->before);
  v->bounds.run = run;
  if (!s) dtrt_watch(q->session, bounds_watch, &v->bounds);
  if (!s) s = run_entry(q, v->entry->name, in, &v->outs);
  dtrt_watch(q->session, NULL, NULL);
  if (!s) s = get_vars(q, &v->vars);
  for (int i = 0; !s && i < v->outs.n; i++)
    kept_add(&v->bounds, &v->out[i], (int)v->outs.of[i]->dtype, v->outs.of[i]->count,
             v->outs.data[i]);
  for (int i = 0; !s && i < v->vars.n; i++)
    kept_add(&v->bounds, &v->var[i], (int)v->vars.of[i]->dtype, v->vars.of[i]->count,
             v->vars.data[i]);
  return s ? failed(v, s, q, "on one device") : v->bounds.no_memory ? no_memory(v) : DTGC_OK;
}

static const LocalEntry *oracle_entry(const Verify *v) {
  const dtgc_program *q = v->oracle;
  return &q->plan->entries.at[program_find_entry(q->program, v->entry->name)];
}

/* Outputs and variables are what a value of the entry is; a variable that stays is exact. */
static void own_of_hosts(Verify *v) {
  const LocalEntry *le = oracle_entry(v);
  for (int i = 0; i < v->outs.n; i++)
    if (dtype_is_float((DType)v->out[i].dtype)) v->out[i].own = v->bounds.own[le->output[i]];
  for (int i = 0; i < v->vars.n; i++) {
    const int var = program_find_var(v->oracle->program, v->vars.of[i]->name);
    for (int k = 0; k < le->entry->assigns.n; k++)
      if (le->entry->assigns.at[k].var == var && dtype_is_float((DType)v->var[i].dtype))
        v->var[i].own = v->bounds.own[le->assign[k]];
  }
}

static dtgc_status oracle_step(Verify *v) {
  Tensors in = {0};
  dtgc_status s = DTGC_OK;
  if (!tensors_make(&in, v->entry->in, v->entry->nin)) s = no_memory(v);
  for (int run = -1; run < VERIFY_RUNS && !s; run++) {
    tensors_copy(&in, &v->in); /* a moved run moves them, too */
    s = oracle_run(v, run, &in);
  }
  own_of_hosts(v);
  for (int i = 0; i < v->bounds.n; i++) kept_end(&v->bounds.kept[i]);
  for (int i = 0; i < v->outs.n; i++) kept_end(&v->out[i]);
  for (int i = 0; i < v->vars.n; i++) kept_end(&v->var[i]);
  tensors_free(&in);
  return s;
}

static int most_tag(const dtrt_entry *e) {
  int most = 0;
  for (int i = 0; i < e->nvalues; i++)
    if (e->value[i].tag > most) most = e->value[i].tag;
  return most;
}

static void worst_is(Verify *v, double ratio, const char *name) {
  if (ratio <= v->worst && v->worst_name[0]) return;
  v->worst = ratio;
  snprintf(v->worst_name, sizeof v->worst_name, "%s%s", name[0] == '%' ? "value " : "", name);
}

/* -------- looking at values -------- */

/* Runs a program with its values in memory, from the variables before the step. */
static dtgc_status look(Verify *v, dtgc_program *q, Compare *c) {
  *c =
      (Compare){.bounds = &v->bounds, .tolerance = v->tolerance, .lock = PTHREAD_MUTEX_INITIALIZER};
  dtgc_status s = dtgc_start(q);
  if (!s) s = set_vars(q, &v->before);
  if (!s) {
    dtrt_watch(q->session, compare_watch, c);
    s = run_entry(q, v->entry->name, &v->in, &v->again);
    dtrt_watch(q->session, NULL, NULL);
  }
  compare_free(c);
  c->failed = s == DTGC_RUN_FAILED && c->first.found; /* it follows from what was found */
  if (c->failed) return DTGC_OK;
  return s ? failed(v, s, q, "with values in memory") : c->no_memory ? no_memory(v) : DTGC_OK;
}

static const dtrt_value *value_of(const dtgc_program *q, const Verify *v, int i) {
  return &q->code->entry[dtrt_find_entry(q->code, v->entry->name)].value[i];
}

static void tell_value(Verify *v, dtgc_program *q, const Parting *p) {
  const dtrt_value *x = value_of(q, v, p->value);
  int e = program_find_entry(q->program, v->entry->name);
  const Graph *g = q->plan->entries.at[e].graph;
  verify_tell(v, &(Told){.name = x->name,
                         .what = x->op,
                         .where = x->where,
                         .of = q,
                         .at = graph_node(g, x->node)->site.file ? graph_node(g, x->node)->site
                                                                 : graph_node(g, x->node)->span,
                         .rank = x->layout->rank,
                         .device = p->device,
                         .p = *p});
}

/* The first among all values, in another program that has them all. */
static dtgc_status find_first(Verify *v, const Parting *seen) {
  dtgc_program *all = NULL;
  Compare c;
  dtgc_status s = program_again(v->p, false, OBSERVE_ALL, &all);
  if (!s) s = program_plan(all);
  if (s) s = failed(v, s, all, "with all values in memory");
  if (!s) s = look(v, all, &c);
  if (!s && c.first.found)
    tell_value(v, all, &c.first);
  else if (!s && seen && !(s = program_plan(v->looked)))
    tell_value(v, v->looked, seen);
  dtgc_free(all);
  return s;
}

/* -------- one step -------- */

/* Tensors of the plan as the host gets them, against the oracle's. */
static int compare_hosts(Verify *v, const Tensors *t, const Kept *k, bool report) {
  int wrong = 0;
  for (int i = 0; i < t->n; i++) {
    Parting at = {0};
    double worst = 0;
    v->tensors += !report;
    bool good = compare_whole(&k[i], t->data[i], v->tolerance, &at, &worst);
    if (!report) worst_is(v, worst, t->of[i]->name);
    if (good) continue;
    if (!report || wrong++ >= MOST_SHOWN) {
      wrong += !report;
      continue;
    }
    int64_t flat = at.index[0];
    index_of(t->of[i]->rank, t->of[i]->shape, flat, at.index);
    int var = program_find_var(v->p->program, t->of[i]->name);
    int e = program_find_entry(v->p->program, v->entry->name);
    Span span = t == &v->outs ? v->p->program->entries.at[e].outputs.at[i].span
                : var >= 0    ? v->p->program->vars.at[var].span
                              : (Span){0};
    verify_tell(v, &(Told){.name = t->of[i]->name,
                           .where = "",
                           .of = v->p,
                           .at = span,
                           .rank = t->of[i]->rank,
                           .device = -1,
                           .p = at});
  }
  if (report && wrong > MOST_SHOWN && !v->o->json)
    str_printf(&v->text, "  and %d more %s\n", wrong - MOST_SHOWN,
               t == &v->outs ? "outputs" : "variables");
  return wrong;
}

/* Looking must not change what comes out. */
static dtgc_status same_bits(Verify *v) {
  dtgc_status s = DTGC_OK;
  const char *other = NULL;
  for (int i = 0; i < v->outs.n; i++)
    if (memcmp(v->outs.data[i], v->again.data[i], v->outs.of[i]->bytes))
      other = v->outs.of[i]->name;
  Tensors vars = {0};
  if (!tensors_make(&vars, v->p->vars, v->p->nvars)) s = no_memory(v);
  if (!s && (s = get_vars(v->looked, &vars))) s = failed(v, s, v->looked, "reading variables");
  for (int i = 0; !s && i < vars.n; i++)
    if (memcmp(vars.data[i], v->vars.data[i], vars.of[i]->bytes)) other = vars.of[i]->name;
  tensors_free(&vars);
  if (other && !v->o->json)
    str_printf(
        &v->text,
        "%s: note: %s has different bits when named values are kept in memory (loops are then "
        "not fused); both are compared\n",
        v->entry->name, other);
  return s;
}

static dtgc_status check_replicas(Verify *v) {
  for (int i = 0; i < v->p->nvars; i++) {
    dtgc_status s = dtgc_check_replicas(v->p, v->p->vars[i].name);
    if (s == DTGC_BAD_ARGUMENT) {
      v->differs = true;
      str_printf(&v->text, v->o->json ? "{\"entry\": \"%s\", \"replicas\": \"%s\"}\n" : "%s: %s\n",
                 v->entry->name, dtgc_error(v->p));
    } else if (s) {
      return s;
    }
  }
  return DTGC_OK;
}

/* The plan fails where one device did not. It cannot be run any more. */
static dtgc_status tell_failure(Verify *v) {
  v->differs = v->failed = true;
  char *why = strdup(dtgc_error(v->p));
  if (!why) return no_memory(v);
  if (v->o->json) {
    str_printf(&v->text, "{\"entry\": \"%s\", \"fails\": ", v->entry->name);
    verify_json(&v->text, why);
    str_puts(&v->text, "}\n");
  } else {
    str_printf(&v->text, "%s: the plan fails, and one device does not: %s\n", v->entry->name, why);
  }
  free(why);
  return find_first(v, NULL);
}

static dtgc_status verify_step(Verify *v) {
  Compare c;
  dtgc_status s = get_vars(v->p, &v->before);
  if (!s) s = fill_inputs(v);
  if (!s) s = oracle_step(v);
  if (s) return s;
  s = run_entry(v->p, v->entry->name, &v->in, &v->outs);
  if (s == DTGC_RUN_FAILED) return tell_failure(v);
  if (!s) s = get_vars(v->p, &v->vars);
  if (!s) s = look(v, v->looked, &c);
  if (s) return s;
  v->failed = c.failed;
  v->tensors += c.tensors;
  if (c.tensors) worst_is(v, c.worst, value_of(v->looked, v, c.worst_value)->name);
  int wrong = compare_hosts(v, &v->outs, v->out, false) + compare_hosts(v, &v->vars, v->var, false);
  if (c.first.found || wrong) s = find_first(v, c.first.found ? &c.first : NULL);
  if (!s && wrong) {
    compare_hosts(v, &v->outs, v->out, true);
    compare_hosts(v, &v->vars, v->var, true);
  }
  if (!s && !v->failed) s = same_bits(v);
  return s || v->failed ? s : check_replicas(v);
}

/* -------- entries -------- */

static dtgc_status prepare(Verify *v) {
  int e = dtrt_find_entry(v->oracle->code, v->entry->name);
  bounds_free(&v->bounds);
  v->bounds.n = most_tag(&v->oracle->code->entry[e]) + 1;
  v->bounds.kept = calloc((size_t)v->bounds.n, sizeof *v->bounds.kept);
  v->bounds.own = bounds_own(oracle_entry(v));
  v->bounds.seed = v->o->seed;
  v->out = calloc((size_t)v->entry->nout + 1, sizeof *v->out);
  v->var = calloc((size_t)v->p->nvars + 1, sizeof *v->var);
  bool good = v->bounds.kept && v->bounds.own && v->out && v->var &&
              tensors_make(&v->in, v->entry->in, v->entry->nin) &&
              tensors_make(&v->outs, v->entry->out, v->entry->nout) &&
              tensors_make(&v->again, v->entry->out, v->entry->nout) &&
              tensors_make(&v->vars, v->p->vars, v->p->nvars) &&
              tensors_make(&v->before, v->p->vars, v->p->nvars);
  return good ? DTGC_OK : no_memory(v);
}

static void entry_free(Verify *v) {
  for (int i = 0; v->out && i < v->entry->nout; i++) kept_free(&v->out[i]);
  for (int i = 0; v->var && i < v->p->nvars; i++) kept_free(&v->var[i]);
  free(v->out);
  free(v->var);
  v->out = v->var = NULL;
  Tensors *const all[] = {&v->in, &v->outs, &v->again, &v->vars, &v->before};
  for (int i = 0; i < 5; i++) tensors_free(all[i]);
  bounds_free(&v->bounds);
}

static dtgc_status verify_entry(Verify *v, const EntryInfo *e, int64_t steps, bool *any) {
  v->entry = e;
  v->tensors = 0;
  v->worst = 0;
  v->worst_name[0] = 0;
  v->differs = false;
  dtgc_status s = prepare(v);
  int64_t done = 0;
  for (v->step = 0; v->step < steps && !s && !v->differs; v->step++, done++) s = verify_step(v);
  if (!s) verify_say_entry(v, done);
  *any = *any || v->differs;
  entry_free(v);
  return s;
}

static dtgc_status check_feeds(Verify *v) {
  const dtgc_verify_options *o = v->o;
  if (o->nfeed < 0 || (o->nfeed && !o->feed))
    return program_fail(v->p, DTGC_BAD_ARGUMENT, "feed is NULL, or nfeed is %d", o->nfeed);
  if (o->steps < 0 || !(o->tolerance >= 0))
    return program_fail(v->p, DTGC_BAD_ARGUMENT, "steps or tolerance is less than 0");
  for (int i = 0; i < o->nfeed; i++) {
    bool found = false;
    if (!o->feed[i].name || !o->feed[i].file == !o->feed[i].data)
      return program_fail(v->p, DTGC_BAD_ARGUMENT,
                          "feed[%d] needs a name, and either a file or an array", i);
    for (int e = 0; e < v->p->nentries; e++)
      for (int k = 0; k < v->p->entries[e].nin; k++)
        found = found || (!strcmp(v->p->entries[e].in[k].name, o->feed[i].name) &&
                          (!o->entry || !strcmp(v->p->entries[e].name, o->entry)));
    if (!found)
      return program_fail(v->p, DTGC_BAD_ARGUMENT, "unknown input `%s`%s%s", o->feed[i].name,
                          o->entry ? " of entry " : "", o->entry ? o->entry : "");
  }
  return DTGC_OK;
}

static dtgc_status verify_all(Verify *v, bool *any) {
  static const EntryInfo init = {.name = "init"};
  int64_t steps = v->o->steps ? v->o->steps : 1;
  dtgc_status s = DTGC_OK;
  if (!v->o->entry && v->p->nvars) s = verify_entry(v, &init, 1, any);
  for (int i = 0; i < v->p->nentries && !s && !v->failed; i++)
    if (!v->o->entry || !strcmp(v->o->entry, v->p->entries[i].name))
      s = verify_entry(v, &v->p->entries[i], steps, any);
  return s;
}

static dtgc_status make_oracle(Verify *v) {
  dtgc_status s;
  if ((s = program_again(v->p, true, OBSERVE_ALL, &v->oracle)) || (s = program_plan(v->oracle)) ||
      (s = dtgc_start(v->oracle)))
    return failed(v, s, v->oracle, "on one device");
  return DTGC_OK;
}

static dtgc_status make_programs(Verify *v) {
  dtgc_status s = dtgc_start(v->p);
  if (!s) s = make_oracle(v);
  if (s) return s;
  if ((s = program_again(v->p, false, OBSERVE_NAMED, &v->looked)) || (s = dtgc_start(v->looked)))
    return failed(v, s, v->looked, "with values in memory");
  return DTGC_OK;
}

dtgc_status dtgc_verify(dtgc_program *p, const dtgc_verify_options *o, int *differs, char **text) {
  static const dtgc_verify_options none = {0};
  if (text) *text = NULL;
  dtgc_status s = program_begin(p);
  if (s) return s;
  if (!differs || !text)
    return program_fail(p, DTGC_BAD_ARGUMENT, "%s is NULL", differs ? "text" : "differs");
  Verify v = {.p = p, .o = o ? o : &none};
  v.tolerance = v.o->tolerance > 0 ? v.o->tolerance : 1;
  if (v.o->entry && !inspect_entry(p, v.o->entry)) return inspect_no_entry(p, v.o->entry);
  if ((s = check_feeds(&v))) return s;
  if (dtrt_launch_size() > 1)
    return program_fail(p, DTGC_BAD_ARGUMENT,
                        "verify runs all devices as threads of one process: start it without "
                        "mpiexec");
  Arena *a = arena_new();
  if (!a) return program_fail(p, DTGC_NO_MEMORY, "out of memory");
  bool any = false;
  if (arena_catch(a)) {
    s = program_fail(p, DTGC_NO_MEMORY, "out of memory");
  } else {
    v.text = str_new(a);
    s = make_programs(&v);
    if (!s) s = verify_all(&v, &any);
    *differs = any;
    if (!s && !(*text = text_copy(&v.text))) s = no_memory(&v);
  }
  dtgc_free(v.oracle);
  dtgc_free(v.looked);
  arena_free(a);
  return s;
}

/* -------- a step that was run elsewhere -------- */

typedef struct StepArgs {
  Verify v;
  const dtgc_buffer *in, *out, *before, *after;
  int nin, nout, nvars;
} StepArgs;

/* Copies what was given into the tensors of its names; reports missing ones. */
static dtgc_status take(dtgc_program *p, const char *what, const dtgc_tensor *of, Tensors *to,
                        const dtgc_buffer *b, int n, bool all, bool *is_given) {
  void **at = calloc((size_t)to->n + 1, sizeof *at);
  if (!at) return program_fail(p, DTGC_NO_MEMORY, "out of memory");
  dtgc_status s = program_place_buffers(p, what, of, to->n, b, n, at);
  for (int i = 0; i < to->n && !s; i++) {
    if (is_given) is_given[i] = at[i];
    if (at[i])
      memcpy(to->data[i], at[i], to->of[i]->bytes);
    else if (all)
      s = program_fail(p, DTGC_BAD_ARGUMENT, "%s `%s` is not given", what, to->of[i]->name);
  }
  free(at);
  return s;
}

/* Outputs that were not given are the oracle's own. */
static void take_oracles(Tensors *t, const Kept *k, const bool *is_given) {
  for (int i = 0; i < t->n; i++)
    if (!is_given[i]) memcpy(t->data[i], k[i].base, t->of[i]->bytes);
}

static dtgc_status verify_given(StepArgs *a) {
  Verify *v = &a->v;
  dtgc_program *p = v->p;
  bool *is_given = calloc((size_t)v->entry->nout + 1, sizeof *is_given);
  Tensors outs = {0}, vars = {0};
  dtgc_status s = prepare(v);
  if (!s && (!is_given || !tensors_make(&outs, v->entry->out, v->entry->nout) ||
             !tensors_make(&vars, p->vars, p->nvars)))
    s = no_memory(v);
  if (!s) s = take(p, "input", v->entry->in, &v->in, a->in, a->nin, true, NULL);
  if (!s) s = take(p, "variable", p->vars, &v->before, a->before, a->nvars, true, NULL);
  if (!s) s = take(p, "variable", p->vars, &vars, a->after, a->nvars, true, NULL);
  if (!s) s = take(p, "output", v->entry->out, &outs, a->out, a->nout, false, is_given);
  if (!s) s = oracle_step(v);
  if (!s) {
    take_oracles(&outs, v->out, is_given);
    tensors_copy(&v->outs, &outs);
    tensors_copy(&v->vars, &vars);
    int wrong =
        compare_hosts(v, &v->outs, v->out, false) + compare_hosts(v, &v->vars, v->var, false);
    if (wrong) s = find_first(v, NULL);
    if (!s && wrong) {
      compare_hosts(v, &v->outs, v->out, true);
      compare_hosts(v, &v->vars, v->var, true);
    }
    if (!s) verify_say_entry(v, 1);
  }
  tensors_free(&outs);
  tensors_free(&vars);
  free(is_given);
  entry_free(v);
  return s;
}

dtgc_status dtgc_verify_step(dtgc_program *p, const dtgc_verify_options *o, const char *entry,
                             const dtgc_buffer *in, int nin, const dtgc_buffer *out, int nout,
                             const dtgc_buffer *before, const dtgc_buffer *after, int nvars,
                             int *differs, char **text) {
  static const dtgc_verify_options none = {0};
  if (text) *text = NULL;
  dtgc_status s = program_begin(p);
  if (s) return s;
  if (!differs || !text || !entry)
    return program_fail(p, DTGC_BAD_ARGUMENT, "%s is NULL",
                        !entry    ? "entry"
                        : differs ? "text"
                                  : "differs");
  StepArgs a = {.v = {.p = p, .o = o ? o : &none, .oracle = p->oracle, .given = true},
                .in = in,
                .out = out,
                .before = before,
                .after = after,
                .nin = nin,
                .nout = nout,
                .nvars = nvars};
  Verify *v = &a.v;
  if (!(v->entry = inspect_entry(p, entry))) return inspect_no_entry(p, entry);
  if (!(v->o->tolerance >= 0))
    return program_fail(p, DTGC_BAD_ARGUMENT, "tolerance is less than 0");
  v->tolerance = v->o->tolerance > 0 ? v->o->tolerance : 1;
  Arena *arena = arena_new();
  if (!arena) return program_fail(p, DTGC_NO_MEMORY, "out of memory");
  if (arena_catch(arena)) {
    s = program_fail(p, DTGC_NO_MEMORY, "out of memory");
  } else {
    v->text = str_new(arena);
    if (!v->oracle) s = make_oracle(v);
    if (!s) s = verify_given(&a);
    *differs = v->differs;
    if (!s && !(*text = text_copy(&v->text))) s = no_memory(v);
  }
  p->oracle = v->oracle;
  arena_free(arena);
  return s;
}
