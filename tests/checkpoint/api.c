/* api.c DIR: dtgc_save and dtgc_restore as dtgc.h promises them: between two programs of other
 * meshes, with maps, partial loads and refusals that leave variables alone. */
#include <dtgc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int failures;
#define CHECK(x) (void)((x) || (failures++, printf("api.c:%d: %s\n", __LINE__, #x)))

static const char model[] = "param w: f32[6, 4] = normal()\n"
                            "param b: f32[4] = normal()\n"
                            "state n: i64[] = 0\n"
                            "entry count() { n <- n + 1 }\n";
/* The same by other names, the weight the other way round, and one more. */
static const char other[] = "param kernel: f32[4, 6] = zeros()\n"
                            "param bias: f32[4] = zeros()\n"
                            "param more: f32[2] = 5\n"
                            "entry f() { return y = kernel }\n";

static dtgc_program *compile(const char *text, const char *mesh, const char *layout) {
  dtgc_program *p = NULL;
  dtgc_options o = {.mesh = mesh, .layout = &layout, .nlayouts = layout != NULL};
  if (dtgc_compile_string("model", text, &o, &p)) printf("%s\n", dtgc_error(p)), exit(99);
  return p;
}

static int lines;
static char heard[2048];
static void on_line(void *user, const char *line) {
  CHECK(user == heard);
  lines++;
  strncat(heard, line, sizeof heard - strlen(heard) - 2);
}

static int refused(dtgc_program *p, dtgc_status got, dtgc_status want, const char *text) {
  if (got == want && strstr(dtgc_error(p), text)) return 1;
  printf("status %d: %s\n", got, dtgc_error(p));
  return 0;
}

static const char trained[] =
    "import \"nn\"\nimport \"optim\"\nconst batch = 4\nmodel = dense(3, 2)\n"
    "opt = adam(model, lr = 0.1)\n"
    "entry train(x: f32[batch, 3]) {\n"
    "  loss = mean(dropout(model(x), 0.5) ** 2)\n"
    "  opt.minimize(loss)\n  return loss\n}\n";

static const char *saves;
static int on_epoch(void *user, dtgc_program *p, const dtgc_pass *train, const dtgc_pass *eval) {
  (void)user;
  (void)eval;
  dtgc_progress at = {.epoch = train->epoch};
  CHECK(!saves || train->epoch != 2 || !dtgc_save(p, saves, &(dtgc_save_options){.progress = &at}));
  return 0;
}

/* Trains up to epoch 5 and gives the weights: from the start, or from what was saved after epoch 2.
 */
static void train(const char *mesh, const char *from, float w[6]) {
  float x[10][3];
  for (int i = 0; i < 30; i++) x[i / 3][i % 3] = (float)(i * 7 % 11) / 8;
  dtgc_program *p = compile(trained, mesh, "x=[b,_]");
  dtgc_feed feed = {.name = "x", .data = x, .rows = 10};
  dtgc_progress at = {0};
  if (from) CHECK(!dtgc_restore(p, from, NULL, &at) && at.epoch == 2);
  dtgc_fit_options o = {.train = {.entry = "train", .feed = &feed, .nfeed = 1},
                        .epochs = 5,
                        .first_epoch = at.epoch + 1,
                        .shuffle = 1,
                        .shuffle_seed = 3,
                        .on_epoch = on_epoch};
  CHECK(!dtgc_fit(p, &o) && !dtgc_get(p, "model.w", w, 24));
  dtgc_free(p);
}

static void try_training(const char *folder) {
  char at[4200];
  float whole[6], later[6];
  snprintf(at, sizeof at, "%s/trained", folder);
  saves = at;
  train("b=2", NULL, whole);
  saves = NULL;
  train("b=2", at, later);
  CHECK(!memcmp(whole, later, sizeof whole));
}

/* Weights of other systems whose heads or gates are one dim where ours are two could not be loaded.
 */
