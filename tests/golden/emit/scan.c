/* scan, made by dtgc from scan.dtg.
 * Mesh x=4: every device runs this on its own blocks. */
#include "dtrt.h"

static const dtrt_dim dim_0 = {.n = 4001, .granule = 1, .naxes = 1, .axis = {0}};
/* [8, 4] on [_, x] */
static const dtrt_dim layout_0_dims[] = {
    {.n = 8, .granule = 1},
    {.n = 4, .granule = 1, .naxes = 1, .axis = {0}}};
static const dtrt_layout layout_0 = {2, 0x0, DTRT_SUM, layout_0_dims};
/* [8, 4] on [_, _] */
static const dtrt_dim layout_1_dims[] = {
    {.n = 8, .granule = 1},
    {.n = 4, .granule = 1}};
static const dtrt_layout layout_1 = {2, 0x0, DTRT_SUM, layout_1_dims};
static const dtrt_exchange exchange_0 = {0, DTRT_ALL_GATHER, DTRT_F32, 0x1, &layout_0, &layout_1,
    "reshape", "scan.dtg:4"};
static const dtrt_exchange exchange_1 = {1, DTRT_COPY, DTRT_F32, 0x0, &layout_1, &layout_0,
    "cumsum", "scan.dtg:4"};
static const dtrt_dim dim_1 = {.n = 4, .granule = 1, .naxes = 1, .axis = {0}};
/* [8, 4, 3] on [_, x, _] */
static const dtrt_dim layout_2_dims[] = {
    {.n = 8, .granule = 1},
    {.n = 4, .granule = 1, .naxes = 1, .axis = {0}},
    {.n = 3, .granule = 1}};
static const dtrt_layout layout_2 = {3, 0x0, DTRT_SUM, layout_2_dims};
/* [8, 4, 3] on [_, _, _] */
static const dtrt_dim layout_3_dims[] = {
    {.n = 8, .granule = 1},
    {.n = 4, .granule = 1},
    {.n = 3, .granule = 1}};
static const dtrt_layout layout_3 = {3, 0x0, DTRT_SUM, layout_3_dims};
static const dtrt_exchange exchange_2 = {2, DTRT_ALL_GATHER, DTRT_F32, 0x1, &layout_2, &layout_3,
    "take_along_axis", "scan.dtg:6"};
static const dtrt_exchange exchange_3 = {3, DTRT_ALL_GATHER, DTRT_I32, 0x1, &layout_2, &layout_3,
    "add", "scan.dtg:6"};
/* [8, 4001] on [_, x] */
static const dtrt_dim layout_4_dims[] = {
    {.n = 8, .granule = 1},
    {.n = 4001, .granule = 1, .naxes = 1, .axis = {0}}};
static const dtrt_layout layout_4 = {2, 0x0, DTRT_SUM, layout_4_dims};
/* [40, 6] on [_, _] */
static const dtrt_dim layout_5_dims[] = {
    {.n = 40, .granule = 1},
    {.n = 6, .granule = 1}};
static const dtrt_layout layout_5 = {2, 0x0, DTRT_SUM, layout_5_dims};
/* [8, 3] on [_, _] */
static const dtrt_dim layout_6_dims[] = {
    {.n = 8, .granule = 1},
    {.n = 3, .granule = 1}};
static const dtrt_layout layout_6 = {2, 0x0, DTRT_SUM, layout_6_dims};
static const dtrt_exchange *const exchanges[] = {&exchange_0, &exchange_1, &exchange_2, &exchange_3};

DTRT_LOOP void loop1_cumsum(int64_t n0, int64_t n1, int64_t n2, float (*restrict t_)[1][n1], float (*restrict a_)[n2]) {
  DTRT_OUTER
  for (int64_t j = 0; j < n0; j++) {
    float acc = 0, before = 0;
    float partial[5];
    for (int64_t i = 0; i < n1; i++) {
      acc = acc + (i < n2 ? a_[j][i] : 0.0f);
      t_[j][0][i] = before + acc;
      if ((i + 1) % DTRT_SUM_BLOCK) continue;
      dtrt_carry_sum_f32(partial, i / DTRT_SUM_BLOCK, &acc);
      before = 0;
      dtrt_fold_sum_f32(partial, i / DTRT_SUM_BLOCK + 1, &before);
    }
  }
}

