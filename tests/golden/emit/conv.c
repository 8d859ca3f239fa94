/* conv, made by dtgc from conv.dtg.
 * For one device. */
#include "dtrt.h"

/* [2, 6, 6, 4] on [_, _, _, _] */
static const dtrt_dim layout_0_dims[] = {
    {.n = 2, .granule = 1},
    {.n = 6, .granule = 1},
    {.n = 6, .granule = 1},
    {.n = 4, .granule = 1}};
static const dtrt_layout layout_0 = {4, 0x0, DTRT_SUM, layout_0_dims};
/* [3, 3, 2, 4] on [_, _, _, _] */
static const dtrt_dim layout_1_dims[] = {
    {.n = 3, .granule = 1},
    {.n = 3, .granule = 1},
    {.n = 2, .granule = 1},
    {.n = 4, .granule = 1}};
static const dtrt_layout layout_1 = {4, 0x0, DTRT_SUM, layout_1_dims};
/* [] on [] */
static const dtrt_layout layout_2 = {0, 0x0, DTRT_SUM, 0};

DTRT_LOOP void loop1_f_y(int64_t n0, int64_t n1, int64_t n2, const float *restrict x_, const float *restrict w_, float *restrict f_y) {
  const dtrt_slide s_ = {DTRT_F32, 2, n1, n0, n1, n0, .large = {n2, n2}, .small = {n2, n2}, .taps = {3, 3}, .stride = {1, 1}, .dilation = {1, 1}, .at = {-1, -1}};
  dtrt_conv(&s_, x_, w_, f_y);
}

DTRT_LOOP void loop2_pool_max(int64_t n0, int64_t n1, int64_t n2, int64_t n3, int64_t n4, const float *restrict f_y, float *restrict t_) {
  DTRT_PLAIN
  for (int64_t i = 0; i < n1; i++) {
    t_[i] = -DTRT_INF_F32;
  }
  DTRT_OUTER
  for (int64_t b = 0; b < n2; b++) {
    DTRT_OUTER
    for (int64_t r0_ = 0; r0_ < n3; r0_++) {
      DTRT_OUTER
      for (int64_t k0_ = 0; k0_ < 2; k0_++) {
        const int64_t p0_ = r0_ * 2 + k0_;
        if (p0_ >= 0 && p0_ < n4) {
          DTRT_OUTER
          for (int64_t k1_ = 0; k1_ < 2; k1_++) {
            const int64_t at = k1_;
            const int64_t q0_ = dtrt_first(at, 2, n3), q1_ = dtrt_last(at, 2, n3, n4);
            if (q0_ < q1_) {
              const int64_t small_ = (b * n3 + r0_) * n3 + q0_, large_ = (b * n4 + p0_) * n4 + q0_ * 2 + at;
              DTRT_OUTER
              for (int64_t q = 0; q < q1_ - q0_; q++) {
                DTRT_PLAIN
                for (int64_t i = 0; i < n0; i++) {
                  t_[(small_ + q) * n0 + i] = dtrt_max_f32(t_[(small_ + q) * n0 + i], f_y[(large_ + q * 2) * n0 + i]);
                }
              }
            }
          }
        }
      }
    }
  }
}

DTRT_LOOP void loop3_pool_index(int64_t n0, int64_t n1, int64_t n2, int64_t n3, int64_t n4, const float *restrict f_y, int32_t *restrict t_, const float *restrict t_2) {
  DTRT_PLAIN
  for (int64_t i = 0; i < n1; i++) {
    t_[i] = -1;
  }
  DTRT_OUTER
  for (int64_t b = 0; b < n2; b++) {
    DTRT_OUTER
    for (int64_t r0_ = 0; r0_ < n3; r0_++) {
      DTRT_OUTER
      for (int64_t k0_ = 0; k0_ < 2; k0_++) {
        const int64_t p0_ = r0_ * 2 + k0_;
        if (p0_ >= 0 && p0_ < n4) {
          DTRT_OUTER
          for (int64_t k1_ = 0; k1_ < 2; k1_++) {
            const int64_t at = k1_;
            const int64_t q0_ = dtrt_first(at, 2, n3), q1_ = dtrt_last(at, 2, n3, n4);
            if (q0_ < q1_) {
              const int64_t small_ = (b * n3 + r0_) * n3 + q0_, large_ = (b * n4 + p0_) * n4 + q0_ * 2 + at;
              const int64_t tap_ = k0_ * 2 + k1_;
              DTRT_OUTER
              for (int64_t q = 0; q < q1_ - q0_; q++) {
                DTRT_PLAIN
                for (int64_t i = 0; i < n0; i++) {
                  if (t_[(small_ + q) * n0 + i] < 0 && (f_y[(large_ + q * 2) * n0 + i] == t_2[(small_ + q) * n0 + i] || f_y[(large_ + q * 2) * n0 + i] != f_y[(large_ + q * 2) * n0 + i])) t_[(small_ + q) * n0 + i] = (int32_t)tap_;
                }
              }
            }
          }
        }
      }
    }
  }
}

