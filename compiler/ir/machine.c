/* Machines: the generic one, the link that serves an axis of a mesh, and the text form, which
 * machine_read.c reads back. */
#include "machine.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const Machine *machine_generic(void) {
  static const Machine m = {.name = "generic",
                            .flops = 50e9,
                            .vector_flops = 20e9,
                            .memory_bandwidth = 10e9,
                            .start = 0.5e-6,
                            .call = 50e-9,
                            .memory_latency = 100e-9,
                            .vector = 64,
                            .registers = 32,
                            .line = 64,
                            .page = 4 << 10,
                            .streams = 16,
                            .cache = {{32 << 10, 1, 80e9}, {2 << 20, 1, 40e9}, {32 << 20, 8, 20e9}},
                            .nlinks = 1,
                            .link = {{.bandwidth = 2e9, .latency = 10e-6, .message = -1}}};
  return &m;
}

/* -------- a core -------- */

static int64_t elements_in(double bytes, int64_t size) {
  return (int64_t)bytes > size ? (int64_t)bytes / size : 1;
}

int64_t machine_vector(const Machine *m, int64_t size) { return elements_in(m->vector, size); }
int64_t machine_line(const Machine *m, int64_t size) { return elements_in(m->line, size); }

/* One goes in a cycle, and loops over whole vectors, which load and store what they compute with,
 * take four for each, an eighth of a peak of two vectors a cycle (host_machine.c). */
double machine_apart(const Machine *m) {
  enum { CYCLES = 4 };
  return fmax(1, (double)machine_vector(m, sizeof(float)) / CYCLES);
}

/* -------- caches -------- */

void machine_complete(Machine *m) {
  static const double times_memory[CACHE_LEVELS] = {8, 4, 2};
  const Machine *generic = machine_generic();
  if (m->call < 0) m->call = generic->call;
  if (m->memory_latency < 0) m->memory_latency = generic->memory_latency;
  if (m->vector == 0) m->vector = generic->vector;
  if (m->registers == 0) m->registers = generic->registers;
  if (m->line == 0) m->line = generic->line;
  if (m->page == 0) m->page = generic->page;
  if (m->streams == 0) m->streams = generic->streams;
  if (m->cache[CACHE_L1].size == 0 || m->cache[CACHE_L2].size == 0)
    for (int l = 0; l < CACHE_LEVELS; l++)
      m->cache[l] = (Cache){.size = generic->cache[l].size, .cores = generic->cache[l].cores};
  for (int l = 0; l < CACHE_LEVELS; l++)
    if (m->cache[l].size > 0 && m->cache[l].bandwidth == 0)
      m->cache[l].bandwidth = times_memory[l] * m->memory_bandwidth;
}

int64_t machine_cache(const Machine *m, CacheLevel level) {
  const Cache *c = &m->cache[level];
  return (int64_t)(c->size / (double)(c->cores > 1 ? c->cores : 1));
}

/* -------- cores -------- */

enum { DEALT = 16, PART = 4 };          /* hand-overs */
static const double LEAST_START = 2e-7; /* seconds, of machines that have none: cores do */

static double hand_over(const Machine *m) { return fmax(m->start, LEAST_START); }
double machine_part(const Machine *m) { return PART * hand_over(m); }
bool machine_deals(const Machine *m, double seconds) { return seconds >= DEALT * hand_over(m); }

int64_t machine_cores(const Machine *m, int64_t devices) {
  return m->cores > devices ? m->cores / devices : 1;
}

double machine_near(const Machine *m) {
  int l = CACHE_LEVELS - 1;
  while (l > 0 && m->cache[l].size == 0) l--;
  return (double)machine_cache(m, (CacheLevel)l) * (double)(m->cores > 1 ? m->cores : 1);
}

/* -------- axes -------- */

/* How many consecutive devices the lines along the axis, with all between them, fill: `reach`.
 * Devices kn..kn+reach-1 are such lines for every k. */
static int64_t reach(const Mesh *mesh, int axis) {
  int64_t n = 1;
  for (int a = axis; a < mesh->naxes; a++) n *= mesh->axis[a].size;
  return n;
}

/* Whether no line along the axis leaves its group of n consecutive devices. The lines of a reach
 * cross every boundary inside it, so the boundaries, which are the multiples of n, must fall
 * between reaches; or there is none. */
static bool holds(int64_t n, const Mesh *mesh, int axis) {
  if (n == 0 || n >= mesh_devices(mesh) || mesh->axis[axis].size == 1) return true;
  return n % reach(mesh, axis) == 0;
}

static bool narrower(const Link *a, const Link *b) {
  return a->devices && (!b->devices || a->devices < b->devices);
}

static bool has_groups(const Machine *m) {
  bool any = false;
  for (int i = 0; i < m->nlinks; i++) any = any || (!m->link[i].axis && m->link[i].devices);
  return any;
}

int64_t machine_memory_group(const Machine *m) {
  int64_t most = 1;
  for (int i = 0; i < m->nlinks; i++) {
    const Link *l = &m->link[i];
    bool memory = l->by == LINK_MEMORY || (l->by == LINK_UNSAID && l->devices);
    if (!l->axis && memory && l->devices > most) most = l->devices;
  }
  return most;
}

