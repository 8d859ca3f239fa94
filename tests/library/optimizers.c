/* Every optimizer of include/dtg/optim.dtg against the rule of the system that its style names, as
 * optimizers.py works it out with 40 digits: 20 steps of parameters in f32 and f64, with gradients
 * from 1e-12 to 1e9, on one device and cut over two. The bound is some roundings of the type,
 * taken of the length of the way that a parameter went, not of where it ended. */
#include "dtgc.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "optimizers.h"

enum { ROUNDINGS = 24 };

static const char model[] = "import \"optim\"\n"
                            "fn begin() { return %s }\n"
                            "layer weights(real, scale) {\n"
                            "  param p: real[6] = cast(stack(begin()), real)\n"
                            "  loss(g) { return sum(f64(p * cast(g, real) * scale)) }\n"
                            "}\n"
                            "const scales = %s\n"
                            "at32 = [weights(f32, s) for s in scales]\n"
                            "at64 = [weights(f64, s) for s in scales]\n"
                            "layer both(over, real) {\n"
                            "  rate = %s\n"
                            "  opt  = %s\n"
                            "  minimize(g) {\n"
                            "    total = f64(0)\n"
                            "    for w in over { total = total + w.loss(g) }\n"
                            "    opt.minimize(total)\n"
                            "    rate.step()\n"
                            "  }\n"
                            "}\n"
                            "a = both(at32, f32)\n"
                            "b = both(at64, f64)\n"
                            "entry step(g: f64[6]) {\n"
                            "  a.minimize(g)\n"
                            "  b.minimize(g)\n"
                            "  return sum(g)\n"
                            "}\n";

static int failed;

static void list(char *out, size_t size, const double *x, int n) {
  size_t at = 0;
  for (int i = 0; i < n; i++)
    at += (size_t)snprintf(out + at, size - at, "%s%.17g", i ? ", " : "[", x[i]);
  snprintf(out + at, size - at, "]");
}

static void compare(const struct rule *r, const char *mesh, dtgc_program *p, int real, int scale) {
  char path[40];
  float f32[N];
  double f64[N];
  const double *want = r->after[real][scale][0], *way = r->after[real][scale][1];
  snprintf(path, sizeof path, "at%s[%d].p", real ? "64" : "32", scale);
  if (dtgc_get(p, path, real ? (void *)f64 : f32, real ? sizeof f64 : sizeof f32)) {
    printf("FAIL %s: %s\n", r->call, dtgc_error(p));
    failed++;
    return;
  }
  for (int i = 0; i < N; i++) {
    double got = real ? f64[i] : (double)f32[i];
    double bound = ROUNDINGS * (real ? 0x1p-53 : 0x1p-24) * (fabs(start[i]) + way[i]);
    if (fabs(got - want[i]) <= bound) continue;
    printf("FAIL %s%s%s, gradients of %g: %s[%d] is %.17g, expected %.17g, %.2g of its way off\n",
           r->call, mesh ? " on " : "", mesh ? mesh : "", scales[scale], path, i, got, want[i],
           fabs(got - want[i]) / (fabs(start[i]) + way[i]));
    failed++;
    return;
  }
}

static void run(const struct rule *r, const char *mesh) {
  char text[4096], now[80], begin[200], sizes[200];
  const char *layout = "g=[a]";
  dtgc_options o = {.mesh = mesh, .layout = &layout, .nlayouts = mesh ? 1 : 0};
  dtgc_program *p;
  double sum;
  snprintf(now, sizeof now, rate, "real");
  list(begin, sizeof begin, start, N);
  list(sizes, sizeof sizes, scales, NSCALES);
  snprintf(text, sizeof text, model, begin, sizes, now, r->call);
  int bad = dtgc_compile_string(r->call, text, &o, &p);
  for (int t = 0; t < STEPS && !bad; t++) {
    double g[N];
    memcpy(g, gradient[t], sizeof g);
    dtgc_buffer in = {"g", g, sizeof g};
    dtgc_buffer out = {"out0", &sum, sizeof sum};
    bad = dtgc_run(p, "step", &in, 1, &out, 1);
  }
  if (bad) {
    printf("FAIL %s: %s\n", r->call, dtgc_error(p));
    failed++;
  } else {
    for (int k = 0; k < 2 * NSCALES; k++) compare(r, mesh, p, k / NSCALES, k % NSCALES);
  }
  dtgc_free(p);
}

static void unknown_style(void) {
  dtgc_program *p;
  const char *text = "import \"optim\"\nparam w: f32[] = 1\nopt = rmsprop(w, style=\"kears\")\n"
                     "entry f() { return w }\n";
  if (!dtgc_compile_string("style", text, &(dtgc_options){0}, &p) ||
      !strstr(dtgc_error(p), "unknown style; expected \"keras\" or \"torch\"") ||
      !strstr(dtgc_error(p), ":3:")) {
    printf("FAIL an unknown style: %s\n", dtgc_error(p));
    failed++;
  }
  dtgc_free(p);
}

/* Of a program on 4 devices with large weights: how many of its variables are split. -1: an error.
 */
