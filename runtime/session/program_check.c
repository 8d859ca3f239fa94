/* program_check.c: whether a program's tables can be run at all, before any pointer in them is
 * trusted to make sense.
 *
 * Compilers write them, so a failure is a bug of a compiler or an old executable; it is reported
 * all the same. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "session.h"

int64_t session_tensor_bytes(const dtrt_tensor *t) {
  int64_t n = dtrt_dtype_size(t->dtype);
  for (int i = 0; i < t->layout->rank; i++)
    if (__builtin_mul_overflow(n, t->layout->dim[i].n, &n)) return -1;
  return n;
}

static bool goes_round_once(const dtrt_dim *d) {
  int64_t a, b;
  return !__builtin_mul_overflow(d->of, d->mul, &a) && !__builtin_mul_overflow(d->n, d->div, &b) &&
         a == b;
}

static const char *check_layout(const dtrt_program *p, const dtrt_layout *l) {
  if (!l) return "a layout is missing";
  if (l->rank < 0 || l->rank > DTRT_MAX_RANK || (l->rank && !l->dim)) return "invalid layout rank";
  if (l->reduce < DTRT_SUM || l->reduce > DTRT_PROD) return "invalid layout reduction";
  for (int i = 0; i < l->rank; i++) {
    const dtrt_dim *d = &l->dim[i];
    if (d->n < 0 || d->naxes < 0 || d->naxes > DTRT_MAX_AXES) return "invalid dim";
    if (d->of > 0 && (d->div <= 0 || (d->cyclic && !goes_round_once(d)))) return "invalid window";
    for (int j = 0; j < d->naxes; j++)
      if (d->axis[j] < 0 || d->axis[j] >= p->naxes) return "invalid axis of a dim";
  }
  return NULL;
}

/* Values that hosts see have plain layouts: each element is on some device, whole. */
static const char *check_tensor(const dtrt_program *p, const dtrt_tensor *t, bool window) {
  const char *bad = check_layout(p, t->layout);
  if (bad) return bad;
  if (!t->name) return "a tensor without a name";
  if (!dtrt_dtype_size(t->dtype)) return "invalid tensor dtype";
  if (t->offset < 0 || t->offset % dtrt_dtype_size(t->dtype) || session_tensor_bytes(t) < 0)
    return "invalid tensor offset";
  if (t->layout->partial) return "an input, output or variable is partial";
  for (int i = 0; i < t->layout->rank; i++)
    if (t->layout->dim[i].of > 0 && !window) return "an output or variable has a window";
  return NULL;
}

static const char *check_entry(const dtrt_program *p, const dtrt_entry *e) {
  const char *bad = NULL;
  if (!e->run || !e->name) return "an entry without a function or name";
  if (e->nin < 0 || e->nout < 0 || e->arena_bytes < 0) return "invalid counts of an entry";
  if ((e->nin && !e->in) || (e->nout && !e->out)) return "missing tables of an entry";
  for (int i = 0; i < e->nin && !bad; i++) bad = check_tensor(p, &e->in[i], true);
  for (int i = 0; i < e->nout && !bad; i++) bad = check_tensor(p, &e->out[i], false);
  return bad;
}

