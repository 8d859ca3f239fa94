/* strips, made by dtgc from strips.dtg.
 * For one device. */
#include "dtrt.h"

/* [2, 1000, 4, 16] on [_, _, _, _] */
static const dtrt_dim layout_0_dims[] = {
    {.n = 2, .granule = 1},
    {.n = 1000, .granule = 1},
    {.n = 4, .granule = 1},
    {.n = 16, .granule = 1}};
static const dtrt_layout layout_0 = {4, 0x0, DTRT_SUM, layout_0_dims};
/* [] on [] */
static const dtrt_layout layout_1 = {0, 0x0, DTRT_SUM, 0};

DTRT_LOOP void loop1_normal(int64_t n0, int64_t key0, float *restrict t_) {
  DTRT_PLAIN
  for (int64_t i = 0; i < n0; i++) {
    t_[i] = dtrt_normal_key_f32((uint64_t)key0, (uint64_t)0, i);
  }
}

DTRT_LOOP void loop2_reduce_max(int64_t n0, int64_t n1, int64_t from0, int64_t bound0, int64_t bound1, int64_t n2, int64_t n3, float (*restrict train_score)[1][n2][n1], float (*restrict t_)[n3][n1]) {
  DTRT_OUTER
  for (int64_t k = 0; k < n0; k++) {
    dtrt_lanes_f32 acc = (dtrt_lanes_f32){0} + (-DTRT_INF_F32);
    float line[DTRT_LANES];
    int64_t at = dtrt_live_from(k, bound0, n1);
    DTRT_OUTER
    for (; at + DTRT_LANES <= dtrt_live_to(k, bound1, n1); at += DTRT_LANES) {
      DTRT_PLAIN
      for (int64_t lane = 0; lane < DTRT_LANES; lane++) {
        line[lane] = ((int32_t)(k + from0) >= (int32_t)(at + lane)) ? train_score[0][0][k][at + lane] : (-1e+09f);
      }
      dtrt_turn_max_f32(&acc, line);
    }
    if (at < dtrt_live_to(k, bound1, n1)) {
      for (int64_t lane = 0; lane < DTRT_LANES; lane++) line[lane] = -DTRT_INF_F32;
      DTRT_FEW
      for (int64_t lane = 0; at + lane < dtrt_live_to(k, bound1, n1); lane++) {
        line[lane] = ((int32_t)(k + from0) >= (int32_t)(at + lane)) ? train_score[0][0][k][at + lane] : (-1e+09f);
      }
      dtrt_turn_max_f32(&acc, line);
    }
    if (dtrt_live_from(k, bound0, n1) > 0 || dtrt_live_to(k, bound1, n1) < n1) {
      for (int64_t lane = 0; lane < DTRT_LANES; lane++) line[lane] = -1e+09f;
      dtrt_turn_max_f32(&acc, line);
    }
    t_[0][0][k] = dtrt_line_max_f32(&acc);
  }
}

DTRT_LOOP int loop3_exp(int64_t n0, int64_t n1, int64_t n2, float (*restrict t_)[n2][n1]) {
  int some = 0;
  DTRT_PLAIN
  for (int64_t k = 0; k < n0; k++) {
    some |= !(dtrt_exp_f32(((-1e+09f) - t_[0][0][k])) == 0);
  }
  return some;
}

DTRT_LOOP void loop4_exp(int64_t n0, int64_t n1, int64_t bound0, int64_t bound1, int64_t from0, int64_t n2, int64_t n3, float (*restrict train_score)[1][n2][n1], float (*restrict t_)[n3][n1], float (*restrict t_2)[1][n2][n1]) {
  DTRT_OUTER
  for (int64_t k = 0; k < n0; k++) {
    DTRT_PLAIN
    for (int64_t l = dtrt_live_from(k, bound1, n1); l < dtrt_live_to(k, bound0, n1); l++) {
      t_2[0][0][k][l] = dtrt_exp_f32(((((int32_t)(k + from0) >= (int32_t)l) ? train_score[0][0][k][l] : (-1e+09f)) - t_[0][0][k]));
    }
  }
}

