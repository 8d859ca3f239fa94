/* shapes, made by dtgc from shapes.dtg.
 * For one device. Planned for machine generic. */
#include "dtrt.h"

/* [4, 6] on [_, _] */
static const dtrt_dim layout_0_dims[] = {
    {.n = 4, .granule = 1},
    {.n = 6, .granule = 1}};
static const dtrt_layout layout_0 = {2, 0x0, DTRT_SUM, layout_0_dims};
/* [3] on [_] */
static const dtrt_dim layout_1_dims[] = {
    {.n = 3, .granule = 1}};
static const dtrt_layout layout_1 = {1, 0x0, DTRT_SUM, layout_1_dims};
/* [6, 4] on [_, _] */
static const dtrt_dim layout_2_dims[] = {
    {.n = 6, .granule = 1},
    {.n = 4, .granule = 1}};
static const dtrt_layout layout_2 = {2, 0x0, DTRT_SUM, layout_2_dims};
/* [2, 6] on [_, _] */
static const dtrt_dim layout_3_dims[] = {
    {.n = 2, .granule = 1},
    {.n = 6, .granule = 1}};
static const dtrt_layout layout_3 = {2, 0x0, DTRT_SUM, layout_3_dims};
/* [6, 8] on [_, _] */
static const dtrt_dim layout_4_dims[] = {
    {.n = 6, .granule = 1},
    {.n = 8, .granule = 1}};
static const dtrt_layout layout_4 = {2, 0x0, DTRT_SUM, layout_4_dims};
/* [4, 12] on [_, _] */
static const dtrt_dim layout_5_dims[] = {
    {.n = 4, .granule = 1},
    {.n = 12, .granule = 1}};
static const dtrt_layout layout_5 = {2, 0x0, DTRT_SUM, layout_5_dims};
/* [3, 6] on [_, _] */
static const dtrt_dim layout_6_dims[] = {
    {.n = 3, .granule = 1},
    {.n = 6, .granule = 1}};
static const dtrt_layout layout_6 = {2, 0x0, DTRT_SUM, layout_6_dims};

DTRT_LOOP void loop1_f_t(int64_t n0, int64_t n1, float (*restrict a)[n0],
    float (*restrict f_t)[n1]) {
  DTRT_OUTER
  for (int64_t i = 0; i < n0; i++) {
    DTRT_PLAIN
    for (int64_t j = 0; j < n1; j++) {
      f_t[i][j] = a[j][i] + 1.0f;
    }
  }
}

DTRT_LOOP void loop2_f_s(int64_t n0, int64_t n1, int64_t index0, float (*restrict a)[n1],
    float (*restrict f_s)[n1]) {
  DTRT_OUTER
  for (int64_t i = 0; i < n0; i++) {
    DTRT_PLAIN
    for (int64_t j = 0; j < n1; j++) {
      f_s[i][j] = a[i * 2 + 1][index0 - j] + 1.0f;
    }
  }
}

DTRT_LOOP void loop3_f_p(int64_t n0, int64_t n1, float (*restrict f_p)[n1],
    float (*restrict a)[n0]) {
  DTRT_PLAIN
  for (int64_t j = 0; j < 8; j++) {
    f_p[0][j] = 0.0f + 1.0f;
  }
  DTRT_OUTER
  for (int64_t i = 1; i < 5; i++) {
    DTRT_PLAIN
    for (int64_t j = 0; j < 6; j++) {
      f_p[i][j] = a[i - 1][j] + 1.0f;
    }
    DTRT_PLAIN
    for (int64_t j = 6; j < 8; j++) {
      f_p[i][j] = 0.0f + 1.0f;
    }
  }
  DTRT_PLAIN
  for (int64_t j = 0; j < 8; j++) {
    f_p[5][j] = 0.0f + 1.0f;
  }
}

DTRT_LOOP void loop4_f_c(int64_t n0, int64_t n1, int64_t n2, float (*restrict a)[n2],
    float (*restrict f_c)[n1]) {
  DTRT_OUTER
  for (int64_t i = 0; i < n0; i++) {
    DTRT_PLAIN
    for (int64_t j = 0; j < 6; j++) {
      f_c[i][j] = a[i][j] + 1.0f;
    }
    DTRT_PLAIN
    for (int64_t j = 6; j < 12; j++) {
      f_c[i][j] = a[i][j - 6] * 2.0f + 1.0f;
    }
  }
}

