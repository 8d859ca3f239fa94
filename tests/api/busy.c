/* One program used from several threads at once: a call that comes while another thread is in one
 * is rejected with a message, and disturbs nothing; values are never wrong. */
#include "check.h"
#include "dtgc.h"
#include "dtrt.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, CALLS = 300, N = 64 };

static const char text[] = "const batch = 4\n"
                           "param w: f32[64] = ones([64])\n"
                           "entry scale(x: f32[64]) { return y = x * 2, sum = sum(x) }\n"
                           "entry train(r: f32[batch]) {\n"
                           "  w <- w + mean(r)\n"
                           "  return loss = sum(w)\n"
                           "}\n";

typedef struct Caller {
  dtgc_program *p;
  int number, done, busy, wrong, other;
} Caller;

static void *call_often(void *arg) {
  Caller *c = arg;
  float x[N], y[N], sum, value = (float)(c->number + 1);
  for (int i = 0; i < N; i++) x[i] = value;
  for (int i = 0; i < CALLS; i++) {
    dtgc_buffer in[] = {{"x", x, sizeof x}}, out[] = {{"y", y, sizeof y}, {"sum", &sum, sizeof sum}};
    memset(y, 0, sizeof y);
    sum = 0;
    dtgc_status s = dtgc_run(c->p, "scale", in, 1, out, 2);
    if (s == DTGC_BUSY) {
      c->busy++;
      c->wrong += !strstr(dtgc_error(c->p), "another thread is using this program");
      continue;
    }
    if (s) {
      c->other++;
      continue;
    }
    c->done++;
    for (int k = 0; k < N; k++) c->wrong += y[k] != 2 * value;
    c->wrong += sum != N * value;
  }
  return NULL;
}

static void side_by_side(dtgc_program *p) {
  pthread_t thread[THREADS];
  Caller c[THREADS] = {{0}};
  int done = 0, all = 0;
  for (int i = 0; i < THREADS; i++) {
    c[i] = (Caller){.p = p, .number = i};
    CHECK(!pthread_create(&thread[i], NULL, call_often, &c[i]));
  }
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < THREADS; i++) {
    CHECK(c[i].wrong == 0 && c[i].other == 0);
    done += c[i].done;
    all += c[i].done + c[i].busy;
  }
  CHECK(done > 0 && all == THREADS * CALLS);
}

/* Another thread, while this one is in a call. */
static void *try_all(void *arg) {
  dtgc_program *p = arg;
  float x[N] = {0};
  char *out = NULL;
  int64_t size;
  const char *name;
  const struct dtrt_program *code = NULL;
  dtgc_buffer in[] = {{"x", x, sizeof x}};
  CHECK(dtgc_run(p, "scale", in, 1, NULL, 0) == DTGC_BUSY);
  CHECK(strstr(dtgc_error(p), "another thread is using this program"));
  CHECK(dtgc_get(p, "w", x, sizeof x) == DTGC_BUSY && dtgc_set(p, "w", x, sizeof x) == DTGC_BUSY);
  CHECK(dtgc_dump(p, "layouts", &out) == DTGC_BUSY && !out);
  CHECK(dtgc_why(p, "w", &out) == DTGC_BUSY && dtgc_html(p, &out) == DTGC_BUSY && !out);
  CHECK(dtgc_layout(p, NULL, "w", &out) == DTGC_BUSY && dtgc_auto(p, 0, &out) == DTGC_BUSY && !out);
  CHECK(dtgc_axis(p, 0, &name, &size) == DTGC_BUSY && dtgc_load(p, &code) == DTGC_BUSY && !code);
  CHECK(dtgc_start(p) == DTGC_BUSY && dtgc_barrier(p, NULL, 0) == DTGC_BUSY);
  CHECK(dtgc_save(p, "nowhere", NULL) == DTGC_BUSY);
  CHECK(dtgc_restore(p, "nowhere", NULL, NULL) == DTGC_BUSY);
  CHECK(dtgc_check_replicas(p, "w") == DTGC_BUSY && dtgc_profile_start(p) == DTGC_BUSY);
  CHECK(dtgc_build(&p, 1, "nowhere", 0) == DTGC_BUSY);
  CHECK(dtgc_copy_variables(p, p, NULL) == DTGC_BUSY);
  CHECK(dtgc_entries(p) == 2 && dtgc_find_var(p, "w") == 0); /* tables may be read */
  /* As the second of two programs */
  dtgc_program *own = NULL;
  dtgc_options o = {.variant_of = p, .mesh = dtgc_axes(p) ? "a=2" : NULL};
  CHECK(dtgc_compile_string("own", text, NULL, &own) == DTGC_OK);
  CHECK(dtgc_copy_variables(own, p, NULL) == DTGC_BUSY && strstr(dtgc_error(own), "`from`"));
  CHECK(dtgc_diff(own, p, NULL, NULL, &out) == DTGC_BUSY);
  CHECK(dtgc_build((dtgc_program *[]){own, p}, 2, "nowhere", 0) == DTGC_BUSY);
  dtgc_free(own);
  int status = dtgc_compile_string("own", text, &o, &own);
  if (status != DTGC_BUSY) fprintf(stderr, "status %d: %s\n", status, dtgc_error(own));
  CHECK(status == DTGC_BUSY);
  dtgc_free(own);
  return NULL;
}