DTRT_LOOP void loop2_slice(int64_t n0, int64_t n1, float (*restrict t_)[1][n1], float (*restrict t_2)[1][1]) {
  DTRT_PLAIN
  for (int64_t i = 0; i < n0; i++) {
    t_2[i][0][0] = t_[i][0][1000];
  }
}

DTRT_LOOP void loop3_cumsum(int64_t n0, int64_t n1, float (*restrict t_)[n1], float (*restrict t_2)[n1]) {
  DTRT_OUTER
  for (int64_t j = 0; j < n0; j++) {
    float acc = 0;
    for (int64_t i = 0; i < n1; i++) {
      const float x = t_2[j][i];
      t_[j][i] = acc;
      acc = acc + x;
    }
  }
}

DTRT_LOOP void loop4_f_y(int64_t n0, int64_t n1, int64_t n2, float (*restrict t_)[1][n2], float (*restrict t_2)[1], float (*restrict f_y)[n1]) {
  DTRT_OUTER
  for (int64_t i = 0; i < n0; i++) {
    DTRT_PLAIN
    for (int64_t j = 0; j < n1; j++) {
      f_y[i][j] = t_[i][0][j] + t_2[i][0];
    }
  }
}

DTRT_LOOP void loop5_deal(int64_t n0, int64_t n1, int64_t n2, float (*restrict a_)[n2], float (*restrict t_)[1][n1]) {
  DTRT_OUTER
  for (int64_t i = 0; i < n0; i++) {
    DTRT_PLAIN
    for (int64_t k = 0; k < n1; k++) {
      t_[i][0][k] = k < n2 ? a_[i][k] : -DTRT_INF_F32;
    }
  }
}

DTRT_LOOP void loop6_take_along_axis(dtrt_device *dev, int64_t n0, int64_t n1, int64_t from0, int64_t n2, int32_t (*restrict t_)[1][n1], float (*restrict t_2)[1][n2], float (*restrict t_3)[1][n1], int32_t (*restrict t_4)[1][n1]) {
  DTRT_OUTER
  for (int64_t i = 0; i < n0; i++) {
    DTRT_PLAIN
    for (int64_t k = 0; k < n1; k++) {
      t_3[i][0][k] = t_2[i][0][dtrt_index(dev, t_[i][0][k], 1001)];
      t_4[i][0][k] = dtrt_add_i32(t_[i][0][k], dtrt_cast_i64_i32(dtrt_floordiv_i64(dtrt_mul_i64((int64_t)from0, 4001), 4)));
    }
  }
}

DTRT_LOOP void loop7_f_i(dtrt_device *dev, int64_t n0, int64_t n1, int64_t n2, int32_t (*restrict t_)[n1], int32_t (*restrict t_2)[n2], float (*restrict t_3)[n2], int32_t (*restrict f_i)[n1], float (*restrict f_v)[n1]) {
  DTRT_OUTER
  for (int64_t i = 0; i < n0; i++) {
    DTRT_PLAIN
    for (int64_t j = 0; j < n1; j++) {
      const int64_t p0 = dtrt_index(dev, t_[i][j], 12);
      f_i[i][j] = t_2[i][p0];
      f_v[i][j] = t_3[i][p0];
    }
  }
}

DTRT_LOOP void loop8_f_c(int64_t n0, int64_t n1, float (*restrict f_c)[n0], float (*restrict b_)[n0], float *restrict partial) {
  DTRT_PLAIN
  for (int64_t k = 0; k < n0; k++) {
    partial[k] = 0;
  }
  DTRT_OUTER
  for (int64_t i = 0; i < n1; i++) {
    const int64_t block = i / DTRT_SUM_BLOCK, at = n1 - 1 - i;
    float *rows = partial + n0, *own = rows + block % 2 * n0;
    if (i % DTRT_SUM_BLOCK == 0) dtrt_zero(own, n0 * 4);
    DTRT_PLAIN
    for (int64_t k = 0; k < n0; k++) {
      const float x = b_[at][k];
      f_c[at][k] = partial[k] + own[k];
      own[k] = own[k] + x;
    }
    if ((i + 1) % DTRT_SUM_BLOCK) continue;
    if (block % 2) dtrt_carry_row_sum_f32(rows, n0, n0, block);
    dtrt_fold_row_sum_f32(partial, rows, n0, n0, block + 1, 0);
  }
}

