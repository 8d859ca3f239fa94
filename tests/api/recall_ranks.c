/* Ranks of mpiexec compiled the whole program once more where the cache had its object. Now the
 * first looks, and gives it to all; a rank whose options or cache are others makes its own. mpiexec
 * -n 4 recall_ranks, with an empty cache. */
#include "check.h"
#include <dtgc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char model[] = "import \"nn\"\nimport \"optim\"\n"
                            "d1 = dense(8, 16, act=relu)\n"
                            "d2 = dense(16, 4)\n"
                            "opt = sgd([d1, d2], lr=0.1)\n"
                            "entry train(x: f32[12, 8], t: f32[12, 4]) {\n"
                            "  loss = mean((d2(d1(x)) - t) ** 2)\n"
                            "  opt.minimize(loss)\n"
                            "  return loss\n}\n"
                            "mesh [a=2, b=2]\n"
                            "layout train.x = [a, _]\nlayout d1.w = [_, b]\n";

/* The loss of the third step; whether the passes have run, and who had made the code. */
static float train(const dtgc_options *o, bool *passed, int *from_cache) {
  dtgc_program *p = NULL;
  float x[12 * 8], t[12 * 4], loss = 0;
  for (int i = 0; i < 12 * 8; i++) x[i] = (float)(i * 7 % 11) / 8 - 0.5f;
  for (int i = 0; i < 12 * 4; i++) t[i] = (float)(i * 5 % 7) / 4 - 0.5f;
  dtgc_buffer in[] = {{"x", x, sizeof x}, {"t", t, sizeof t}}, out = {"loss", &loss, sizeof loss};
  CHECK(!dtgc_compile_string("model.dtg", model, o, &p));
  for (int k = 0; k < 3; k++) CHECK(!dtgc_run(p, "train", in, 2, &out, 1));
  dtgc_time step[64];
  const int n = dtgc_times(p, step, 64);
  *passed = false;
  for (int i = 0; i < n && i < 64; i++) *passed |= !strcmp(step[i].step, "partition");
  *from_cache = dtgc_from_cache(p);
  dtgc_free(p);
  return loss;
}

int main(void) {
  const char *text = getenv("PMI_RANK");
  const int rank = text ? atoi(text) : 0;
  bool passed;
  int cached;
  const dtgc_options all = {.will_load = 1}, first = {.will_load = 1, .no_cache = rank == 0},
                     other = {.will_load = 1, .no_cache = rank == 1},
                     level = {.will_load = 1, .optimize = rank == 2 ? "1" : NULL};
  const float loss = train(&all, &passed, &cached);
  CHECK(passed && cached == (rank > 0)); /* from rank 0 */
  CHECK(train(&all, &passed, &cached) == loss && !passed && cached == 1);
  CHECK(train(&other, &passed, &cached) == loss && passed == (rank == 1) && cached == (rank != 1));
  CHECK(train(&level, &passed, &cached) == loss && passed == (rank == 2));
  CHECK(train(&first, &passed, &cached) == loss && passed);
  CHECK(train(&(dtgc_options){0}, &passed, &cached) == loss &&
        passed); /* each for itself, as far as it can */
  CHECK(train(&all, &passed, &cached) == loss && !passed && cached == 1);
  return failures != 0;
}
