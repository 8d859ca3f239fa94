/* nan.c: see nan.h. */
#include "nan.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "crew.h"
#include "element.h"
#include "finite.h"
#include "session.h"

/* -------- looking at elements -------- */

static const char *element_at(int dtype, const void *at, int64_t i) {
  return (const char *)at + i * dtrt_dtype_size(dtype);
}

typedef struct Finite {
  int dtype;
  const void *at;
  _Atomic bool fails;
} Finite;

static void finite_part(void *arg, int core, int64_t from, int64_t to) {
  Finite *f = arg;
  (void)core;
  if (finite_fails(f->dtype, to - from, element_at(f->dtype, f->at, from))) f->fails = true;
}

static bool fails(int dtype, int64_t n, const void *at) {
  enum { PART = 32 << 10 }; /* elements that a core looks at in some microseconds */
  Finite f = {dtype, at, false};
  crew_run(n, PART, finite_part, &f);
  return f.fails;
}

/* The part of a tensor that this call checks. */
static bool part_bad(int64_t call, int dtype, int64_t n, const void *at) {
  int64_t lo = 0, hi = n;
  if (!element_is_float(dtype)) return false;
  if (n > NAN_WHOLE) {
    const int64_t full = n * dtrt_dtype_size(dtype) / NAN_PART_BYTES + 1;
    const int64_t parts = full > NAN_PARTS ? full : NAN_PARTS, part = call % parts;
    lo = n / parts * part, hi = part == parts - 1 ? n : lo + n / parts;
  }
  return fails(dtype, hi - lo, element_at(dtype, at, lo));
}

/* -------- text -------- */

__attribute__((format(printf, 2, 3))) static void add(char *text, const char *format, ...) {
  size_t n = strlen(text);
  va_list list;
  va_start(list, format);
  if (n + 1 < NAN_TEXT) vsnprintf(text + n, NAN_TEXT - n, format, list);
  va_end(list);
}

static void add_number(char *text, double v) { add(text, "%.7g", isnan(v) ? fabs(v) : v); }

/* The index in the whole tensor of element i of a block. */
static void add_index(char *text, const dtrt_layout *l, const int64_t *lo, const int64_t *hi,
                      int64_t i) {
  int64_t index[DTRT_MAX_RANK];
  const int rank = l->rank;
  for (int d = rank - 1; d >= 0; d--) {
    int64_t n = hi[d] - lo[d] > 0 ? hi[d] - lo[d] : 1;
    index[d] = law_element(l->dim[d].n, lo[d] + i % n);
    i /= n;
  }
  add(text, "[");
  for (int d = 0; d < rank; d++) add(text, "%s%lld", d ? ", " : "", (long long)index[d]);
  add(text, "]");
}

/* -------- full -------- */

/* An operand's block, when it is in memory in the layout of the result. */
static const void *operand_at(const Device *d, const dtrt_seen *s, const dtrt_operand *o,
                              int64_t *count) {
  if (o->value < 0) return NULL;
  const dtrt_value *v = &s->entry->value[o->value];
  BlockSpan box[DTRT_MAX_RANK];
  *count = block_box(d->mesh, v->layout, d->coord, box);
  return watch_at(d, v);
}

static int operand_flags(const Device *d, const dtrt_operand *o) {
  return o->value >= 0 ? d->nan->flags[o->value] : o->constant == 2 ? HAS_NAN | HAS_INF : 0;
}

/* What operand k is at element i. */
static int flags_there(const Device *d, const dtrt_seen *s, const dtrt_operand *o, int64_t i) {
  int64_t count = 0;
  int all = operand_flags(d, o);
  const void *at = all ? operand_at(d, s, o, &count) : NULL;
  if (!at || count != s->count) return all;
  int dtype = s->entry->value[o->value].dtype;
  return finite_flags_of(element_value(dtype, element_at(dtype, at, i)));
}

