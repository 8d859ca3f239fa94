/* gemm_kept.c: see gemm_kept.h. */
#include "gemm_kept.h"
#include "conv.h"
#include "device.h"
#include <stdatomic.h>
#include <string.h>

enum { MOST_KEPT = 4, LINE = 16 /* floats */ };

typedef struct KeptAt {
  KeptMatrix of;
  int64_t at;
} KeptAt;

/* What this thread has packed since dtrt_gemm_nest number `nest`. */
typedef struct KeptByThread {
  int64_t nest, used;
  int n;
  KeptAt kept[MOST_KEPT];
} KeptByThread;

void dtrt_gemm_nest(void) {
  static _Atomic int64_t last; /* of the process: threads and addresses of devices come again */
  Device *d = fail_current();
  if (d) d->nest = ++last;
}

int64_t gemm_nest(void) {
  const Device *d = fail_current();
  return d ? d->nest : 0;
}

static bool same(const KeptMatrix *a, const KeptMatrix *b) {
  return a->kernel == b->kernel && a->y == b->y && a->k == b->k && a->n == b->n && a->yl == b->yl &&
         a->yj == b->yj && a->dtype == b->dtype;
}

float *gemm_keep(const KeptMatrix *m, int64_t nest, int64_t floats, int64_t most, bool *fresh) {
  static _Thread_local KeptByThread t;
  float *room = floats <= most ? gemm_kept_room(most) : NULL;
  if (!room) return NULL;
  *fresh = false;
  if (!nest || t.nest != nest) t = (KeptByThread){.nest = nest};
  for (int i = 0; i < t.n; i++)
    if (same(&t.kept[i].of, m)) return room + t.kept[i].at;
  if (t.n == MOST_KEPT || t.used + floats > most) return NULL;
  const int64_t at = t.used;
  t.kept[t.n++] = (KeptAt){*m, at};
  t.used += (floats + LINE - 1) / LINE * LINE;
  *fresh = true;
  return room + at;
}
