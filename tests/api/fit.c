/* dtgc_fit: the same numbers as steps by hand, short batches, callbacks, and what it refuses. */
#include "check.h"
#include <dtgc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 22, WIDTH = 4, BATCH = 8 };

static const char model[] = "import \"optim\"\n"
                            "const batch = 8\n"
                            "layer linear() {\n"
                            "  param w: f32[4] = zeros()\n"
                            "  apply(x) { return x @ w }\n"
                            "}\n"
                            "line = linear()\n"
                            "opt = sgd(line, lr=0.1)\n"
                            "entry train(x: f32[batch, 4], y: f32[batch], weight: f32[]) {\n"
                            "  d = line(x) - y\n"
                            "  loss = weight * mean(d * d)\n"
                            "  opt.minimize(loss)\n"
                            "  return loss, most = max(d), all = d\n"
                            "}\n"
                            "entry eval(x: f32[batch, 4], y: f32[batch]) {\n"
                            "  return loss = mean(f32((line(x) - y) ** 2)), rows = sum(y * 0 + 1)\n"
                            "}\n";

static float x[ROWS][WIDTH], y[ROWS];
static const float weight = 0.5f;

static void make_data(void) {
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < WIDTH; j++) x[i][j] = (float)((i * 7 + j * 3) % 11) / 11 - 0.4f;
    y[i] = x[i][0] - 2 * x[i][1] + 0.5f * x[i][3];
  }
}

static dtgc_program *compile(const char *mesh, int batch) {
  char text[32];
  const char *layouts[] = {"x=[a, _]", "y=[a]"}, *defines[] = {text};
  dtgc_program *p = NULL;
  snprintf(text, sizeof text, "batch=%d", batch);
  dtgc_options o = {
      .mesh = mesh, .layout = layouts, .nlayouts = mesh ? 2 : 0, .define = defines, .ndefines = 1};
  int bad = dtgc_compile_string("line.dtg", model, &o, &p);
  if (bad) fprintf(stderr, "%s\n", dtgc_error(p));
  CHECK(!bad);
  return p;
}

static const dtgc_feed feeds[] = {
    {"x", .data = x, .rows = ROWS}, {"y", .data = y, .rows = ROWS}, {"weight", .data = &weight}};

static dtgc_fit_options options(int64_t epochs) {
  return (dtgc_fit_options){.train = {.entry = "train", .feed = feeds, .nfeed = 3},
                            .epochs = epochs};
}

/* The same steps with dtgc_run, the short batch by a program of its own. */
static void by_hand(int epochs, float *w, double *mean) {
  dtgc_program *p = compile(NULL, BATCH), *last = compile(NULL, ROWS % BATCH);
  for (int e = 0; e < epochs; e++) {
    double sum = 0;
    for (int at = 0; at < ROWS; at += BATCH) {
      int n = ROWS - at < BATCH ? ROWS - at : BATCH;
      dtgc_program *q = n == BATCH ? p : last;
      float loss;
      dtgc_buffer in[] = {{"x", x[at], sizeof x[0] * (size_t)n},
                          {"y", y + at, sizeof y[0] * (size_t)n},
                          {"weight", (void *)&weight, sizeof weight}};
      dtgc_buffer out[] = {{"loss", &loss, sizeof loss}};
      if (q == last) { /* the variables move over and back */
        CHECK(!dtgc_get(p, "line.w", w, 4 * sizeof *w));
        CHECK(!dtgc_set(q, "line.w", w, 4 * sizeof *w));
      }
      CHECK(!dtgc_run(q, "train", in, 3, out, 1));
      sum += loss * n;
    }
    *mean = sum / ROWS;
    CHECK(!dtgc_get(last, "line.w", w, 4 * sizeof *w));
    CHECK(!dtgc_set(p, "line.w", w, 4 * sizeof *w));
  }
  dtgc_free(p);
  dtgc_free(last);
}

typedef struct Seen {
  int steps, evals, epochs, stop_at;
  int64_t last_rows;
  double mean, eval_rows;
  float w; /* line.w[0] after the first step */
} Seen;