/* The element that is worse than its operands; -1: none. */
static int64_t made_here(const Device *d, const dtrt_seen *s, const dtrt_value *v) {
  for (int64_t i = 0; i < s->count; i++) {
    int is = finite_flags_of(element_value(v->dtype, element_at(v->dtype, s->data, i))), had = 0;
    for (int k = 0; is && k < v->noperands; k++)
      had |= v->kind == DTRT_OF_ELEMENT ? flags_there(d, s, &v->operand[k], i)
                                        : operand_flags(d, &v->operand[k]);
    if ((is == HAS_NAN && !(had & HAS_NAN)) || (is == HAS_INF && !had)) return i;
  }
  return -1;
}

static void add_operand(const Device *d, const dtrt_seen *s, const dtrt_value *v,
                        const dtrt_operand *o, int64_t i) {
  char *text = d->nan->text;
  int64_t count = 0;
  const void *at = operand_at(d, s, o, &count);
  add(text, "%.60s", o->name);
  if (o->constant) {
    add(text, " = %s", o->constant == 2 ? "not finite" : "");
    if (o->constant == 1) add_number(text, o->number);
  } else if (at && v->kind == DTRT_OF_ELEMENT && count == s->count) {
    int dtype = s->entry->value[o->value].dtype;
    add(text, " = ");
    add_number(text, element_value(dtype, element_at(dtype, at, i)));
  } else if (at) {
    int dtype = s->entry->value[o->value].dtype;
    double most = 0;
    for (int64_t k = 0; k < count; k++) {
      double x = fabs(element_value(dtype, element_at(dtype, at, k)));
      if (x > most) most = x;
    }
    add(text, " of magnitudes up to ");
    add_number(text, most);
  }
}

static void say_made(Device *d, const dtrt_seen *s, const dtrt_value *v, int64_t i) {
  char *text = d->nan->text;
  text[0] = 0;
  add(text, "%.100s of entry `%.60s` is ", v->name[0] == '%' ? "a value" : v->name, s->entry->name);
  add_number(text, element_value(v->dtype, element_at(v->dtype, s->data, i)));
  add(text, " at index ");
  add_index(text, v->layout, s->lo, s->hi, i);
  add(text, " on device %d: %s (%.200s) computes it from ", d->id, v->op, v->where);
  for (int k = 0; k < v->noperands && k < 4; k++) {
    add(text, k ? ", " : "");
    add_operand(d, s, v, &v->operand[k], i);
  }
  if (!v->noperands) add(text, "nothing");
}

void nan_value(Device *d, const dtrt_seen *s) {
  NanCheck *n = d->nan;
  const dtrt_value *v = &s->entry->value[s->value];
  if (!n->flags || !element_is_float(v->dtype)) return;
  int flags = n->flags[s->value] = (uint8_t)finite_flags(v->dtype, s->count, s->data);
  bool reduces = v->kind == DTRT_EXCHANGED;
  if (reduces && operand_flags(d, &v->operand[0])) n->tainted = true;
  if (!flags || v->step < 0 || n->value != INT32_MAX) return;
  if (v->kind == DTRT_MOVED || v->kind == DTRT_MIN_MAX) return;
  int64_t i = made_here(d, s, v);
  if (i < 0) return;
  n->value = s->value;
  n->exchanged = reduces;
  say_made(d, s, v, i);
}

/* -------- cheap -------- */

/* Of what a call begins with; variables that a host may have set since. */
static void look_at_variables(Device *d) {
  const dtrt_program *p = d->session->program[0].p;
  BlockSpan box[DTRT_MAX_RANK];
  for (int i = 0; i < p->nvars; i++) {
    const dtrt_tensor *t = &p->var[i];
    int64_t n = block_box(d->mesh, t->layout, d->coord, box);
    d->nan->var_bad[i] = (uint8_t)finite_flags(t->dtype, n, device_variable(d, t));
  }
}

static void nan_exchanged(Device *d, int dtype, int64_t n, const void *to) {
  if (d->nan->suspect < 0 && part_bad(d->nan->calls, dtype, n, to)) d->nan->suspect = d->pub.at;
}

/* Operands explain results: NaN any result, infinities infinities. */
static bool begins_bad(const Device *d, const dtrt_tensor *t, int64_t count, const char *at) {
  const dtrt_program *p = d->session->program[0].p;
  int had = 0;
  for (int i = 0; i < p->nvars; i++) had |= d->nan->var_bad[i];
  return had & HAS_NAN || (had && finite_flags(t->dtype, count, at) == HAS_INF);
}