DTRT_LOOP void loop5_sum(int64_t n0, int64_t n1, int64_t bound0, int64_t bound1, int64_t n2, int64_t n3, float (*restrict t_)[1][n2][n1], float (*restrict t_2)[n3][n1]) {
  DTRT_OUTER
  for (int64_t k = 0; k < n0; k++) {
    dtrt_lanes_f32 acc = (dtrt_lanes_f32){0} + (0.0f);
    float line[DTRT_LANES];
    int64_t at = dtrt_live_from(k, bound0, n1);
    DTRT_OUTER
    for (; at + DTRT_LANES <= dtrt_live_to(k, bound1, n1); at += DTRT_LANES) {
      DTRT_PLAIN
      for (int64_t lane = 0; lane < DTRT_LANES; lane++) {
        line[lane] = t_[0][0][k][at + lane];
      }
      dtrt_turn_sum_f32(&acc, line);
    }
    if (at < dtrt_live_to(k, bound1, n1)) {
      for (int64_t lane = 0; lane < DTRT_LANES; lane++) line[lane] = 0.0f;
      DTRT_FEW
      for (int64_t lane = 0; at + lane < dtrt_live_to(k, bound1, n1); lane++) {
        line[lane] = t_[0][0][k][at + lane];
      }
      dtrt_turn_sum_f32(&acc, line);
    }
    t_2[0][0][k] = dtrt_line_sum_f32(&acc);
  }
}

DTRT_LOOP void loop6_div(int64_t n0, int64_t n1, int64_t bound0, int64_t bound1, int64_t n2, int64_t n3, float (*restrict t_)[1][n2][n1], float (*restrict t_2)[n3][n1], float (*restrict t_3)[1][n2][n1]) {
  DTRT_OUTER
  for (int64_t k = 0; k < n0; k++) {
    DTRT_PLAIN
    for (int64_t l = dtrt_live_from(k, bound1, n1); l < dtrt_live_to(k, bound0, n1); l++) {
      t_3[0][0][k][l] = t_[0][0][k][l] / t_2[0][0][k];
    }
  }
}

DTRT_LOOP void loop7_sum(int64_t n0, const float *restrict train_mixed, float *restrict t_) {
  dtrt_lanes_f32 acc = (dtrt_lanes_f32){0} + (0.0f);
  dtrt_lanes_f32 partial[7];
  float line[DTRT_LANES];
  int64_t at = 0;
  DTRT_OUTER
  while (at + DTRT_LANES <= n0) {
    const int64_t next = (at / 1024 + 1) * 1024, end = next < n0 ? next : n0;
    DTRT_OUTER
    for (; at + DTRT_LANES <= end; at += DTRT_LANES) {
      DTRT_PLAIN
      for (int64_t lane = 0; lane < DTRT_LANES; lane++) {
        line[lane] = train_mixed[at + lane];
      }
      dtrt_turn_sum_f32(&acc, line);
    }
    if (at == next) dtrt_carry_lanes_sum_f32(partial, at / 1024 - 1, &acc);
  }
  if (at < n0) {
    for (int64_t lane = 0; lane < DTRT_LANES; lane++) line[lane] = 0.0f;
    DTRT_FEW
    for (int64_t lane = 0; at + lane < n0; lane++) {
      line[lane] = train_mixed[at + lane];
    }
    dtrt_turn_sum_f32(&acc, line);
  }
  dtrt_fold_lanes_sum_f32(partial, at / 1024, &acc);
  t_[0] = dtrt_line_sum_f32(&acc);
}

DTRT_LOOP void loop8_train_loss(int64_t n0, const float *restrict train_mixed, const float *restrict t_, float *restrict train_loss) {
  dtrt_lanes_f32 acc = (dtrt_lanes_f32){0} + (0.0f);
  dtrt_lanes_f32 partial[7];
  float line[DTRT_LANES];
  int64_t at = 0;
  DTRT_OUTER
  while (at + DTRT_LANES <= n0) {
    const int64_t next = (at / 1024 + 1) * 1024, end = next < n0 ? next : n0;
    DTRT_OUTER
    for (; at + DTRT_LANES <= end; at += DTRT_LANES) {
      DTRT_PLAIN
      for (int64_t lane = 0; lane < DTRT_LANES; lane++) {
        const float v0 = train_mixed[at + lane] - (t_[0] * 7.8125e-06f);
        line[lane] = v0 * v0;
      }
      dtrt_turn_sum_f32(&acc, line);
    }
    if (at == next) dtrt_carry_lanes_sum_f32(partial, at / 1024 - 1, &acc);
  }
  if (at < n0) {
    for (int64_t lane = 0; lane < DTRT_LANES; lane++) line[lane] = 0.0f;
    DTRT_FEW
    for (int64_t lane = 0; at + lane < n0; lane++) {
      const float v0 = train_mixed[at + lane] - (t_[0] * 7.8125e-06f);
      line[lane] = v0 * v0;
    }
    dtrt_turn_sum_f32(&acc, line);
  }
  dtrt_fold_lanes_sum_f32(partial, at / 1024, &acc);
  train_loss[0] = dtrt_line_sum_f32(&acc);
}

