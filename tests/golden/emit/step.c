/* step, made by dtgc from step.dtg.
 * Mesh batch=4: every device runs this on its own blocks. Planned for machine generic. */
#include "dtrt.h"

/* [] on [] partial(batch) */
static const dtrt_layout layout_0 = {0, 0x1, DTRT_SUM, 0};
/* [] on [] */
static const dtrt_layout layout_1 = {0, 0x0, DTRT_SUM, 0};
static const dtrt_exchange exchange_0 = {0, DTRT_ALL_REDUCE, DTRT_F32, 0x1, &layout_0, &layout_1,
    "sum", "step.dtg:11", 12, 3, 4, 0};
/* [6, 3] on [_, _] partial(batch) */
static const dtrt_dim layout_2_dims[] = {
    {.n = 6, .granule = 1},
    {.n = 3, .granule = 1}};
static const dtrt_layout layout_2 = {2, 0x1, DTRT_SUM, layout_2_dims};
/* [6, 3] on [_, _] */
static const dtrt_dim layout_3_dims[] = {
    {.n = 6, .granule = 1},
    {.n = 3, .granule = 1}};
static const dtrt_layout layout_3 = {2, 0x0, DTRT_SUM, layout_3_dims};
static const dtrt_exchange exchange_1 = {1, DTRT_ALL_REDUCE, DTRT_F32, 0x1, &layout_2, &layout_3,
    "grad(model.w)", "step.dtg:12", 112, 3, 72, 0};
/* [3] on [_] partial(batch) */
static const dtrt_dim layout_4_dims[] = {
    {.n = 3, .granule = 1}};
static const dtrt_layout layout_4 = {1, 0x1, DTRT_SUM, layout_4_dims};
/* [3] on [_] */
static const dtrt_dim layout_5_dims[] = {
    {.n = 3, .granule = 1}};
static const dtrt_layout layout_5 = {1, 0x0, DTRT_SUM, layout_5_dims};
static const dtrt_exchange exchange_2 = {2, DTRT_ALL_REDUCE, DTRT_F32, 0x1, &layout_4, &layout_5,
    "grad(model.b)", "step.dtg:12", 20, 3, 12, 0};
/* [8, 6] on [batch, _] */
static const dtrt_dim layout_6_dims[] = {
    {.n = 8, .granule = 1, .naxes = 1, .axis = {0}},
    {.n = 6, .granule = 1}};
static const dtrt_layout layout_6 = {2, 0x0, DTRT_SUM, layout_6_dims};
/* [8, 3] on [batch, _] */
static const dtrt_dim layout_7_dims[] = {
    {.n = 8, .granule = 1, .naxes = 1, .axis = {0}},
    {.n = 3, .granule = 1}};
static const dtrt_layout layout_7 = {2, 0x0, DTRT_SUM, layout_7_dims};
static const dtrt_exchange *const exchanges[] = {&exchange_0, &exchange_1, &exchange_2};

DTRT_LOOP void loop1_const(int64_t n0, int64_t bits0, float *restrict const_) {
  DTRT_PLAIN
  for (int64_t i = 0; i < n0; i++) {
    const_[i] = dtrt_from_bits_f32(bits0);
  }
}

DTRT_LOOP void loop2_const(int64_t n0, float *restrict const_) {
  DTRT_PLAIN
  for (int64_t i = 0; i < n0; i++) {
    const_[i] = 0.0f;
  }
}

DTRT_LOOP void loop3_sum(int64_t n0, int64_t n1, float (*restrict contract)[n1],
    const float *restrict model_b, float (*restrict y)[n1], float *restrict sum) {
  float acc = 0.0f;
  for (int64_t i = 0; i < n0; i++) {
    for (int64_t j = 0; j < n1; j++) {
      const float v0 = contract[i][j] + model_b[j] - y[i][j];
      acc = acc + v0 * v0;
    }
  }
  sum[0] = acc;
}

DTRT_LOOP void loop4_train_loss(float *restrict sum) {
  sum[0] = sum[0] * 0.041666668f;
}

DTRT_LOOP void loop5_grad_train_e(int64_t n0, int64_t n1, float (*restrict contract)[n1],
    const float *restrict model_b, float (*restrict y)[n1]) {
  DTRT_OUTER
  for (int64_t i = 0; i < n0; i++) {
    DTRT_PLAIN
    for (int64_t j = 0; j < n1; j++) {
      const float v0 = 0.041666668f * (contract[i][j] + model_b[j] - y[i][j]);
      contract[i][j] = v0 + v0;
    }
  }
}