static void other_dims(const char *folder, const char *pieces) {
  static const char heads[] = "param q: f32[4, 2, 3] = zeros()\n"
                              "param half: f32[2, 2] = zeros()\n"
                              "param line: f32[1] = zeros()\n"
                              "entry f() { return y = q }\n";
  static const char *const wrong[][2] = {
      {"w -> q reshape(2, 3, 5)", "w has 24 elements, which do not fill"},
      {"w -> q reshape(5, -1, 4)", "w has 24 elements, which do not fill"},
      {"w -> q reshape(0, -1)", "w has 24 elements, which do not fill"},
      {"w -> q reshape(2, 3, -1)", "w is f32[2, 3, 4]; variable q is f32[4, 2, 3], reshaped"},
      {"w -> q reshape(6, 4)", "w is f32[6, 4]; variable q is f32[4, 2, 3], reshaped"},
      {"w -> q reshape(-1, -1)", "line 1: expected sizes, one of them perhaps -1"},
      {"w -> q reshape(2, 3", "line 1: expected sizes, one of them perhaps -1"},
      {"w -> q transpose reshape(4, 2, 3)", "line 1: `reshape` stands once, before `transpose`"}};
  char at[4200];
  snprintf(at, sizeof at, "%s/one", folder);
  dtgc_program *p = compile(model, NULL, NULL), *q = compile(heads, "a=2", "q=[_,a,_]");
  float w[2][3][4], b[4], got[4][2][3], half[4];
  CHECK(!dtgc_run(p, "count", NULL, 0, NULL, 0) && !dtgc_save(p, at, NULL));
  dtgc_restore_options o = {.partial = 1,
                            .map = "w -> q reshape(2, -1, 4) transpose(2, 0, 1)\n"
                                   "b -> half reshape(2, 2)\n"
                                   "n -> line reshape(1) cast # of a scalar\n"};
  CHECK(!dtgc_restore(q, at, &o, NULL));
  CHECK(!dtgc_get(p, "w", w, sizeof w) && !dtgc_get(p, "b", b, sizeof b));
  CHECK(!dtgc_get(q, "q", got, sizeof got) && !dtgc_get(q, "half", half, sizeof half));
  for (int i = 0; i < 24; i++) CHECK(got[i % 4][i / 12][i / 4 % 3] == w[i / 12][i / 4 % 3][i % 4]);
  CHECK(!memcmp(b, half, sizeof b));
  CHECK(!dtgc_get(q, "line", half, 4) && half[0] == 1);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    o.map = wrong[i][0];
    CHECK(refused(q, dtgc_restore(q, at, &o, NULL), DTGC_BAD_ARGUMENT, wrong[i][1]));
  }
  o.map = "w -> q reshape(2, 3, 4) transpose(2, 0, 1)";
  CHECK(refused(q, dtgc_restore(q, pieces, &o, NULL), DTGC_BAD_ARGUMENT, "w is in 6 pieces"));
  dtgc_free(p);
  dtgc_free(q);
}

