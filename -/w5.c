/* w5, made by dtgc from /tmp/s/w5.dtg.
 * For one device. */
#include "dtrt.h"

/* [1, 3] on [_, _] */
static const dtrt_dim layout_0_dims[] = {
    {.n = 1, .granule = 1},
    {.n = 3, .granule = 1}};
static const dtrt_layout layout_0 = {2, 0x0, DTRT_SUM, layout_0_dims};
/* [3] on [_] */
static const dtrt_dim layout_1_dims[] = {
    {.n = 3, .granule = 1}};
static const dtrt_layout layout_1 = {1, 0x0, DTRT_SUM, layout_1_dims};

DTRT_LOOP void loop1_const(int64_t n0, float *restrict t_) {
  DTRT_PLAIN
  for (int64_t i = 0; i < n0; i++) {
    t_[i] = 1.0f;
  }
}

DTRT_LOOP void loop2_f_x(int64_t n0, int64_t n1, float (*restrict f_x)[n1]) {
  DTRT_OUTER
  for (int64_t i = 0; i < n0; i++) {
    DTRT_PLAIN
    for (int64_t j = 0; j < n1; j++) {
      f_x[i][j] = 0.1f;
    }
  }
}

DTRT_LOOP void loop3_f_b(int64_t n0, int64_t n1, int64_t first0, int64_t n2, int64_t from0, float *restrict f_b, float *restrict partial) {
  if (first0)
    DTRT_PLAIN
    for (int64_t j = 0; j < n1; j++) {
      f_b[j] = 0.0f;
    }
  const int64_t start = from0, stop = start + n0;
  DTRT_OUTER
  for (int64_t begin = start; begin < stop;) {
    const int64_t block = begin / DTRT_SUM_BLOCK, next = (block + 1) * DTRT_SUM_BLOCK;
    const int64_t end = next < stop ? next : stop;
    float *own = partial + block % 2 * n1;
    if (begin % DTRT_SUM_BLOCK == 0) {
      DTRT_PLAIN
      for (int64_t j = 0; j < n1; j++) {
        own[j] = 0.0f;
      }
    }
    DTRT_OUTER
    for (int64_t i = begin - start; i < end - start; i++) {
      DTRT_PLAIN
      for (int64_t j = 0; j < n1; j++) {
        own[j] = own[j] + 0.1f;
      }
    }
    begin = end;
    if (end < next || block % 2 == 0) continue;
    dtrt_carry_row_sum_f32(partial, n1, n1, block);
  }
  if (stop == n2) {
    dtrt_fold_row_sum_f32(&f_b[0], partial, n1, n1, stop / DTRT_SUM_BLOCK, stop % DTRT_SUM_BLOCK > 0);
  }
}

/* entry init */
DTRT_ENTRY void entry_init(dtrt_device *dev) {
  (void)dev;
}

/* entry f    /tmp/s/w5.dtg:1 */
DTRT_ENTRY void entry_f(dtrt_device *dev) {
  (void)dev;

  /* %1 = const()    /tmp/s/w5.dtg:2 */
  dtrt_begin_step(dev, 0);
  float (*const t0)[3000000] = (void *)(dev->arena + 36000000); /* f32[1, 3000000] [_, _] */
  loop1_const(3000000, (void *)t0);

  /* f.x = const(), f.b = sum(f.x)    /tmp/s/w5.dtg:2 */
  dtrt_begin_step(dev, 1);
  float (*const x_)[3] = (void *)(dev->arena + 0); /* f32[3000000, 3] [_, _] */
  float *const partial_f_b = (void *)(dev->arena + 48000000); /* partial sums */
  float *const b = (void *)(dev->arena + 48000256); /* f32[3] [_] */
  for (int64_t at0 = 0; at0 < 3000000; at0 += 5242) {
    const int64_t len0 = 3000000 - at0 < 5242 ? 3000000 - at0 : 5242;
    /* const    /tmp/s/w5.dtg:1 */
    loop2_f_x(len0, 3, (void *)&x_[at0][0]);
    /* sum    /tmp/s/w5.dtg:2 */
    loop3_f_b(len0, 3, at0 == 0, 3000000, at0, b, partial_f_b);
  }

  /* f.a = contract(%1, f.x)    /tmp/s/w5.dtg:2 */
  dtrt_begin_step(dev, 2);
  float (*const a)[3] = (void *)(dev->arena + 48000000); /* f32[1, 3] [_, _] */
  dtrt_gemm(DTRT_F32, 0, 0, 1, 3, 3000000, t0, 3000000, x_, 3, a, 3, 0);
}

static const dtrt_tensor entry_f_out[] = {
    {"a", DTRT_F32, 0, &layout_0, 48000000, 12, 0, 0, "/tmp/s/w5.dtg:2"},
    {"b", DTRT_F32, 0, &layout_1, 48000256, 12, 0, 0, "/tmp/s/w5.dtg:2"},
};
static const dtrt_step entry_f_steps[] = {
    {"%1 = const()", "/tmp/s/w5.dtg:2", DTRT_STEP_LOOP, 0, 12000000},
    {"f.x = const(), f.b = sum(f.x)", "/tmp/s/w5.dtg:2", DTRT_STEP_LOOP, 0, 36000012},
    {"f.a = contract(%1, f.x)", "/tmp/s/w5.dtg:2", DTRT_STEP_PRODUCT, 18000000, 48000012},
};
static const dtrt_entry entries[] = {
    {"init", entry_init, 0, 0, 0, 0, 0, 0, 0, 0},
    {"f", entry_f, 0, 2, 3, 0, 0, entry_f_out, entry_f_steps, 48000320},
};

extern const dtrt_program dtg_program;
const dtrt_program dtg_program = {
    DTRT_ABI, "w5", 0, 0, 0, 0, 2, 0, 0, entries, 0, 0,
    0};
