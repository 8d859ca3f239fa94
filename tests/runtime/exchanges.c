/* exchanges.c: every pair of layouts of rank 1 to 3 on small meshes: the values arrive, and no byte
 * more than needed minus owned. Blocks are worked out here again, element by element, from the
 * words of dtrt.h. exchanges TRANSPORT [NDEVICES]     only the meshes of so many devices */
#include "harness.h"

enum { MAX_LAYOUTS = 64 };

typedef struct Laid { /* a layout that owns its dims */
  dtrt_layout l;
  dtrt_dim dim[3];
} Laid;

static int naxes, size[2];
static const dtrt_exchange *current;
static int64_t to_offset;
static int step = 1;

/* -------- the law, slowly -------- */

static int64_t floor_of(int64_t a, int64_t b) {
  int64_t q = a / b;
  while (q * b > a) q--;
  while ((q + 1) * b <= a) q++;
  return q;
}

/* Whether the device with these coordinates holds element e of the dim. */
static bool holds(const dtrt_dim *d, const int32_t *coord, int64_t e) {
  int64_t k = 1, i = 0;
  for (int j = 0; j < d->naxes; j++) {
    k *= size[d->axis[j]];
    i = i * size[d->axis[j]] + coord[d->axis[j]];
  }
  int64_t n = d->of > 0 ? d->of : d->n, g = d->granule, m = n / g;
  int64_t lo = i * m / k * g, hi = (i + 1) * m / k * g;
  if (k == 1) lo = 0, hi = n;
  if (d->of <= 0) return e >= lo && e < hi;
  if (lo >= hi) return false;
  int64_t a = d->mul < 0 ? hi - 1 : lo, b = d->mul < 0 ? lo : hi - 1;
  return e * d->div >= a * d->mul + d->first && e <= floor_of(b * d->mul + d->last, d->div);
}

static bool holds_all(const dtrt_layout *l, const int32_t *coord, const int64_t *at) {
  for (int i = 0; i < l->rank; i++)
    if (!holds(&l->dim[i], coord, at[i])) return false;
  return true;
}

static int device_number(const int32_t *coord) {
  return naxes == 2 ? coord[0] * size[1] + coord[1] : coord[0];
}

/* The term that a device holds of an element: the element itself when the layout is whole. */
static float term(const dtrt_layout *l, int64_t index, const int32_t *coord) {
  int64_t which = 0;
  for (int a = 0; a < naxes; a++)
    if (l->partial & 1u << a) which = which * size[a] + coord[a] + 1;
  return (float)(index * 7 % 1013 + 1 + which * (index % 5 + 1));
}

static float combine(int op, float a, float b) {
  return op == DTRT_SUM ? a + b : op == DTRT_MAX ? (a > b ? a : b) : (a < b ? a : b);
}

/* What a device should have of an element in `to`, and the bytes that come from others for it. */
static float expected(const dtrt_exchange *x, int64_t index, const int64_t *at,
                      const int32_t *coord, int64_t *bytes) {
  uint32_t settle = x->from->partial & ~x->to->partial, fresh = x->to->partial & ~x->from->partial;
  int32_t c[2] = {coord[0], coord[1]};
  float sum = 0;
  bool first = true;
  if (x->to->reduce == DTRT_SUM)
    for (int a = 0; a < naxes; a++)
      if (fresh & 1u << a && coord[a] != 0) return 0;
  for (int i = 0; i < (settle & 1 ? size[0] : 1); i++)
    for (int j = 0; j < (settle & 2 ? size[1] : 1); j++) {
      if (settle & 1) c[0] = i;
      if (settle & 2) c[1] = j;
      float t = term(x->from, index, c);
      sum = first ? t : combine(x->from->reduce, sum, t);
      first = false;
      bool mine = holds_all(x->from, coord, at);
      for (int a = 0; a < naxes; a++) mine = mine && (!(settle & 1u << a) || c[a] == coord[a]);
      if (!mine) *bytes += (int64_t)sizeof(float);
    }
  return sum;
}