const char *session_check(const dtrt_program *p) {
  if (!p) return "program is NULL";
  if (p->abi != DTRT_ABI) return "it was compiled for another version of the runtime";
  if (!p->name || p->naxes < 0 || p->naxes > DTRT_MAX_AXES || (p->naxes && !p->axis_size))
    return "invalid mesh";
  int64_t devices = 1;
  for (int i = 0; i < p->naxes; i++) {
    if (p->axis_size[i] < 1) return "invalid mesh axis";
    devices *= p->axis_size[i];
    if (devices > 1 << 20) return "a mesh of more than a million devices";
  }
  if (p->nentries < 1 || !p->entry || p->nvars < 0 || p->nexchanges < 0 || p->vars_bytes < 0)
    return "missing tables";
  if ((p->nvars && !p->var) || (p->nexchanges && !p->exchange)) return "missing tables";
  if (p->nshared < 0 || (p->nshared && !p->shared)) return "missing tables";
  const char *bad = NULL;
  for (int i = 0; i < p->nvars && !bad; i++) bad = check_tensor(p, &p->var[i], false);
  for (int i = 0; i < p->nvars && !bad; i++)
    if (p->var[i].shared < 0 || p->var[i].shared > p->nshared) bad = "who shares a variable";
  for (int i = 0; i < p->nentries && !bad; i++) bad = check_entry(p, &p->entry[i]);
  for (int i = 0; i < p->nexchanges && !bad; i++) {
    const dtrt_exchange *x = p->exchange[i];
    if (!x || x->id != i || !dtrt_dtype_size(x->dtype) || !x->what) return "invalid exchange";
    bad = check_layout(p, x->from);
    if (!bad) bad = check_layout(p, x->to);
    if (x->received < 0 || x->senders < 0 || x->run < 0) bad = "what an exchange receives";
  }
  for (int i = 0; p->link && i < p->naxes && !bad; i++) {
    const dtrt_link *l = &p->link[i];
    if (!(l->bandwidth > 0 && l->latency >= 0 && l->message >= 0)) bad = "a link of its machine";
  }
  if (p->sums != DTRT_SUMS_FIXED && p->sums != DTRT_SUMS_FAST && !bad) bad = "the order of sums";
  return bad;
}

static bool same_layout(const BlockMesh *m, const dtrt_layout *a, const dtrt_layout *b) {
  if (a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; i++)
    if (!block_same(m, &a->dim[i], &b->dim[i])) return false;
  return true;
}

static uint32_t shares(const dtrt_program *p, const dtrt_tensor *t) {
  return t->shared ? p->shared[t->shared - 1] : 0;
}

int session_compare(const dtrt_program *a, const dtrt_program *b, char *why, size_t room) {
  BlockMesh m = {.naxes = a->naxes};
  if (a->naxes != b->naxes) return snprintf(why, room, "it has a different mesh");
  for (int i = 0; i < a->naxes; i++) {
    if (a->axis_size[i] != b->axis_size[i]) return snprintf(why, room, "it has a different mesh");
    m.size[i] = a->axis_size[i];
  }
  if (a->nvars != b->nvars || a->vars_bytes != b->vars_bytes)
    return snprintf(why, room, "it has different variables");
  for (int i = 0; i < a->nvars; i++) {
    const dtrt_tensor *x = &a->var[i], *y = &b->var[i];
    if (strcmp(x->name, y->name))
      return snprintf(why, room, "its variable %d is %s, not %s", i, y->name, x->name);
    if (x->dtype != y->dtype)
      return snprintf(why, room, "its variable %s is %s, not %s", x->name,
                      dtrt_dtype_name(y->dtype), dtrt_dtype_name(x->dtype));
    if (!same_layout(&m, x->layout, y->layout) || x->offset != y->offset)
      return snprintf(why, room, "its variable %s has a different shape or layout", x->name);
    if (shares(a, x) != shares(b, y))
      return snprintf(why, room, "its variable %s is shared by other devices", x->name);
  }
  return 0;
}

/* -------- the same program on all ranks -------- */

static void mix(uint64_t *h, uint64_t x) { /* splitmix64 of what was and x */
  x += *h * 0x9e3779b97f4a7c15u + 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  *h = x ^ x >> 31;
}

static void mix_text(uint64_t *h, const char *text) {
  for (; text && *text; text++) mix(h, (unsigned char)*text);
  mix(h, 0);
}

/* Without the places that values without a name are called by ("tanh@m.dtg:3"): a comment more
 * moves them, and computes nothing. */
static void mix_what(uint64_t *h, const char *text) {
  for (const char *c = text ? text : ""; *c; c++) {
    if (*c == '@') c += strcspn(c, " ,()");
    if (!*c) break;
    mix(h, (unsigned char)*c);
  }
}

static void mix_layout(uint64_t *h, const dtrt_layout *l) {
  mix(h, (uint64_t)l->rank);
  mix(h, l->partial);
  mix(h, (uint64_t)l->reduce);
  for (int i = 0; i < l->rank; i++) {
    const dtrt_dim *d = &l->dim[i];
    const int64_t part[] = {d->n,     d->granule, d->of,     d->mul,  d->div,
                            d->first, d->last,    d->cyclic, d->naxes};
    for (size_t k = 0; k < sizeof part / sizeof *part; k++) mix(h, (uint64_t)part[k]);
    for (int k = 0; k < d->naxes; k++) mix(h, (uint64_t)d->axis[k]);
  }
}

