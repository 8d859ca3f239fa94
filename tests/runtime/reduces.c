/* reduces.c: all-reduce and reduce-scatter of every dtype and op against the plain sum in the order
 * of docs/sums.md, small and large, one tensor and several as one, in place and not. Prints a hash
 * of all results, which must be the same on every transport. reduces TRANSPORT NDEVICES
 * [flights|beside]: in flight; or as many devices again beside them, on a second axis, which do the
 * same and must have the same bits. With TEST_SUMS=fast in the order of --sums=fast, where
 * TEST_HOSTS (rendezvous.c) says which hosts there are. */
#include <math.h>
#include "harness.h"

enum { TENSORS = 5 };

static int naddends, nbeside; /* devices along the first axis, and along the second */
static int host[64];          /* of each addend */
static bool by_hosts;         /* what a host has is combined first */
typedef struct Case {
  int dtype, op, ntensors, in_place;
  int64_t room; /* bytes for a block */
  dtrt_dim dims[TENSORS], cut;
  dtrt_layout from[TENSORS], to[TENSORS];
  dtrt_exchange table[TENSORS];
} Case;

static Case cases[1024];
static int ncases, nexchanges;
static const dtrt_exchange *list[5 * 1024];
static const Case *now; /* and what is much used of it: */
static int dtype, op;
static uint64_t hashes[64]; /* one a device of this process */
static int flights;         /* 1: they are started and awaited */

/* -------- numbers, one at a time -------- */

static double value_of(int type, const void *at) {
  uint16_t h;
  float f;
  uint32_t u;
  switch (type) {
  case DTRT_BOOL:
  case DTRT_U8: return *(const uint8_t *)at;
  case DTRT_I8: return *(const int8_t *)at;
  case DTRT_I32: return *(const int32_t *)at;
  case DTRT_I16: return *(const int16_t *)at;
  case DTRT_U16: return *(const uint16_t *)at;
  case DTRT_U32: return *(const uint32_t *)at;
  case DTRT_F32: return *(const float *)at;
  case DTRT_F64: return *(const double *)at;
  case DTRT_BF16:
    memcpy(&h, at, 2);
    u = (uint32_t)h << 16;
    memcpy(&f, &u, 4);
    return f;
  default: /* f16, by the definition */
    memcpy(&h, at, 2);
    int e = h >> 10 & 31, m = h & 1023;
    double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
    return h & 0x8000 ? -v : v;
  }
}

static double all[2][65536]; /* of bf16 and f16 */

/* The 16-bit number nearest to v, ties to even, found by looking among all of them. */
static uint16_t nearest(int type, float v) {
  int t = type == DTRT_F16;
  uint16_t sign = signbit(v) ? 0x8000 : 0, inf = t ? 0x7c00 : 0x7f80;
  double a = fabs((double)v);
  int lo = 0, hi = inf; /* values grow with the bits */
  while (hi - lo > 1) {
    int mid = (lo + hi) / 2;
    if (all[t][mid] <= a)
      lo = mid;
    else
      hi = mid;
  }
  double top = hi == inf ? all[t][inf - 1] + (all[t][inf - 1] - all[t][inf - 2]) : all[t][hi];
  double left = a - all[t][lo], right = top - a;
  return sign | (uint16_t)(left < right || (left == right && lo % 2 == 0) ? lo : hi);
}