/* -------- the run -------- */

typedef struct Next { /* steps over the elements of a whole tensor in order */
  int64_t at[3], index;
} Next;

static bool next(const dtrt_layout *l, Next *n) {
  n->index++;
  for (int i = l->rank - 1; i >= 0; i--) {
    if (++n->at[i] < l->dim[i].n) return true;
    n->at[i] = 0;
  }
  return false;
}

static int64_t count(const dtrt_layout *l) {
  int64_t n = 1;
  for (int i = 0; i < l->rank; i++) n *= l->dim[i].n;
  return n;
}

static void run(dtrt_device *dev) {
  float *from = (float *)(void *)dev->arena, *to = (float *)(void *)(dev->arena + to_offset);
  int64_t at = 0;
  Next n = {{0}, 0};
  if (count(current->from) > 0) do {
      if (holds_all(current->from, dev->coord, n.at))
        from[at++] = term(current->from, n.index, dev->coord);
    } while (next(current->from, &n));
  int64_t held = 1;
  for (int i = 0; i < current->to->rank; i++)
    held *= dtrt_hi(dev, &current->to->dim[i]) - dtrt_lo(dev, &current->to->dim[i]);
  for (int64_t i = 0; i <= held; i++) to[i] = -1;
  dtrt_run_exchange(dev, current, from, to);
  at = 0;
  n = (Next){{0}, 0};
  int64_t bytes = 0;
  if (count(current->to) > 0) do {
      if (!holds_all(current->to, dev->coord, n.at)) continue;
      float e = expected(current, n.index, n.at, dev->coord, &bytes);
      CHECK(to[at] == e, "device %d element %ld: %g, not %g", device_number(dev->coord),
            (long)n.index, to[at], e);
      at++;
    } while (next(current->to, &n));
  CHECK(at == held, "device %d holds %ld, not %ld", device_number(dev->coord), (long)held,
        (long)at);
  CHECK(to[held] == -1, "written past the end");
}

static void print(const char *word, const dtrt_layout *l) {
  fprintf(stderr, " %s [", word);
  for (int i = 0; i < l->rank; i++) {
    const dtrt_dim *d = &l->dim[i];
    fprintf(stderr, "%s%ld:", i ? " " : "", (long)d->n);
    for (int j = 0; j < d->naxes; j++) fputc("xy"[d->axis[j]], stderr);
    if (d->granule > 1) fprintf(stderr, " by %ld", (long)d->granule);
    if (d->of) fprintf(stderr, " window %ld *%ld", (long)d->of, (long)d->mul);
  }
  fprintf(stderr, "] partial %u", l->partial);
}

/* -------- the layouts -------- */

/* Each axis goes to one of the dims (0..rank-1), nowhere, or partial; two on one dim in both
 * orders. */
static int all_layouts(Laid *out, int rank, const int64_t *n, bool granules) {
  int made = 0, ways = rank + 2;
  for (int a = 0; a < ways; a++)
    for (int b = 0; b < (naxes == 2 ? ways : 1); b++)
      for (int turn = 0; turn < (naxes == 2 && a == b && a < rank ? 2 : 1); turn++) {
        Laid *o = &out[made++];
        memset(o, 0, sizeof *o);
        o->l.rank = rank;
        for (int i = 0; i < rank; i++)
          o->dim[i] = (dtrt_dim){.n = n[i], .granule = granules && n[i] % 3 == 0 ? 3 : 1};
        int put[2] = {a, naxes == 2 ? b : rank};
        for (int j = 0; j < naxes; j++) {
          int axis = turn ? 1 - j : j;
          if (put[axis] < rank) {
            dtrt_dim *d = &o->dim[put[axis]];
            d->axis[d->naxes++] = axis;
          }
          if (put[axis] == rank + 1) o->l.partial |= 1u << axis;
        }
      }
  return made;
}

/* Gives a cut dim of `to` a window, so that devices need what overlaps, strides, is mirrored or is
 * far away. */