DTRT_LOOP void loop9_sum(int64_t n0, const float *restrict train_mixed, const float *restrict t_, float *restrict t_2) {
  dtrt_lanes_f32 acc = (dtrt_lanes_f32){0} + (0.0f);
  dtrt_lanes_f32 partial[7];
  float line[DTRT_LANES];
  int64_t at = 0;
  DTRT_OUTER
  while (at + DTRT_LANES <= n0) {
    const int64_t next = (at / 1024 + 1) * 1024, end = next < n0 ? next : n0;
    DTRT_OUTER
    for (; at + DTRT_LANES <= end; at += DTRT_LANES) {
      DTRT_PLAIN
      for (int64_t lane = 0; lane < DTRT_LANES; lane++) {
        const float v0 = train_mixed[at + lane] - (t_[0] * 7.8125e-06f);
        line[lane] = -(v0 + v0);
      }
      dtrt_turn_sum_f32(&acc, line);
    }
    if (at == next) dtrt_carry_lanes_sum_f32(partial, at / 1024 - 1, &acc);
  }
  if (at < n0) {
    for (int64_t lane = 0; lane < DTRT_LANES; lane++) line[lane] = 0.0f;
    DTRT_FEW
    for (int64_t lane = 0; at + lane < n0; lane++) {
      const float v0 = train_mixed[at + lane] - (t_[0] * 7.8125e-06f);
      line[lane] = -(v0 + v0);
    }
    dtrt_turn_sum_f32(&acc, line);
  }
  dtrt_fold_lanes_sum_f32(partial, at / 1024, &acc);
  t_2[0] = dtrt_line_sum_f32(&acc);
}

DTRT_LOOP void loop10_grad_train_mixed(int64_t n0, float *restrict train_mixed, const float *restrict t_, const float *restrict t_2) {
  DTRT_PLAIN
  for (int64_t i = 0; i < n0; i++) {
    const float v0 = train_mixed[i];
    const float v1 = v0 - (t_[0] * 7.8125e-06f);
    train_mixed[i] = (v1 + v1) + (t_2[0] * 7.8125e-06f);
  }
}

DTRT_LOOP void loop11_sum(int64_t n0, int64_t n1, int64_t bound0, int64_t bound1, int64_t n2, int64_t n3, float (*restrict t_)[1][n2][n1], float (*restrict t_2)[1][n2][n1], float (*restrict t_3)[n3][n1], float (*restrict t_4)[1][n2]) {
  DTRT_OUTER
  for (int64_t k = 0; k < n0; k++) {
    dtrt_lanes_f32 acc = (dtrt_lanes_f32){0} + (0.0f);
    float line[DTRT_LANES];
    int64_t at = dtrt_live_from(k, bound0, n1);
    DTRT_OUTER
    for (; at + DTRT_LANES <= dtrt_live_to(k, bound1, n1); at += DTRT_LANES) {
      DTRT_PLAIN
      for (int64_t lane = 0; lane < DTRT_LANES; lane++) {
        line[lane] = -(t_[0][0][k][at + lane] * (t_2[0][0][k][at + lane] / t_3[0][0][k]));
      }
      dtrt_turn_sum_f32(&acc, line);
    }
    if (at < dtrt_live_to(k, bound1, n1)) {
      for (int64_t lane = 0; lane < DTRT_LANES; lane++) line[lane] = 0.0f;
      DTRT_FEW
      for (int64_t lane = 0; at + lane < dtrt_live_to(k, bound1, n1); lane++) {
        line[lane] = -(t_[0][0][k][at + lane] * (t_2[0][0][k][at + lane] / t_3[0][0][k]));
      }
      dtrt_turn_sum_f32(&acc, line);
    }
    t_4[0][0][k] = dtrt_line_sum_f32(&acc);
  }
}