DTRT_LOOP void loop9_unpick(dtrt_device *dev, int64_t n0, int64_t n1, int64_t n2, float (*restrict t_)[n2], int32_t (*restrict t_2)[n2], float (*restrict b_)[n2]) {
  dtrt_zero(t_, n0 * 4);
  DTRT_OUTER
  for (int64_t j = 0; j < n1; j++) {
    for (int64_t k = 0; k < n2; k++) {
      const int64_t row = dtrt_index(dev, t_2[j][k], 40);
      if (row >= 0 && row < n1) t_[row][k] = t_[row][k] + b_[j][k];
    }
  }
}

DTRT_LOOP void loop10_grad_b(dtrt_device *dev, int64_t n0, int64_t n1, int32_t (*restrict t_)[n1], float (*restrict b_)[n1], float (*restrict t_2)[n1]) {
  DTRT_OUTER
  for (int64_t i = 0; i < n0; i++) {
    DTRT_PLAIN
    for (int64_t j = 0; j < n1; j++) {
      const float v0 = t_2[i][j];
      t_2[i][j] = b_[dtrt_index(dev, t_[i][j], 40)][j] + v0;
    }
  }
}

/* entry init */
DTRT_ENTRY void entry_init(dtrt_device *dev) {
  (void)dev;
}