static void say_found(Device *d, const char *what, const dtrt_tensor *t, const char *at,
                      const char *then) {
  char *text = d->nan->text;
  const dtrt_entry *e = d->entry;
  BlockSpan box[DTRT_MAX_RANK];
  int64_t lo[DTRT_MAX_RANK], hi[DTRT_MAX_RANK];
  int64_t n = block_box(d->mesh, t->layout, d->coord, box);
  int64_t i = finite_first_bad(t->dtype, n, at);
  for (int k = 0; k < t->layout->rank; k++) lo[k] = box[k].lo, hi[k] = box[k].hi;
  text[0] = 0;
  add(text, "%s %.100s is ", what, t->name);
  add_number(text, element_value(t->dtype, element_at(t->dtype, at, i)));
  add(text, " at index ");
  add_index(text, t->layout, lo, hi, i);
  add(text, " after entry `%.60s`%s", e->name, then);
  int k = d->nan->suspect;
  if (k >= 0 && k < e->nsteps && e->step)
    add(text, "; %.150s (%.150s) was the first exchange to receive one", e->step[k].what,
        e->step[k].where);
  add(text, "; --check-nan=full stops at the op that computes the first");
}

static void look_at_outputs(Device *d) {
  const dtrt_entry *e = d->entry;
  BlockSpan box[DTRT_MAX_RANK];
  for (int i = 0; i < e->nout && !d->nan->text[0]; i++) {
    const dtrt_tensor *t = &e->out[i];
    const char *at = d->out[i];
    int64_t count = block_box(d->mesh, t->layout, d->coord, box);
    if (!block_lowest_owner(d->mesh, d->coord, t->layout)) continue;
    if (part_bad(d->nan->calls, t->dtype, count, at) && !begins_bad(d, t, count, at))
      say_found(d, "output", t, at, "");
  }
}

/* The result of an exchange is checked at once. */
static void look_at_updates(Device *d) {
  NanCheck *n = d->nan;
  const dtrt_program *p = d->session->program[0].p;
  BlockSpan box[DTRT_MAX_RANK];
  for (int i = 0; i < p->nvars; i++) {
    const dtrt_tensor *t = &p->var[i];
    const char *at = device_variable(d, t);
    int64_t count = block_box(d->mesh, t->layout, d->coord, box);
    bool bad = n->suspect >= 0 ? finite_fails(t->dtype, count, at)
                               : part_bad(n->calls, t->dtype, count, at);
    if (n->var_bad[i] || !bad) continue;
    bool mine = block_lowest_owner(d->mesh, d->coord, t->layout);
    if (mine && !n->text[0] && !begins_bad(d, t, count, at))
      say_found(d, "variable", t, at, ", and was finite before");
    n->var_bad[i] = (uint8_t)finite_flags(t->dtype, count, at);
  }
}

/* -------- calls -------- */

static bool is_init(const Device *d) { return d->entry == d->session->program[0].p->entry; }

void nan_enter(Device *d) {
  NanCheck *n = d->nan;
  n->suspect = -1;
  n->value = INT32_MAX;
  n->tainted = n->exchanged = false;
  if (d->session->check_nan == DTRT_CHECK_FULL && d->entry->nvalues > n->room) {
    uint8_t *more = realloc(n->flags, (size_t)d->entry->nvalues);
    n->out_of_memory = !more;
    if (more) n->flags = more, n->room = d->entry->nvalues;
  }
  if (n->flags) memset(n->flags, 0, (size_t)n->room);
  if (n->unseen && d->session->check_nan == DTRT_CHECK_CHEAP && !is_init(d)) look_at_variables(d);
  n->unseen = is_init(d);
}

void nan_leave(Device *d) {
  if (d->session->check_nan != DTRT_CHECK_CHEAP || is_init(d)) return;
  bool before = d->nan->text[0] != 0;
  look_at_outputs(d);
  if (d->entry->assigns) look_at_updates(d);
  if (!before) d->nan->run = d->run;
  d->nan->calls++;
}

/* -------- the host's side -------- */

