/* dtgc_calibrate: rates of this machine, measured with all devices at work, as a machine file.
 *
 * Products and exchanges are timed where they run (calibrate_probe.c). Other work is timed on
 * compiled programs, since their loops matter, and divided by the flops that the model counts in
 * them. Every figure is a median of several rounds, rounded to three digits. */
#include "calibrate.h"
#include "cost.h"
#include "host_machine.h"
#include "thread_state.h"
#include "program.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A median round that takes this much longer than the fastest indicates other work on the machine.
 */
static const double NOISY = 2;
enum { ROUNDS = 9, MOST_DEVICES = 128, MANY_DEVICES = 16, TINY_STEPS = 40 };

typedef struct Calibration {
  const char *transport;
  int devices;
  bool quick, mpi;
  dtgc_program *program;
  Probe *probe;
  Arena *arena;
  Machine machine;
  double product[PROBE_PRODUCTS];
  double heavy, light;        /* flops a second of two loops, as the model counts flops */
  int64_t elements;           /* of a device, in both */
  int64_t read[CACHE_LEVELS]; /* bytes that a device read to measure a level; 0: none */
  double noise;               /* median / fastest round of a measurement, the worst there was */
  double load;                /* of the last minute, before anything began; below 0: not known */
  Sample sample[PROBE_KINDS * PROBE_SIZES];
  int nsamples;
  char *error; /* malloc'ed */
} Calibration;

static dtgc_status fail(Calibration *c, dtgc_status s, const char *why) {
  if (!c->error) c->error = strdup(why);
  return s;
}

/* -------- compiled loops -------- */

/* `heavy` and `light` are loops over blocks that do not stay in the cache, with four exp and a tanh
 * and without; `few` and `many` are products of 8x8 and loops over them, so small that starting
 * them is all they cost; `nothing` is what a call costs without all that. */
static char *source_of(const Calibration *c) {
  Str s = str_new(c->arena);
  str_printf(&s, "mesh [d=%d]\n", c->devices);
  str_printf(&s, "state x: f32[%d, %lld] = 0.5\n", c->devices, (long long)c->elements);
  str_printf(&s, "state z: f32[%d, 8, 8] = 0.5\nstate w: f32[%d, 8, 8] = 0.1\n", c->devices,
             c->devices);
  str_puts(&s, "layout x = [d, _]\nlayout z = [d, _, _]\nlayout w = [d, _, _]\n"
               "entry nothing() { return a = 1.0 }\n"
               "entry heavy() {\n"
               "  a = exp(-x * x)\n"
               "  b = exp(-a) * 0.5 + a\n"
               "  c = exp(-b) / (1 + b) + x * 0.1\n"
               "  x <- tanh(exp(-c) + a * b)\n"
               "  return a = 1.0\n}\n"
               "entry light() {\n  x <- x * 0.999 + 0.001\n  return a = 1.0\n}\n");
  for (int which = 0; which < 2; which++) {
    str_printf(&s, "entry %s() {\n  y = z\n", which ? "many" : "few");
    str_printf(&s, "  for i in 0..%d { y = tanh(y @ w) }\n", which ? TINY_STEPS : TINY_STEPS / 4);
    str_puts(&s, "  z <- y\n  return a = 1.0\n}\n");
  }
  return s.at;
}

/* Seconds of one call. Every rank calls as often. Below 0: it failed. */
static double time_entry(Calibration *c, const char *entry, int calls) {
  double times[ROUNDS];
  int rounds = c->quick ? 3 : ROUNDS;
  for (int r = -1; r < rounds; r++) { /* the first one warms up */
    double start = probe_now();
    for (int i = 0; i < calls; i++)
      if (dtgc_run(c->program, entry, NULL, 0, NULL, 0)) return -1;
    if (r >= 0) times[r] = (probe_now() - start) / calls;
  }
  return probe_median(times, rounds, &c->noise);
}

static const LocalEntry *find_entry(const dtgc_program *p, const char *name) {
  for (int i = 0; i < p->plan->entries.n; i++)
    if (strcmp(p->plan->entries.at[i].entry->name, name) == 0) return &p->plan->entries.at[i];
  return NULL;
}

static double three_digits(double x) {
  char text[32];
  snprintf(text, sizeof text, "%.2e", x);
  return strtod(text, NULL);
}

static double flops_of(const Calibration *c, const char *entry) {
  const LocalEntry *e = find_entry(c->program, entry);
  return e ? cost_entry(c->program->plan, e).flops : 0;
}

typedef struct StepTimes {
  double nothing, heavy, light, few, many;
} StepTimes;