static int on_step(void *user, dtgc_program *p, const dtgc_pass *at) {
  Seen *s = user;
  float w[WIDTH];
  if (at->evaluates) return s->evals++, 0;
  CHECK(at->nmetrics == 2 && !strcmp(at->metric[0].name, "loss"));
  CHECK(at->steps == 3 && at->step == s->steps % 3 + 1);
  s->last_rows = at->rows;
  if (!s->steps++) {
    CHECK(!dtgc_get(p, "line.w", w, sizeof w));
    s->w = w[0];
  }
  CHECK(dtgc_fit(p, &(dtgc_fit_options){.epochs = 1}) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "already running");
  return s->steps == s->stop_at;
}

static int on_epoch(void *user, dtgc_program *p, const dtgc_pass *train, const dtgc_pass *eval) {
  Seen *s = user;
  s->epochs++;
  CHECK(train->epoch == s->epochs && train->step == train->steps && train->rows == ROWS);
  CHECK(p != NULL);
  s->mean = train->metric[0].mean;
  if (eval) s->eval_rows = eval->metric[1].mean * 0 + (double)eval->rows;
  return 0;
}

static void check_numbers(const char *mesh, const float *w, double mean) {
  dtgc_program *p = compile(mesh, BATCH);
  Seen seen = {0};
  float got[WIDTH];
  dtgc_fit_options o = options(3);
  o.on_step = on_step, o.on_epoch = on_epoch, o.user = &seen;
  o.eval = (dtgc_rows){.entry = "eval", .feed = feeds, .nfeed = 2, .skip = 1, .limit = 17};
  CHECK(dtgc_fit(p, &o) == DTGC_OK);
  CHECK(seen.steps == 9 && seen.evals == 9 && seen.epochs == 3 && seen.last_rows == ROWS);
  CHECK(seen.eval_rows == 17 && seen.w != 0);
  CHECK(fabs(seen.mean - mean) < 1e-6);
  CHECK(!dtgc_get(p, "line.w", got, sizeof got));
  for (int i = 0; i < WIDTH; i++) CHECK(fabsf(got[i] - w[i]) < 1e-6f);
  /* The programs for short batches are there already. */
  int before = dtgc_times(p, NULL, 0);
  CHECK(dtgc_run(p, "init", NULL, 0, NULL, 0) == DTGC_OK);
  Seen again = {.stop_at = 5};
  o.user = &again;
  CHECK(dtgc_fit(p, &o) == DTGC_OK && again.steps == 5 && again.epochs == 1);
  CHECK(again.w == seen.w && dtgc_times(p, NULL, 0) == before);
  dtgc_free(p);
}

/* first_epoch goes on where an earlier call ended, with the same orders. */
static void check_shuffle(void) {
  dtgc_program *p = compile("a=2", BATCH);
  float once[WIDTH], twice[WIDTH], plain[WIDTH];
  dtgc_fit_options o = options(4);
  o.shuffle = 1, o.shuffle_seed = 7;
  CHECK(!dtgc_fit(p, &o) && !dtgc_get(p, "line.w", once, sizeof once));
  CHECK(!dtgc_run(p, "init", NULL, 0, NULL, 0));
  o.epochs = 2;
  CHECK(!dtgc_fit(p, &o));
  o.first_epoch = 3, o.epochs = 4;
  CHECK(!dtgc_fit(p, &o) && !dtgc_get(p, "line.w", twice, sizeof twice));
  CHECK(!memcmp(once, twice, sizeof once));
  CHECK(!dtgc_run(p, "init", NULL, 0, NULL, 0));
  o = options(4);
  CHECK(!dtgc_fit(p, &o) && !dtgc_get(p, "line.w", plain, sizeof plain));
  CHECK(memcmp(once, plain, sizeof once) != 0);
  dtgc_free(p);
}

/* Several steps in a call: callbacks get the numbers of each step, and what is left to be told. */
typedef struct Steps {
  int64_t n, beyond, most;
  double value[32], mean[32];
} Steps;

