/* odd_widths, made by dtgc from odd_widths.dtg.
 * For one device. Planned for machine generic. */
#include "dtrt.h"

/* [64, 31] on [_, _] */
static const dtrt_dim layout_0_dims[] = {
    {.n = 64, .granule = 1},
    {.n = 31, .granule = 1}};
static const dtrt_layout layout_0 = {2, 0x0, DTRT_SUM, layout_0_dims};
/* [31] on [_] */
static const dtrt_dim layout_1_dims[] = {
    {.n = 31, .granule = 1}};
static const dtrt_layout layout_1 = {1, 0x0, DTRT_SUM, layout_1_dims};
/* [64, 1000] on [_, _] */
static const dtrt_dim layout_2_dims[] = {
    {.n = 64, .granule = 1},
    {.n = 1000, .granule = 1}};
static const dtrt_layout layout_2 = {2, 0x0, DTRT_SUM, layout_2_dims};
/* [1000] on [_] */
static const dtrt_dim layout_3_dims[] = {
    {.n = 1000, .granule = 1}};
static const dtrt_layout layout_3 = {1, 0x0, DTRT_SUM, layout_3_dims};
/* [64, 17] on [_, _] */
static const dtrt_dim layout_4_dims[] = {
    {.n = 64, .granule = 1},
    {.n = 17, .granule = 1}};
static const dtrt_layout layout_4 = {2, 0x0, DTRT_SUM, layout_4_dims};
/* [17] on [_] */
static const dtrt_dim layout_5_dims[] = {
    {.n = 17, .granule = 1}};
static const dtrt_layout layout_5 = {1, 0x0, DTRT_SUM, layout_5_dims};

DTRT_LOOP void loop1_f_y(int64_t part_from, int64_t part_to, int64_t n0, float (*restrict y)[n0],
    const float *restrict c, float (*restrict f_y)[n0]) {
  DTRT_OUTER
  for (int64_t i = part_from; i < part_to; i++) {
    DTRT_PLAIN
    for (int64_t j = 0; j < n0; j++) {
      f_y[i][j] = dtrt_tanh_f32(y[i][j] + c[j]);
    }
  }
}

DTRT_LOOP void loop2_f_z(int64_t n0, int64_t n1, float (*restrict z)[n1], const float *restrict d,
    float (*restrict f_z)[n1]) {
  DTRT_OUTER
  for (int64_t i = 0; i < n0; i++) {
    DTRT_PLAIN
    for (int64_t j = 0; j < n1; j++) {
      f_z[i][j] = dtrt_tanh_f32(z[i][j] + d[j]);
    }
  }
}

DTRT_LOOP void loop3_f_sum(int64_t n0, int64_t n1, float (*restrict x)[n1],
    const float *restrict b, float (*restrict f_sum)[n1], float (*restrict f_x)[n1]) {
  DTRT_OUTER
  for (int64_t i = 0; i < n0; i++) {
    DTRT_LONG
    for (int64_t j = 0; j < n1; j++) {
      const float v0 = x[i][j] + b[j];
      f_sum[i][j] = v0;
      f_x[i][j] = dtrt_tanh_f32(v0);
    }
  }
}

DTRT_LOOP void loop4_f_rows(int64_t n0, int64_t n1, int64_t n2, float (*restrict x)[n1],
    float *restrict f_rows, float *restrict partial) {
  const int64_t start = 0;
  const int64_t stop = n0 + start;
  int64_t begin = start;
  DTRT_OUTER
  while (begin < stop) {
    const int64_t block = begin / DTRT_SUM_BLOCK;
    const int64_t next = (block + 1) * DTRT_SUM_BLOCK;
    const int64_t end = next < stop ? next : stop;
    float *own = &partial[(block % 2) * n2];
    const int64_t fresh = block * DTRT_SUM_BLOCK - start;
    int64_t first = begin - start;
    DTRT_OUTER
    for (; first + 8 <= (end - start); first += 8) {
      DTRT_LONG
      for (int64_t j = 0; j < n1; j++) {
        float sum = first == fresh ? 0.0f : own[j];
        DTRT_WHOLE
        for (int64_t turn = 0; turn < 8; turn++) {
          const int64_t i = first + turn;
          sum = sum + dtrt_exp_f32(x[i][j]);
        }
        own[j] = sum;
      }
    }
    DTRT_OUTER
    for (int64_t i = first; i < (end - start); i++) {
      DTRT_LONG
      for (int64_t j = 0; j < n1; j++) {
        own[j] = (i == fresh ? 0.0f : own[j]) + dtrt_exp_f32(x[i][j]);
      }
    }
    begin = end;
    if (end == next && block % 2 == 1) {
      dtrt_carry_row_sum_f32(partial, n1, n2, block);
    }
  }
  if (stop == n0) {
    dtrt_fold_row_sum_f32(&f_rows[0], partial, n1, n2, stop / DTRT_SUM_BLOCK, 0 < stop % DTRT_SUM_BLOCK);
  }
}

static void part1_loop1_f_y(dtrt_device *dev, void *const *p, const int64_t *n, int64_t from, int64_t to) {
  (void)dev, (void)n;
  loop1_f_y(from, to, 1000, p[0], p[1], p[2]);
}

/* entry init */
DTRT_ENTRY void entry_init(dtrt_device *dev) {
  (void)dev;
}