static dtgc_status use_times(Calibration *c, const StepTimes *t) {
  Machine *m = &c->machine;
  const LocalEntry *few = find_entry(c->program, "few"), *many = find_entry(c->program, "many");
  double heavy = t->heavy - t->nothing, light = t->light - t->nothing;
  if (heavy <= 0 || light <= 0)
    return fail(c, DTGC_SYSTEM, "the measured times vary too much: is the machine busy?");
  c->heavy = flops_of(c, "heavy") / heavy;
  c->light = flops_of(c, "light") / light;
  m->vector_flops = three_digits(sqrt(c->heavy * c->light));
  m->memory_bandwidth = three_digits(8.0 * (double)c->elements / light);
  int steps = many->steps.n - few->steps.n;
  if (steps > 0) m->start = three_digits(fmax(t->many - t->few, 0) / steps);
  if (m->start < 1e-12) m->start = 0;
  return DTGC_OK;
}

static dtgc_status measure_loops(Calibration *c) {
  c->elements = (64 << 20) / c->devices;
  int64_t most = c->quick ? 1 << 20 : 16 << 20;
  if (c->elements > most) c->elements = most;
  /* Whatever DTGC_FLAGS says of other programs: this is what optimized code takes. */
  dtgc_options o = {.transport = c->transport, .optimize = "2", .no_lines = 1};
  dtgc_status s = dtgc_compile_string("calibrate", source_of(c), &o, &c->program);
  if (!s) s = program_plan(c->program);
  if (!s) s = dtgc_start(c->program);
  if (s) return fail(c, s, dtgc_error(c->program));
  int calls = c->quick ? 4 : 40;
  StepTimes t = {.nothing = time_entry(c, "nothing", calls)};
  t.heavy = time_entry(c, "heavy", c->quick ? 2 : 1);
  t.light = time_entry(c, "light", c->quick ? 2 : 4);
  t.few = time_entry(c, "few", calls);
  t.many = time_entry(c, "many", calls);
  if (t.nothing < 0 || t.heavy < 0 || t.light < 0 || t.few < 0 || t.many < 0)
    return fail(c, DTGC_SYSTEM, dtgc_error(c->program));
  s = use_times(c, &t);
  dtgc_free(c->program); /* one session at a time under MPI */
  c->program = NULL;
  return s;
}

/* -------- products and exchanges -------- */

static dtgc_status measure_exchanges(Calibration *c) {
  int small = c->quick || c->devices > MANY_DEVICES; /* each has blocks of the largest size */
  for (int kind = 0; kind < PROBE_KINDS; kind++)
    for (int size = 0; size < PROBE_SIZES - small; size++) {
      if (size == 0 && kind != PROBE_ALL_REDUCE) continue; /* one element cannot be split */
      Sample *s = &c->sample[c->nsamples++];
      *s = fit_sample(c->arena, c->devices, probe_by(c->probe), kind, size,
                      c->machine.memory_bandwidth);
      s->time = probe_exchange(c->probe, kind, size, c->quick);
      if (s->time <= 0) return fail(c, DTGC_SYSTEM, probe_error(c->probe));
    }
  return DTGC_OK;
}

/* Of rank 0's computer: all ranks read as much. */
static dtgc_status find_caches(Calibration *c) {
  Machine *m = &c->machine;
  m->call = m->memory_latency = -1; /* as of the generic machine */
  host_hardware(m);
  if (!c->mpi) return DTGC_OK;
  int64_t n = sizeof m->cache;
  void *bytes = m->cache; /* of the others: what they receive */
  dtrt_status s = dtrt_launch_bcast(NULL, &bytes, &n);
  if (s == DTRT_OK && bytes != (void *)m->cache) {
    if (n == sizeof m->cache) memcpy(m->cache, bytes, sizeof m->cache);
    free(bytes);
  }
  return s == DTRT_OK ? DTGC_OK : fail(c, DTGC_SYSTEM, dtrt_launch_error());
}

/* Half of what a device has of each level, and more than it has of the level above; one that has no
 * such room keeps a bandwidth by rule. */
static dtgc_status measure_caches(Calibration *c) {
  Machine *m = &c->machine;
  int64_t above = 0;
  for (int l = 0; l < CACHE_LEVELS && m->cache[l].size > 0; l++) {
    int64_t share = machine_cache(m, l), bytes = share / 2;
    if (bytes < 2 * above) bytes = 2 * above;
    if (bytes > probe_read_most()) bytes = probe_read_most();
    bytes = bytes / 512 * 512;
    if (bytes > share || bytes <= above || bytes == 0) continue;
    above = share;
    double t = probe_read(c->probe, bytes, c->quick);
    if (t <= 0) return fail(c, DTGC_SYSTEM, probe_error(c->probe));
    c->read[l] = bytes;
    m->cache[l].bandwidth = three_digits((double)bytes / t);
  }
  return DTGC_OK;
}