DTRT_LOOP void loop6_grad_model_b(int64_t n0, int64_t n1, float *restrict grad_model_b,
    float (*restrict grad_train_e)[n1]) {
  DTRT_PLAIN
  for (int64_t j = 0; j < n1; j++) {
    grad_model_b[j] = 0.0f;
  }
  DTRT_OUTER
  for (int64_t i = 0; i < n0; i++) {
    DTRT_PLAIN
    for (int64_t j = 0; j < n1; j++) {
      grad_model_b[j] = grad_model_b[j] + grad_train_e[i][j];
    }
  }
}

DTRT_LOOP void loop7_sub(int64_t n0, float *restrict model_w, const float *restrict grad_model_w) {
  DTRT_PLAIN
  for (int64_t i = 0; i < n0; i++) {
    model_w[i] = model_w[i] - 0.1f * grad_model_w[i];
  }
}

/* entry init */
DTRT_ENTRY void entry_init(dtrt_device *dev) {
  (void)dev;

  /* model.w <- const()    step.dtg:4 */
  dtrt_begin_step(dev, 0);
  float (*const model_w)[3] = (void *)(dev->shared[0] + 0); /* f32[6, 3] [_, _] */
  dtrt_meet(dev);
  if (dtrt_writes(dev, 0)) {
    loop1_const(18, 1056964608, (void *)model_w);
  }

  /* model.b <- const()    step.dtg:5 */
  dtrt_begin_step(dev, 1);
  float *const model_b = (void *)(dev->shared[0] + 128); /* f32[3] [_] */
  if (dtrt_writes(dev, 0)) {
    loop2_const(3, model_b);
  }
  dtrt_meet(dev);
}

/* entry train    step.dtg:9 */
DTRT_ENTRY void entry_train(dtrt_device *dev) {
  (void)dev;

  /* contract(x, model.w)    step.dtg:6 */
  dtrt_begin_step(dev, 0);
  float (*const x)[6] = (void *)dev->in[0]; /* f32[8, 6] [batch, _] */
  float (*const model_w)[3] = (void *)(dev->shared[0] + 0); /* f32[6, 3] [_, _] */
  float (*const contract_6)[3] = (void *)(dev->arena + 192); /* f32[8, 3] [batch, _] */
  dtrt_gemm(DTRT_F32, 0, 0, 2, 3, 6, x, 6, model_w, 3, contract_6, 3, 0);

  /* sum(mul@step.dtg:11)    step.dtg:11 */
  dtrt_begin_step(dev, 1);
  float *const model_b = (void *)(dev->shared[0] + 128); /* f32[3] [_] */
  float (*const y)[3] = (void *)dev->in[1]; /* f32[8, 3] [batch, _] */
  float *const sum_11 = (void *)(dev->arena + 320); /* f32[] [] partial(batch) */
  loop3_sum(2, 3, contract_6, model_b, y, sum_11);

  /* all-reduce over batch: sum@step.dtg:11    step.dtg:11 */
  dtrt_begin_step(dev, 2);
  dtrt_run_exchange(dev, &exchange_0, sum_11, sum_11);

  /* train.loss = mul(sum@step.dtg:11, 0.04166667)    step.dtg:11 */
  dtrt_begin_step(dev, 3);
  loop4_train_loss(sum_11);

  /* grad(train.e) = add(mul@step.dtg:11#2, mul@step.dtg:11#2)    step.dtg:11 */
  dtrt_begin_step(dev, 4);
  loop5_grad_train_e(2, 3, contract_6, model_b, y);

  /* grad(model.b) = sum(grad(train.e))    step.dtg:6 */
  dtrt_begin_step(dev, 5);
  float *const grad_model_b = (void *)(dev->arena + 256); /* f32[3] [_] partial(batch) */
  loop6_grad_model_b(2, 3, grad_model_b, contract_6);

  /* grad(model.w) = contract(x, grad(train.e))    step.dtg:6 */
  dtrt_begin_step(dev, 6);
  float (*const grad_model_w)[3] = (void *)(dev->arena + 0); /* f32[6, 3] [_, _] partial(batch) */
  dtrt_gemm(DTRT_F32, 1, 0, 6, 3, 2, x, 6, contract_6, 3, grad_model_w, 3, 0);

  /* all-reduce over batch: grad(model.w), grad(model.b)    step.dtg:12 */
  dtrt_begin_step(dev, 7);
  dtrt_run_exchanges(dev, 2, (const dtrt_exchange *const[]){&exchange_1, &exchange_2},
      (const void *const[]){grad_model_w, grad_model_b},
      (void *const[]){grad_model_w, grad_model_b});

  /* model.w <- sub(model.w, mul@step.dtg:12)    step.dtg:12 */
  dtrt_begin_step(dev, 8);
  dtrt_meet(dev);
  if (dtrt_writes(dev, 0)) {
    loop7_sub(18, (void *)model_w, (void *)grad_model_w);
  }

  /* model.b <- sub(model.b, mul@step.dtg:12#2)    step.dtg:12 */
  dtrt_begin_step(dev, 9);
  if (dtrt_writes(dev, 0)) {
    loop7_sub(3, model_b, grad_model_b);
  }
  dtrt_meet(dev);
}