DTRT_LOOP void loop12_grad_train_score(int64_t n0, int64_t n1, int64_t bound0, int64_t bound1, int64_t from0, int64_t n2, int64_t n3, float (*restrict t_)[1][n2][n1], float (*restrict t_2)[n3][n1], float (*restrict t_3)[1][n2], float (*restrict t_4)[1][n2][n1], float (*restrict grad_train_score)[1][n2][n1]) {
  DTRT_OUTER
  for (int64_t k = 0; k < n0; k++) {
    DTRT_PLAIN
    for (int64_t l = dtrt_live_from(k, bound1, n1); l < dtrt_live_to(k, bound0, n1); l++) {
      const float v0 = ((int32_t)(k + from0) >= (int32_t)l) ? (((t_[0][0][k][l] / t_2[0][0][k]) + t_3[0][0][k]) * t_4[0][0][k][l]) : 0.0f;
      grad_train_score[0][0][k][l] = v0;
    }
  }
}

DTRT_LOOP void loop13_sub(int64_t n0, float *restrict k_, const float *restrict t_, const float *restrict t_2) {
  DTRT_PLAIN
  for (int64_t i = 0; i < n0; i++) {
    const float v0 = k_[i];
    k_[i] = v0 - (t_[i] + t_2[i]);
  }
}

/* entry init */
DTRT_ENTRY void entry_init(dtrt_device *dev) {
  (void)dev;

  /* k <- normal(const@strips.dtg:2)    strips.dtg:2 */
  dtrt_begin_step(dev, 0);
  float (*const t1)[1000][4][16] = (void *)(dev->vars + 0); /* f32[2, 1000, 4, 16] [_, _, _, _] */
  loop1_normal(128000, (int64_t)dtrt_stream_key(dev->seed, 0x3ae358f7f7295473u), (void *)t1);
}

