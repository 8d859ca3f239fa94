/* flow, made by dtgc from flow.dtg.
 * Mesh a=2: every device runs this on its own blocks. Planned for machine generic. */
#include "dtrt.h"

/* [8] on [a] */
static const dtrt_dim layout_0_dims[] = {
    {.n = 8, .granule = 1, .naxes = 1, .axis = {0}}};
static const dtrt_layout layout_0 = {1, 0x0, DTRT_SUM, layout_0_dims};
/* [8] on [_] */
static const dtrt_dim layout_1_dims[] = {
    {.n = 8, .granule = 1}};
static const dtrt_layout layout_1 = {1, 0x0, DTRT_SUM, layout_1_dims};
static const dtrt_exchange exchange_0 = {0, DTRT_ALL_GATHER, DTRT_F32, 0x1, &layout_0, &layout_1,
    "v", "flow.dtg:5", 16, 1, 16, 0};
static const dtrt_exchange exchange_1 = {1, DTRT_COPY, DTRT_F32, 0x0, &layout_1, &layout_0,
    "f.v", "flow.dtg:4", 0, 0, 16, 0};
/* [] on [] */
static const dtrt_layout layout_2 = {0, 0x0, DTRT_SUM, 0};
static const dtrt_exchange *const exchanges[] = {&exchange_0, &exchange_1};

DTRT_LOOP void loop1_f_w(int64_t n0, float *restrict v, float *restrict f_v) {
  DTRT_PLAIN
  for (int64_t i = 0; i < n0; i++) {
    const float v0 = v[i];
    v[i] = dtrt_exp_f32(v0) + 1.0f;
    f_v[i] = v0;
  }
}

DTRT_LOOP void loop2_carry(int32_t *restrict carry, float *restrict f_far) {
  carry[0] = 0;
  f_far[0] = 0.0f;
}

DTRT_LOOP void loop3_lt(const int32_t *restrict carry, const int32_t *restrict times,
    uint8_t *restrict lt) {
  lt[0] = carry[0] < times[0];
}

DTRT_LOOP void loop4_f_v(const float *restrict f_v, const float *restrict f_w,
    float *restrict f_v_2, float *restrict f_v_3) {
  const float v0 = f_v[0] + 0.25f * (f_v[7] + f_v[1] - 2.0f * f_v[0]) * f_w[0];
  f_v_2[0] = v0;
  f_v_3[0] = v0;
  DTRT_PLAIN
  for (int64_t i = 1; i < 7; i++) {
    const float v1 = f_v[i] + 0.25f * (f_v[i - 1] + f_v[i + 1] - 2.0f * f_v[i]) * f_w[i];
    f_v_2[i] = v1;
    f_v_3[i] = v1;
  }
  const float v2 = f_v[7] + 0.25f * (f_v[6] + f_v[0] - 2.0f * f_v[7]) * f_w[7];
  f_v_2[7] = v2;
  f_v_3[7] = v2;
}

DTRT_LOOP void loop5_reduce_max(int64_t n0, const float *restrict f_v, float *restrict reduce_max) {
  float acc = -DTRT_INF_F32;
  for (int64_t i = 0; i < n0; i++) {
    acc = dtrt_max_f32(acc, dtrt_abs_f32(f_v[i]));
  }
  reduce_max[0] = acc;
}

DTRT_LOOP void loop6_gt(const float *restrict reduce_max, uint8_t *restrict gt) {
  gt[0] = reduce_max[0] > 10.0f;
}

DTRT_LOOP void loop7_f_v(int64_t n0, float *restrict f_v) {
  DTRT_PLAIN
  for (int64_t i = 0; i < n0; i++) {
    f_v[i] = 0.5f * f_v[i];
  }
}

DTRT_LOOP void loop8_f_far(float *restrict f_far) {
  f_far[0] = f_far[0] + 1.0f;
}

DTRT_LOOP void loop9_add(int32_t *restrict carry) {
  carry[0] = dtrt_add_i32(carry[0], 1);
}

/* entry init */
DTRT_ENTRY void entry_init(dtrt_device *dev) {
  (void)dev;
}

