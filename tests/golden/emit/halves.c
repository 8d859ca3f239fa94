/* halves, made by dtgc from halves.dtg.
 * Mesh a=1: every device runs this on its own blocks. Planned for machine generic. */
#include "dtrt.h"

/* [8, 40] on [_, _] */
static const dtrt_dim layout_0_dims[] = {
    {.n = 8, .granule = 1},
    {.n = 40, .granule = 1}};
static const dtrt_layout layout_0 = {2, 0x0, DTRT_SUM, layout_0_dims};

DTRT_LOOP void loop1_f_y(int64_t n0, const uint8_t *restrict c, const uint16_t *restrict x,
    const uint16_t *restrict z, uint16_t *restrict f_y) {
  DTRT_OF_F16 DTRT_PLAIN
  for (int64_t i = 0; i < n0; i++) {
    const float v0 = dtrt_f16_to_f32(x[i]);
    const float v1 = dtrt_f16_to_f32(z[i]);
    f_y[i] = dtrt_f32_to_f16(c[i] ? dtrt_f16_to_f32(dtrt_f32_to_f16(dtrt_f16_to_f32(dtrt_f32_to_f16(dtrt_exp_f32(v0))) + 1.0f)) : v1);
  }
}

/* entry init */
DTRT_ENTRY void entry_init(dtrt_device *dev) {
  (void)dev;
}

/* entry f    halves.dtg:3 */
DTRT_ENTRY void entry_f(dtrt_device *dev) {
  (void)dev;

  /* f.y = where(c, add@halves.dtg:3, z)    halves.dtg:3 */
  dtrt_begin_step(dev, 0);
  uint8_t (*const c)[40] = (void *)dev->in[1]; /* bool[8, 40] [_, _] */
  uint16_t (*const x)[40] = (void *)dev->in[0]; /* f16[8, 40] [_, _] */
  uint16_t (*const z)[40] = (void *)dev->in[2]; /* f16[8, 40] [_, _] */
  uint16_t (*const y)[40] = (void *)(dev->arena + 1280); /* f16[8, 40] [_, _] */
  loop1_f_y(320, (void *)c, (void *)x, (void *)z, (void *)y);
}

static const char *const entry_f_dims_0[] = {0, 0};
static const char *const entry_f_dims_1[] = {0, 0};
static const char *const entry_f_dims_2[] = {0, 0};
static const dtrt_tensor entry_f_in[] = {
    {"x", DTRT_F16, 0, &layout_0, 0, 640, 2, entry_f_dims_0, "halves.dtg:3", 0},
    {"c", DTRT_BOOL, 0, &layout_0, 1920, 320, 2, entry_f_dims_1, "halves.dtg:3", 0},
    {"z", DTRT_F16, 0, &layout_0, 640, 640, 2, entry_f_dims_2, "halves.dtg:3", 0},
};
static const dtrt_tensor entry_f_out[] = {
    {"y", DTRT_F16, 0, &layout_0, 1280, 640, 0, 0, "halves.dtg:3", 0},
};
static const dtrt_step entry_f_steps[] = {
    {"f.y = where(c, add@halves.dtg:3, z)", "halves.dtg:3", DTRT_STEP_LOOP, 0, 2240},
};
static const char *const axis_names[] = {"a"};
static const int32_t axis_sizes[] = {1};
static const dtrt_rates rates = {"generic", 5e+10, {32768, 2097152, 4194304}, {8e+10, 4e+10, 2e+10, 1e+10}};
static const dtrt_entry entries[] = {
    {"init", entry_init, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"f", entry_f, 3, 1, 1, 0, entry_f_in, entry_f_out, entry_f_steps, 2240, 0, 0, 0},
};
static const uint64_t code[] = {0x0, 0x0};

extern const dtrt_program dtg_program;
const dtrt_program dtg_program = {
    DTRT_ABI, "halves", 1, axis_names, axis_sizes, 0, 2, 0, 0, entries, 0, 0,
    0, code, 0, 0, 0, DTRT_SUMS_FIXED, 0, 0, &rates};