static dtgc_status measure_on_devices(Calibration *c) {
  char *error;
  dtgc_status found = find_caches(c);
  if (found) return found;
  c->probe = probe_open(c->transport, c->devices, &error);
  if (!c->probe) {
    dtgc_status s = error ? fail(c, DTGC_SYSTEM, error) : DTGC_NO_MEMORY;
    free(error);
    return s;
  }
  double rates[PROBE_PRODUCTS];
  for (int i = 0; i < PROBE_PRODUCTS; i++) {
    double t = probe_product(c->probe, i, c->quick), n = (double)probe_product_size(i);
    if (t <= 0) return fail(c, DTGC_SYSTEM, probe_error(c->probe));
    rates[i] = c->product[i] = 2 * n * n * n / t;
  }
  c->machine.flops = three_digits(probe_median(rates, PROBE_PRODUCTS, NULL));
  dtgc_status s = measure_caches(c);
  if (!s) s = measure_exchanges(c);
  if (s) return s;
  Link l = fit_link(c->sample, c->nsamples);
  /* An exchange that costs no more than its bytes in memory: a bandwidth is still required. */
  c->machine.link[0].bandwidth = three_digits(fmin(l.bandwidth, 100 * c->machine.memory_bandwidth));
  c->machine.link[0].latency = l.latency < 1e-12 ? 0 : three_digits(l.latency);
  c->machine.link[0].message = l.message;
  c->machine.link[0].by = probe_by(c->probe);
  c->machine.nlinks = 1;
  return s;
}

/* -------- the file -------- */

/* "Intel(R) Xeon(R) Processor", printable and without a `#`. */
static void cpu_name(char *out, size_t n) {
  char line[256];
  FILE *f = fopen("/proc/cpuinfo", "re");
  snprintf(out, n, "an unknown CPU");
  while (f && fgets(line, sizeof line, f)) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !colon) continue;
    snprintf(out, n, "%s", colon + 1 + strspn(colon + 1, " \t"));
    break;
  }
  if (f) fclose(f);
  for (char *s = out; *s; s++)
    if (*s < ' ' || *s > '~' || *s == '#') *s = s[1] ? '-' : 0;
}

static void put_errors(const Calibration *c, Str *out) {
  const Link *l = &c->machine.link[0];
  double sum = 0, worst = 0;
  for (int i = 0; i < c->nsamples; i++) {
    double e = fit_error(l, &c->sample[i]);
    sum += e * e;
    if (fabs(e) > fabs(worst)) worst = e;
  }
  str_printf(out,
             "# Link: the exchanges below. The model's error over them: %.0f%% (root mean\n"
             "# square), %+.0f%% at worst.\n",
             100 * sqrt(sum / c->nsamples), 100 * worst);
  for (int i = 0; i < c->nsamples; i++) {
    const Sample *s = &c->sample[i];
    char measured[16], modelled[16];
    cost_time_text(s->time, measured);
    cost_time_text(s->time * (1 + fit_error(l, s)), modelled);
    str_printf(out, "#   %-10s of %8lld f32: measured %8s, modelled %8s\n",
               probe_exchange_name(s->kind), (long long)s->count, measured, modelled);
  }
}

static void put_reads(const Calibration *c, Str *out) {
  const char *sep = "# Cache sizes are those the system reports; their bandwidths: each device reads";
  for (int l = 0; l < CACHE_LEVELS; l++)
    if (c->read[l]) {
      str_printf(out, "%s %lld KiB for L%d", sep, (long long)(c->read[l] >> 10), l + 1);
      sep = ",";
    }
  if (*sep == ',') str_puts(out, "\n# over and over; the fastest round counts.\n");
}