/* entry f    flow.dtg:4 */
DTRT_ENTRY void entry_f(dtrt_device *dev) {
  (void)dev;
  char *buffer = dev->arena + 64;
  char *buffer_2 = dev->arena + 128;
  int32_t *const carry_7 = (void *)(dev->arena + 320); /* i32[] [] */
  int32_t *const times = (void *)dev->in[1]; /* i32[] [] */
  uint8_t *const lt_7 = (void *)(dev->arena + 512); /* bool[] [] */
  float *v = (void *)(dev->arena + 64); /* f32[8] [_] */
  float *const v_2 = (void *)(dev->arena + 0); /* f32[8] [_] */
  float *const v_3 = (void *)(dev->arena + 192); /* f32[8] [_] */
  float *v_4 = (void *)(dev->arena + 128); /* f32[8] [_] */
  float *const reduce_max_9 = (void *)(dev->arena + 448); /* f32[] [] */
  uint8_t *const gt_9 = (void *)(dev->arena + 192); /* bool[] [] */
  float *const far = (void *)(dev->arena + 384); /* f32[] [] */

  /* all-gather over a: v    flow.dtg:5 */
  dtrt_begin_step(dev, 0);
  float *const v_5 = (void *)dev->in[0]; /* f32[8] [a] */
  dtrt_run_exchange(dev, &exchange_0, v_5, v_2);

  /* f.w = add(exp@flow.dtg:5, 1), f.v = carry(v)    flow.dtg:4 */
  dtrt_begin_step(dev, 1);
  loop1_f_w(8, v_2, v);

  /* carry(0), f.far = carry(f.far)    flow.dtg:6 */
  dtrt_begin_step(dev, 2);
  loop2_carry(carry_7, far);
  char *const home = buffer;
  char *const home_2 = buffer_2;
  while (1) {

    /* lt(carry@flow.dtg:7, times)    flow.dtg:7 */
    dtrt_begin_step(dev, 3);
    loop3_lt(carry_7, times, lt_7);
    if (dtrt_holds(dev, dev->arena + 512) == 0) {
      break;
    }

    /* f.v = add(f.v, mul@flow.dtg:8#3), f.v = carry(f.v)    flow.dtg:8 */
    dtrt_begin_step(dev, 4);
    loop4_f_v(v, v_2, v_3, v_4);

    /* reduce_max(abs@flow.dtg:9)    flow.dtg:9 */
    dtrt_begin_step(dev, 5);
    loop5_reduce_max(8, v_3, reduce_max_9);

    /* gt(reduce_max@flow.dtg:9, 10), f.far = carry(f.far)    flow.dtg:9 */
    dtrt_begin_step(dev, 6);
    loop6_gt(reduce_max_9, gt_9);
    if (dtrt_holds(dev, dev->arena + 192)) {

      /* f.v = mul(0.5, f.v)    flow.dtg:9 */
      dtrt_begin_step(dev, 7);
      loop7_f_v(8, v_4);

      /* f.far = add(f.far, 1)    flow.dtg:9 */
      dtrt_begin_step(dev, 8);
      loop8_f_far(far);
    }

    /* add(carry@flow.dtg:7, 1)    flow.dtg:7 */
    dtrt_begin_step(dev, 9);
    loop9_add(carry_7);
    {
      char *const place = buffer;
      buffer = buffer_2;
      buffer_2 = place;
      v = (void *)buffer;
      v_4 = (void *)buffer_2;
    }
  }
  if (buffer != home) {
    dtrt_copy(home, buffer, 32);
    buffer = home;
    buffer_2 = home_2;
    v = (void *)buffer;
    v_4 = (void *)buffer_2;
  }

  /* copy: f.v    flow.dtg:4 */
  dtrt_begin_step(dev, 10);
  float *const v_6 = (void *)(dev->arena + 0); /* f32[8] [a] */
  dtrt_run_exchange(dev, &exchange_1, v, v_6);
}

static const char *const entry_f_dims_0[] = {0};
static const dtrt_tensor entry_f_in[] = {
    {"v", DTRT_F32, 0, &layout_0, 64, 16, 1, entry_f_dims_0, "flow.dtg:4", 0},
    {"times", DTRT_I32, 0, &layout_2, 256, 4, 2, 0, "flow.dtg:4", 0},
};
static const dtrt_tensor entry_f_out[] = {
    {"v", DTRT_F32, 0, &layout_0, 0, 16, 0, 0, "flow.dtg:11", 0},
    {"far", DTRT_F32, 0, &layout_2, 384, 4, 0, 0, "flow.dtg:11", 0},
};
static const dtrt_step entry_f_steps[] = {
    {"all-gather over a: v", "flow.dtg:5", DTRT_STEP_EXCHANGE, 0, 16},
    {"f.w = add(exp@flow.dtg:5, 1), f.v = carry(v)", "flow.dtg:4", DTRT_STEP_LOOP, 0, 96},
    {"carry(0), f.far = carry(f.far)", "flow.dtg:6", DTRT_STEP_LOOP, 0, 8},
    {"lt(carry@flow.dtg:7, times)", "flow.dtg:7", DTRT_STEP_LOOP, 0, 9},
    {"f.v = add(f.v, mul@flow.dtg:8#3), f.v = carry(f.v)", "flow.dtg:8", DTRT_STEP_LOOP, 0, 160},
    {"reduce_max(abs@flow.dtg:9)", "flow.dtg:9", DTRT_STEP_LOOP, 0, 36},
    {"gt(reduce_max@flow.dtg:9, 10), f.far = carry(f.far)", "flow.dtg:9", DTRT_STEP_LOOP, 0, 13},
    {"f.v = mul(0.5, f.v)", "flow.dtg:9", DTRT_STEP_LOOP, 0, 64},
    {"f.far = add(f.far, 1)", "flow.dtg:9", DTRT_STEP_LOOP, 0, 8},
    {"add(carry@flow.dtg:7, 1)", "flow.dtg:7", DTRT_STEP_LOOP, 0, 8},
    {"copy: f.v", "flow.dtg:4", DTRT_STEP_LOOP, 0, 32},
};
static const char *const axis_names[] = {"a"};
static const int32_t axis_sizes[] = {2};
static const dtrt_link links[] = {{2000000000, 1.0000000000000001e-05, 1.0000000000000002e-06}};
static const dtrt_rates rates = {"generic", 5e+10, {32768, 2097152, 4194304}, {8e+10, 4e+10, 2e+10, 1e+10}};
static const dtrt_entry entries[] = {
    {"init", entry_init, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"f", entry_f, 2, 2, 11, 0, entry_f_in, entry_f_out, entry_f_steps, 576, 0, 0, 0},
};
static const uint64_t code[] = {0x0, 0x0};

extern const dtrt_program dtg_program;
const dtrt_program dtg_program = {
    DTRT_ABI, "flow", 1, axis_names, axis_sizes, 0, 2, 2, 0, entries, exchanges, 0,
    0, code, 0, 0, links, DTRT_SUMS_FIXED, 0, 0, &rates};
