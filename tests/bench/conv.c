/* conv.c: GFLOP/s of a convolution and its two gradients, as compiled for one device: 2 x batch x
 * space x taps x in x out a call (padding counts as work), best of the calls of half a second each.
 *
 *   conv [SECONDS] */
#include <dtgc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Case {
  int batch, size, in, out, taps, stride;
} Case;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const char model[] =
    "layer convolution() {\n"
    "  param x: f32[B, S, S, I] = normal([B, S, S, I])\n"
    "  param w: f32[K, K, I, O] = normal([K, K, I, O])\n"
    "  state dy: f32[B, S // T, S // T, O] = normal([B, S // T, S // T, O])\n"
    "  state y: f32[B, S // T, S // T, O] = zeros()\n"
    "  state dx: f32[B, S, S, I] = zeros()\n"
    "  state dw: f32[K, K, I, O] = zeros()\n"
    "  forward() { y <- conv(x, w, stride=T) }\n"
    "  input() { dx <- grad(sum(conv(x, w, stride=T) * dy), x) }\n"
    "  weight() { dw <- grad(sum(conv(x, w, stride=T) * dy), w) }\n"
    "}\n"
    "c = convolution()\n"
    "entry forward() { c.forward() }\n"
    "entry input() { c.input() }\n"
    "entry weight() { c.weight() }\n";

static void fail(const dtgc_program *p) {
  fprintf(stderr, "conv: %s\n", dtgc_error(p));
  exit(1);
}

static void run(const Case *c, double seconds) {
  char text[4096];
  snprintf(text, sizeof text,
           "const B = %d\nconst S = %d\nconst I = %d\nconst O = %d\nconst K = %d\nconst T = %d\n%s",
           c->batch, c->size, c->in, c->out, c->taps, c->stride, model);
  dtgc_options o = {0};
  dtgc_program *p = NULL;
  if (dtgc_compile_string("conv.dtg", text, &o, &p) || dtgc_start(p)) fail(p);
  double small = c->size / c->stride;
  double flops = 2.0 * c->batch * small * small * c->taps * c->taps * c->in * c->out;
  printf("%3d x %2d x %2d x %3d, %d x %d, stride %d, to %3d ", c->batch, c->size, c->size, c->in,
         c->taps, c->taps, c->stride, c->out);
  static const char *const entry[] = {"forward", "input", "weight"};
  for (int e = 0; e < 3; e++) {
    double best = 1e9, begin = now();
    for (int n = 0; n < 3 || now() - begin < seconds; n++) {
      double t = now();
      if (dtgc_run(p, entry[e], NULL, 0, NULL, 0)) fail(p);
      t = now() - t;
      if (t < best) best = t;
    }
    printf("%10.1f", flops / best * 1e-9);
  }
  printf("\n");
  fflush(stdout);
  dtgc_free(p);
}

int main(int argc, char **argv) {
  static const Case cases[] = {
      {32, 28, 32, 32, 3, 1},  {128, 32, 3, 32, 3, 1},  {128, 16, 3, 32, 3, 1},
      {128, 16, 32, 32, 3, 1}, {128, 8, 32, 64, 3, 1},  {128, 8, 64, 64, 3, 1},
      {128, 4, 64, 128, 3, 1}, {8, 28, 128, 128, 3, 1}, {32, 28, 32, 32, 1, 1},
      {32, 28, 32, 32, 5, 1},  {32, 28, 32, 32, 3, 2},  {32, 28, 10, 10, 3, 1}};
  printf("GFLOP/s %*s forward  to input to weights\n", 39, "");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    run(&cases[i], argc > 1 ? atof(argv[1]) : 0.5);
  return 0;
}
