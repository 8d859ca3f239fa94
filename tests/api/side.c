/* Programs side by side: variables handed over between meshes, two that train on two threads at the
 * same moment, and one that serves on another thread while the first trains. */
#include "check.h"
#include <dtgc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 45, IN = 6, OUT = 4 };

static const char model[] = "import \"nn\"\n"
                            "import \"optim\"\n"
                            "const batch = 10\n"
                            "layer net() {\n"
                            "  d1 = dense(6, 7, act=tanh)\n"
                            "  d2 = dense(7, 4)\n"
                            "  apply(x) { return d2(d1(x)) }\n"
                            "}\n"
                            "m = net()\n"
                            "opt = adam(m, lr=0.01)\n"
                            "entry train(x: f32[batch, 6], label: u8[batch]) {\n"
                            "  loss = mean(sparse_softmax_cross_entropy(m(x), label))\n"
                            "  opt.minimize(loss)\n"
                            "  return loss\n"
                            "}\n";
static const char serving[] = "import \"nn\"\n"
                              "const width = 7\n"
                              "layer net() {\n"
                              "  d1 = dense(6, width, act=tanh)\n"
                              "  d2 = dense(width, 4)\n"
                              "  state asked: f32[] = zeros()\n"
                              "  apply(x) { asked <- asked + 1\n return d2(d1(x)) }\n"
                              "}\n"
                              "m = net()\n"
                              "entry serve(x: f32[1, 6]) { return y = m(x) }\n";

static float x[ROWS][IN];
static uint8_t label[ROWS];

static dtgc_program *compile(const char *text, const char *mesh, const char *layout,
                             const char *define) {
  dtgc_program *p = NULL;
  dtgc_options o = {.mesh = mesh,
                    .layout = &layout,
                    .nlayouts = layout != NULL,
                    .define = &define,
                    .ndefines = define != NULL};
  int bad = dtgc_compile_string("m.dtg", text, &o, &p);
  if (bad) fprintf(stderr, "%s\n", dtgc_error(p));
  CHECK(!bad);
  return p;
}

static const dtgc_feed feed[] = {{"x", .data = x, .rows = ROWS},
                                 {"label", .data = label, .rows = ROWS}};

static dtgc_fit_options options(int64_t epochs) {
  return (dtgc_fit_options){
      .train = {.entry = "train", .feed = feed, .nfeed = 2}, .epochs = epochs, .shuffle = 1};
}

static void check_copy(void) {
  dtgc_program *a = compile(model, "a=2,b=2", "m.d1.w=[b,a]", NULL);
  dtgc_program *b = compile(serving, "c=3", "m.d1.w=[_,c]", NULL);
  dtgc_program *c = compile(serving, NULL, NULL, "width=8");
  dtgc_fit_options o = options(1);
  float mine[IN * 7], theirs[IN * 7], asked = 5;
  int left = -1;
  CHECK(!dtgc_fit(a, &o));
  CHECK(!dtgc_set(b, "m.asked", &asked, sizeof asked));
  CHECK(dtgc_copy_variables(b, a, &left) == DTGC_OK && left == 1);
  CHECK(!dtgc_get(a, "m.d1.w", mine, sizeof mine) && !dtgc_get(b, "m.d1.w", theirs, sizeof theirs));
  CHECK(!memcmp(mine, theirs, sizeof mine));
  CHECK(!dtgc_get(b, "m.asked", &asked, sizeof asked) && asked == 5);
  CHECK(dtgc_copy_variables(b, b, NULL) == DTGC_OK);
  CHECK(dtgc_copy_variables(c, a, &left) == DTGC_BAD_ARGUMENT);
  CHECK(strstr(dtgc_error(c), "`m.d1.w` is f32[6, 8] here, but f32[6, 7] in `from`"));
  CHECK(dtgc_copy_variables(b, NULL, NULL) == DTGC_BAD_ARGUMENT);
  CHECK(dtgc_copy_variables(NULL, a, NULL) == DTGC_BAD_ARGUMENT);
  dtgc_free(a);
  dtgc_free(b);
  dtgc_free(c);
}

typedef struct Run {
  const char *mesh, *layout;
  float w[7 * OUT];
} Run;

static void *train(void *arg) {
  Run *r = arg;
  dtgc_program *p = compile(model, r->mesh, r->layout, NULL);
  dtgc_fit_options o = options(4);
  CHECK(!dtgc_fit(p, &o) && !dtgc_get(p, "m.d2.w", r->w, sizeof r->w));
  dtgc_free(p);
  return NULL;
}

/* What two do at the same moment is what each does alone. */
static void check_two_at_once(void) {
  Run alone[] = {{.mesh = "a=2", .layout = "x=[a,_]"}, {.mesh = "a=3", .layout = "m.d1.w=[_,a]"}};
  Run at_once[] = {alone[0], alone[1]};
  pthread_t thread[2];
  for (int i = 0; i < 2; i++) train(&alone[i]);
  for (int i = 0; i < 2; i++) pthread_create(&thread[i], NULL, train, &at_once[i]);
  for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < 2; i++) CHECK(!memcmp(alone[i].w, at_once[i].w, sizeof alone[i].w));
}

/* The server's program is used by two threads, one at a time. */
typedef struct Server {
  dtgc_program *p;
  pthread_mutex_t lock;
  int handed, done;
} Server;

static int hand_over(void *user, dtgc_program *p, const dtgc_pass *train, const dtgc_pass *eval) {
  Server *s = user;
  (void)train, (void)eval;
  pthread_mutex_lock(&s->lock);
  CHECK(dtgc_copy_variables(s->p, p, NULL) == DTGC_OK);
  s->handed++;
  pthread_mutex_unlock(&s->lock);
  return 0;
}

static void *serve(void *arg) {
  Server *s = arg;
  float y[OUT];
  dtgc_buffer in[] = {{"x", x[0], sizeof x[0]}}, out[] = {{"y", y, sizeof y}};
  for (int done = 0; !done;) {
    pthread_mutex_lock(&s->lock);
    CHECK(dtgc_run(s->p, "serve", in, 1, out, 1) == DTGC_OK);
    done = s->done;
    pthread_mutex_unlock(&s->lock);
    usleep(500); /* a mutex need not be fair */
  }
  return NULL;
}

static void check_train_and_serve(void) {
  Server s = {.p = compile(serving, "c=2", "m.d2.w=[c,_]", NULL),
              .lock = PTHREAD_MUTEX_INITIALIZER};
  dtgc_program *p = compile(model, "a=2", "x=[a,_]", NULL);
  pthread_t thread;
  float mine[7 * OUT], theirs[7 * OUT];
  pthread_create(&thread, NULL, serve, &s);
  dtgc_fit_options o = options(6);
  o.on_epoch = hand_over, o.user = &s;
  CHECK(dtgc_fit(p, &o) == DTGC_OK);
  pthread_mutex_lock(&s.lock);
  s.done = 1;
  pthread_mutex_unlock(&s.lock);
  pthread_join(thread, NULL);
  CHECK(s.handed == 6);
  CHECK(!dtgc_get(p, "m.d2.w", mine, sizeof mine) &&
        !dtgc_get(s.p, "m.d2.w", theirs, sizeof theirs));
  CHECK(!memcmp(mine, theirs, sizeof mine));
  dtgc_free(p);
  dtgc_free(s.p);
}

int main(void) {
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < IN; j++) x[i][j] = (float)((i * 5 + j * 7) % 13) / 13 - 0.5f;
    label[i] = (uint8_t)((i * 3) % OUT);
  }
  check_copy();
  check_two_at_once();
  check_train_and_serve();
  return failures != 0;
}