/* r = r op b, for types whose every step is exact in its own type. */
static void step(void *r, const void *b) {
#define STEP(T, U)                                                                                 \
  do {                                                                                             \
    T x, y;                                                                                        \
    memcpy(&x, r, sizeof x);                                                                       \
    memcpy(&y, b, sizeof y);                                                                       \
    if (op == DTRT_SUM) x = (T)((U)x + (U)y);                                                      \
    if (op == DTRT_PROD) x = (T)((U)x * (U)y);                                                     \
    if (op == DTRT_MAX) x = x > y ? x : y;                                                         \
    if (op == DTRT_MIN) x = x < y ? x : y;                                                         \
    memcpy(r, &x, sizeof x);                                                                       \
  } while (0)
  switch (dtype) {
  case DTRT_BOOL: {
    uint8_t *x = r, y = *(const uint8_t *)b;
    *x = op == DTRT_SUM || op == DTRT_MAX ? *x || y : *x && y;
    break;
  }
  case DTRT_U8: STEP(uint8_t, uint32_t); break;
  case DTRT_I8: STEP(int8_t, uint32_t); break;
  case DTRT_I16: STEP(int16_t, uint32_t); break;
  case DTRT_U16: STEP(uint16_t, uint32_t); break;
  case DTRT_I32: STEP(int32_t, uint32_t); break;
  case DTRT_U32: STEP(uint32_t, uint32_t); break;
  case DTRT_U64: STEP(uint64_t, uint64_t); break;
  case DTRT_I64: STEP(int64_t, uint64_t); break;
  case DTRT_F32: STEP(float, float); break;
  default: STEP(double, double); break;
  }
}

static void make(void *at, int device, int tensor, int64_t i) {
  uint64_t r = harness_mix((uint64_t)device << 48 ^ (uint64_t)tensor << 40 ^ (uint64_t)i);
  double d = ((double)(r >> 11) * 0x1p-53 - 0.5) * (op == DTRT_PROD ? 4 : 100);
  float f = (float)d;
  bool half = dtype == DTRT_F16 || dtype == DTRT_BF16;
  uint16_t h = half ? nearest(dtype, f) : 0;
  switch (dtype) {
  case DTRT_BOOL: *(uint8_t *)at = r & 1; break;
  case DTRT_F16:
  case DTRT_BF16: memcpy(at, &h, 2); break;
  case DTRT_F32: memcpy(at, &f, 4); break;
  case DTRT_F64: memcpy(at, &d, 8); break;
  default: memcpy(at, &r, (size_t)dtrt_dtype_size(dtype));
  }
}

/* Values as a tree of `size` leaves from `first` on, of which the missing count as nothing. */
static float half_tree(const float *v, int n, int first, int size) {
  if (size == 1) return v[first];
  float a = half_tree(v, n, first, size / 2);
  if (first + size / 2 >= n) return a;
  float b = half_tree(v, n, first + size / 2, size / 2);
  return op == DTRT_SUM    ? a + b
         : op == DTRT_PROD ? a * b
         : op == DTRT_MAX  ? (a > b ? a : b)
                           : (a < b ? a : b);
}

static void tree(char *r, char (*v)[8], int n, int first, int size) {
  char b[8];
  memcpy(r, v[first], 8);
  if (size == 1) return;
  tree(r, v, n, first, size / 2);
  if (first + size / 2 >= n) return;
  tree(b, v, n, first + size / 2, size / 2);
  step(r, b);
}

/* What n values of the type come to, rounded. */
static void combine(char *r, char (*v)[8], int n) {
  float f[64];
  if (dtype != DTRT_F16 && dtype != DTRT_BF16) {
    tree(r, v, n, 0, 64);
    return;
  }
  for (int i = 0; i < n; i++) f[i] = (float)value_of(dtype, v[i]);
  uint16_t h = nearest(dtype, half_tree(f, n, 0, 64));
  memcpy(r, &h, 2);
}

/* Addends in the order of devices, or those of each host first. */
static void expect(void *at, int tensor, int64_t i, bool by_hosts) {
  char v[64][8] = {{0}}, sum[64][8] = {{0}}, r[8];
  for (int d = 0; d < naddends; d++) make(v[d], d, tensor, i);
  if (!by_hosts) combine(r, v, naddends);
  int hosts = 0, first[64];
  for (int d = 0; by_hosts && d < naddends; d++) {
    char own[64][8] = {{0}};
    int k = 0, n = 0;
    while (k < hosts && host[first[k]] != host[d]) k++;
    if (k < hosts) continue;
    for (int e = first[hosts] = d; e < naddends; e++)
      if (host[e] == host[d]) memcpy(own[n++], v[e], 8);
    combine(sum[hosts++], own, n);
  }
  if (by_hosts) combine(r, sum, hosts);
  memcpy(at, r, (size_t)dtrt_dtype_size(dtype));
}

