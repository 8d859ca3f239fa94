/* The lines of a machine file with several properties: `link`, `axis NAME` and `cache LEVEL`, each
 * followed by key=value, and their consistency. */
#include "machine_reader.h"
#include <string.h>

/* By LINK_... and CACHE_... */
enum { LINK_DEVICES, LINK_BANDWIDTH, LINK_LATENCY, CACHE_SIZE = 0, CACHE_CORES, CACHE_BANDWIDTH };
static const Fields link_fields = {
    {{"devices", Q_COUNT, offsetof(Link, devices), "8", 2,
      "the number of devices in a group is an integer of at least 2: devices=8"},
     {"bandwidth", Q_BANDWIDTH, offsetof(Link, bandwidth), "300GB/s", 0, NULL},
     {"latency", Q_TIME, offsetof(Link, latency), "3us", 0, NULL},
     {"message", Q_TIME, offsetof(Link, message), "0.3us", 0, NULL},
     {"by", Q_BY, offsetof(Link, by), "memory", 0, NULL}},
    5,
    "property of a link",
    "devices, bandwidth, latency, message and by",
    "a link as devices=8, bandwidth=300GB/s, latency=3us"};
static const Fields cache_fields = {
    {{"size", Q_CACHE, offsetof(Cache, size), "1MiB", 0, NULL},
     {"cores", Q_COUNT, offsetof(Cache, cores), "8", 1,
      "the number of cores that share a cache is an integer of at least 1: cores=8"},
     {"bandwidth", Q_BANDWIDTH, offsetof(Cache, bandwidth), "40GB/s", 0, NULL}},
    3,
    "property of a cache",
    "size, cores and bandwidth",
    "a cache as size=1MiB, cores=8, bandwidth=40GB/s"};

static bool read_by(Reader *r, LinkBy *out) {
  reader_skip_blanks(r);
  Span at = reader_here(r);
  const char *how = reader_word(r, &at);
  for (*out = LINK_MEMORY; how && *out <= LINK_MESSAGES; ++*out)
    if (!strcmp(how, link_by_name(*out))) return true;
  diag_error(r->diag, at, "devices of a link exchange by=memory or by=messages");
  return false;
}

/* One `key=value` of a link. */
static bool read_field(Reader *r, const Fields *f, void *to, Span *said) {
  Span at;
  const char *name = reader_word(r, &at), *names[MOST_FIELDS];
  if (!name) {
    diag_error(r->diag, reader_here(r), "expected %s", f->example);
    return false;
  }
  int which = 0;
  for (int i = 0; i < f->n; i++) names[i] = f->field[i].name;
  while (which < f->n && strcmp(name, names[which]) != 0) which++;
  if (which == f->n) {
    reader_unknown(r, at, name, f->what, names, f->n, f->list);
    return false;
  }
  const Field *x = &f->field[which];
  if (!reader_equals(r)) {
    diag_error(r->diag, at, "`%s` requires a value: %s=%s", name, name, x->example);
    return false;
  }
  if (reader_said_before(r, &said[which], at, name)) return false;
  void *value = (char *)to + x->at;
  if (x->quantity == Q_BY) return read_by(r, value);
  return x->quantity == Q_COUNT ? reader_count(r, x, value)
                                : reader_quantity(r, x->quantity, value);
}

/* All to the end of the line. */
static bool read_fields(Reader *r, const Fields *f, void *to, Span *said) {
  reader_skip_blanks(r);
  while (r->at < r->end) {
    if (!read_field(r, f, to, said)) return false;
    reader_skip_blanks(r);
  }
  return true;
}

static bool same_place(const Link *a, const Link *b) {
  if (a->axis || b->axis) return a->axis && b->axis && !strcmp(a->axis, b->axis);
  return a->devices == b->devices;
}

/* Groups nest: every group is made of whole smaller ones. */
static bool nests(const Link *a, const Link *b) {
  if (a->axis || b->axis || !a->devices || !b->devices) return true;
  return a->devices > b->devices ? a->devices % b->devices == 0 : b->devices % a->devices == 0;
}