/* entry f    odd_widths.dtg:3 */
DTRT_ENTRY void entry_f(dtrt_device *dev) {
  (void)dev;

  /* f.y = tanh(add@odd_widths.dtg:4)    odd_widths.dtg:4 */
  dtrt_begin_step(dev, 0);
  float (*const y)[1000] = (void *)dev->in[2]; /* f32[64, 1000] [_, _] */
  float *const c = (void *)dev->in[3]; /* f32[1000] [_] */
  float (*const y_2)[1000] = (void *)dev->out[1]; /* f32[64, 1000] [_, _] */
  dtrt_parallel(dev, part1_loop1_f_y, 64, 3, (void *const[]){y, c, y_2}, 0);

  /* f.z = tanh(add@odd_widths.dtg:4#2)    odd_widths.dtg:4 */
  dtrt_begin_step(dev, 1);
  float (*const z)[17] = (void *)dev->in[4]; /* f32[64, 17] [_, _] */
  float *const d = (void *)dev->in[5]; /* f32[17] [_] */
  float (*const z_2)[17] = (void *)dev->out[2]; /* f32[64, 17] [_, _] */
  loop2_f_z(64, 17, z, d, z_2);

  /* f.sum = add(x, broadcast@odd_widths.dtg:4), f.x = tanh(f.sum)    odd_widths.dtg:4 */
  dtrt_begin_step(dev, 2);
  float (*const x)[31] = (void *)dev->in[0]; /* f32[64, 31] [_, _] */
  float *const b = (void *)dev->in[1]; /* f32[31] [_] */
  float (*const sum)[31] = (void *)(dev->arena + 0); /* f32[64, 31] [_, _] */
  float (*const x_2)[31] = (void *)dev->out[0]; /* f32[64, 31] [_, _] */
  loop3_f_sum(64, 31, x, b, sum, x_2);

  /* f.rows = sum(exp@odd_widths.dtg:4)    odd_widths.dtg:4 */
  dtrt_begin_step(dev, 3);
  float *const rows = (void *)(dev->arena + 20608); /* f32[31] [_] */
  float *const partial_f_rows = (void *)(dev->arena + 20224); /* partial sums */
  loop4_f_rows(64, 31, 32, x, rows, partial_f_rows);
}

static const char *const entry_f_dims_0[] = {0, 0};
static const char *const entry_f_dims_1[] = {0};
static const char *const entry_f_dims_2[] = {0, 0};
static const char *const entry_f_dims_3[] = {0};
static const char *const entry_f_dims_4[] = {0, 0};
static const char *const entry_f_dims_5[] = {0};
static const dtrt_tensor entry_f_in[] = {
    {"x", DTRT_F32, 0, &layout_0, 512000, 7936, 2, entry_f_dims_0, "odd_widths.dtg:3", 0},
    {"b", DTRT_F32, 0, &layout_1, 528320, 124, 2, entry_f_dims_1, "odd_widths.dtg:3", 0},
    {"y", DTRT_F32, 0, &layout_2, 0, 256000, 2, entry_f_dims_2, "odd_widths.dtg:3", 0},
    {"c", DTRT_F32, 0, &layout_3, 524288, 4000, 2, entry_f_dims_3, "odd_widths.dtg:3", 0},
    {"z", DTRT_F32, 0, &layout_4, 519936, 4352, 2, entry_f_dims_4, "odd_widths.dtg:3", 0},
    {"d", DTRT_F32, 0, &layout_5, 528448, 68, 2, entry_f_dims_5, "odd_widths.dtg:3", 0},
};
static const dtrt_tensor entry_f_out[] = {
    {"x", DTRT_F32, 0, &layout_0, 7936, 7936, 2, 0, "odd_widths.dtg:4", 0},
    {"y", DTRT_F32, 0, &layout_2, 256000, 256000, 2, 0, "odd_widths.dtg:4", 0},
    {"z", DTRT_F32, 0, &layout_4, 15872, 4352, 2, 0, "odd_widths.dtg:4", 0},
    {"sum", DTRT_F32, 0, &layout_0, 0, 7936, 0, 0, "odd_widths.dtg:4", 0},
    {"rows", DTRT_F32, 0, &layout_1, 20608, 124, 0, 0, "odd_widths.dtg:4", 0},
};
static const dtrt_step entry_f_steps[] = {
    {"f.y = tanh(add@odd_widths.dtg:4)", "odd_widths.dtg:4", DTRT_STEP_LOOP, 0, 516000},
    {"f.z = tanh(add@odd_widths.dtg:4#2)", "odd_widths.dtg:4", DTRT_STEP_LOOP, 0, 8772},
    {"f.sum = add(x, broadcast@odd_widths.dtg:4), f.x = tanh(f.sum)", "odd_widths.dtg:4", DTRT_STEP_LOOP, 0, 31868},
    {"f.rows = sum(exp@odd_widths.dtg:4)", "odd_widths.dtg:4", DTRT_STEP_LOOP, 0, 8060},
};
static const dtrt_rates rates = {"generic", 5e+10, {32768, 2097152, 4194304}, {8e+10, 4e+10, 2e+10, 1e+10}};
static const dtrt_entry entries[] = {
    {"init", entry_init, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"f", entry_f, 6, 5, 4, 0, entry_f_in, entry_f_out, entry_f_steps, 528576, 0, 0, 0},
};
static const uint64_t code[] = {0x0, 0x0};

extern const dtrt_program dtg_program;
const dtrt_program dtg_program = {
    DTRT_ABI, "odd_widths", 0, 0, 0, 0, 2, 0, 0, entries, 0, 0,
    0, code, 0, 0, 0, DTRT_SUMS_FIXED, 0, 0, &rates};
