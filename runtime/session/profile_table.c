/* profile_table.c: a profile as a table: entry by entry, the most expensive steps first.
 *
 * Every time is the mean over the calls and the devices, so that a column adds up to the time of a
 * call. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "session.h"

/* Steps of an entry that have a row; the others are summed up. */
enum { ROWS = 40 };
static const double LEAST = 0.0005; /* of the call */

typedef struct ProfileRow {
  double ns, slowest, waited; /* a call; slowest: of the device that takes longest */
  double runs;                /* in a call: in a loop of the program several, or less than one */
  int64_t part;
} ProfileRow;

typedef struct TableView {
  FILE *to;
  const dtrt_rates *rates; /* NULL: unknown */
  int cores;               /* of a device */
  const Profile *p;
  const ProfileTable *t;
  const dtrt_entry *e;
  double call; /* ns */
} TableView;

static ProfileRow row_of(const TableView *v, int64_t part) {
  ProfileRow r = {.part = part};
  double calls = (double)v->t->calls, devices = (double)v->p->devices;
  for (int64_t i = 0; i < v->p->devices; i++) {
    const ProfileTime *t = &v->t->time[i * v->t->parts + part];
    double ns = (double)t->ns / calls;
    r.ns += ns / devices;
    r.waited += (double)t->waited / calls / devices;
    r.runs += (double)t->times / calls / devices;
    if (ns > r.slowest) r.slowest = ns;
  }
  return r;
}

static int dearer(const void *a, const void *b) {
  const ProfileRow *x = a, *y = b;
  if (x->ns != y->ns) return x->ns < y->ns ? 1 : -1;
  return x->part < y->part ? -1 : x->part > y->part;
}

static void put_row(TableView *v, const ProfileRow *r, const char *rate, const char *bound,
                    const char *what, const char *where) {
  double percent = v->call > 0 ? 100 * r->ns / v->call : 0;
  char waited[32] = "";
  if (r->waited > 0) snprintf(waited, sizeof waited, "%.1f", r->waited / 1e3);
  fprintf(v->to, "%6.1f %%%11.2f%11.1f%11.1f%11s%14s%8s  %s%s%s\n", percent,
          r->ns * (double)v->t->calls / 1e6, r->ns / 1e3, r->slowest / 1e3, waited, rate, bound,
          what, *where ? "    " : "", where);
}

static void rate_text(const dtrt_step *s, const ProfileRow *r, char *text, size_t room) {
  double moving = r->ns - r->waited;
  text[0] = 0;
  if (moving <= 0) return;
  if (s->flops > 0)
    snprintf(text, room, "%.1f GFLOP/s", (double)s->flops * r->runs / moving);
  else if (s->bytes > 0)
    snprintf(text, room, "%.2f GB/s", (double)s->bytes * r->runs / moving);
}

/* Seconds that a run of a step takes at least: its operations, and its bytes through the nearest
 * cache that has room for them, or through memory, on all cores of the device. 0: unknown. */
static double least_time(const TableView *v, const dtrt_step *s) {
  const dtrt_rates *m = v->rates;
  const int memory = (int)(sizeof m->cached / sizeof *m->cached);
  if (!m || s->kind == DTRT_STEP_EXCHANGE || m->flops <= 0) return 0;
  int level = 0;
  while (level < memory && s->bytes > m->cached[level] * v->cores) level++;
  const double moving = m->bandwidth[level] > 0 ? (double)s->bytes / m->bandwidth[level] : 0;
  return fmax((double)s->flops / m->flops, moving) / v->cores;
}

/* What part of the step's time that would be. */
static void bound_text(const TableView *v, const dtrt_step *s, const ProfileRow *r, char *text,
                       size_t room) {
  const double moving = r->ns - r->waited, least = least_time(v, s) * 1e9 * r->runs;
  text[0] = 0;
  if (moving > 0 && least > 0) snprintf(text, room, "%.0f %%", 100 * least / moving);
}

static void put_step(TableView *v, const ProfileRow *r) {
  const dtrt_step *s = &v->e->step[r->part];
  char rate[32], bound[16], *what = NULL;
  rate_text(s, r, rate, sizeof rate);
  bound_text(v, s, r, bound, sizeof bound);
  if (r->runs != 1 && asprintf(&what, "%s, %.4g runs a call", s->what, r->runs) < 0) what = NULL;
  put_row(v, r, rate, bound, what ? what : s->what, s->where ? s->where : "");
  free(what);
}

static void put_parts(TableView *v) {
  static const char *const what[] = {[PROFILE_COPIES] = "copies into variables and outputs",
                                     [PROFILE_INPUTS] = "inputs into the arena",
                                     [PROFILE_CHECKS] = "checks for NaN",
                                     [PROFILE_OUTPUTS] = "outputs to the host"};
  for (int i = 0; i < PROFILE_CALL; i++) {
    ProfileRow r = row_of(v, v->e->nsteps + i);
    if (r.ns > 0) put_row(v, &r, "", "", what[i], "");
  }
  ProfileRow all = row_of(v, v->e->nsteps + PROFILE_CALL), rest = {.ns = v->call - all.ns};
  for (int64_t i = 0; i < v->p->devices; i++) {
    const ProfileTime *t = &v->t->time[i * v->t->parts + v->e->nsteps + PROFILE_CALL];
    double ns = v->call - (double)t->ns / (double)v->t->calls;
    if (ns > rest.slowest) rest.slowest = ns;
  }
  put_row(v, &rest, "", "", "starting the devices and waiting for the last", "");
}