static bool add_window(Laid *o, int which) {
  static const struct {
    int of_mul, of_add;
    int64_t mul, div, first, last;
  } window[] = {
      {1, 0, 1, 1, -1, 1},   /* a halo of one */
      {1, -2, 1, 1, 2, 2},   /* a slice from 2 */
      {1, 0, -1, 1, -1, -1}, /* reverse; first is set below */
      {2, 0, 1, 2, 0, 0},    /* every device of a longer dim needs half as much */
      {1, 3, 1, 1, -3, -3},  /* padding before */
      {1, 0, -2, 3, 4, 9},   /* backwards and bent */
  };
  for (int i = 0; i < o->l.rank; i++) {
    dtrt_dim *d = &o->dim[i];
    int64_t of = d->n * window[which].of_mul + window[which].of_add;
    if (!d->naxes || of <= 0) continue;
    d->of = of;
    d->granule = 1;
    d->mul = window[which].mul;
    d->div = window[which].div;
    d->first = window[which].first;
    d->last = window[which].last;
    if (which == 2) d->first = d->last = d->n - 1;
    return true;
  }
  return false;
}

/* A large all-reduce in place of needed minus owned: 2 n (g-1)/g bytes, give or take a cache line a
 * chunk. 0 when x is not one. */
static int64_t all_reduce_group(const dtrt_exchange *x) {
  uint32_t settle = x->from->partial & ~x->to->partial;
  int64_t g = (settle & 1 ? size[0] : 1) * (settle & 2 ? size[1] : 1), most = sizeof(float);
  if (g == 1 || x->to->partial & ~x->from->partial) return 0;
  for (int i = 0; i < x->from->rank; i++) {
    const dtrt_dim *d = &x->from->dim[i], *e = &x->to->dim[i];
    int64_t k = 1;
    if (e->of || d->naxes != e->naxes || d->granule != e->granule) return 0;
    for (int j = 0; j < d->naxes; j++) {
      if (d->axis[j] != e->axis[j]) return 0;
      k *= size[d->axis[j]];
    }
    most *= (d->n / d->granule + k - 1) / k * d->granule;
  }
  return most > 4096 ? g : 0;
}

static void one(dtrt_session *s, const dtrt_exchange *x) {
  int first = dtrt_session_rank(s), n = dtrt_session_nranks(s) > 1 ? 1 : dtrt_session_ndevices(s);
  dtrt_traffic before[16];
  int failures = atomic_load(&harness_failures);
  for (int i = 0; i < n; i++) before[i] = dtrt_session_traffic(s, first + i);
  current = x;
  if (dtrt_call(s, 1, NULL, NULL) != DTRT_OK) {
    fprintf(stderr, "call: %s", dtrt_session_error(s));
    atomic_fetch_add(&harness_failures, 1);
  }
  int64_t g = all_reduce_group(x), total = 0, total_got = 0;
  for (int i = 0; i < n; i++) {
    int32_t coord[2] = {naxes == 2 ? (first + i) / size[1] : first + i,
                        naxes == 2 ? (first + i) % size[1] : 0};
    int64_t bytes = 0;
    Next at = {{0}, 0};
    if (count(x->to) > 0) do {
        if (holds_all(x->to, coord, at.at)) expected(x, at.index, at.at, coord, &bytes);
      } while (next(x->to, &at));
    int64_t got = dtrt_session_traffic(s, first + i).bytes - before[i].bytes;
    total += bytes;
    total_got += got;
    if (g)
      CHECK(labs(got - bytes * 2 / g) <= 128 * g, "device %d received %ld bytes, not about %ld",
            first + i, (long)got, (long)(bytes * 2 / g));
    else
      CHECK(got == bytes, "device %d received %ld bytes, not %ld", first + i, (long)got,
            (long)bytes);
  }
  if (g && n > 1)
    CHECK(total_got == total / g * 2, "all received %ld bytes, not %ld", (long)total_got,
          (long)(total / g * 2));
  if (atomic_load(&harness_failures) == failures || failures > 20) return;
  fprintf(stderr, "  in mesh %dx%d:", size[0], naxes == 2 ? size[1] : 1);
  print("from", x->from);
  print("to", x->to);
  fputc('\n', stderr);
}