static void add_link(Reader *r, const Link *l, Span at) {
  Machine *m = r->m;
  for (int i = 0; i < m->nlinks; i++) {
    const Link *other = &m->link[i];
    if (same_place(l, other)) {
      reader_said_before(r, &r->link_said[i], at,
                         l->axis      ? "the link of this axis"
                         : l->devices ? "the link of groups of this size"
                                      : "the link of all devices");
      return;
    }
    if (!nests(l, other)) {
      diag_error(r->diag, at, "groups nest, but neither of %lld and %lld devices divides the other",
                 (long long)l->devices, (long long)other->devices);
      diag_note(r->diag, r->link_said[i], "the other group is here");
      return;
    }
  }
  if (m->nlinks == MAX_LINKS) {
    diag_error(r->diag, at, "a machine has at most %d links", MAX_LINKS);
    return;
  }
  r->link_said[m->nlinks] = at;
  m->link[m->nlinks++] = *l;
}

void read_link(Reader *r, bool of_axis, Span at) {
  Link l = {.message = -1};
  Span said[MOST_FIELDS] = {{0}}, name_at = at;
  if (of_axis && !(l.axis = reader_word(r, &name_at))) {
    diag_error(r->diag, at, "`axis` requires a name: axis model bandwidth=25GB/s latency=5us");
    return;
  }
  if (of_axis && reader_peek(r) == '=') {
    diag_error(r->diag, name_at, "`axis` requires a name: axis model %.40s=...", l.axis);
    return;
  }
  if (!read_fields(r, &link_fields, &l, said)) return;
  if (of_axis && said[LINK_DEVICES].file) {
    diag_error(r->diag, said[LINK_DEVICES],
               "a link of an axis takes no devices: the mesh gives their number");
    return;
  }
  if (!said[LINK_BANDWIDTH].file || !said[LINK_LATENCY].file) {
    diag_error(r->diag, at, "this link has no %s",
               said[LINK_BANDWIDTH].file ? "latency" : "bandwidth");
    return;
  }
  add_link(r, &l, span_join(at, name_at));
}

void read_cache(Reader *r, Span at) {
  static const char *const names[] = {"L1", "L2", "L3"};
  Cache c = {.cores = 1};
  Span said[MOST_FIELDS] = {{0}}, name_at = at;
  const char *name = reader_word(r, &name_at);
  int level = 0;
  while (name && level < CACHE_LEVELS && strcmp(name, names[level]) != 0) level++;
  if (!name || level == CACHE_LEVELS) {
    diag_error(r->diag, name ? name_at : reader_here(r),
               "the levels of a cache are L1, L2 and L3: cache L2 size=1MiB bandwidth=40GB/s");
    return;
  }
  if (reader_said_before(r, &r->cache_said[level], span_join(at, name_at), "this level of cache") ||
      !read_fields(r, &cache_fields, &c, said))
    return;
  if (!said[CACHE_SIZE].file) diag_error(r->diag, at, "this cache has no size: size=1MiB");
  r->m->cache[level] = c;
}

void check_caches(Reader *r) {
  const Cache *c = r->m->cache;
  const Span *said = r->cache_said;
  for (int l = 0; l < CACHE_LEVELS; l++) {
    if (!said[l].file) continue;
    if (l != CACHE_L1 && !said[CACHE_L1].file)
      diag_error(r->diag, said[l], "L%d is given, but not L1", l + 1);
    else if (l != CACHE_L2 && !said[CACHE_L2].file)
      diag_error(r->diag, said[l], "L%d is given, but not L2", l + 1);
    else if (l != CACHE_L1 && c[l].size < c[l - 1].size)
      diag_error(r->diag, said[l], "L%d is smaller than L%d", l + 1, l);
    else if (r->m->cores && c[l].cores > r->m->cores)
      diag_error(r->diag, said[l], "%lld cores share L%d, but a host has %lld (`cores`)",
                 (long long)c[l].cores, l + 1, (long long)r->m->cores);
  }
}