DTRT_LOOP void loop4_f_loss(int64_t n0, const float *restrict t_, float *restrict f_loss) {
  dtrt_lanes_f32 acc = (dtrt_lanes_f32){0} + (0.0f);
  float line[DTRT_LANES];
  int64_t at = 0;
  DTRT_OUTER
  for (; at + DTRT_LANES <= n0; at += DTRT_LANES) {
    DTRT_PLAIN
    for (int64_t lane = 0; lane < DTRT_LANES; lane++) {
      line[lane] = t_[at + lane];
    }
    dtrt_turn_sum_f32(&acc, line);
  }
  if (at < n0) {
    for (int64_t lane = 0; lane < DTRT_LANES; lane++) line[lane] = 0.0f;
    DTRT_FEW
    for (int64_t lane = 0; at + lane < n0; lane++) {
      line[lane] = t_[at + lane];
    }
    dtrt_turn_sum_f32(&acc, line);
  }
  f_loss[0] = dtrt_line_sum_f32(&acc);
}

DTRT_LOOP void loop5_const(int64_t n0, float *restrict t_) {
  DTRT_PLAIN
  for (int64_t i = 0; i < n0; i++) {
    t_[i] = 1.0f;
  }
}

DTRT_LOOP void loop6_grad_f_y(int64_t n0, int64_t n1, int64_t n2, int64_t n3, float *restrict grad_f_y, const float *restrict t_, const int32_t *restrict t_2) {
  DTRT_OUTER
  for (int64_t b = 0; b < n1; b++) {
    DTRT_OUTER
    for (int64_t r0_ = 0; r0_ < n2; r0_++) {
      DTRT_OUTER
      for (int64_t k0_ = 0; k0_ < 2; k0_++) {
        const int64_t p0_ = r0_ * 2 + k0_;
        if (p0_ >= 0 && p0_ < n3) {
          DTRT_OUTER
          for (int64_t k1_ = 0; k1_ < 2; k1_++) {
            const int64_t at = k1_;
            const int64_t q0_ = dtrt_first(at, 2, n2), q1_ = dtrt_last(at, 2, n2, n3);
            if (q0_ < q1_) {
              const int64_t small_ = (b * n2 + r0_) * n2 + q0_, large_ = (b * n3 + p0_) * n3 + q0_ * 2 + at;
              const int64_t tap_ = k0_ * 2 + k1_;
              DTRT_OUTER
              for (int64_t q = 0; q < q1_ - q0_; q++) {
                DTRT_PLAIN
                for (int64_t i = 0; i < n0; i++) {
                  grad_f_y[(large_ + q * 2) * n0 + i] = t_2[(small_ + q) * n0 + i] == tap_ ? t_[(small_ + q) * n0 + i] : 0;
                }
              }
            }
          }
        }
      }
    }
  }
}

DTRT_LOOP void loop7_grad_w(int64_t n0, int64_t n1, int64_t n2, const float *restrict x_, float *restrict grad_w, const float *restrict grad_f_y) {
  const dtrt_slide s_ = {DTRT_F32, 2, n1, n0, n1, n0, .large = {n2, n2}, .small = {n2, n2}, .taps = {3, 3}, .stride = {1, 1}, .dilation = {1, 1}, .at = {-1, -1}};
  dtrt_conv_weight(&s_, x_, grad_f_y, grad_w);
}

DTRT_LOOP void loop8_grad_x(int64_t n0, int64_t n1, int64_t n2, float *restrict grad_x, const float *restrict w_, const float *restrict grad_f_y) {
  const dtrt_slide s_ = {DTRT_F32, 2, n1, n0, n1, n0, .large = {n2, n2}, .small = {n2, n2}, .taps = {3, 3}, .stride = {1, 1}, .dilation = {1, 1}, .at = {-1, -1}};
  dtrt_conv_input(&s_, grad_f_y, w_, grad_x);
}

/* entry init */
DTRT_ENTRY void entry_init(dtrt_device *dev) {
  (void)dev;
}