static int on_step(void *user, dtgc_program *p, const dtgc_pass *at) {
  float w[N];
  int *steps = user;
  if (at->step == 1) {
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, try_all, p) && !pthread_join(thread, NULL));
  }
  CHECK(dtgc_get(p, "w", w, sizeof w) == DTGC_OK); /* this thread may */
  ++*steps;
  return 0;
}

static void during_fit(dtgc_program *p) {
  float r[8] = {1, 1, 1, 1, 2, 2, 2, 2}, w[N];
  int steps = 0;
  dtgc_feed feed = {.name = "r", .data = r, .rows = 8};
  dtgc_fit_options o = {
      .train = {.entry = "train", .feed = &feed, .nfeed = 1}, .epochs = 1, .on_step = on_step, .user = &steps};
  CHECK(dtgc_fit(p, &o) == DTGC_OK && steps == 2);
  CHECK(dtgc_get(p, "w", w, sizeof w) == DTGC_OK && w[0] == 4 && w[N - 1] == 4);
}

/* -------- the runtime's own sessions -------- */

static void *try_session(void *arg) {
  dtrt_session *s = arg;
  float w[N];
  CHECK(dtrt_get_var(s, 0, w, sizeof w) == DTRT_BUSY);
  CHECK(strstr(dtrt_session_error(s), "another thread is using this session"));
  CHECK(dtrt_set_var(s, 0, w, sizeof w) == DTRT_BUSY && dtrt_call(s, 0, NULL, NULL) == DTRT_BUSY);
  CHECK(dtrt_save(s, "nowhere", NULL) == DTRT_BUSY && dtrt_barrier(s, NULL, 0) == DTRT_BUSY);
  return NULL;
}

static int fill(void *user, int device, int input, const int64_t *lo, const int64_t *hi, void *to,
                char *why) {
  pthread_t thread;
  (void)device, (void)input, (void)why;
  CHECK(!pthread_create(&thread, NULL, try_session, user) && !pthread_join(thread, NULL));
  for (int64_t i = lo[0]; i < hi[0]; i++) ((float *)to)[i - lo[0]] = 1;
  return 0;
}

static void during_call(dtgc_program *p) {
  const struct dtrt_program *code;
  dtrt_session *s = NULL;
  float y[N], sum = 0;
  void *out[] = {y, &sum};
  CHECK(dtgc_load(p, &code) == DTGC_OK && dtrt_open(code, NULL, &s) == DTRT_OK);
  int entry = dtrt_find_entry(code, "scale");
  CHECK(dtrt_call_fill(s, entry, fill, s, out) == DTRT_OK && sum == N && y[0] == 2);
  CHECK(dtrt_get_var(s, 0, y, sizeof y) == DTRT_OK);
  dtrt_close(s);
}

int main(void) {
  const char *mesh[] = {NULL, "a=2"};
  for (int m = 0; m < 2; m++) {
    dtgc_options o = {.mesh = mesh[m]};
    dtgc_program *p = NULL;
    CHECK(dtgc_compile_string("busy", text, &o, &p) == DTGC_OK && dtgc_start(p) == DTGC_OK);
    side_by_side(p);
    during_fit(p);
    during_call(p);
    dtgc_free(p);
  }
  return failures ? 1 : 0;
}