int main(int argc, char **argv) {
  char at[4096], file[4200];
  if (argc < 2) return 2;
  mkdir(argv[1], 0777);
  snprintf(at, sizeof at, "%s/saved", argv[1]);
  dtgc_program *p = compile(model, "a=2,b=3", "w=[a,b]"), *q = compile(model, "b=4", "w=[b,_]");
  dtgc_program *r = compile(other, "a=3", "kernel=[_,a]");
  float w[6][4], v[6][4], k[4][6], b[4], c[4], m[2];
  int64_t n = 0;
  CHECK(!dtgc_run(p, "count", NULL, 0, NULL, 0));
  dtgc_progress done = {.step = 12,
                        .epoch = 3,
                        .row = 7,
                        .rows = 9,
                        .shuffled = 1,
                        .shuffle = ~0ull,
                        .seed = 1ull << 63,
                        .note = "na\xc3\xafve \"note\"\n"},
                got;
  CHECK(!dtgc_save(p, at, &(dtgc_save_options){.progress = &done}));
  CHECK(!dtgc_save(p, at, &(dtgc_save_options){.progress = &done})); /* in its own place */
  CHECK(!dtgc_restore(q, at, NULL, &got));
  CHECK(got.step == 12 && got.epoch == 3 && got.row == 7 && got.rows == 9 && got.shuffled == 1);
  CHECK(got.shuffle == ~0ull && got.seed == 1ull << 63 && !strcmp(got.note, done.note));
  CHECK(!dtgc_get(p, "w", w, sizeof w) && !dtgc_get(q, "w", v, sizeof v) &&
        !memcmp(w, v, sizeof w));
  CHECK(!dtgc_get(q, "n", &n, sizeof n) && n == 1);

  /* Another model. */
  dtgc_restore_options o = {.tell = on_line, .user = heard};
  CHECK(refused(r, dtgc_restore(r, at, &o, NULL), DTGC_BAD_ARGUMENT,
                "no value for variable kernel and 2 more"));
  o.map = "w -> kernel # not transposed";
  CHECK(refused(r, dtgc_restore(r, at, &o, NULL), DTGC_BAD_ARGUMENT,
                "w is f32[6, 4]; variable kernel is f32[4, 6]"));
  o.map = "w -> kernel transpose\nb -> bais";
  CHECK(refused(r, dtgc_restore(r, at, &o, NULL), DTGC_BAD_ARGUMENT, "the map assigns bais from b"));
  o.map = "w -> kernel transpose\nb bias";
  CHECK(refused(r, dtgc_restore(r, at, &o, NULL), DTGC_BAD_ARGUMENT,
                "the map: line 2: expected `theirs -> ours`"));
  o.map = "w -> kernel transpose\nb -> bias\nnothing.* -> -";
  CHECK(refused(r, dtgc_restore(r, at, &o, NULL), DTGC_BAD_ARGUMENT,
                "no tensor matches the map's nothing.*"));
  CHECK(lines == 0);
  o.partial = 1;
  CHECK(!dtgc_restore(r, at, &o, NULL));
  CHECK(lines == 3 && strstr(heard, "more keeps its value") && strstr(heard, "left out: n of"));
  CHECK(!dtgc_get(r, "kernel", k, sizeof k) && !dtgc_get(r, "bias", c, sizeof c) &&
        !dtgc_get(r, "more", m, sizeof m));
  CHECK(!dtgc_get(p, "b", b, sizeof b) && !memcmp(b, c, sizeof b) && m[0] == 5 && m[1] == 5);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 4; j++) CHECK(w[i][j] == k[j][i]);

  /* Refusals. */
  CHECK(refused(p, dtgc_save(p, NULL, NULL), DTGC_BAD_ARGUMENT, "path is NULL"));
  CHECK(refused(p, dtgc_save(p, "", NULL), DTGC_BAD_ARGUMENT, "path is empty"));
  CHECK(refused(p, dtgc_save(p, "/", NULL), DTGC_BAD_ARGUMENT, "requires a folder name"));
  CHECK(refused(p, dtgc_save(p, argv[1], NULL), DTGC_SYSTEM, "is not a checkpoint"));
  CHECK(refused(p, dtgc_save(p, "/proc/nothing/here", NULL), DTGC_SYSTEM, "/proc/nothing"));
  memset(done.note, 'x', sizeof done.note);
  CHECK(refused(p, dtgc_save(p, at, &(dtgc_save_options){.progress = &done}), DTGC_BAD_ARGUMENT,
                "note"));
  CHECK(refused(p, dtgc_restore(p, "/nowhere", NULL, NULL), DTGC_SYSTEM, "/nowhere: No such file"));
  CHECK(refused(p, dtgc_restore(p, "/tmp/../tmp/../dev/null", NULL, NULL), DTGC_SYSTEM,
                "expected a regular file, found a device"));

  other_dims(argv[1], at);

  /* A damaged one changes nothing. */
  snprintf(file, sizeof file, "%s/part-00000-of-00006.safetensors", at);
  FILE *f = fopen(file, "r+b");
  CHECK(f && !fseek(f, -1, SEEK_END) && fputc(0x55, f) == 0x55 && !fclose(f));
  memset(v, 0, sizeof v);
  CHECK(!dtgc_set(q, "w", v, sizeof v));
  CHECK(refused(q, dtgc_restore(q, at, NULL, &got), DTGC_SYSTEM, "checksum"));
  memset(w, 1, sizeof w);
  CHECK(!dtgc_get(q, "w", w, sizeof w) && !memcmp(w, v, sizeof w));
  CHECK(!dtgc_save(q, at, NULL) && !dtgc_restore(q, at, NULL, &got) && got.step == 0 && !*got.note);
  dtgc_free(p);
  dtgc_free(q);
  dtgc_free(r);
  try_training(argv[1]);
  printf("%d failures\n", failures);
  return failures != 0;
}