static void mix_tensor(uint64_t *h, const dtrt_tensor *t) {
  mix_text(h, t->name);
  mix(h, (uint64_t)t->dtype);
  mix(h, (uint64_t)t->offset); /* peers read it there */
  mix_layout(h, t->layout);
}

static void mix_entry(uint64_t *h, const dtrt_entry *e) {
  mix_text(h, e->name);
  mix(h, (uint64_t)e->arena_bytes);
  mix(h, (uint64_t)e->nin);
  for (int i = 0; i < e->nin; i++) mix_tensor(h, &e->in[i]);
  mix(h, (uint64_t)e->nout);
  for (int i = 0; i < e->nout; i++) mix_tensor(h, &e->out[i]);
  mix(h, (uint64_t)e->nsteps);
  for (int i = 0; e->step && i < e->nsteps; i++) mix_what(h, e->step[i].what);
}

CommFace session_face(const dtrt_program *p, uint64_t seed) {
  CommFace f = {{0}, {0}};
  mix(&f.hash[COMM_MESH], (uint64_t)p->naxes);
  for (int i = 0; i < p->naxes; i++) {
    mix(&f.hash[COMM_MESH], (uint64_t)p->axis_size[i]);
    if (p->axis_name) mix_text(&f.hash[COMM_MESH], p->axis_name[i]);
  }
  mix(&f.hash[COMM_VARS], (uint64_t)p->nvars);
  for (int i = 0; i < p->nvars; i++) mix_tensor(&f.hash[COMM_VARS], &p->var[i]);
  for (int i = 0; i < p->nentries; i++) mix_entry(&f.hash[COMM_ENTRIES], &p->entry[i]);
  mix(&f.hash[COMM_EXCHANGES], (uint64_t)p->sums);
  for (int i = 0; i < p->nexchanges; i++) { /* in the order in which entries meet them */
    const dtrt_exchange *x = p->exchange[i];
    uint64_t *h = &f.hash[COMM_EXCHANGES];
    mix(h, (uint64_t)x->kind);
    mix(h, (uint64_t)x->dtype);
    mix(h, x->axes);
    mix_what(h, x->what);
    mix_layout(h, x->from);
    mix_layout(h, x->to);
    mix(h, (uint64_t)x->received);
    mix(h, (uint64_t)x->senders);
    mix(h, (uint64_t)x->run);
  }
  for (int i = 0; p->link && i < p->naxes; i++) { /* algorithms are chosen by these */
    uint64_t bits[sizeof(dtrt_link) / sizeof(uint64_t)];
    memcpy(bits, &p->link[i], sizeof bits);
    for (size_t k = 0; k < sizeof bits / sizeof *bits; k++) mix(&f.hash[COMM_LINKS], bits[k]);
  }
  mix(&f.hash[COMM_SEED], seed);
  return f;
}

static void mix_shape(uint64_t *h, const dtrt_tensor *t) {
  mix_text(h, t->name);
  mix(h, (uint64_t)t->dtype);
  mix(h, (uint64_t)t->layout->rank);
  for (int i = 0; i < t->layout->rank; i++) mix(h, (uint64_t)t->layout->dim[i].n);
}

uint64_t session_hash(const dtrt_program *p) {
  uint64_t h = 0;
  mix(&h, (uint64_t)p->nvars);
  for (int i = 0; i < p->nvars; i++) mix_shape(&h, &p->var[i]);
  for (int i = 0; i < p->nentries; i++) {
    const dtrt_entry *e = &p->entry[i];
    mix_text(&h, e->name);
    mix(&h, (uint64_t)e->nin);
    for (int k = 0; k < e->nin; k++) mix_shape(&h, &e->in[k]);
    mix(&h, (uint64_t)e->nout);
    for (int k = 0; k < e->nout; k++) mix_shape(&h, &e->out[k]);
  }
  return h;
}