DTRT_LOOP void loop5_f_g(dtrt_device *dev, int64_t n0, int64_t n1, const int32_t *restrict i_,
    float (*restrict a)[n1], float (*restrict f_g)[n1]) {
  DTRT_OUTER
  for (int64_t i = 0; i < n0; i++) {
    const int64_t place0 = dtrt_index(dev, i_[i], 4);
    DTRT_PLAIN
    for (int64_t j = 0; j < n1; j++) {
      f_g[i][j] = a[place0][j] + 1.0f;
    }
  }
}

/* entry init */
DTRT_ENTRY void entry_init(dtrt_device *dev) {
  (void)dev;
}

/* entry f    shapes.dtg:2 */
DTRT_ENTRY void entry_f(dtrt_device *dev) {
  (void)dev;

  /* f.t = add(f.t, 1)    shapes.dtg:8 */
  dtrt_begin_step(dev, 0);
  float (*const a)[6] = (void *)dev->in[0]; /* f32[4, 6] [_, _] */
  float (*const t)[4] = (void *)(dev->arena + 512); /* f32[6, 4] [_, _] */
  loop1_f_t(6, 4, a, t);

  /* f.s = add(f.s, 1)    shapes.dtg:8 */
  dtrt_begin_step(dev, 1);
  float (*const s)[6] = (void *)(dev->arena + 768); /* f32[2, 6] [_, _] */
  loop2_f_s(2, 6, 5, a, s);

  /* f.p = add(f.p, 1)    shapes.dtg:8 */
  dtrt_begin_step(dev, 2);
  float (*const p_)[8] = (void *)(dev->arena + 0); /* f32[6, 8] [_, _] */
  loop3_f_p(6, 8, p_, a);

  /* f.c = add(f.c, 1)    shapes.dtg:8 */
  dtrt_begin_step(dev, 3);
  float (*const c)[12] = (void *)(dev->arena + 192); /* f32[4, 12] [_, _] */
  loop4_f_c(4, 12, 6, a, c);

  /* f.g = add(f.g, 1)    shapes.dtg:8 */
  dtrt_begin_step(dev, 4);
  int32_t *const i_ = (void *)dev->in[1]; /* i32[3] [_] */
  float (*const g)[6] = (void *)(dev->arena + 640); /* f32[3, 6] [_, _] */
  loop5_f_g(dev, 3, 6, i_, a, g);
}

static const char *const entry_f_dims_0[] = {0, 0};
static const char *const entry_f_dims_1[] = {0};
static const dtrt_tensor entry_f_in[] = {
    {"a", DTRT_F32, 0, &layout_0, 384, 96, 2, entry_f_dims_0, "shapes.dtg:2", 0},
    {"i", DTRT_I32, 0, &layout_1, 832, 12, 2, entry_f_dims_1, "shapes.dtg:2", 0},
};
static const dtrt_tensor entry_f_out[] = {
    {"t", DTRT_F32, 0, &layout_2, 512, 96, 0, 0, "shapes.dtg:8", 0},
    {"s", DTRT_F32, 0, &layout_3, 768, 48, 0, 0, "shapes.dtg:8", 0},
    {"p", DTRT_F32, 0, &layout_4, 0, 192, 0, 0, "shapes.dtg:8", 0},
    {"c", DTRT_F32, 0, &layout_5, 192, 192, 0, 0, "shapes.dtg:8", 0},
    {"g", DTRT_F32, 0, &layout_6, 640, 72, 0, 0, "shapes.dtg:8", 0},
};
static const dtrt_step entry_f_steps[] = {
    {"f.t = add(f.t, 1)", "shapes.dtg:8", DTRT_STEP_LOOP, 0, 192},
    {"f.s = add(f.s, 1)", "shapes.dtg:8", DTRT_STEP_LOOP, 0, 144},
    {"f.p = add(f.p, 1)", "shapes.dtg:8", DTRT_STEP_LOOP, 0, 288},
    {"f.c = add(f.c, 1)", "shapes.dtg:8", DTRT_STEP_LOOP, 0, 288},
    {"f.g = add(f.g, 1)", "shapes.dtg:8", DTRT_STEP_LOOP, 0, 156},
};
static const dtrt_rates rates = {"generic", 5e+10, {32768, 2097152, 4194304}, {8e+10, 4e+10, 2e+10, 1e+10}};
static const dtrt_entry entries[] = {
    {"init", entry_init, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"f", entry_f, 2, 5, 5, 0, entry_f_in, entry_f_out, entry_f_steps, 896, 0, 0, 0},
};
static const uint64_t code[] = {0x0, 0x0};

extern const dtrt_program dtg_program;
const dtrt_program dtg_program = {
    DTRT_ABI, "shapes", 0, 0, 0, 0, 2, 0, 0, entries, 0, 0,
    0, code, 0, 0, 0, DTRT_SUMS_FIXED, 0, 0, &rates};