Link machine_axis(const Machine *m, const Mesh *mesh, int axis) {
  const Link *group = NULL, *own = NULL;
  for (int i = 0; i < m->nlinks; i++) {
    const Link *l = &m->link[i];
    if (l->axis && !strcmp(l->axis, mesh->axis[axis].name)) own = l;
    if (!l->axis && holds(l->devices, mesh, axis) && (!group || narrower(l, group))) group = l;
  }
  if (!group) group = &m->link[m->nlinks - 1];
  Link l = own ? *own : *group;
  if (l.message < 0) l.message = l.latency / 10;
  if (l.by == LINK_UNSAID) l.by = group->by;
  if (l.by == LINK_UNSAID) l.by = group->devices || !has_groups(m) ? LINK_MEMORY : LINK_MESSAGES;
  return l;
}

/* -------- as text -------- */

const char *link_by_name(LinkBy by) {
  static const char *const name[] = {"", "memory", "messages"};
  return name[by];
}

/* The shortest decimal number that is exactly v, with an SI prefix: 3.12e14 is "312 T". Digits are
 * moved, not divided, so that nothing is rounded, and no locale's decimal point gets in. */
static void put_number(Str *out, double v, const char *unit, const char *joined) {
  static const char *const prefix[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
  char text[64], digits[32];
  int n = 0, exponent;
  if (v == 0) {
    str_printf(out, "0%s%s", joined, unit);
    return;
  }
  for (int p = 0; p <= 16; p++) {
    snprintf(text, sizeof text, "%.*e", p, v);
    if (strtod(text, NULL) == v) break;
  }
  for (const char *s = text; *s && *s != 'e'; s++)
    if (*s >= '0' && *s <= '9') digits[n++] = *s;
  exponent = atoi(strchr(text, 'e') + 1);
  int group = exponent >= 0 ? exponent / 3 : -((2 - exponent) / 3);
  if (group < -3) group = -3;
  if (group > 6) group = 6;
  int whole = exponent - 3 * group + 1; /* digits before the point */
  if (whole <= 0) str_puts(out, "0.");
  for (int i = whole; i < 0; i++) str_puts(out, "0");
  for (int i = 0; i < n || i < whole; i++) {
    if (i > 0 && i == whole) str_puts(out, ".");
    str_put(out, i < n ? &digits[i] : "0", 1);
  }
  str_printf(out, "%s%s%s", joined, prefix[group + 3], unit);
}

static void put_key(Str *out, const char *key, double v, const char *unit) {
  str_printf(out, "%s = ", key);
  put_number(out, v, unit, " ");
  str_puts(out, "\n");
}

/* A multiple of KiB, MiB or GiB is written as such. */
static void put_size(Str *out, double v) {
  static const char *const unit[] = {"GiB", "MiB", "KiB"};
  double one = 1 << 30;
  for (int i = 0; i < 3; i++, one /= 1024)
    if (v >= one && fmod(v, one) == 0 && v / one < 1e6) {
      str_printf(out, "%.0f%s", v / one, unit[i]);
      return;
    }
  put_number(out, v, "B", "");
}

static void put_size_key(Str *out, const char *key, double v) {
  if (v == 0) return;
  str_printf(out, "%s = ", key);
  put_size(out, v);
  str_puts(out, "\n");
}

static void put_caches(Str *out, const Machine *m) {
  for (int l = 0; l < CACHE_LEVELS; l++) {
    const Cache *c = &m->cache[l];
    if (c->size == 0) continue;
    str_printf(out, "cache L%d size=", l + 1);
    put_size(out, c->size);
    if (c->cores > 1) str_printf(out, " cores=%lld", (long long)c->cores);
    str_puts(out, " bandwidth=");
    put_number(out, c->bandwidth, "B/s", "");
    str_puts(out, "\n");
  }
}

void machine_put(Str *out, const Machine *m) {
  str_printf(out, "name = %s\n", m->name);
  put_key(out, "flops", m->flops, "flop/s");
  put_key(out, "vector_flops", m->vector_flops, "flop/s");
  put_key(out, "memory_bandwidth", m->memory_bandwidth, "B/s");
  if (m->memory > 0) put_key(out, "memory", m->memory, "B");
  put_key(out, "start", m->start, "s");
  put_key(out, "call", m->call, "s");
  put_key(out, "memory_latency", m->memory_latency, "s");
  put_size_key(out, "vector", m->vector);
  if (m->registers > 0) str_printf(out, "registers = %lld\n", (long long)m->registers);
  put_size_key(out, "line", m->line);
  put_size_key(out, "page", m->page);
  if (m->streams > 0) str_printf(out, "streams = %lld\n", (long long)m->streams);
  if (m->cores > 0) str_printf(out, "cores = %lld\n", (long long)m->cores);
  if (m->host_bandwidth > 0) put_key(out, "host_bandwidth", m->host_bandwidth, "B/s");
  put_caches(out, m);
  for (int i = 0; i < m->nlinks; i++) {
    const Link *l = &m->link[i];
    if (l->axis)
      str_printf(out, "axis %s", l->axis);
    else
      str_puts(out, "link");
    if (l->devices) str_printf(out, " devices=%lld", (long long)l->devices);
    str_puts(out, " bandwidth=");
    put_number(out, l->bandwidth, "B/s", "");
    str_puts(out, " latency=");
    put_number(out, l->latency, "s", "");
    if (l->message >= 0) {
      str_puts(out, " message=");
      put_number(out, l->message, "s", "");
    }
    if (l->by != LINK_UNSAID) str_printf(out, " by=%s", link_by_name(l->by));
    str_puts(out, "\n");
  }
}
