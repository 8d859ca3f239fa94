/* toy.c: a hand-written compiled program, as the compiler would emit it, for testing dtrt_main
 * without the compiler. Usage: TOY_AXIS=4 TOY_VARIANTS=3,5 TOY_MORE=1 toy ARGS...
 *
 * mesh [batch=TOY_AXIS]; const batch = 8;
 * entry train(image: u8[batch, 2, 2], label: i32[batch], rate: f32[]):
 *   w <- w + rate; loss = mean over rows of sum(image row) + label; place = sum of label * row /
 * batch; nan = loss that is NaN once a label is negative; rows: i64[] = batch; sums: f32[batch] =
 * sum(image row) entry eval(image, label): loss, and w as it stands. Sums over rows are exact in
 * f32 for small data, so results must be equal on every mesh. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dtrt.h"

enum { PROGRAMS = 8 };

typedef struct toy {
  dtrt_program p;
  int64_t batch;
  dtrt_dim image_dim[3], row_dim[1];
  dtrt_layout image, row, scalar, term;
  dtrt_exchange all_reduce;
  const dtrt_exchange *exchange[1];
  dtrt_tensor in[3], out[5], eval_out[2], var[1];
  dtrt_entry entry[3];
  const char *axis_name[1];
  int32_t axis_size[1];
} toy;

static toy programs[PROGRAMS];
static int nprograms;
static const char *const image_const[3] = {"batch", NULL, NULL}, *const row_const[1] = {"batch"};

/* Places in the arena, in bytes. */
enum {
  IMAGE = 0,
  LABEL = 4096,
  RATE = 8192,
  LOSS = 8256,
  PLACE = 8320,
  NAN_AT = 8384,
  ROWS = 8448,
  SUMS = 8512,
  TERMS = 12672,
  W = 12736,
  ARENA = 12800
};

static const toy *toy_of_row(const dtrt_device *dev);

static void toy_init(dtrt_device *dev) { *(float *)(void *)dev->vars = 0; }

/* loss and place of this device's rows, settled over the mesh. */
static void toy_means(dtrt_device *dev) {
  const toy *t = toy_of_row(dev);
  int64_t lo = dtrt_lo(dev, &t->row_dim[0]), hi = dtrt_hi(dev, &t->row_dim[0]);
  const uint8_t *image = (const uint8_t *)dev->arena + IMAGE;
  const int32_t *label = (const int32_t *)(const void *)(dev->arena + LABEL);
  float *sums = (float *)(void *)(dev->arena + SUMS), *term = (float *)(void *)(dev->arena + TERMS);
  float loss = 0, place = 0;
  for (int64_t i = lo; i < hi; i++) {
    const uint8_t *p = image + 4 * (i - lo);
    sums[i - lo] = (float)(p[0] + p[1] + p[2] + p[3]);
    loss += sums[i - lo] + (float)label[i - lo];
    place += (float)(label[i - lo] * i);
    if (label[i - lo] < 0) loss = NAN;
  }
  *term = loss;
  dtrt_run_exchange(dev, &t->all_reduce, term, dev->arena + LOSS);
  *term = place;
  dtrt_run_exchange(dev, &t->all_reduce, term, dev->arena + PLACE);
  *(float *)(void *)(dev->arena + LOSS) /= (float)t->batch;
  *(float *)(void *)(dev->arena + PLACE) /= (float)t->batch;
}

static void toy_train(dtrt_device *dev) {
  float *w = (float *)(void *)dev->vars;
  toy_means(dev);
  *w += *(float *)(void *)(dev->arena + RATE);
  *(double *)(void *)(dev->arena + NAN_AT) = (double)*(float *)(void *)(dev->arena + LOSS);
  *(int64_t *)(void *)(dev->arena + ROWS) = toy_of_row(dev)->batch;
}

static void toy_eval(dtrt_device *dev) {
  toy_means(dev);
  memcpy(dev->arena + W, dev->vars, 4);
}

/* One run function a program, as emitted C would have: the batch is a constant of it. */
#define TOY_RUNS(k)                                                                                \
  static void toy_train_##k(dtrt_device *dev) {                                                    \
    dev->at = k;                                                                                   \
    toy_train(dev);                                                                                \
  }                                                                                                \
  static void toy_eval_##k(dtrt_device *dev) {                                                     \
    dev->at = k;                                                                                   \
    toy_eval(dev);                                                                                 \
  }
TOY_RUNS(0)
TOY_RUNS(1)
TOY_RUNS(2)
TOY_RUNS(3)
TOY_RUNS(4)
TOY_RUNS(5)
TOY_RUNS(6)
TOY_RUNS(7)
static void (*const train_runs[])(dtrt_device *) = {toy_train_0, toy_train_1, toy_train_2,
                                                    toy_train_3, toy_train_4, toy_train_5,
                                                    toy_train_6, toy_train_7};
static void (*const eval_runs[])(dtrt_device *) = {toy_eval_0, toy_eval_1, toy_eval_2, toy_eval_3,
                                                   toy_eval_4, toy_eval_5, toy_eval_6, toy_eval_7};