static int on_steps(void *user, dtgc_program *p, const dtgc_pass *at) {
  Steps *s = user;
  (void)p;
  if (s->n && s->beyond) CHECK(at->beyond == s->beyond - 1);
  s->beyond = at->beyond;
  if (at->beyond > s->most) s->most = at->beyond;
  s->value[s->n] = at->metric[0].value;
  s->mean[s->n++] = at->metric[0].mean;
  return 0;
}

static void check_steps_per_call(const char *mesh) {
  dtgc_program *p = compile(mesh, BATCH);
  float once[WIDTH], w[WIDTH];
  Steps one = {0};
  dtgc_fit_options o = options(4);
  o.shuffle = 1, o.on_step = on_steps, o.user = &one;
  o.eval = (dtgc_rows){.entry = "eval", .feed = feeds, .nfeed = 2, .skip = 1, .limit = 17};
  CHECK(!dtgc_fit(p, &o) && !dtgc_get(p, "line.w", once, sizeof once));
  CHECK(one.n == 24 && one.most == 0);
  for (int n = 1; n <= 8; n++) {
    Steps many = {0};
    o.steps_per_call = n, o.user = &many, o.check_replicas = n == 8 ? 3 : 0;
    CHECK(!dtgc_run(p, "init", NULL, 0, NULL, 0));
    CHECK(!dtgc_fit(p, &o) && !dtgc_get(p, "line.w", w, sizeof w));
    CHECK(many.n == 24 && many.most == (n > 1) && many.beyond == 0);
    CHECK(!memcmp(once, w, sizeof w) && !memcmp(one.value, many.value, sizeof one.value) &&
          !memcmp(one.mean, many.mean, sizeof one.mean));
  }
  o.steps_per_call = -1;
  CHECK(dtgc_fit(p, &o) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "steps_per_call is -1");
  dtgc_free(p);
}

/* Runs in one call, and buffers of other sizes. */
static void check_run_many(const char *mesh) {
  dtgc_program *p = compile(mesh, BATCH);
  float one[2], many[2], all[2][BATCH], each[2][BATCH];
  for (int i = 0; i < 2; i++) {
    dtgc_buffer in[] = {{"x", x[i * BATCH], sizeof x[0] * BATCH},
                        {"y", y + i * BATCH, sizeof y[0] * BATCH},
                        {"weight", (void *)&weight, sizeof weight}};
    dtgc_buffer out[] = {{"loss", &one[i], sizeof *one}, {"all", each[i], sizeof *each}};
    CHECK(!dtgc_run(p, "train", in, 3, out, 2));
  }
  CHECK(!dtgc_run(p, "init", NULL, 0, NULL, 0));
  dtgc_buffer in[] = {{"x", x, sizeof x[0] * BATCH * 2},
                      {"y", y, sizeof y[0] * BATCH * 2},
                      {"weight", (void *)&weight, sizeof weight}};
  dtgc_buffer out[] = {{"all", all, sizeof all}, {"loss", many, sizeof many}};
  CHECK(!dtgc_run_many(p, "train", 2, in, 3, out, 2));
  CHECK(!memcmp(one, many, sizeof one) && !memcmp(each, all, sizeof all));
  in[0].bytes -= 4;
  CHECK(dtgc_run_many(p, "train", 2, in, 3, out, 2) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "input `x` is f32[8, 4], 128 bytes, times 2; the buffer has 252");
  in[0].bytes += 4, out[1].bytes = sizeof *many;
  CHECK(dtgc_run_many(p, "train", 2, in, 3, out, 2) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "output `loss` is f32[], 4 bytes, times 2; the buffer has 4");
  CHECK(dtgc_run_many(p, "train", 0, in, 3, out, 2) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "there cannot be 0 runs");
  CHECK(dtgc_run(p, "train", in, 3, out, 2) == DTGC_BAD_ARGUMENT);
  dtgc_free(p);
}

static int save_second(void *user, dtgc_program *p, const dtgc_pass *at, const dtgc_pass *eval) {
  dtgc_progress progress = {.epoch = at->epoch};
  (void)user, (void)eval;
  if (at->epoch != 2) return 0;
  CHECK(dtgc_save(p, "fit_saved", &(dtgc_save_options){.progress = &progress}) == DTGC_OK);
  return 1;
}