static int count_split(const struct rule *r, bool replicated) {
  static const char model[] =
      "import \"optim\"\n"
      "param w: f32[1024, 512] = 1\n"
      "rate = exponential(0.1, 0.9)\n"
      "layer both(over) { opt = %s }\n"
      "a = both(w)\n"
      "entry f(x: f32[4096, 1024]) {\n  loss = mean((x @ w) ** 2)\n  a.opt.minimize(loss)\n"
      "  return loss\n}\n"
      "layout x = [d, _]\n";
  char text[1024];
  const char *layout = "w=replicated";
  dtgc_options o = {.mesh = "d=4", .layout = &layout, .nlayouts = replicated};
  dtgc_program *p;
  snprintf(text, sizeof text, model, r->call);
  int split = 0;
  if (dtgc_compile_string(r->call, text, &o, &p)) split = -1;
  for (int i = 0; split >= 0 && i < dtgc_vars(p); i++) {
    dtgc_tensor v;
    char *at = NULL;
    if (dtgc_var(p, i, &v) || dtgc_layout(p, NULL, v.name, &at))
      split = -1;
    else if (strchr(at, 'd'))
      split++;
    dtgc_free_text(at);
  }
  if (split < 0) printf("%s\n", dtgc_error(p));
  dtgc_free(p);
  return split;
}

/* `replicated` said of weights is of all that an optimizer remembers of them, whichever it is. */
static void replicated_slots(void) {
  int any = 0;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    int whole = count_split(&rules[i], true), unsaid = count_split(&rules[i], false);
    any += unsaid > 0;
    if (whole == 0 && unsaid >= 0) continue;
    printf("FAIL %s: %d variables are split beside weights that are said to be replicated\n",
           rules[i].call, whole);
    failed++;
  }
  if (any >= 20) return; /* else nothing was split that could have been kept whole */
  printf("FAIL of %d optimizers alone the updates are shared where nothing is said\n", any);
  failed++;
}

/* What slots are called is the format of checkpoints: a slot that holds something else than before
 * has another name, so that an old checkpoint is refused or right, never read as what it is not. */
static void slot_names(void) {
  static const struct {
    const char *call, *names;
  } cases[] = {
      {"adam(w)", "w f32[2], opt.t f32[], opt.m[w] f32[2], opt.v[w] f32[2]"},
      {"adam(w, amsgrad=true, style=\"torch\")",
       "w f32[2], opt.t f32[], opt.m[w] f32[2], opt.v[w] f32[2], opt.most[w] f32[2]"},
      {"sgd(w, momentum=0.9)", "w f32[2], opt.m[w] f32[2]"},
      {"sgd(w, momentum=0.9, style=\"torch\")", "w f32[2], opt.v[w] f32[2]"},
      {"rmsprop(w, momentum=0.9)", "w f32[2], opt.v[w] f32[2], opt.m[w] f32[2]"},
      {"rmsprop(w, momentum=0.9, style=\"torch\")",
       "w f32[2], opt.v[w] f32[2], opt.buffer[w] f32[2]"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[300], names[300] = "";
    dtgc_program *p;
    snprintf(text, sizeof text,
             "import \"optim\"\nparam w: f32[2] = 1\nopt = %s\nentry f() { return w }\n",
             cases[k].call);
    bool bad = dtgc_compile_string("slots", text, &(dtgc_options){0}, &p);
    for (int i = 0; i < (bad ? 0 : dtgc_vars(p)); i++) {
      dtgc_tensor v;
      size_t at = strlen(names);
      if (dtgc_var(p, i, &v)) continue;
      snprintf(names + at, sizeof names - at, "%s%s %s[%s]", i ? ", " : "", v.name,
               v.dtype == DTGC_F32 ? "f32" : "other", v.rank ? "2" : "");
    }
    if (bad || strcmp(names, cases[k].names) != 0) {
      printf("FAIL %s has %s, expected %s %s\n", cases[k].call, names, cases[k].names,
             bad ? dtgc_error(p) : "");
      failed++;
    }
    dtgc_free(p);
  }
}

/* Multiplied up in f32, exponential's rate was 6e-4 off after 20000 steps. */
static void long_rates(void) {
  static const struct {
    const char *rate;
    double after;
  } cases[] = {
      {"exponential(0.1, 0.9999, real=%s)", 0.1 * 0.13532174948276003},
      {"stairs(0.1, 0.9, every=150, real=%s)", 0.1 * 8.2083101044180462e-07},
      {"cosine(0.1, total=20001, warmup=7, real=%s)", 6.17220550579474e-10},
  };
  for (int k = 0; k < 6; k++) {
    char call[80], text[400];
    float f32 = 0;
    double f64 = 0;
    dtgc_program *p;
    snprintf(call, sizeof call, cases[k / 2].rate, k % 2 ? "f64" : "f32");
    snprintf(text, sizeof text,
             "import \"optim\"\nrate = %s\nentry f() {\n  for i in 0..50 { rate.step() }\n"
             "  return now = rate.now\n}\n",
             call);
    dtgc_buffer out = {"now", k % 2 ? (void *)&f64 : &f32, k % 2 ? sizeof f64 : sizeof f32};
    bool bad = dtgc_compile_string("rate", text, &(dtgc_options){0}, &p);
    for (int i = 0; i < 400 && !bad; i++) bad = dtgc_run(p, "f", NULL, 0, &out, 1);
    double got = k % 2 ? f64 : (double)f32, want = cases[k / 2].after;
    double most = k % 2 ? 1e-11 : 0x1p-23; /* 1 - t / total is 1e-12 off near the end */
    if (bad || !(fabs(got - want) <= most * want)) {
      printf("FAIL %s after 20000 steps: %.17g, expected %.17g %s\n", call, got, want,
             bad ? dtgc_error(p) : "");
      failed++;
    }
    dtgc_free(p);
  }
}

int main(void) {
  int n = (int)(sizeof rules / sizeof *rules);
  for (int i = 0; i < n; i++) {
    run(&rules[i], NULL);
    if (i % 4 == 0) run(&rules[i], i % 8 ? "a=4" : "a=2");
  }
  unknown_style();
  slot_names();
  replicated_slots();
  long_rates();
  printf("%d rules, %d failed\n", n, failed);
  return failed != 0;
}