static const dtrt_step steps[PROGRAMS] = {
    {.what = "toy", .where = "toy.dtg:1"}, {.what = "toy", .where = "toy.dtg:1"},
    {.what = "toy", .where = "toy.dtg:1"}, {.what = "toy", .where = "toy.dtg:1"},
    {.what = "toy", .where = "toy.dtg:1"}, {.what = "toy", .where = "toy.dtg:1"},
    {.what = "toy", .where = "toy.dtg:1"}, {.what = "toy", .where = "toy.dtg:1"}};

static const toy *toy_of_row(const dtrt_device *dev) { return &programs[dev->at]; }

static dtrt_tensor tensor(const char *name, int dtype, const dtrt_layout *l, int64_t offset,
                          int64_t bytes, const char *const *dim_const) {
  return (dtrt_tensor){.name = name,
                       .dtype = dtype,
                       .layout = l,
                       .offset = offset,
                       .bytes = bytes,
                       .dim_const = dim_const,
                       .where = "toy.dtg:1"};
}

static const dtrt_program *toy_make(int64_t batch, int axis) {
  if (nprograms == PROGRAMS || batch > 1024) return NULL;
  int k = nprograms++;
  toy *t = &programs[k];
  int64_t most = (batch + axis - 1) / axis;
  t->batch = batch;
  t->axis_name[0] = "batch";
  t->axis_size[0] = axis;
  t->row_dim[0] = (dtrt_dim){.n = batch, .granule = 1, .naxes = 1};
  t->image_dim[0] = t->row_dim[0];
  t->image_dim[1] = t->image_dim[2] = (dtrt_dim){.n = 2, .granule = 1};
  t->image = (dtrt_layout){.rank = 3, .dim = t->image_dim};
  t->row = (dtrt_layout){.rank = 1, .dim = t->row_dim};
  t->term = (dtrt_layout){.partial = 1, .reduce = DTRT_SUM};
  t->all_reduce = (dtrt_exchange){.kind = DTRT_ALL_REDUCE,
                                  .dtype = DTRT_F32,
                                  .axes = 1,
                                  .from = &t->term,
                                  .to = &t->scalar,
                                  .what = "mean",
                                  .where = "toy.dtg:1"};
  t->exchange[0] = &t->all_reduce;
  t->in[0] = tensor("image", DTRT_U8, &t->image, IMAGE, 4 * most, image_const);
  t->in[1] = tensor("label", DTRT_I32, &t->row, LABEL, 4 * most, row_const);
  t->in[2] = tensor("rate", DTRT_F32, &t->scalar, RATE, 4, NULL);
  t->out[0] = t->eval_out[0] = tensor("loss", DTRT_F32, &t->scalar, LOSS, 4, NULL);
  t->out[1] = tensor("place", DTRT_F32, &t->scalar, PLACE, 4, NULL);
  t->out[2] = tensor("nan", DTRT_F64, &t->scalar, NAN_AT, 8, NULL);
  t->out[3] = tensor("rows", DTRT_I64, &t->scalar, ROWS, 8, NULL);
  t->out[4] = tensor("sums", DTRT_F32, &t->row, SUMS, 4 * most, NULL);
  t->eval_out[1] = tensor("w", DTRT_F32, &t->scalar, W, 4, NULL);
  t->var[0] = tensor("model.w", DTRT_F32, &t->scalar, 0, 4, NULL);
  t->var[0].trainable = 1;
  t->entry[0] = (dtrt_entry){.name = "init",
                             .run = toy_init,
                             .nsteps = PROGRAMS,
                             .assigns = 1,
                             .step = steps,
                             .arena_bytes = ARENA};
  t->entry[1] = (dtrt_entry){.name = "train",
                             .run = train_runs[k],
                             .nin = 3,
                             .nout = 5,
                             .nsteps = PROGRAMS,
                             .assigns = 1,
                             .in = t->in,
                             .out = t->out,
                             .step = steps,
                             .arena_bytes = ARENA};
  t->entry[2] = (dtrt_entry){.name = "eval",
                             .run = eval_runs[k],
                             .nin = 2,
                             .nout = 2,
                             .nsteps = PROGRAMS,
                             .in = t->in,
                             .out = t->eval_out,
                             .step = steps,
                             .arena_bytes = ARENA};
  t->p = (dtrt_program){.abi = DTRT_ABI,
                        .name = "toy",
                        .naxes = 1,
                        .axis_name = t->axis_name,
                        .axis_size = t->axis_size,
                        .nvars = 1,
                        .nentries = 3,
                        .nexchanges = 1,
                        .var = t->var,
                        .entry = t->entry,
                        .exchange = t->exchange,
                        .vars_bytes = 64,
                        .layouts = "the layouts\n"};
  return &t->p;
}

static const dtrt_program *toy_more(void *user, const char *constant, int64_t value) {
  fprintf(stderr, "more: %s = %lld\n", constant, (long long)value);
  return toy_make(value, *(const int *)user);
}

int main(int argc, char **argv) {
  const char *text = getenv("TOY_AXIS"), *list = getenv("TOY_VARIANTS");
  int axis = text ? atoi(text) : 1, n = 0;
  const dtrt_program *variants[PROGRAMS + 1] = {NULL}, *main_program = toy_make(8, axis);
  argv[0] = (char[]){"toy"};
  for (; list && *list && n < PROGRAMS; list += *list == ',')
    variants[n++] = toy_make(strtol(list, (char **)&list, 10), axis);
  return dtrt_main(argc, argv, main_program, variants, getenv("TOY_MORE") ? toy_more : NULL, &axis);
}
