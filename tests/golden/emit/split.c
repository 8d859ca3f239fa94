/* split, made by dtgc from split.dtg.
 * For one device. Planned for machine generic. */
#include "dtrt.h"

/* [4, 3, 8] on [_, _, _] */
static const dtrt_dim layout_0_dims[] = {
    {.n = 4, .granule = 1},
    {.n = 3, .granule = 1},
    {.n = 8, .granule = 1}};
static const dtrt_layout layout_0 = {3, 0x0, DTRT_SUM, layout_0_dims};
/* [64] on [_] */
static const dtrt_dim layout_1_dims[] = {
    {.n = 64, .granule = 1}};
static const dtrt_layout layout_1 = {1, 0x0, DTRT_SUM, layout_1_dims};

DTRT_LOOP void loop1_normal(int64_t n0, int64_t key0, float *restrict normal) {
  dtrt_draw_normal_f32(&normal[0], key0, 0, 0, n0);
}

DTRT_LOOP void loop2_grad_z(int64_t n0, int64_t n1, int64_t n2, float (*restrict z)[n1][n2],
    const float *restrict w, float (*restrict grad_z)[n1][n2]) {
  DTRT_OUTER
  for (int64_t i = 0; i < n0; i++) {
    DTRT_PLAIN
    for (int64_t k = 0; k < n2; k++) {
      const float v0 = dtrt_tanh_f32(z[i][0][k] * w[k]);
      grad_z[i][0][k] = (1.0f - v0 * v0) * w[k];
    }
    DTRT_PLAIN
    for (int64_t k = 0; k < n2; k++) {
      grad_z[i][1][k] = 0.0f;
    }
    DTRT_PLAIN
    for (int64_t k = 0; k < n2; k++) {
      grad_z[i][2][k] = z[i][2][k] + z[i][2][k];
    }
  }
}

DTRT_LOOP void loop3_heat_y(const float *restrict u, float *restrict heat_y) {
  heat_y[0] = u[0] + 0.1f * (u[1] + 0.0f - 2.0f * u[0]);
  DTRT_PLAIN
  for (int64_t i = 1; i < 63; i++) {
    heat_y[i] = u[i] + 0.1f * (u[i + 1] + u[i - 1] - 2.0f * u[i]);
  }
  heat_y[63] = u[63] + 0.1f * (0.0f + u[62] - 2.0f * u[63]);
}

/* entry init */
DTRT_ENTRY void entry_init(dtrt_device *dev) {
  (void)dev;

  /* w <- normal(0)    split.dtg:3 */
  dtrt_begin_step(dev, 0);
  float *const w = (void *)(dev->vars + 0); /* f32[8] [_] */
  loop1_normal(8, dtrt_stream_key(dev->seed, 0x7d8d4ba311ba49fbu), w);
}

/* entry f    split.dtg:4 */
DTRT_ENTRY void entry_f(dtrt_device *dev) {
  (void)dev;

  /* grad(z) = concat(reshape@split.dtg:5#4, 0, reshape@split.dtg:5#3)    split.dtg:5 */
  dtrt_begin_step(dev, 0);
  float (*const z)[3][8] = (void *)dev->in[0]; /* f32[4, 3, 8] [_, _, _] */
  float *const w = (void *)(dev->vars + 0); /* f32[8] [_] */
  float (*const grad_z)[3][8] = (void *)(dev->arena + 384); /* f32[4, 3, 8] [_, _, _] */
  loop2_grad_z(4, 3, 8, z, w, grad_z);
}

/* entry heat    split.dtg:8 */
DTRT_ENTRY void entry_heat(dtrt_device *dev) {
  (void)dev;

  /* heat.y = add(u, mul@split.dtg:10#2)    split.dtg:10 */
  dtrt_begin_step(dev, 0);
  float *const u = (void *)dev->in[0]; /* f32[64] [_] */
  float *const y = (void *)(dev->arena + 256); /* f32[64] [_] */
  loop3_heat_y(u, y);
}

static const dtrt_step entry_init_steps[] = {
    {"w <- normal(0)", "split.dtg:3", DTRT_STEP_LOOP, 0, 32},
};
static const char *const entry_f_dims_0[] = {0, 0, 0};
static const dtrt_tensor entry_f_in[] = {
    {"z", DTRT_F32, 0, &layout_0, 0, 384, 2, entry_f_dims_0, "split.dtg:4", 0},
};
static const dtrt_tensor entry_f_out[] = {
    {"g", DTRT_F32, 0, &layout_0, 384, 384, 0, 0, "split.dtg:6", 0},
};
static const dtrt_step entry_f_steps[] = {
    {"grad(z) = concat(reshape@split.dtg:5#4, 0, reshape@split.dtg:5#3)", "split.dtg:5", DTRT_STEP_LOOP, 0, 800},
};
static const char *const entry_heat_dims_0[] = {0};
static const dtrt_tensor entry_heat_in[] = {
    {"u", DTRT_F32, 0, &layout_1, 0, 256, 2, entry_heat_dims_0, "split.dtg:8", 0},
};
static const dtrt_tensor entry_heat_out[] = {
    {"y", DTRT_F32, 0, &layout_1, 256, 256, 0, 0, "split.dtg:10", 0},
};
static const dtrt_step entry_heat_steps[] = {
    {"heat.y = add(u, mul@split.dtg:10#2)", "split.dtg:10", DTRT_STEP_LOOP, 0, 512},
};
static const dtrt_rates rates = {"generic", 5e+10, {32768, 2097152, 4194304}, {8e+10, 4e+10, 2e+10, 1e+10}};
/* [8] on [_] */
static const dtrt_dim layout_2_dims[] = {
    {.n = 8, .granule = 1}};
static const dtrt_layout layout_2 = {1, 0x0, DTRT_SUM, layout_2_dims};
static const dtrt_tensor variables[] = {
    {"w", DTRT_F32, 1, &layout_2, 0, 32, 0, 0, "split.dtg:3", 0},
};
static const dtrt_entry entries[] = {
    {"init", entry_init, 0, 0, 1, 1, 0, 0, entry_init_steps, 0, 0, 0, 0},
    {"f", entry_f, 1, 1, 1, 0, entry_f_in, entry_f_out, entry_f_steps, 768, 0, 0, 0},
    {"heat", entry_heat, 1, 1, 1, 0, entry_heat_in, entry_heat_out, entry_heat_steps, 512, 0, 0, 0},
};
static const uint64_t code[] = {0x0, 0x0, 0x0};

extern const dtrt_program dtg_program;
const dtrt_program dtg_program = {
    DTRT_ABI, "split", 0, 0, 0, 1, 3, 0, variables, entries, 0, 64,
    0, code, 0, 0, 0, DTRT_SUMS_FIXED, 0, 0, &rates};
