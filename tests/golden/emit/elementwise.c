/* elementwise, made by dtgc from elementwise.dtg.
 * Mesh x=4: every device runs this on its own blocks. Planned for machine generic. */
#include "dtrt.h"

static const dtrt_dim dim_0 = {.n = 10, .granule = 1, .naxes = 1, .axis = {0}};
/* [10, 6] on [x, _] */
static const dtrt_dim layout_0_dims[] = {
    {.n = 10, .granule = 1, .naxes = 1, .axis = {0}},
    {.n = 6, .granule = 1}};
static const dtrt_layout layout_0 = {2, 0x0, DTRT_SUM, layout_0_dims};
/* [6] on [_] */
static const dtrt_dim layout_1_dims[] = {
    {.n = 6, .granule = 1}};
static const dtrt_layout layout_1 = {1, 0x0, DTRT_SUM, layout_1_dims};
/* [10] on [x] */
static const dtrt_dim layout_2_dims[] = {
    {.n = 10, .granule = 1, .naxes = 1, .axis = {0}}};
static const dtrt_layout layout_2 = {1, 0x0, DTRT_SUM, layout_2_dims};

DTRT_LOOP void loop1_f_out(int64_t n0, int64_t n1, float (*restrict a)[n1],
    const float *restrict b, float (*restrict f_out)[n1]) {
  DTRT_OUTER
  for (int64_t i = 0; i < n0; i++) {
    DTRT_PLAIN
    for (int64_t j = 0; j < n1; j++) {
      const float v0 = a[i][j] * 2.0f + b[j];
      f_out[i][j] = (v0 > 0.0f) ? v0 : dtrt_exp_f32(v0) - 1.0f;
    }
  }
}

DTRT_LOOP void loop2_f_total(int64_t n0, int64_t n1, float (*restrict a)[n1],
    const float *restrict b, float *restrict f_total) {
  DTRT_OUTER
  for (int64_t i = 0; i < n0; i++) {
    float acc = 0.0f;
    DTRT_WHOLE
    for (int64_t j = 0; j < 6; j++) {
      const float v0 = a[i][j] * 2.0f + b[j];
      acc = acc + v0 * v0;
    }
    f_total[i] = acc;
  }
}

/* entry init */
DTRT_ENTRY void entry_init(dtrt_device *dev) {
  (void)dev;
}

/* entry f    elementwise.dtg:3 */
DTRT_ENTRY void entry_f(dtrt_device *dev) {
  (void)dev;
  const int64_t block10_x = dtrt_hi(dev, &dim_0) - dtrt_lo(dev, &dim_0);

  /* f.out = where(gt@elementwise.dtg:5, f.c, sub@elementwise.dtg:5)    elementwise.dtg:5 */
  dtrt_begin_step(dev, 0);
  float (*const a)[6] = (void *)dev->in[0]; /* f32[10, 6] [x, _] */
  float *const b = (void *)dev->in[1]; /* f32[6] [_] */
  float (*const out)[6] = (void *)(dev->arena + 128); /* f32[10, 6] [x, _] */
  loop1_f_out(block10_x, 6, a, b, out);

  /* f.total = sum(mul@elementwise.dtg:5)    elementwise.dtg:5 */
  dtrt_begin_step(dev, 1);
  float *const total = (void *)(dev->arena + 320); /* f32[10] [x] */
  loop2_f_total(block10_x, 6, a, b, total);
}

static const char *const entry_f_dims_0[] = {0, 0};
static const char *const entry_f_dims_1[] = {0};
static const dtrt_tensor entry_f_in[] = {
    {"a", DTRT_F32, 0, &layout_0, 0, 72, 2, entry_f_dims_0, "elementwise.dtg:3", 0},
    {"b", DTRT_F32, 0, &layout_1, 256, 24, 2, entry_f_dims_1, "elementwise.dtg:3", 0},
};
static const dtrt_tensor entry_f_out[] = {
    {"out", DTRT_F32, 0, &layout_0, 128, 72, 0, 0, "elementwise.dtg:5", 0},
    {"total", DTRT_F32, 0, &layout_2, 320, 12, 0, 0, "elementwise.dtg:5", 0},
};
static const dtrt_step entry_f_steps[] = {
    {"f.out = where(gt@elementwise.dtg:5, f.c, sub@elementwise.dtg:5)", "elementwise.dtg:5", DTRT_STEP_LOOP, 0, 168},
    {"f.total = sum(mul@elementwise.dtg:5)", "elementwise.dtg:5", DTRT_STEP_LOOP, 0, 108},
};
static const char *const axis_names[] = {"x"};
static const int32_t axis_sizes[] = {4};
static const dtrt_rates rates = {"generic", 5e+10, {32768, 2097152, 4194304}, {8e+10, 4e+10, 2e+10, 1e+10}};
static const dtrt_entry entries[] = {
    {"init", entry_init, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"f", entry_f, 2, 2, 2, 0, entry_f_in, entry_f_out, entry_f_steps, 384, 0, 0, 0},
};
static const uint64_t code[] = {0x0, 0x0};

extern const dtrt_program dtg_program;
const dtrt_program dtg_program = {
    DTRT_ABI, "elementwise", 1, axis_names, axis_sizes, 0, 2, 0, 0, entries, 0, 0,
    0, code, 0, 0, 0, DTRT_SUMS_FIXED, 0, 0, &rates};