/* How far the two orders of docs/sums.md may lie apart, for sums. */
static double bound(int tensor, int64_t i) {
  const double unit = dtype == DTRT_F64   ? 0x1p-53
                      : dtype == DTRT_F32 ? 0x1p-24
                      : dtype == DTRT_F16 ? 0x1p-11
                                          : 0x1p-8;
  const bool half = dtype == DTRT_F16 || dtype == DTRT_BF16;
  double all = 0, roundings = half ? 3 : 1;
  for (int n = 1; !half && n < naddends; n *= 2) roundings += 2;
  for (int d = 0; d < naddends; d++) {
    char v[8];
    make(v, d, tensor, i);
    all += fabs(value_of(dtype, v));
  }
  return roundings * unit * all * 1.001; /* adding up `all`, and halves in f32, too */
}

/* -------- the run -------- */

static void run(dtrt_device *dev) {
  const Case *c = now;
  int size = dtrt_dtype_size(dtype), device = dev->coord[0];
  int number = device * nbeside + (nbeside > 1 ? dev->coord[1] : 0);
  const void *in[TENSORS];
  void *out[TENSORS];
  for (int t = 0; t < c->ntensors; t++) {
    char *block = dev->arena + (int64_t)t * 2 * c->room;
    for (int64_t i = 0; i < c->dims[t].n; i++) make(block + i * size, device, t, i);
    in[t] = block;
    out[t] = c->in_place ? block : block + c->room;
  }
  const dtrt_exchange *const *x = list + c->table[0].id;
  if (flights) {
    int slot = 1 + c->table[0].id % DTRT_SLOTS;
    dtrt_start_exchanges(dev, slot, c->ntensors, x, in, out);
    dtrt_begin_step(dev, 0);
    dtrt_wait_exchange(dev, slot);
  } else if (c->ntensors == 1)
    dtrt_run_exchange(dev, x[0], in[0], out[0]);
  else
    dtrt_run_exchanges(dev, c->ntensors, x, in, out);
  uint64_t hash = 0;
  for (int t = 0; t < c->ntensors; t++) {
    int64_t lo = dtrt_lo(dev, c->to[t].dim), hi = dtrt_hi(dev, c->to[t].dim);
    const char *got = out[t];
    for (int64_t i = lo; i < hi; i++) {
      char want[8];
      const char *has = got + (i - lo) * size;
      if (i % (c->dims[t].n / 257 + 1) == 0) { /* the reference is slow */
        expect(want, t, i, by_hosts);
        if (by_hosts && op == DTRT_SUM && dtype >= DTRT_F16 && dtype <= DTRT_F64) {
          char fixed[8];
          expect(fixed, t, i, false);
          CHECK(fabs(value_of(dtype, fixed) - value_of(dtype, has)) <= bound(t, i),
                "%s, n %ld: element %ld: %g is far from %g", dtrt_dtype_name(dtype),
                (long)c->dims[t].n, (long)i, value_of(dtype, has), value_of(dtype, fixed));
        }
        CHECK(!memcmp(want, has, (size_t)size),
              "%s op %d, %d tensors, n %ld: element %ld: %g, not %g", dtrt_dtype_name(dtype), op,
              c->ntensors, (long)c->dims[t].n, (long)i, value_of(dtype, has),
              value_of(dtype, want));
      }
    }
    for (int64_t i = 0; i < (hi - lo) * size; i++) hash = hash * 31 + (uint8_t)got[i];
  }
  hashes[number] = hash;
}

static void add_case(const int64_t *sizes, int n, int type, int how, bool scatter) {
  Case *c = &cases[ncases++];
  *c = (Case){.dtype = type, .op = how, .ntensors = n, .room = 64};
  c->in_place = (how + type) % 2 && !scatter;
  for (int t = 0; t < n; t++) {
    if (sizes[t] * 8 > c->room) c->room = (sizes[t] * 8 + 63) / 64 * 64;
    c->dims[t] = (dtrt_dim){.n = sizes[t], .granule = 1};
    c->cut = (dtrt_dim){.n = sizes[t], .granule = 1, .naxes = 1};
    c->from[t] = (dtrt_layout){1, 1, how, &c->dims[t]};
    c->to[t] = (dtrt_layout){1, 0, DTRT_SUM, scatter ? &c->cut : &c->dims[t]};
    c->table[t] = (dtrt_exchange){.id = nexchanges,
                                  .kind = scatter ? DTRT_REDUCE_SCATTER : DTRT_ALL_REDUCE,
                                  .dtype = type,
                                  .axes = 1,
                                  .from = &c->from[t],
                                  .to = &c->to[t],
                                  .what = "t",
                                  .where = "reduces.c:1"};
    list[nexchanges++] = &c->table[t];
  }
}

