/* Dropout's masks are those of one device, bit for bit, in every call and in the gradient, whatever
 * the mesh and the layouts.
 *   dropout        all meshes, on threads
 *   dropout mpi    under mpiexec: the meshes of as many devices as there are ranks */
#include "dtgc.h"
#include "dtrt.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 12 * 10, CALLS = 3, VALUES = 3 };
typedef float Values[VALUES][COUNT]; /* y, z, g of one call */

static const char text[] = "import \"nn\"\n"
                           "layer twice() {\n"
                           "  a = dropout_layer(0.4)\n"
                           "  b = dropout_layer(0.25)\n"
                           "  apply(x) { return b(a(x) + 1) }\n"
                           "}\n"
                           "model = twice()\n"
                           "entry drop(x: f32[12, 10]) {\n"
                           "  y = model(x)\n"
                           "  return y, z = dropout(x, 0.5), g = grad(sum(y), x)\n"
                           "}\n";

/* One device, then meshes with what is said of x and of y. */
static const struct {
  const char *mesh, *x, *y;
  int devices;
} cases[] = {
    {NULL, NULL, NULL, 1},
    {"a=2", "x=[a,_]", NULL, 2},
    {"a=2", "x=[_,a]", "drop.y=[a,_]", 2},
    {"a=3", "x=[a by 2,_]", "drop.z=[_,a]", 3},
    {"a=4", "x=[a,_]", NULL, 4},
    {"a=4", "x=[_,a]", "drop.g=[_,a]", 4},
    {"a=2,b=2", "x=[a,b]", "drop.y=[b,a]", 4},
    {"a=2,b=2", "x=[_,(b,a)]", NULL, 4},
    {"a=8", "x=[a,_]", NULL, 8},
    {"a=8", "x=[_,a]", "model.a.output=[a,_]", 8},
    {"a=2,b=4", "x=[b,a]", "drop.y=[(a,b),_]", 8},
    {"a=2,b=2,c=2", "x=[a,(c,b)]", NULL, 8},
};
enum { NCASES = sizeof cases / sizeof *cases };

static int failed;

static void die(const char *what, const dtgc_program *p) {
  fprintf(stderr, "%s: %s\n", what, dtgc_error(p));
  exit(1);
}

static void call(int which, const char *transport, Values out[CALLS]) {
  const char *layouts[] = {cases[which].x, cases[which].y};
  dtgc_options o = {.mesh = cases[which].mesh,
                    .layout = layouts,
                    .nlayouts = (layouts[0] != NULL) + (layouts[1] != NULL),
                    .strict_layouts = 1,
                    .transport = transport,
                    .seed = 11};
  float x[COUNT];
  for (int i = 0; i < COUNT; i++) x[i] = 1 + (float)i;
  dtgc_program *p;
  if (dtgc_compile_string("dropout.dtg", text, &o, &p)) die("compiling", p);
  for (int k = 0; k < CALLS; k++) {
    dtgc_buffer in = {"x", x, sizeof x};
    dtgc_buffer to[] = {{"y", out[k][0], sizeof out[k][0]},
                        {"z", out[k][1], sizeof out[k][1]},
                        {"g", out[k][2], sizeof out[k][2]}};
    if (dtgc_run(p, "drop", &in, 1, to, VALUES)) die("running", p);
  }
  dtgc_free(p);
}

/* The reference is no plain copy, drops about what it should, and other elements in each call; the
 * gradient has the masks of the value. */
static void look_at(Values v[CALLS]) {
  int dropped[VALUES] = {0}, same = 0;
  for (int k = 0; k < CALLS; k++)
    for (int i = 0; i < COUNT; i++) {
      float y = v[k][0][i], z = v[k][1][i], g = v[k][2][i];
      dropped[0] += y == 0;
      dropped[1] += z == 0;
      dropped[2] += g == 0;
      same += k > 0 && (y == 0) == (v[k - 1][0][i] == 0);
      float x = 1 + (float)i, want = g == 0 ? (y == 0 ? 0 : 1 / 0.75f) : (x / 0.6f + 1) / 0.75f;
      if (y - want > 1e-4f * want || want - y > 1e-4f * want) {
        printf("FAIL call %d, element %d: y %g, g %g\n", k, i, (double)y, (double)g);
        failed = 1;
      }
    }
  const int all = CALLS * COUNT;
  static const double share[VALUES] = {0.25, 0.5, 1 - 0.6 * 0.75};
  for (int i = 0; i < VALUES; i++)
    if (dropped[i] < all * (share[i] - 0.12) || dropped[i] > all * (share[i] + 0.12)) {
      printf("FAIL value %d: %d of %d are dropped\n", i, dropped[i], all);
      failed = 1;
    }
  if (same == (CALLS - 1) * COUNT) puts("FAIL all calls drop alike"), failed = 1;
}

int main(int argc, char **argv) {
  bool mpi = argc > 1 && !strcmp(argv[1], "mpi");
  int ranks = mpi ? dtrt_launch_size() : 0, tried = 0;
  static Values one[CALLS], other[CALLS];
  call(0, "self", one);
  look_at(one);
  for (int i = 1; i < NCASES; i++) {
    if (mpi && cases[i].devices != ranks) continue;
    memset(other, 0, sizeof other);
    call(i, mpi ? "mpi" : "threads", other);
    tried++;
    if (!memcmp(one, other, sizeof one)) continue;
    printf("FAIL mesh %s, layout %s: not what one device drops\n", cases[i].mesh, cases[i].x);
    failed = 1;
  }
  if (!tried) printf("FAIL no mesh has %d devices\n", ranks), failed = 1;
  return failed;
}
