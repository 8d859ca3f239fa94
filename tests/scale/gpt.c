/* The GPT of gpt.dtg computes what it should. At a tiny size: its first loss is that of the plain C
 * below, in f64; no position sees a later one; on one device training brings the loss down; and
 * under each layout, on 2x2 devices, it gives the same losses within rounding.
 *
 *   scale_gpt FOLDER      where gpt.dtg and the layouts are */
#include <dtgc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 2, BATCH = 4, SEQ = 6, WIDTH = 16, HEADS = 4, EACH = WIDTH / HEADS };
enum { HIDDEN = 4 * WIDTH, VOCAB = 11, STEPS = 12, TOKENS = BATCH * SEQ };

static const char *const sizes[] = {"blocks=2", "batch=4",  "seq=6",    "width=16",
                                    "heads=4",  "vocab=11", "rate=1e-2"};
static const char probe[] = "entry look(text: i32[batch, seq]) { return logits = model(text) }\n";

static int32_t text[TOKENS], next[TOKENS];

static void die(const dtgc_program *p, const char *what) {
  fprintf(stderr, "%s: %s\n", what, dtgc_error(p));
  exit(1);
}

static void print_error(void *user, const dtgc_message *m) {
  (void)user;
  if (m->severity == DTGC_ERROR) fputs(m->rendered, stderr);
}

/* layout NULL: one device. */
static dtgc_program *compile(const char *folder, const char *layout) {
  char model[1024], layouts[1024];
  snprintf(model, sizeof model, "%s/gpt.dtg", folder);
  snprintf(layouts, sizeof layouts, "%s/%s.dtg", folder, layout ? layout : "");
  dtgc_source s[] = {{.name = model},
                     {.name = "probe.dtg", .text = probe, .bytes = sizeof probe - 1},
                     {.name = layouts}};
  dtgc_options o = {.define = sizes,
                    .ndefines = (int)(sizeof sizes / sizeof *sizes),
                    .seed = 5,
                    .transport = layout ? "threads" : "self",
                    .message = print_error};
  dtgc_program *p;
  if (dtgc_compile(s, layout ? 3 : 2, &o, &p)) die(p, layout ? layout : "gpt.dtg");
  return p;
}

/* -------- by hand -------- */

/* A parameter as f64; never freed: the test is short. */
static const double *get(dtgc_program *p, const char *path) {
  dtgc_tensor t;
  int v = dtgc_find_var(p, path);
  if (v < 0 || dtgc_var(p, v, &t)) die(p, path);
  float *f = malloc(t.bytes);
  double *d = malloc((size_t)t.count * sizeof *d);
  if (!f || !d || dtgc_get(p, path, f, t.bytes)) die(p, path);
  for (int64_t i = 0; i < t.count; i++) d[i] = (double)f[i];
  free(f);
  return d;
}

static const double *get_of(dtgc_program *p, int block, const char *name) {
  char path[100];
  snprintf(path, sizeof path, "model.block[%d].%s", block, name);
  return get(p, path);
}

/* y[m][n] = x[m][k] w[k][n] */
static void product(const double *x, const double *w, double *y, int m, int k, int n) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int l = 0; l < k; l++) sum += x[i * k + l] * w[l * n + j];
      y[i * n + j] = sum;
    }
}

static void normalise(const double *x, const double *scale, const double *shift, double *y) {
  for (int i = 0; i < TOKENS; i++, x += WIDTH, y += WIDTH) {
    double mean = 0, var = 0;
    for (int j = 0; j < WIDTH; j++) mean += x[j] / WIDTH;
    for (int j = 0; j < WIDTH; j++) var += (x[j] - mean) * (x[j] - mean) / WIDTH;
    for (int j = 0; j < WIDTH; j++) y[j] = (x[j] - mean) / sqrt(var + 1e-5) * scale[j] + shift[j];
  }
}

/* One head of one sequence; q, k, v, out: rows of WIDTH. */
static void attend(const double *q, const double *k, const double *v, double *out) {
  for (int s = 0; s < SEQ; s++) {
    double weight[SEQ], sum = 0;
    for (int t = 0; t <= s; t++) {
      double dot = 0;
      for (int e = 0; e < EACH; e++) dot += q[s * WIDTH + e] * k[t * WIDTH + e];
      sum += weight[t] = exp(dot / sqrt(EACH));
    }
    for (int e = 0; e < EACH; e++) {
      out[s * WIDTH + e] = 0;
      for (int t = 0; t <= s; t++) out[s * WIDTH + e] += weight[t] / sum * v[t * WIDTH + e];
    }
  }
}