static int64_t mesh_pairs(const char *transport, int rank, const int64_t *n, bool granules) {
  static Laid from[MAX_LAYOUTS], plain[MAX_LAYOUTS], to[MAX_LAYOUTS * 7];
  int nfrom = all_layouts(from, rank, n, granules), nto = all_layouts(to, rank, n, false);
  int nplain = all_layouts(plain, rank, n, false);
  for (int w = 0; w < 6; w++)
    for (int i = 0; i < nplain; i++) {
      to[nto] = plain[i];
      nto += add_window(&to[nto], w);
    }
  for (int i = 0; i < nfrom; i++) from[i].l.dim = from[i].dim;
  for (int i = 0; i < nto; i++) to[i].l.dim = to[i].dim;
  int total = 0;
  dtrt_exchange *x = calloc((size_t)nfrom * (size_t)nto * 2, sizeof *x);
  const dtrt_exchange **list = calloc((size_t)nfrom * (size_t)nto * 2, sizeof *list);
  static Laid max_from[MAX_LAYOUTS];
  for (int i = 0; i < nfrom; i++) {
    max_from[i] = from[i];
    max_from[i].l.dim = max_from[i].dim;
    max_from[i].l.reduce = DTRT_MAX;
  }
  for (int i = 0; i < nfrom; i++)
    for (int j = 0; j < nto; j++)
      for (int op = 0; op < (from[i].l.partial && !to[j].l.partial ? 2 : 1); op++) {
        x[total] = (dtrt_exchange){.id = total,
                                   .kind = DTRT_BOXES,
                                   .dtype = DTRT_F32,
                                   .from = op ? &max_from[i].l : &from[i].l,
                                   .to = &to[j].l,
                                   .what = "x",
                                   .where = "exchanges.c:1"};
        list[total] = &x[total];
        total++;
      }
  to_offset = (count(&from[0].l) * 4 + 127) / 64 * 64;
  Fixture f;
  harness_program(&f, naxes, size, to_offset * 2 + 64);
  f.program.nexchanges = total;
  f.program.exchange = list;
  harness_entry(&f, "one", run);
  dtrt_session *s = harness_open(&f, transport);
  int done = 0;
  for (int i = (int)n[0] % step; i < total; i += step, done++) one(s, &x[i]);
  for (int i = (int)n[0] % step; i < total; i += 7 * step)
    one(s, &x[i]); /* with plans made before */
  dtrt_close(s);
  free(x);
  free(list);
  return done;
}

int main(int argc, char **argv) {
  static const int meshes[][3] = {{1, 2, 0}, {1, 3, 0}, {1, 4, 0}, {2, 2, 2}, {2, 2, 3}, {2, 1, 2}};
  static const struct {
    int rank;
    int64_t n[3];
    bool granules;
  } shapes[] = {{1, {12}, false},      {1, {7}, false},      {1, {3}, false},
                {1, {9}, true},        {1, {2600}, false},   {2, {6, 5}, false},
                {2, {2, 9}, true},     {2, {60, 70}, false}, {2, {1, 0}, false},
                {3, {4, 3, 5}, false}, {3, {2, 6, 3}, true}};
  const char *transport = argc > 1 ? argv[1] : "threads";
  int only = argc > 2 ? atoi(argv[2]) : 0;
  if (argc > 3 && atoi(argv[3]) > 0) step = atoi(argv[3]);
  int64_t total = 0;
  for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
    naxes = meshes[i][0];
    size[0] = meshes[i][1];
    size[1] = naxes == 2 ? meshes[i][2] : 1;
    if (only && only != size[0] * size[1]) continue;
    for (size_t j = 0; j < sizeof shapes / sizeof *shapes; j++)
      total += mesh_pairs(transport, shapes[j].rank, shapes[j].n, shapes[j].granules);
  }
  printf("%ld pairs\n", (long)total);
  return harness_result();
}