/* entry train    strips.dtg:3 */
DTRT_ENTRY void entry_train(dtrt_device *dev) {
  (void)dev;

  /* train.score = contract(q, k), reduce_max(train.score), exp(sub@strips.dtg:6), sum(exp@strips.dtg:6) and 2 more    strips.dtg:6 */
  dtrt_begin_step(dev, 0);
  float (*const q)[1000][4][16] = (void *)dev->in[0]; /* f32[2, 1000, 4, 16] [_, _, _, _] */
  float (*const k)[1000][4][16] = (void *)(dev->vars + 0); /* f32[2, 1000, 4, 16] [_, _, _, _] */
  float (*const score)[1][86][1000] = (void *)(dev->arena + 0); /* f32[2, 4, 1000, 1000] [_, _, _, _] */
  float (*const t9)[4][1000] = (void *)(dev->arena + 7168000); /* f32[2, 4, 1000] [_, _, _] */
  float (*const t12)[1][86][1000] = (void *)(dev->arena + 1024000); /* f32[2, 4, 1000, 1000] [_, _, _, _] */
  float (*const t13)[4][1000] = (void *)(dev->arena + 7200000); /* f32[2, 4, 1000] [_, _, _] */
  float (*const t15)[1][86][1000] = (void *)(dev->arena + 2048000); /* f32[2, 4, 1000, 1000] [_, _, _, _] */
  float (*const mixed)[1000][4][16] = (void *)(dev->arena + 5632000); /* f32[2, 1000, 4, 16] [_, _, _, _] */
  for (int64_t at0 = 0; at0 < 2; at0++) {
    for (int64_t at1 = 0; at1 < 4; at1++) {
      for (int64_t at2 = 0; at2 < 1000; at2 += 86) {
        const int64_t len2 = 1000 - at2 < 86 ? 1000 - at2 : 86;
        for (int whole = 0;; whole = 1) {
          const int64_t low = -DTRT_FAR;
          const int64_t high = whole ? DTRT_FAR : 1 + at2;
          /* contract    strips.dtg:4 */
          dtrt_gemm_live(0, 1, len2, 1000, 16, &q[at0][at2][at1][0], 64, &k[at0][0][at1][0], 64, score, 1000, 0,
              (dtrt_live){DTRT_LIVE_C, low, high});
          /* reduce_max    strips.dtg:6 */
          loop2_reduce_max(len2, 1000, at2, low, high, 86, 4, score, (void *)&t9[at0][at1][at2]);
          if (!whole && loop3_exp(len2, 1000, 4, (void *)&t9[at0][at1][at2])) continue;
          /* exp    strips.dtg:6 */
          loop4_exp(len2, 1000, high, low, at2, 86, 4, score, (void *)&t9[at0][at1][at2], t12);
          /* sum    strips.dtg:6 */
          loop5_sum(len2, 1000, low, high, 86, 4, t12, (void *)&t13[at0][at1][at2]);
          /* div    strips.dtg:6 */
          loop6_div(len2, 1000, high, low, 86, 4, t12, (void *)&t13[at0][at1][at2], t15);
          /* contract    strips.dtg:6 */
          dtrt_gemm_live(0, 0, len2, 16, 1000, t15, 1000, &k[at0][0][at1][0], 64, &mixed[at0][at2][at1][0], 64, 0,
              (dtrt_live){DTRT_LIVE_A, low, high});
          break;
        }
      }
    }
  }

  /* sum(train.mixed)    strips.dtg:7 */
  dtrt_begin_step(dev, 1);
  float *const t17 = (void *)(dev->arena + 3072000); /* f32[] [] */
  loop7_sum(128000, (void *)mixed, t17);

  /* train.loss = sum(mul@strips.dtg:8)    strips.dtg:8 */
  dtrt_begin_step(dev, 2);
  float *const loss = (void *)(dev->arena + 7233024); /* f32[] [] */
  loop8_train_loss(128000, (void *)mixed, t17, loss);

  /* sum(neg@strips.dtg:7)    strips.dtg:7 */
  dtrt_begin_step(dev, 3);
  float *const t26 = (void *)(dev->arena + 3072064); /* f32[] [] */
  loop9_sum(128000, (void *)mixed, t17, t26);

  /* grad(train.mixed) = add(grad(train.y), broadcast@strips.dtg:7#2)    strips.dtg:7 */
  dtrt_begin_step(dev, 4);
  loop10_grad_train_mixed(128000, (void *)mixed, t17, t26);

  /* train.score = contract(q, k), exp(sub@strips.dtg:6), div(exp@strips.dtg:6, broadcast@strips.dtg:6#2), contract(grad(train.mixed), k) and 4 more    strips.dtg:4 */
  dtrt_begin_step(dev, 5);
  float (*const score_2)[1][256][1000] = (void *)(dev->arena + 0); /* f32[2, 4, 1000, 1000] [_, _, _, _] */
  float (*const t12_2)[1][256][1000] = (void *)(dev->arena + 1024000); /* f32[2, 4, 1000, 1000] [_, _, _, _] */
  float (*const t15_2)[1][256][1000] = (void *)(dev->arena + 2048000); /* f32[2, 4, 1000, 1000] [_, _, _, _] */
  float (*const t30)[1][256][1000] = (void *)(dev->arena + 3072000); /* f32[2, 4, 1000, 1000] [_, _, _, _] */
  float (*const t31)[1000][4][16] = (void *)(dev->arena + 6144000); /* f32[2, 1000, 4, 16] [_, _, _, _] */
  float (*const t36)[1][256] = (void *)(dev->arena + 7232000); /* f32[2, 4, 1000] [_, _, _] */
  float (*const grad_train_score)[1][256][1000] = (void *)(dev->arena + 4096000); /* f32[2, 4, 1000, 1000] [_, _, _, _] */
  float (*const t42)[1000][4][16] = (void *)(dev->arena + 6656000); /* f32[2, 1000, 4, 16] [_, _, _, _] */
  for (int64_t at0 = 0; at0 < 2; at0++) {
    for (int64_t at1 = 0; at1 < 4; at1++) {
      for (int64_t at2 = 0; at2 < 1000; at2 += 256) {
        const int64_t len2 = 1000 - at2 < 256 ? 1000 - at2 : 256;
        for (int whole = 0;; whole = 1) {
          const int64_t low = -DTRT_FAR;
          const int64_t high = whole ? DTRT_FAR : 1 + at2;
          /* contract    strips.dtg:4 */
          dtrt_gemm_live(0, 1, len2, 1000, 16, &q[at0][at2][at1][0], 64, &k[at0][0][at1][0], 64, score_2, 1000, 0,
              (dtrt_live){DTRT_LIVE_C, low, high});
          if (!whole && loop3_exp(len2, 1000, 4, (void *)&t9[at0][at1][at2])) continue;
          /* exp    strips.dtg:6 */
          loop4_exp(len2, 1000, high, low, at2, 256, 4, score_2, (void *)&t9[at0][at1][at2], t12_2);
          /* div    strips.dtg:6 */
          loop6_div(len2, 1000, high, low, 256, 4, t12_2, (void *)&t13[at0][at1][at2], t15_2);
          /* contract    strips.dtg:6 */
          dtrt_gemm_live(0, 1, len2, 1000, 16, &mixed[at0][at2][at1][0], 64, &k[at0][0][at1][0], 64, t30, 1000, 0,
              (dtrt_live){DTRT_LIVE_C, low, high});
          /* contract    strips.dtg:6 */
          dtrt_gemm_live(1, 0, 1000, 16, len2, t15_2, 1000, &mixed[at0][at2][at1][0], 64, &t31[at0][0][at1][0], 64, !(at2 == 0),
              (dtrt_live){DTRT_LIVE_A, 1 - high, 1 - low});
          /* sum    strips.dtg:6 */
          loop11_sum(len2, 1000, low, high, 256, 4, t30, t15_2, (void *)&t13[at0][at1][at2], t36);
          /* where    strips.dtg:5 */
          loop12_grad_train_score(len2, 1000, high, low, at2, 256, 4, t30, (void *)&t13[at0][at1][at2], t36, t12_2, grad_train_score);
          /* contract    strips.dtg:4 */
          dtrt_gemm_live(1, 0, 1000, 16, len2, grad_train_score, 1000, &q[at0][at2][at1][0], 64, &t42[at0][0][at1][0], 64, !(at2 == 0),
              (dtrt_live){DTRT_LIVE_A, 1 - high, 1 - low});
          break;
        }
      }
    }
  }

  /* k <- sub(k, grad(k))    strips.dtg:9 */
  dtrt_begin_step(dev, 6);
  loop13_sub(128000, (void *)k, (void *)t31, (void *)t42);
}