static void add_block(dtgc_program *p, int b, double x[TOKENS * WIDTH]) {
  double h[TOKENS * WIDTH], q[TOKENS * WIDTH], k[TOKENS * WIDTH], v[TOKENS * WIDTH];
  double mixed[TOKENS * WIDTH], out[TOKENS * WIDTH], up[TOKENS * HIDDEN];
  normalise(x, get_of(p, b, "norm1.scale"), get_of(p, b, "norm1.shift"), h);
  product(h, get_of(p, b, "attn.q"), q, TOKENS, WIDTH, WIDTH);
  product(h, get_of(p, b, "attn.k"), k, TOKENS, WIDTH, WIDTH);
  product(h, get_of(p, b, "attn.v"), v, TOKENS, WIDTH, WIDTH);
  for (int i = 0; i < BATCH * HEADS; i++) {
    int at = i / HEADS * SEQ * WIDTH + i % HEADS * EACH;
    attend(q + at, k + at, v + at, mixed + at);
  }
  product(mixed, get_of(p, b, "attn.out"), out, TOKENS, WIDTH, WIDTH);
  for (int i = 0; i < TOKENS * WIDTH; i++) x[i] += out[i];
  normalise(x, get_of(p, b, "norm2.scale"), get_of(p, b, "norm2.shift"), h);
  product(h, get_of(p, b, "up.w"), up, TOKENS, WIDTH, HIDDEN);
  const double *up_b = get_of(p, b, "up.b"), *down_b = get_of(p, b, "down.b");
  for (int i = 0; i < TOKENS * HIDDEN; i++) {
    double u = up[i] + up_b[i % HIDDEN];
    up[i] = 0.5 * u * (1 + erf(u / sqrt(2)));
  }
  product(up, get_of(p, b, "down.w"), out, TOKENS, HIDDEN, WIDTH);
  for (int i = 0; i < TOKENS * WIDTH; i++) x[i] += out[i] + down_b[i % WIDTH];
}

static double loss_by_hand(dtgc_program *p) {
  double x[TOKENS * WIDTH], h[TOKENS * WIDTH], logits[TOKENS * VOCAB], loss = 0;
  const double *token = get(p, "model.token.table"), *place = get(p, "model.place");
  for (int i = 0; i < TOKENS; i++)
    for (int j = 0; j < WIDTH; j++)
      x[i * WIDTH + j] = token[text[i] * WIDTH + j] + place[i % SEQ * WIDTH + j];
  for (int b = 0; b < BLOCKS; b++) add_block(p, b, x);
  normalise(x, get(p, "model.norm.scale"), get(p, "model.norm.shift"), h);
  product(h, get(p, "model.head"), logits, TOKENS, WIDTH, VOCAB);
  for (int i = 0; i < TOKENS; i++) {
    double sum = 0;
    for (int j = 0; j < VOCAB; j++) sum += exp(logits[i * VOCAB + j]);
    loss += (log(sum) - logits[i * VOCAB + next[i]]) / TOKENS;
  }
  return loss;
}

/* -------- by the compiler -------- */

static float train(dtgc_program *p) {
  float loss = NAN;
  dtgc_buffer in[] = {{"text", text, sizeof text}, {"next", next, sizeof next}};
  dtgc_buffer out[] = {{"loss", &loss, sizeof loss}};
  if (dtgc_run(p, "train", in, 2, out, 1)) die(p, "train");
  return loss;
}

static void look(dtgc_program *p, float logits[TOKENS][VOCAB]) {
  dtgc_buffer in[] = {{"text", text, sizeof text}};
  dtgc_buffer out[] = {{"logits", logits, sizeof(float[TOKENS][VOCAB])}};
  if (dtgc_run(p, "look", in, 1, out, 1)) die(p, "look");
}

/* A token is changed: what comes before it stays to the bit, what comes from it on does not. */
static int sees_ahead(dtgc_program *p) {
  enum { AT = 3 };
  float before[TOKENS][VOCAB], after[TOKENS][VOCAB];
  int bad = 0, old = text[SEQ + AT];
  look(p, before);
  text[SEQ + AT] = (old + 1) % VOCAB;
  look(p, after);
  text[SEQ + AT] = old;
  for (int i = 0; i < TOKENS; i++) {
    int same = !memcmp(before[i], after[i], sizeof before[i]);
    if (same == (i >= SEQ + AT && i < 2 * SEQ)) {
      fprintf(stderr, "position %d of row %d %s\n", i % SEQ, i / SEQ,
              same ? "does not see the changed token" : "sees a later token, or another row");
      bad = 1;
    }
  }
  return bad;
}

static int check(const char *name, int ok, double got, double want) {
  if (!ok) fprintf(stderr, "FAIL %s: %.9g, expected %.9g\n", name, got, want);
  return !ok;
}

int main(int argc, char **argv) {
  static const char *const layout[] = {"data", "megatron", "zero"};
  float loss[STEPS];
  int bad = 0;
  if (argc != 2) return 2;
  for (int i = 0; i < TOKENS; i++)
    text[i] = (i * i + 3 * i) % VOCAB, next[i] = (text[i] + 4) % VOCAB;

  dtgc_program *p = compile(argv[1], NULL);
  double hand = loss_by_hand(p);
  bad |= sees_ahead(p);
  for (int i = 0; i < STEPS; i++) loss[i] = train(p);
  bad |= check("first loss", fabs((double)loss[0] - hand) < 2e-6 * hand, (double)loss[0], hand);
  hand = loss_by_hand(p);
  double last = (double)train(p);
  bad |= check("loss after training", fabs(last - hand) < 1e-5 * hand, last, hand);
  bad |= check("fall of the loss", last < (double)loss[0] / 2, last, (double)loss[0] / 2);
  dtgc_free(p);

  for (int l = 0; l < 3; l++) {
    p = compile(argv[1], layout[l]);
    double most = 0;
    for (int i = 0; i < STEPS; i++) {
      double off = fabs((double)train(p) - (double)loss[i]) / (double)loss[i];
      most = off > most ? off : most;
    }
    printf("%s: losses within %.2g of those of one device\n", layout[l], most);
    bad |= check(layout[l], most < 1e-5, most, 1e-5);
    bad |= sees_ahead(p);
    dtgc_free(p);
  }
  return bad;
}