/* entry f    scan.dtg:3 */
DTRT_ENTRY void entry_f(dtrt_device *dev) {
  (void)dev;
  const int64_t n0_x_ = dtrt_hi(dev, &dim_0) - dtrt_lo(dev, &dim_0);
  const int64_t from1_x_ = dtrt_lo(dev, &dim_1);

  /* cumsum(deal@scan.dtg:4)    scan.dtg:4 */
  dtrt_begin_step(dev, 0);
  float (*const t3)[1][1001] = (void *)(dev->arena + 32064); /* f32[8, 4, 1001] [_, x, _] */
  float (*const a)[n0_x_] = (void *)dev->in[0]; /* f32[8, 4001] [_, x] */
  loop1_cumsum(8, 1001, n0_x_, t3, a);

  /* slice(cumsum@scan.dtg:4)    scan.dtg:4 */
  dtrt_begin_step(dev, 1);
  float (*const t4)[1][1] = (void *)(dev->arena + 64256); /* f32[8, 4, 1] [_, x, _] */
  loop2_slice(8, 1001, t3, t4);

  /* all-gather over x: reshape@scan.dtg:4    scan.dtg:4 */
  dtrt_begin_step(dev, 2);
  float (*const t5)[1] = (void *)(dev->arena + 64256); /* f32[8, 4] [_, x] */
  float (*const t6)[4] = (void *)(dev->arena + 64128); /* f32[8, 4] [_, _] */
  dtrt_run_exchange(dev, &exchange_0, t5, t6);

  /* cumsum(reshape@scan.dtg:4)    scan.dtg:4 */
  dtrt_begin_step(dev, 3);
  float (*const t7)[4] = (void *)(dev->arena + 64256); /* f32[8, 4] [_, _] */
  loop3_cumsum(8, 4, t7, t6);

  /* copy: cumsum@scan.dtg:4#2    scan.dtg:4 */
  dtrt_begin_step(dev, 4);
  float (*const t8)[1] = (void *)(dev->arena + 97152); /* f32[8, 4] [_, x] */
  dtrt_run_exchange(dev, &exchange_1, t7, t8);

  /* f.y = undeal(add@scan.dtg:4)    scan.dtg:4 */
  dtrt_begin_step(dev, 5);
  float (*const y)[n0_x_] = (void *)(dev->arena + 64128); /* f32[8, 4001] [_, x] */
  loop4_f_y(8, n0_x_, 1001, t3, t8, y);

  /* deal(a)    scan.dtg:6 */
  dtrt_begin_step(dev, 6);
  float (*const t13)[1][1001] = (void *)(dev->arena + 32064); /* f32[8, 4, 1001] [_, x, _] */
  loop5_deal(8, 1001, n0_x_, a, t13);

  /* order(deal@scan.dtg:6)    scan.dtg:6 */
  dtrt_begin_step(dev, 7);
  int32_t (*const t14)[1][3] = (void *)(dev->arena + 0); /* i32[8, 4, 3] [_, x, _] */
  dtrt_order(DTRT_F32, 8, 1001, 1, t13, 3, 1, (void *)t14);

  /* take_along_axis(deal@scan.dtg:6, order@scan.dtg:6), add(order@scan.dtg:6, cast@scan.dtg:6)    scan.dtg:6 */
  dtrt_begin_step(dev, 8);
  float (*const t15)[1][3] = (void *)(dev->arena + 768); /* f32[8, 4, 3] [_, x, _] */
  int32_t (*const t22)[1][3] = (void *)(dev->arena + 896); /* i32[8, 4, 3] [_, x, _] */
  loop6_take_along_axis(dev, 8, 3, from1_x_, 1001, t14, t13, t15, t22);

  /* all-gather over x: take_along_axis@scan.dtg:6, add@scan.dtg:6    scan.dtg:6 */
  dtrt_begin_step(dev, 9);
  float (*const t23)[4][3] = (void *)(dev->arena + 0); /* f32[8, 4, 3] [_, _, _] */
  int32_t (*const t26)[4][3] = (void *)(dev->arena + 384); /* i32[8, 4, 3] [_, _, _] */
  dtrt_run_exchanges(dev, 2, (const dtrt_exchange *const[]){&exchange_2, &exchange_3},
                     (const void *const[]){t15, t22},
                     (void *const[]){t23, t26});

  /* order(reshape@scan.dtg:6)    scan.dtg:6 */
  dtrt_begin_step(dev, 10);
  float (*const t24)[12] = (void *)(dev->arena + 0); /* f32[8, 12] [_, _] */
  int32_t (*const t25)[3] = (void *)(dev->arena + 768); /* i32[8, 3] [_, _] */
  dtrt_order(DTRT_F32, 8, 12, 1, t24, 3, 1, (void *)t25);

  /* f.i = take_along_axis(reshape@scan.dtg:6#2, order@scan.dtg:6#2), f.v = take_along_axis(reshape@scan.dtg:6, order@scan.dtg:6#2)    scan.dtg:6 */
  dtrt_begin_step(dev, 11);
  int32_t (*const t27)[12] = (void *)(dev->arena + 384); /* i32[8, 12] [_, _] */
  int32_t (*const i)[3] = (void *)(dev->arena + 2880); /* i32[8, 3] [_, _] */
  float (*const v)[3] = (void *)(dev->arena + 3008); /* f32[8, 3] [_, _] */
  loop7_f_i(dev, 8, 3, 12, t25, t27, t24, i, v);

  /* order(b)    scan.dtg:7 */
  dtrt_begin_step(dev, 12);
  float (*const b)[6] = (void *)dev->in[1]; /* f32[40, 6] [_, _] */
  int32_t (*const t30)[6] = (void *)(dev->arena + 0); /* i32[40, 6] [_, _] */
  dtrt_order(DTRT_F32, 1, 40, 6, b, 40, 0, (void *)t30);

  /* f.c = cumsum(b)    scan.dtg:5 */
  dtrt_begin_step(dev, 13);
  float *const partial_f_c = (void *)(dev->arena + 1920); /* partial sums */
  float (*const c)[6] = (void *)(dev->arena + 960); /* f32[40, 6] [_, _] */
  loop8_f_c(6, 40, c, b, partial_f_c);

  /* unpick(order@scan.dtg:7, b)    scan.dtg:7 */
  dtrt_begin_step(dev, 14);
  float (*const t32)[6] = (void *)(dev->arena + 1920); /* f32[40, 6] [_, _] */
  loop9_unpick(dev, 240, 40, 6, t32, t30, b);

  /* grad(b) = add(take_along_axis@scan.dtg:7, unpick@scan.dtg:7)    scan.dtg:7 */
  dtrt_begin_step(dev, 15);
  loop10_grad_b(dev, 40, 6, t30, b, t32);
}