static char *write_file(Calibration *c) {
  char cpu[128], date[32], name[64];
  time_t now = time(NULL);
  struct tm tm;
  cpu_name(cpu, sizeof cpu);
  strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &tm));
  const char *what = c->mpi ? "MPI ranks" : "threads";
  snprintf(name, sizeof name, "%d %s of %.36s", c->devices, what, cpu);
  c->machine.name = name;
  if (!c->mpi && c->devices >= c->machine.cores) /* all cores read at once */
    c->machine.host_bandwidth = three_digits(c->machine.memory_bandwidth * c->devices);
  Str s = str_new(c->arena);
  str_printf(&s, "# Measured by dtgc calibrate%s on %s: %d %s\n# on %ld cores of %s.\n",
             c->quick ? " --quick (rough figures)" : "", date, c->devices, what,
             sysconf(_SC_NPROCESSORS_ONLN), cpu);
  str_printf(&s, "# Medians of %d rounds, all devices at work at once.", c->quick ? 3 : ROUNDS);
  if (c->load >= 0) str_printf(&s, " Before it the load was %.1f.", c->load);
  double noise = fmax(c->noise, probe_noise(c->probe));
  str_printf(&s, "\n# Noise: a median round took at most %.1f times as long as the fastest.%s\n",
             noise,
             noise > NOISY ? " THIS IS HIGH: was\n# the machine busy? Measure again when the "
                             "machine is quiet."
                           : "");
  str_puts(&s, "# flops: f32 products of");
  for (int i = 0; i < PROBE_PRODUCTS; i++)
    str_printf(&s, "%s %lld cubed %.3g Gflop/s", i ? "," : "", (long long)probe_product_size(i),
               c->product[i] / 1e9);
  str_printf(&s,
             "; the median\n# counts. vector_flops: loops over %lld MiB, with four exp and a tanh "
             "%.3g Gflop/s, without\n# %.3g Gflop/s; their geometric mean. memory_bandwidth: the "
             "loop without. start: products of\n# 8x8 and loops over them.\n",
             (long long)(c->elements * 4 >> 20), c->heavy / 1e9, c->light / 1e9);
  put_reads(c, &s);
  put_errors(c, &s);
  machine_put(&s, &c->machine);
  return text_copy(&s);
}

/* -------- -------- */

static dtgc_status check(Calibration *c, const dtgc_calibration *o) {
  int ranks = dtrt_launch_size();
  const char *t = o->transport;
  if (t && strcmp(t, "threads") != 0 && strcmp(t, "mpi") != 0)
    return fail(c, DTGC_BAD_ARGUMENT,
                "calibrate measures links: the transport must be threads or mpi");
  c->mpi = t ? strcmp(t, "mpi") == 0 : ranks > 1;
  if (c->mpi && ranks < 2)
    return fail(c, DTGC_BAD_ARGUMENT,
                "only one MPI rank was started; run `mpiexec -n 4 dtgc calibrate`");
  if (!c->mpi && ranks > 1)
    return fail(c, DTGC_BAD_ARGUMENT, "under mpiexec the transport must be mpi");
  if (!c->mpi && o->devices && (o->devices < 2 || o->devices > MOST_DEVICES))
    return fail(c, DTGC_BAD_ARGUMENT, "calibrate takes 2 to 128 devices");
  if (c->mpi && o->devices && o->devices != ranks)
    return fail(c, DTGC_BAD_ARGUMENT,
                "under mpiexec every rank is a device: give no number of devices");
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  c->devices = c->mpi ? ranks : o->devices ? o->devices : cores < 2 ? 2 : (int)cores;
  if (!c->mpi && c->devices > MOST_DEVICES) c->devices = MOST_DEVICES;
  c->transport = c->mpi ? "mpi" : "threads";
  c->quick = o->quick;
  return DTGC_OK;
}

static dtgc_status calibrate(Calibration *c, const dtgc_calibration *o, char **text) {
  dtgc_status s = check(c, o);
  if (!s) s = (c->arena = arena_new()) ? DTGC_OK : DTGC_NO_MEMORY;
  if (s) return s;
  if (arena_catch(c->arena)) return DTGC_NO_MEMORY;
  if (getloadavg(&c->load, 1) != 1) c->load = -1;
  if ((s = measure_loops(c)) || (s = measure_on_devices(c))) return s;
  *text = write_file(c);
  return *text ? DTGC_OK : DTGC_NO_MEMORY;
}

dtgc_status dtgc_calibrate(const dtgc_calibration *o, char **text) {
  PLAIN_THREAD_HERE;
  if (!text) return DTGC_BAD_ARGUMENT;
  *text = NULL;
  Calibration *c = calloc(1, sizeof *c);
  if (!c) return DTGC_NO_MEMORY;
  dtgc_status s = calibrate(c, o ? o : &(dtgc_calibration){0}, text);
  dtgc_free(c->program);
  probe_close(c->probe);
  arena_free(c->arena);
  if (s) *text = c->error, c->error = NULL;
  free(c->error);
  free(c);
  return s;
}