/* "products 71.2 %, loops 20.3 % (of which waiting 0.2 %), exchanges 6.1 % (of which waiting 4.0
 * %)": loops that write variables which devices share wait for those who read them. */
static void put_kinds(const TableView *v, const ProfileRow *row) {
  static const char *const name[] = {"loops", "products", "exchanges"};
  static const int order[] = {DTRT_STEP_PRODUCT, DTRT_STEP_LOOP, DTRT_STEP_EXCHANGE};
  double ns[3] = {0}, waited[3] = {0};
  for (int i = 0; i < v->e->nsteps; i++) {
    int kind = v->e->step[row[i].part].kind;
    ns[kind] += row[i].ns;
    waited[kind] += row[i].waited;
  }
  for (int k = 0; k < 3; k++) {
    const double of = 100 * waited[order[k]] / v->call;
    fprintf(v->to, "%s%s %.1f %%", k ? ", " : "", name[order[k]], 100 * ns[order[k]] / v->call);
    if (of > 0) fprintf(v->to, " (of which waiting %.1f %%)", of);
  }
  fputc('\n', v->to);
}

/* " of batch=96" for a program of another size than the first. */
static void put_size(const TableView *v) {
  const dtrt_tensor *in = v->e->in;
  if (v->t->program == 0 || !v->e->nin || !in->layout->rank || !in->dim_const || !in->dim_const[0])
    return;
  fprintf(v->to, " of %s=%lld", in->dim_const[0], (long long)in->layout->dim[0].n);
}

/* What the bounds of steps are computed from. */
static void put_rates(const TableView *v) {
  const dtrt_rates *m = v->rates;
  if (!m) return;
  fprintf(v->to, "bound: %d core%s a device, each %.3g GFLOP/s in products", v->cores,
          v->cores == 1 ? "" : "s", m->flops / 1e9);
  static const char *const level[] = {"L1", "L2", "L3", "memory"};
  for (int i = 0; i < 4; i++)
    if (m->bandwidth[i] > 0) fprintf(v->to, ", %.3g GB/s %s", m->bandwidth[i] / 1e9, level[i]);
  fprintf(v->to, " (machine %s)\n", m->machine);
}

static bool put_entry(TableView *v) {
  int n = v->e->nsteps;
  ProfileRow *row = calloc((size_t)n + 1, sizeof *row), others = {0};
  if (!row) return false;
  v->call = (double)v->t->ns / (double)v->t->calls;
  fprintf(v->to, "profile of %s", v->e->name);
  put_size(v);
  fprintf(v->to, ": %lld call%s of %.1f us on %lld device%s\n", (long long)v->t->calls,
          v->t->calls == 1 ? "" : "s", v->call / 1e3, (long long)v->p->devices,
          v->p->devices == 1 ? "" : "s");
  put_rates(v);
  for (int i = 0; i < n; i++) row[i] = row_of(v, i);
  put_kinds(v, row);
  qsort(row, (size_t)n, sizeof *row, dearer);
  fprintf(v->to, "%8s%11s%11s%11s%11s%14s%8s  %s\n", "share", "total ms", "mean us", "slowest",
          "waiting", "rate", "bound", "step");
  int rows = 0;
  for (; rows < n && rows < ROWS && row[rows].ns >= LEAST * v->call; rows++)
    put_step(v, &row[rows]);
  for (int i = rows; i < n; i++) {
    others.ns += row[i].ns;
    others.slowest += row[i].slowest;
    others.waited += row[i].waited;
  }
  char text[64];
  snprintf(text, sizeof text, "%d more step%s", n - rows, n - rows == 1 ? "" : "s");
  if (n > rows) put_row(v, &others, "", "", text, "");
  put_parts(v);
  free(row);
  return true;
}

static void put_between(FILE *to, const Profile *p) {
  int64_t in = 0, all = p->elapsed;
  for (int64_t i = 0; i < p->ntables; i++) in += p->table[i].ns;
  if (all <= 0) return;
  fprintf(to,
          "between calls: %.2f ms, %.1f %% of the %.2f ms from the first call to the end of the "
          "last\n",
          (double)(all - in) / 1e6, 100 * (double)(all - in) / (double)all, (double)all / 1e6);
}

/* malloc'ed; NULL when out of memory. */
static char *profile_table_text(const dtrt_session *s, const Profile *p) {
  char *text = NULL;
  size_t n = 0;
  bool good = true;
  FILE *to = open_memstream(&text, &n);
  if (!to) return NULL;
  for (int64_t i = 0; good && i < p->ntables; i++) {
    const ProfileTable *t = &p->table[i];
    const dtrt_program *program = s->program[t->program].p;
    TableView v = {.to = to,
                   .rates = program->rates,
                   .cores = dtrt_session_cores(s),
                   .p = p,
                   .t = t,
                   .e = &program->entry[t->entry]};
    if (!t->calls) continue;
    good = put_entry(&v);
    fputc('\n', to);
  }
  put_between(to, p);
  good = good && !ferror(to);
  if (fclose(to)) good = false;
  if (good) return text;
  free(text);
  return NULL;
}

dtrt_status dtrt_profile_text(dtrt_session *s, char **text) {
  SESSION_USE(s);
  Profile p;
  if (!text) return session_error(s, DTRT_INVALID, "the profile: text is NULL");
  *text = NULL;
  dtrt_status status = session_usable(s);
  if (status == DTRT_OK) status = profile_collect(s, &p);
  if (status != DTRT_OK) return status;
  *text = s->comm->rank ? calloc(1, 1) : profile_table_text(s, &p);
  profile_free(&p);
  return *text ? DTRT_OK : session_error(s, DTRT_NO_MEMORY, "out of memory for the profile");
}