/* Saved by a callback, restored by another program on another mesh, and on to the same end. */
static void check_saved(void) {
  dtgc_program *p = compile(NULL, BATCH), *q = compile("a=2", BATCH), *r = compile(NULL, BATCH);
  float once[WIDTH], twice[WIDTH];
  dtgc_progress progress;
  dtgc_fit_options o = options(4);
  o.shuffle = 1;
  CHECK(!dtgc_fit(p, &o) && !dtgc_get(p, "line.w", once, sizeof once));
  o.on_epoch = save_second;
  CHECK(!dtgc_fit(r, &o)); /* stops after two epochs */
  CHECK(!dtgc_restore(q, "fit_saved", NULL, &progress) && progress.epoch == 2);
  o.on_epoch = NULL, o.first_epoch = progress.epoch + 1;
  CHECK(!dtgc_fit(q, &o) && !dtgc_get(q, "line.w", twice, sizeof twice));
  for (int i = 0; i < WIDTH; i++) CHECK(fabsf(once[i] - twice[i]) < 1e-6f);
  dtgc_free(p);
  dtgc_free(q);
  dtgc_free(r);
}

/* The program for the short batch has the host's options, and is made once. */
static void check_short_options(void) {
  dtgc_options o = {.no_cache = 1, .seed = 3};
  dtgc_fit_options fit = options(1);
  dtgc_program *p = NULL;
  int hits = -1, misses = -1;
  for (int i = 0; i < 2; i++) {
    CHECK(!dtgc_compile_string("line.dtg", model, &o, &p));
    CHECK(!dtgc_fit(p, &fit) && !dtgc_fit(p, &fit));
    dtgc_cache_counts(p, &hits, &misses);
    CHECK(hits == 0 && misses == 2);
    dtgc_free(p);
  }
}

static void check_files(const float *w) {
  dtgc_program *p = compile("a=2", BATCH);
  float got[WIDTH];
  FILE *f = fopen("fit_rows.csv", "w");
  for (int i = 0; f && i < ROWS; i++)
    fprintf(f, "%.9g,%.9g,%.9g,%.9g,%.9g\n", (double)x[i][0], (double)x[i][1], (double)x[i][2],
            (double)x[i][3], (double)y[i]);
  CHECK(f && !fclose(f));
  dtgc_feed mixed[] = {
      {"x", .file = "fit_rows.csv:0-3"}, {"y", .data = y, .rows = ROWS}, {"weight", .file = "0.5"}};
  dtgc_fit_options o = options(3);
  o.train.feed = mixed;
  CHECK(!dtgc_fit(p, &o) && !dtgc_get(p, "line.w", got, sizeof got));
  for (int i = 0; i < WIDTH; i++) CHECK(fabsf(got[i] - w[i]) < 1e-6f);
  mixed[0].file = "no_such_file.csv";
  CHECK(dtgc_fit(p, &o) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "no_such_file.csv");
  dtgc_free(p);
}

static int on_stream(void *user, dtgc_program *p, const dtgc_pass *at) {
  (void)p;
  CHECK(at->nmetrics == 1 && at->metric[0].value == 0 && at->steps == 2);
  ++*(int *)user;
  return 0;
}

static const char streams[] = "const batch = 8\n"
                              "state before: f32[batch] = full([batch], 99)\n"
                              "entry follow(y: f32[batch]) {\n"
                              "  jump = sum(abs(y - before - 1))\n"
                              "  before <- y\n"
                              "  return jump\n"
                              "}\n"
                              "entry start() { before <- f32(iota([batch])) * 2 - 1 }\n"
                              "entry near(y: f32[batch]) { return gap = sum(abs(y - before)) }\n";

