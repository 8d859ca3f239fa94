/* scatters_into_lines, made by dtgc from scatters_into_lines.dtg.
 * For one device. */
#include "dtrt.h"

/* [96, 80, 60] on [_, _, _] */
static const dtrt_dim layout_0_dims[] = {
    {.n = 96, .granule = 1},
    {.n = 80, .granule = 1},
    {.n = 60, .granule = 1}};
static const dtrt_layout layout_0 = {3, 0x0, DTRT_SUM, layout_0_dims};
/* [60] on [_] */
static const dtrt_dim layout_1_dims[] = {
    {.n = 60, .granule = 1}};
static const dtrt_layout layout_1 = {1, 0x0, DTRT_SUM, layout_1_dims};
/* [96, 80, 20] on [_, _, _] */
static const dtrt_dim layout_2_dims[] = {
    {.n = 96, .granule = 1},
    {.n = 80, .granule = 1},
    {.n = 20, .granule = 1}};
static const dtrt_layout layout_2 = {3, 0x0, DTRT_SUM, layout_2_dims};

DTRT_LOOP void loop1_most_y(dtrt_device *dev, int64_t part_from, int64_t part_to, int64_t n0,
    int64_t n1, int64_t n2, float (*restrict most_y)[n0][n2], const int32_t *restrict i_,
    float (*restrict u)[n0][n1]) {
  for (int64_t i = part_from; i < part_to; i++) {
    for (int64_t j = 0; j < n0; j++) {
      float *none = &most_y[i][j][0];
      DTRT_PLAIN
      for (int64_t place = 0; place < n2; place++) {
        none[place] = -DTRT_INF_F32;
      }
      for (int64_t k = 0; k < n1; k++) {
        const int64_t row = dtrt_index(dev, i_[k], 20);
        if (row < n2) {
          most_y[i][j][row] = dtrt_max_f32(most_y[i][j][row], u[i][j][k]);
        }
      }
    }
  }
}

DTRT_LOOP void loop2_total_y(dtrt_device *dev, int64_t part_from, int64_t part_to, int64_t n0,
    int64_t n1, int64_t n2, int64_t n3, float (*restrict total_y)[n1][n3],
    const int32_t *restrict i_, float (*restrict u)[n1][n2], double *restrict partial) {
  for (int64_t i = 0; i < n0; i++) {
    for (int64_t j = 0; j < n1; j++) {
      dtrt_zero(&total_y[i][j][part_from], part_to * 4 - part_from * 4);
      dtrt_zero(&partial[part_from], part_to * 8 - part_from * 8);
      for (int64_t k = 0; k < n2; k++) {
        const int64_t row = dtrt_index(dev, i_[k], 20);
        if (row >= part_from && row < part_to) {
          partial[row] = partial[row] + u[i][j][k];
        }
      }
      float *to = &total_y[i][j][0];
      DTRT_PLAIN
      for (int64_t sum = part_from; sum < part_to; sum++) {
        to[sum] = partial[sum];
      }
    }
  }
}

static void part1_loop1_most_y(dtrt_device *dev, void *const *p, const int64_t *n, int64_t from, int64_t to) {
  (void)dev, (void)n;
  loop1_most_y(dev, from, to, 80, 60, 20, p[0], p[1], p[2]);
}

static void part2_loop2_total_y(dtrt_device *dev, void *const *p, const int64_t *n, int64_t from, int64_t to) {
  (void)dev, (void)n;
  loop2_total_y(dev, from, to, 96, 80, 60, 20, p[0], p[1], p[2], p[3]);
}

/* entry init */
DTRT_ENTRY void entry_init(dtrt_device *dev) {
  (void)dev;
}