static const dtrt_step entry_init_steps[] = {
    {"model.w <- const()", "step.dtg:4", DTRT_STEP_LOOP, 0, 72},
    {"model.b <- const()", "step.dtg:5", DTRT_STEP_LOOP, 0, 12},
};
static const char *const entry_train_dims_0[] = {0, 0};
static const char *const entry_train_dims_1[] = {0, 0};
static const dtrt_tensor entry_train_in[] = {
    {"x", DTRT_F32, 0, &layout_6, 128, 48, 2, entry_train_dims_0, "step.dtg:9", 0},
    {"y", DTRT_F32, 0, &layout_7, 0, 24, 2, entry_train_dims_1, "step.dtg:9", 0},
};
static const dtrt_tensor entry_train_out[] = {
    {"loss", DTRT_F32, 0, &layout_1, 320, 4, 0, 0, "step.dtg:13", 0},
};
static const dtrt_step entry_train_steps[] = {
    {"contract(x, model.w)", "step.dtg:6", DTRT_STEP_PRODUCT, 72, 144},
    {"sum(mul@step.dtg:11)", "step.dtg:11", DTRT_STEP_LOOP, 0, 64},
    {"all-reduce over batch: sum@step.dtg:11", "step.dtg:11", DTRT_STEP_EXCHANGE, 0, 12},
    {"train.loss = mul(sum@step.dtg:11, 0.04166667)", "step.dtg:11", DTRT_STEP_LOOP, 0, 8},
    {"grad(train.e) = add(mul@step.dtg:11#2, mul@step.dtg:11#2)", "step.dtg:11", DTRT_STEP_LOOP, 0, 84},
    {"grad(model.b) = sum(grad(train.e))", "step.dtg:6", DTRT_STEP_LOOP, 0, 36},
    {"grad(model.w) = contract(x, grad(train.e))", "step.dtg:6", DTRT_STEP_PRODUCT, 72, 144},
    {"all-reduce over batch: grad(model.w), grad(model.b)", "step.dtg:12", DTRT_STEP_EXCHANGE, 0, 132},
    {"model.w <- sub(model.w, mul@step.dtg:12)", "step.dtg:12", DTRT_STEP_LOOP, 0, 216},
    {"model.b <- sub(model.b, mul@step.dtg:12#2)", "step.dtg:12", DTRT_STEP_LOOP, 0, 36},
};
static const char *const axis_names[] = {"batch"};
static const int32_t axis_sizes[] = {4};
static const dtrt_link links[] = {{2000000000, 1.0000000000000001e-05, 1.0000000000000002e-06}};
static const dtrt_rates rates = {"generic", 5e+10, {32768, 2097152, 4194304}, {8e+10, 4e+10, 2e+10, 1e+10}};
static const uint32_t shared[] = {1};
static const dtrt_tensor variables[] = {
    {"model.w", DTRT_F32, 1, &layout_3, 0, 72, 0, 0, "step.dtg:4", 1},
    {"model.b", DTRT_F32, 1, &layout_5, 128, 12, 0, 0, "step.dtg:5", 1},
};
static const dtrt_entry entries[] = {
    {"init", entry_init, 0, 0, 2, 1, 0, 0, entry_init_steps, 0, 0, 0, 0},
    {"train", entry_train, 2, 1, 10, 1, entry_train_in, entry_train_out, entry_train_steps, 384, 0, 0, 0},
};
static const uint64_t code[] = {0x0, 0x0};

extern const dtrt_program dtg_program;
const dtrt_program dtg_program = {
    DTRT_ABI, "step", 1, axis_names, axis_sizes, 2, 2, 3, variables, entries, exchanges, 192,
    0, code, 0, 0, links, DTRT_SUMS_FIXED, 1, shared, &rates};
