/* busy.c: see busy.h. A thread wakes up twice a second and writes the line; all that is written
 * here is written under one lock, so that no line is left when a caller goes on. */
#include "busy.h"
#include "variables.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double PATIENCE = 0.7, TURN = 0.5; /* seconds */

struct busy {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t change;
  char what[160]; /* "": nothing */
  char more[80];  /* how far it is; "": that is not known */
  double since;
  bool shown, over;
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void put(const char *text) {
  while (*text) {
    ssize_t n = write(STDERR_FILENO, text, strlen(text));
    if (n <= 0) return;
    text += n;
  }
}

static void erase(busy *b) {
  if (b->shown) put("\r\033[K");
  b->shown = false;
}

static void draw(busy *b) {
  char line[240];
  double seconds = now() - b->since;
  if (!*b->what || seconds < PATIENCE) return;
  snprintf(line, sizeof line, "\r%.76s ... %s%s%.0f s\033[K", b->what, b->more,
           *b->more ? ", " : "", seconds);
  put(line);
  b->shown = true;
}

static void *watch(void *arg) {
  busy *b = arg;
  pthread_mutex_lock(&b->lock);
  while (!b->over) {
    double until = now() + TURN;
    struct timespec t = {(time_t)until, (long)((until - (double)(time_t)until) * 1e9)};
    pthread_cond_timedwait(&b->change, &b->lock, &t);
    if (!b->over) draw(b);
  }
  pthread_mutex_unlock(&b->lock);
  return NULL;
}

busy *busy_begin(void) {
  const char *term = variable(VARIABLE_TERM);
  if (!isatty(STDERR_FILENO) || (term && !strcmp(term, "dumb"))) return NULL;
  busy *b = calloc(1, sizeof *b);
  if (!b) return NULL;
  pthread_condattr_t a;
  pthread_condattr_init(&a);
  pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
  pthread_mutex_init(&b->lock, NULL);
  pthread_cond_init(&b->change, &a);
  pthread_condattr_destroy(&a);
  if (!pthread_create(&b->thread, NULL, watch, b)) return b;
  free(b);
  return NULL;
}

void busy_say(busy *b, const char *format, ...) {
  if (!b) return;
  va_list list;
  va_start(list, format);
  pthread_mutex_lock(&b->lock);
  erase(b);
  vsnprintf(b->what, sizeof b->what, format, list);
  for (char *c = b->what; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
  *b->more = 0;
  b->since = now();
  pthread_mutex_unlock(&b->lock);
  va_end(list);
}

void busy_more(busy *b, const char *format, ...) {
  if (!b) return;
  va_list list;
  va_start(list, format);
  pthread_mutex_lock(&b->lock);
  vsnprintf(b->more, sizeof b->more, format, list);
  pthread_mutex_unlock(&b->lock);
  va_end(list);
}

void busy_idle(busy *b) {
  if (!b) return;
  pthread_mutex_lock(&b->lock);
  erase(b);
  *b->what = 0;
  pthread_mutex_unlock(&b->lock);
}

void busy_clear(busy *b) {
  if (!b) return;
  pthread_mutex_lock(&b->lock);
  erase(b);
  pthread_mutex_unlock(&b->lock);
}

void busy_end(busy *b) {
  if (!b) return;
  pthread_mutex_lock(&b->lock);
  erase(b);
  b->over = true;
  pthread_cond_signal(&b->change);
  pthread_mutex_unlock(&b->lock);
  pthread_join(b->thread, NULL);
  pthread_cond_destroy(&b->change);
  pthread_mutex_destroy(&b->lock);
  free(b);
}