/* Row b of a step is the one after row b of the step before, and a pass begins with `start`. */
static void check_stream(void) {
  dtgc_program *p = NULL;
  CHECK(!dtgc_compile_string("streams.dtg", streams, NULL, &p));
  float row[ROWS];
  int steps = 0;
  for (int i = 0; i < ROWS; i++) row[i] = (float)i;
  const dtgc_feed feed = {"y", .data = row, .rows = ROWS};
  dtgc_fit_options o = {.train = {.entry = "follow", .feed = &feed, .nfeed = 1},
                        .epochs = 3,
                        .stream = "start",
                        .on_step = on_stream,
                        .user = &steps};
  CHECK(!dtgc_fit(p, &o));
  CHECK(steps == 6);
  o.shuffle = 1;
  CHECK(dtgc_fit(p, &o) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "exclude each other");
  o.shuffle = 0, o.stream = "stat";
  CHECK(dtgc_fit(p, &o) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "no entry 'stat'");
  o.stream = "near";
  CHECK(dtgc_fit(p, &o) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "without inputs");
  dtgc_free(p);
}

static void check_refusals(void) {
  dtgc_program *p = compile(NULL, BATCH);
  dtgc_fit_options o = options(0);
  CHECK(dtgc_fit(NULL, &o) == DTGC_BAD_ARGUMENT);
  CHECK(dtgc_fit(p, NULL) == DTGC_BAD_ARGUMENT);
  CHECK(dtgc_fit(p, &o) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "epochs");
  o = options(1), o.train.entry = "trian";
  CHECK(dtgc_fit(p, &o) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "train");
  o = options(1), o.train.nfeed = 1;
  CHECK(dtgc_fit(p, &o) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "input 'y' of 'train' is not given");
  dtgc_feed wrong[4] = {feeds[0], feeds[1], feeds[2], feeds[0]};
  o = options(1), o.train.feed = wrong, o.train.nfeed = 4;
  CHECK(dtgc_fit(p, &o) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "twice");
  wrong[1].rows = 9, o.train.nfeed = 3;
  CHECK(dtgc_fit(p, &o) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "expected 22 rows");
  wrong[1].rows = -1;
  CHECK(dtgc_fit(p, &o) == DTGC_BAD_ARGUMENT);
  wrong[1].data = NULL;
  CHECK(dtgc_fit(p, &o) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "neither a file nor an array");
  wrong[1] = (dtgc_feed){"z", .data = y, .rows = ROWS};
  CHECK(dtgc_fit(p, &o) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "'z'");
  o = options(1), o.train.skip = 22;
  CHECK(dtgc_fit(p, &o) == DTGC_BAD_ARGUMENT);
  o = options(1), o.train.limit = 5, o.drop_last = 1;
  CHECK(dtgc_fit(p, &o) == DTGC_BAD_ARGUMENT);
  HAS(dtgc_error(p), "drop_last leaves no batch");
  /* Sizes whose products 64 bits do not hold */
  const int64_t rows[] = {INT64_MAX, INT64_MAX / 4, INT64_MAX - 9, (int64_t)1 << 50, -1, INT64_MIN};
  for (int i = 0; i < 6; i++) {
    dtgc_feed huge[] = {{"x", .data = x, .rows = rows[i]}, {"y", .data = y, .rows = rows[i]}, {"weight", .data = &weight}};
    dtgc_fit_options all = {.train = {"train", huge, 3, 0, 0}, .epochs = 1};
    CHECK(dtgc_fit(p, &all) == DTGC_BAD_ARGUMENT);
    all.train.skip = INT64_MAX, all.train.limit = INT64_MAX;
    CHECK(dtgc_fit(p, &all) == DTGC_BAD_ARGUMENT);
  }

  o = options(1); /* none of it did harm */
  CHECK(dtgc_fit(p, &o) == DTGC_OK);
  dtgc_free(p);}

int main(void) {
  float w[WIDTH];
  double mean = 0;
  make_data();
  by_hand(3, w, &mean);
  check_numbers(NULL, w, mean);
  check_numbers("a=2", w, mean);
  check_steps_per_call(NULL);
  check_steps_per_call("a=2");
  check_run_many(NULL);
  check_run_many("a=3");
  check_shuffle();
  check_saved();
  check_short_options();
  check_files(w);
  check_stream();
  check_refusals();
  return failures != 0;
}