static void add_cases(void) {
  static const int64_t sizes[][TENSORS] = {
      {1}, {5}, {700}, {5000}, {60001}, {3, 0, 100, 7, 1}, {4000, 1, 20000, 333, 0}};
  for (int z = 0; z < 7; z++)
    for (int type = DTRT_BOOL; type <= DTRT_U64; type++)
      for (int how = DTRT_SUM; how <= DTRT_PROD; how++)
        for (int scatter = 0; scatter < (z < 5 ? 2 : 1); scatter++)
          if (z != 4 || how == DTRT_SUM)
            add_case(sizes[z], z < 5 ? 1 : TENSORS, type, how, scatter);
}

/* Where the addends are; false: other devices' beside them are shared out otherwise, so that what a
 * host has cannot be combined first. */
static bool find_hosts(void) {
  const char *said = getenv("TEST_HOSTS");
  const int hosts = said ? atoi(said) : naddends, all = naddends * nbeside;
  int other[64];
  for (int d = 0; d < all; d++) {
    int at = said && strchr(said, ' ') ? d % hosts : (int)((int64_t)d * hosts / all);
    (d % nbeside ? other : host)[d / nbeside] = at;
  }
  for (int d = 0; nbeside > 1 && d < naddends; d++)
    for (int e = 0; e < d; e++)
      if ((host[d] == host[e]) != (other[d] == other[e])) return false;
  return true;
}

static uint64_t sweep(const char *transport) {
  Fixture f;
  int size[] = {naddends, nbeside};
  add_cases();
  int64_t arena = 0;
  for (int i = 0; i < ncases; i++)
    if (cases[i].ntensors * 2 * cases[i].room > arena)
      arena = cases[i].ntensors * 2 * cases[i].room;
  harness_program(&f, 1 + (nbeside > 1), size, arena);
  by_hosts = f.program.sums == DTRT_SUMS_FAST && find_hosts();
  f.program.nexchanges = nexchanges;
  f.program.exchange = list;
  harness_entry(&f, "reduce", run);
  dtrt_session *s = harness_open(&f, transport);
  uint64_t hash = 0;
  int rank = dtrt_session_first_device(s), n = dtrt_session_local_devices(s);
  for (int i = 0; i < ncases; i++) {
    now = &cases[i];
    dtype = now->dtype;
    op = now->op;
    CHECK(dtrt_call(s, 1, NULL, NULL) == DTRT_OK, "%s", dtrt_session_error(s));
    for (int d = rank + 1; now->table[0].kind == DTRT_ALL_REDUCE && d < rank + n; d++)
      CHECK(hashes[d] == hashes[rank], "device %d has other bits", d);
    for (int d = rank; d < rank + n; d++)
      CHECK(hashes[d] == hashes[d / nbeside * nbeside], "device %d has bits of its own", d);
    hash = harness_mix(hash ^ hashes[rank]);
  }
  dtrt_close(s);
  return hash;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  naddends = atoi(argv[2]);
  flights = argc > 3 && !strcmp(argv[3], "flights");
  nbeside = argc > 3 && !flights ? 2 : 1;
  for (int i = 0; i < 65536; i++) {
    uint16_t h = (uint16_t)i;
    all[0][i] = value_of(DTRT_BF16, &h);
    all[1][i] = value_of(DTRT_F16, &h);
  }
  uint64_t hash = sweep(argv[1]);
  /* One line under any launcher too: that of rank 0. */
  if (dtrt_launch_rank() == 0) printf("%016llx\n", (unsigned long long)hash);
  return harness_result();
}