static const char *const entry_f_dims_0[] = {0, 0};
static const char *const entry_f_dims_1[] = {0, 0};
static const dtrt_tensor entry_f_in[] = {
    {"a", DTRT_F32, 0, &layout_4, 0, 32032, 2, entry_f_dims_0, "scan.dtg:3"},
    {"b", DTRT_F32, 0, &layout_5, 96192, 960, 2, entry_f_dims_1, "scan.dtg:3"},
};
static const dtrt_tensor entry_f_out[] = {
    {"y", DTRT_F32, 0, &layout_4, 64128, 32032, 0, 0, "scan.dtg:7"},
    {"c", DTRT_F32, 0, &layout_5, 960, 960, 0, 0, "scan.dtg:7"},
    {"v", DTRT_F32, 0, &layout_6, 3008, 96, 0, 0, "scan.dtg:7"},
    {"i", DTRT_I32, 0, &layout_6, 2880, 96, 0, 0, "scan.dtg:7"},
    {"g", DTRT_F32, 0, &layout_5, 1920, 960, 0, 0, "scan.dtg:7"},
};
static const dtrt_step entry_f_steps[] = {
    {"cumsum(deal@scan.dtg:4)", "scan.dtg:4", DTRT_STEP_LOOP, 0, 64064},
    {"slice(cumsum@scan.dtg:4)", "scan.dtg:4", DTRT_STEP_LOOP, 0, 32064},
    {"all-gather over x: reshape@scan.dtg:4", "scan.dtg:4", DTRT_STEP_EXCHANGE, 0, 96},
    {"cumsum(reshape@scan.dtg:4)", "scan.dtg:4", DTRT_STEP_LOOP, 0, 256},
    {"copy: cumsum@scan.dtg:4#2", "scan.dtg:4", DTRT_STEP_LOOP, 0, 64},
    {"f.y = undeal(add@scan.dtg:4)", "scan.dtg:4", DTRT_STEP_LOOP, 0, 64096},
    {"deal(a)", "scan.dtg:6", DTRT_STEP_LOOP, 0, 64064},
    {"order(deal@scan.dtg:6)", "scan.dtg:6", DTRT_STEP_LOOP, 0, 32128},
    {"take_along_axis(deal@scan.dtg:6, order@scan.dtg:6), add(order@scan.dtg:6, cast@scan.dtg:6)", "scan.dtg:6", DTRT_STEP_LOOP, 0, 32320},
    {"all-gather over x: take_along_axis@scan.dtg:6, add@scan.dtg:6", "scan.dtg:6", DTRT_STEP_EXCHANGE, 0, 576},
    {"order(reshape@scan.dtg:6)", "scan.dtg:6", DTRT_STEP_LOOP, 0, 480},
    {"f.i = take_along_axis(reshape@scan.dtg:6#2, order@scan.dtg:6#2), f.v = take_along_axis(reshape@scan.dtg:6, order@scan.dtg:6#2)", "scan.dtg:6", DTRT_STEP_LOOP, 0, 1056},
    {"order(b)", "scan.dtg:7", DTRT_STEP_LOOP, 0, 1920},
    {"f.c = cumsum(b)", "scan.dtg:5", DTRT_STEP_LOOP, 0, 1920},
    {"unpick(order@scan.dtg:7, b)", "scan.dtg:7", DTRT_STEP_LOOP, 0, 2880},
    {"grad(b) = add(take_along_axis@scan.dtg:7, unpick@scan.dtg:7)", "scan.dtg:7", DTRT_STEP_LOOP, 0, 3840},
};
static const char *const axis_names[] = {"x"};
static const int32_t axis_sizes[] = {4};
static const dtrt_entry entries[] = {
    {"init", entry_init, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"f", entry_f, 2, 5, 16, 0, entry_f_in, entry_f_out, entry_f_steps, 97216, 0, 0},
};
static const uint64_t code[] = {0x0, 0x0};

extern const dtrt_program dtg_program;
const dtrt_program dtg_program = {
    DTRT_ABI, "scan", 1, axis_names, axis_sizes, 0, 2, 4, 0, entries, exchanges, 0,
    0, code, 0, 0};