static const dtrt_step entry_init_steps[] = {
    {"k <- normal(const@strips.dtg:2)", "strips.dtg:2", DTRT_STEP_LOOP, 0, 512000},
};
static const char *const entry_train_dims_0[] = {0, 0, 0, 0};
static const dtrt_tensor entry_train_in[] = {
    {"q", DTRT_F32, 0, &layout_0, 5120000, 512000, 2, entry_train_dims_0, "strips.dtg:3"},
};
static const dtrt_tensor entry_train_out[] = {
    {"loss", DTRT_F32, 0, &layout_1, 7233024, 4, 0, 0, "strips.dtg:10"},
};
static const dtrt_step entry_train_steps[] = {
    {"train.score = contract(q, k), reduce_max(train.score), exp(sub@strips.dtg:6), sum(exp@strips.dtg:6) and 2 more", "strips.dtg:6", DTRT_STEP_PRODUCT, 264142848, 1600000},
    {"sum(train.mixed)", "strips.dtg:7", DTRT_STEP_LOOP, 0, 512004},
    {"train.loss = sum(mul@strips.dtg:8)", "strips.dtg:8", DTRT_STEP_LOOP, 0, 512008},
    {"sum(neg@strips.dtg:7)", "strips.dtg:7", DTRT_STEP_LOOP, 0, 512008},
    {"grad(train.mixed) = add(grad(train.y), broadcast@strips.dtg:7#2)", "strips.dtg:7", DTRT_STEP_LOOP, 0, 1024008},
    {"train.score = contract(q, k), exp(sub@strips.dtg:6), div(exp@strips.dtg:6, broadcast@strips.dtg:6#2), contract(grad(train.mixed), k) and 4 more", "strips.dtg:4", DTRT_STEP_PRODUCT, 528285696, 2624000},
    {"k <- sub(k, grad(k))", "strips.dtg:9", DTRT_STEP_LOOP, 0, 2048000},
};
static const dtrt_tensor variables[] = {
    {"k", DTRT_F32, 1, &layout_0, 0, 512000, 0, 0, "strips.dtg:2"},
};
static const dtrt_entry entries[] = {
    {"init", entry_init, 0, 0, 1, 1, 0, 0, entry_init_steps, 0, 0, 0},
    {"train", entry_train, 1, 1, 7, 1, entry_train_in, entry_train_out, entry_train_steps, 7233088, 0, 0},
};
static const uint64_t code[] = {0x0, 0x0};

extern const dtrt_program dtg_program;
const dtrt_program dtg_program = {
    DTRT_ABI, "strips", 0, 0, 0, 1, 2, 0, variables, entries, 0, 512000,
    0, code, 0, 0};