/* entry f    conv.dtg:2 */
DTRT_ENTRY void entry_f(dtrt_device *dev) {
  (void)dev;

  /* f.y = conv(x, w)    conv.dtg:3 */
  dtrt_begin_step(dev, 0);
  float (*const x_)[6][6][4] = (void *)dev->in[0]; /* f32[2, 6, 6, 4] [_, _, _, _] */
  float (*const w)[3][2][4] = (void *)dev->in[1]; /* f32[3, 3, 2, 4] [_, _, _, _] */
  float (*const y)[6][6][4] = (void *)(dev->arena + 1152); /* f32[2, 6, 6, 4] [_, _, _, _] */
  loop1_f_y(4, 2, 6, (void *)x_, (void *)w, (void *)y);

  /* pool_max(f.y)    conv.dtg:4 */
  dtrt_begin_step(dev, 1);
  float (*const t3)[3][3][4] = (void *)(dev->arena + 2624); /* f32[2, 3, 3, 4] [_, _, _, _] */
  loop2_pool_max(4, 72, 2, 3, 6, (void *)y, (void *)t3);

  /* pool_index(f.y, pool_max@conv.dtg:4)    conv.dtg:4 */
  dtrt_begin_step(dev, 2);
  int32_t (*const t5)[3][3][4] = (void *)(dev->arena + 2944); /* i32[2, 3, 3, 4] [_, _, _, _] */
  loop3_pool_index(4, 72, 2, 3, 6, (void *)y, (void *)t5, (void *)t3);

  /* f.loss = sum(pool_max@conv.dtg:4)    conv.dtg:4 */
  dtrt_begin_step(dev, 3);
  float *const loss = (void *)(dev->arena + 3264); /* f32[] [] */
  loop4_f_loss(72, (void *)t3, loss);

  /* const()    conv.dtg:4 */
  dtrt_begin_step(dev, 4);
  float (*const t6)[3][3][4] = (void *)(dev->arena + 2624); /* f32[2, 3, 3, 4] [_, _, _, _] */
  loop5_const(72, (void *)t6);

  /* grad(f.y) = unpool(const@conv.dtg:4, pool_index@conv.dtg:4)    conv.dtg:4 */
  dtrt_begin_step(dev, 5);
  float (*const grad_f_y)[6][6][4] = (void *)(dev->arena + 1152); /* f32[2, 6, 6, 4] [_, _, _, _] */
  loop6_grad_f_y(4, 2, 3, 6, (void *)grad_f_y, (void *)t6, (void *)t5);

  /* grad(w) = conv_weight(x, grad(f.y))    conv.dtg:3 */
  dtrt_begin_step(dev, 6);
  float (*const grad_w)[3][2][4] = (void *)(dev->arena + 2624); /* f32[3, 3, 2, 4] [_, _, _, _] */
  loop7_grad_w(4, 2, 6, (void *)x_, (void *)grad_w, (void *)grad_f_y);

  /* grad(x) = conv_input(grad(f.y), w)    conv.dtg:3 */
  dtrt_begin_step(dev, 7);
  float (*const grad_x)[6][6][4] = (void *)(dev->arena + 0); /* f32[2, 6, 6, 4] [_, _, _, _] */
  loop8_grad_x(4, 2, 6, (void *)grad_x, (void *)w, (void *)grad_f_y);
}

static const char *const entry_f_dims_0[] = {0, 0, 0, 0};
static const char *const entry_f_dims_1[] = {0, 0, 0, 0};
static const dtrt_tensor entry_f_in[] = {
    {"x", DTRT_F32, 0, &layout_0, 0, 1152, 2, entry_f_dims_0, "conv.dtg:2"},
    {"w", DTRT_F32, 0, &layout_1, 2304, 288, 2, entry_f_dims_1, "conv.dtg:2"},
};
static const dtrt_tensor entry_f_out[] = {
    {"loss", DTRT_F32, 0, &layout_2, 3264, 4, 0, 0, "conv.dtg:5"},
    {"dx", DTRT_F32, 0, &layout_0, 0, 1152, 0, 0, "conv.dtg:5"},
    {"dw", DTRT_F32, 0, &layout_1, 2624, 288, 0, 0, "conv.dtg:5"},
};
static const dtrt_step entry_f_steps[] = {
    {"f.y = conv(x, w)", "conv.dtg:3", DTRT_STEP_PRODUCT, 10368, 2592},
    {"pool_max(f.y)", "conv.dtg:4", DTRT_STEP_LOOP, 0, 1440},
    {"pool_index(f.y, pool_max@conv.dtg:4)", "conv.dtg:4", DTRT_STEP_LOOP, 0, 1728},
    {"f.loss = sum(pool_max@conv.dtg:4)", "conv.dtg:4", DTRT_STEP_LOOP, 0, 292},
    {"const()", "conv.dtg:4", DTRT_STEP_LOOP, 0, 288},
    {"grad(f.y) = unpool(const@conv.dtg:4, pool_index@conv.dtg:4)", "conv.dtg:4", DTRT_STEP_LOOP, 0, 1728},
    {"grad(w) = conv_weight(x, grad(f.y))", "conv.dtg:3", DTRT_STEP_PRODUCT, 10368, 2592},
    {"grad(x) = conv_input(grad(f.y), w)", "conv.dtg:3", DTRT_STEP_PRODUCT, 10368, 2592},
};
static const dtrt_entry entries[] = {
    {"init", entry_init, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"f", entry_f, 2, 3, 8, 0, entry_f_in, entry_f_out, entry_f_steps, 3328, 0, 0},
};
static const uint64_t code[] = {0x0, 0x0};

extern const dtrt_program dtg_program;
const dtrt_program dtg_program = {
    DTRT_ABI, "conv", 0, 0, 0, 0, 2, 0, 0, entries, 0, 0,
    0, code, 0, 0};