int nan_open(dtrt_session *s, int mode) {
  s->check_nan = mode;
  for (int i = 0; mode != DTRT_CHECK_OFF && i < s->comm->count; i++) {
    NanCheck *n = s->device[i].nan = calloc(1, sizeof *n);
    if (!n || !(n->var_bad = calloc((size_t)s->program[0].p->nvars + 1, 1))) return -1;
    n->unseen = true;
    if (mode == DTRT_CHECK_CHEAP) s->device[i].brought = nan_exchanged;
  }
  return 0;
}

void nan_close(dtrt_session *s) {
  for (int i = 0; s->device && i < s->comm->count; i++) {
    NanCheck *n = s->device[i].nan;
    if (n) free(n->flags), free(n->var_bad);
    free(n);
    s->device[i].nan = NULL;
  }
}

void nan_unsee(dtrt_session *s) {
  for (int i = 0; i < s->comm->count; i++)
    if (s->device[i].nan) s->device[i].nan->unseen = true;
}

const char *dtrt_session_found(const dtrt_session *s) { return s ? s->found : ""; }

/* A sum over devices does not count if a device's addend held intended infinities. */
static void first_of(const dtrt_session *s, uint64_t *value, bool tainted, const char **text) {
  *value = INT32_MAX;
  for (int i = 0; i < s->comm->count; i++) {
    const NanCheck *n = s->device[i].nan;
    if ((uint64_t)n->value >= *value || (n->exchanged && tainted)) continue;
    *value = (uint64_t)n->value;
    *text = n->text;
  }
}

static bool any_tainted(const dtrt_session *s) {
  for (int i = 0; i < s->comm->count; i++)
    if (s->device[i].nan->tainted) return true;
  return false;
}

/* All ranks come here after each call and leave with what the first in program order has found. */
static dtrt_status call_full(dtrt_session *s, dtrt_status status) {
  uint64_t value, first;
  const char *text = "";
  bool tainted = any_tainted(s);
  if (status == DTRT_OK) tainted = session_most(s, tainted) != 0;
  first_of(s, &value, tainted, &text);
  /* The lowest: of what is left to the largest, the most. */
  first = status == DTRT_OK ? INT32_MAX - session_most(s, INT32_MAX - value) : value;
  for (int i = 0; i < s->comm->count; i++)
    if (s->device[i].nan->out_of_memory)
      return session_error(s, DTRT_NO_MEMORY, "out of memory to check for NaN");
  if (first == INT32_MAX) return status;
  if (value == first) snprintf(s->found, sizeof s->found, "%s", text);
  if (status == DTRT_OK) {
    /* A failure that follows from it is reported with it. */
    status = value == first ? session_error(s, DTRT_FAILED, "%s", s->found) : DTRT_OK;
    status = session_agree(s, status);
    snprintf(s->found, sizeof s->found, "%s", s->error);
  } else {
    char why[sizeof s->error];
    snprintf(why, sizeof why, "%s", s->error);
    session_error(s, status, "%.700s; then %.250s", s->found, why);
  }
  atomic_store(s->comm->failed, 1);
  return status;
}

/* Of whole tensors of the host. */
static bool inputs_bad(const dtrt_entry *e, const void *const *in) {
  for (int i = 0; in && i < e->nin; i++)
    if (fails(e->in[i].dtype, dtrt_tensor_count(&e->in[i]), in[i])) return true;
  return false;
}

dtrt_status nan_called(dtrt_session *s, dtrt_status status, const dtrt_entry *e,
                       const void *const *in) {
  if (s->check_nan == DTRT_CHECK_FULL) return call_full(s, status);
  bool any = false;
  for (int i = 0; i < s->comm->count; i++) any = any || s->device[i].nan->text[0];
  if (!any || s->found[0]) return status;
  if (inputs_bad(e, in))
    for (int i = 0; i < s->comm->count; i++) s->device[i].nan->text[0] = 0;
  for (int i = 0; i < s->comm->count; i++) {
    const NanCheck *n = s->device[i].nan;
    if (!n->text[0] || (s->found[0] && n->run >= s->found_run)) continue;
    snprintf(s->found, sizeof s->found, "%s", n->text);
    s->found_run = n->run;
  }
  return status;
}