/* entry most    scatters_into_lines.dtg:2 */
DTRT_ENTRY void entry_most(dtrt_device *dev) {
  (void)dev;

  /* most.y = scatter_max(i, u)    scatters_into_lines.dtg:2 */
  dtrt_begin_step(dev, 0);
  float (*const y)[80][20] = (void *)(dev->arena + 1843200); /* f32[96, 80, 20] [_, _, _] */
  int32_t *const i_ = (void *)dev->in[1]; /* i32[60] [_] */
  float (*const u)[80][60] = (void *)dev->in[0]; /* f32[96, 80, 60] [_, _, _] */
  dtrt_parallel(dev, part1_loop1_most_y, 96, 1, (void *const[]){y, i_, u}, 0);
}

/* entry total    scatters_into_lines.dtg:3 */
DTRT_ENTRY void entry_total(dtrt_device *dev) {
  (void)dev;

  /* total.y = scatter_add(i, u)    scatters_into_lines.dtg:3 */
  dtrt_begin_step(dev, 0);
  float (*const y)[80][20] = (void *)(dev->arena + 1843200); /* f32[96, 80, 20] [_, _, _] */
  int32_t *const i_ = (void *)dev->in[1]; /* i32[60] [_] */
  float (*const u)[80][60] = (void *)dev->in[0]; /* f32[96, 80, 60] [_, _, _] */
  double *const partial_total_y = (void *)(dev->arena + 2457856); /* partial sums */
  dtrt_parallel(dev, part2_loop2_total_y, 20, 1099511627776,
      (void *const[]){y, i_, u, partial_total_y}, 0);
}

static const char *const entry_most_dims_0[] = {0, 0, 0};
static const char *const entry_most_dims_1[] = {0};
static const dtrt_tensor entry_most_in[] = {
    {"u", DTRT_F32, 0, &layout_0, 0, 1843200, 2, entry_most_dims_0, "scatters_into_lines.dtg:2", 0},
    {"i", DTRT_I32, 0, &layout_1, 2457600, 240, 2, entry_most_dims_1, "scatters_into_lines.dtg:2", 0},
};
static const dtrt_tensor entry_most_out[] = {
    {"y", DTRT_F32, 0, &layout_2, 1843200, 614400, 0, 0, "scatters_into_lines.dtg:2", 0},
};
static const dtrt_step entry_most_steps[] = {
    {"most.y = scatter_max(i, u)", "scatters_into_lines.dtg:2", DTRT_STEP_LOOP, 0, 2457840},
};
static const char *const entry_total_dims_0[] = {0, 0, 0};
static const char *const entry_total_dims_1[] = {0};
static const dtrt_tensor entry_total_in[] = {
    {"u", DTRT_F32, 0, &layout_0, 0, 1843200, 2, entry_total_dims_0, "scatters_into_lines.dtg:3", 0},
    {"i", DTRT_I32, 0, &layout_1, 2457600, 240, 2, entry_total_dims_1, "scatters_into_lines.dtg:3", 0},
};
static const dtrt_tensor entry_total_out[] = {
    {"y", DTRT_F32, 0, &layout_2, 1843200, 614400, 0, 0, "scatters_into_lines.dtg:3", 0},
};
static const dtrt_step entry_total_steps[] = {
    {"total.y = scatter_add(i, u)", "scatters_into_lines.dtg:3", DTRT_STEP_LOOP, 0, 2457840},
};
static const dtrt_entry entries[] = {
    {"init", entry_init, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"most", entry_most, 2, 1, 1, 0, entry_most_in, entry_most_out, entry_most_steps, 2457856, 0, 0, 0},
    {"total", entry_total, 2, 1, 1, 0, entry_total_in, entry_total_out, entry_total_steps, 2458048, 0, 0, 0},
};
static const uint64_t code[] = {0x0, 0x0, 0x0};

extern const dtrt_program dtg_program;
const dtrt_program dtg_program = {
    DTRT_ABI, "scatters_into_lines", 0, 0, 0, 0, 3, 0, 0, entries, 0, 0,
    0, code, 0, 0, 0, DTRT_SUMS_FIXED, 0, 0};
