/* hand.c: the training steps of the benchmark by hand: OpenBLAS for the products, one loop for what
 * can be one loop, gradients of all parameters in one buffer that is all-reduced at once together
 * with the loss. The batch is cut over the devices. Compiled with -O3 -march=native.
 *
 * MNIST: 784-700-500-10, relu, mean of sparse cross entropy, Adam 1e-3. IMDB: 1200-48, relu, batch
 * norm over the whole batch without variables (eps 1e-5), 2, sum of sparse cross entropy, SGD 1e-2.
 */
#include "hand.h"
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "hand_gpt.h"
#include "hand_team.h"

enum { ACTS = MNIST_BATCH * 1300 };

typedef struct Local {
  float *param; /* all, end to end; one for all when shared */
  float *grad;  /* as param, then the loss */
  float *m, *v;
  float *h1, *h2, *z, *d1, *d2; /* activations and their gradients, [rows][...] */
  float *sums;                  /* of batch norm */
  float *work;                  /* of a transformer block */
} Local;

struct Hand {
  Team *team;
  bool shared;
  size_t part[HAND_PARTS + 1]; /* where each begins in param; the last is their number */
  int nparts, batch, in;
  TeamJob *step;
  Local local[TEAM_MOST];
  float *grads[TEAM_MOST], *sums[TEAM_MOST];
  long t; /* steps of Adam done */
  const float *x;
  const int32_t *label;
  float loss;
};

/* -------- loops -------- */

static void bias_relu(int n, int k, float (*restrict h)[k], const float *restrict b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < k; j++) {
      float v = h[i][j] + b[j];
      h[i][j] = v > 0 ? v : 0;
    }
}

/* d = h > 0 ? d : 0, and its sum over rows */
static void mask_sum(int n, int k, float (*restrict d)[k], const float (*restrict h)[k],
                     float *restrict db) {
  for (int j = 0; j < k; j++) db[j] = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < k; j++) {
      float v = h[i][j] > 0 ? d[i][j] : 0;
      d[i][j] = v;
      db[j] += v;
    }
}

/* z + b -> gradient of scale * cross entropy, with its sum over rows; returns the loss. */
static float cross_entropy(int n, int k, float (*restrict z)[k], const float *restrict b,
                           const int32_t *label, float scale, float *restrict db) {
  float loss = 0;
  for (int j = 0; j < k; j++) db[j] = 0;
  for (int i = 0; i < n; i++) {
    float most = -INFINITY, sum = 0, own = 0;
    for (int j = 0; j < k; j++) {
      z[i][j] += b[j];
      most = z[i][j] > most ? z[i][j] : most;
    }
    own = z[i][label[i]] - most;
    for (int j = 0; j < k; j++) {
      z[i][j] = expf(z[i][j] - most);
      sum += z[i][j];
    }
    loss += scale * (logf(sum) - own);
    for (int j = 0; j < k; j++) {
      z[i][j] = scale * (z[i][j] / sum - (j == label[i]));
      db[j] += z[i][j];
    }
  }
  return loss;
}

static void adam(size_t n, float *restrict p, const float *restrict g, float *restrict m,
                 float *restrict v, double c1, double c2) {
  const float rate = (float)(1e-3 * sqrt(c2) / c1); /* Keras's: eps stands beside v's own root */
  for (size_t i = 0; i < n; i++) {
    m[i] += 0.1f * (g[i] - m[i]);
    v[i] += 0.001f * (g[i] * g[i] - v[i]);
    p[i] -= rate * m[i] / (sqrtf(v[i]) + 1e-7f);
  }
}

static void sgd(size_t n, float *restrict p, const float *restrict g) {
  for (size_t i = 0; i < n; i++) p[i] -= 1e-2f * g[i];
}

/* c[m][n] = a[m][k] b[k][n] */
static void product(int ta, int tb, int m, int n, int k, const float *a, const float *b, float *c) {
  cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, m, n,
              k, 1, a, ta ? m : k, b, tb ? k : n, 0, c, n);
}

/* -------- the end of both steps: settle the gradients, move the parameters -------- */

static void update(Hand *h, Local *l, size_t lo, size_t hi, const float *g) {
  if (l->m)
    adam(hi - lo, l->param + lo, g, l->m + lo, l->v + lo, 1 - pow(0.9, (double)h->t),
         1 - pow(0.999, (double)h->t));
  else
    sgd(hi - lo, l->param + lo, g);
}

static void settle_and_update(Hand *h, int me) {
  enum { TILE = 1024 };
  Local *l = &h->local[me];
  size_t n = h->part[h->nparts], lo, hi;
  if (!h->shared || team_size(h->team) == 1) {
    team_all_reduce(h->team, me, h->grads, n + 1);
    update(h, l, 0, n, l->grad);
    if (me == 0) h->loss = l->grad[n];
    return;
  }
  float tile[TILE];
  team_barrier(h->team, me);
  team_chunk(h->team, me, n, &lo, &hi);
  for (size_t at = lo; at < hi; at += TILE) {
    size_t end = at + TILE < hi ? at + TILE : hi;
    team_sum(h->team, h->grads, at, end, tile);
    update(h, l, at, end, tile);
  }
  if (me == 0) team_sum(h->team, h->grads, n, n + 1, &h->loss);
  team_barrier(h->team, me);
}

/* -------- the two steps -------- */

static void mnist_step(void *arg, int me) {
  Hand *h = arg;
  Local *l = &h->local[me];
  int from = h->batch * me / team_size(h->team),
      n = h->batch * (me + 1) / team_size(h->team) - from;
  const float *x = h->x + from * 784, *p = l->param;
  const size_t *at = h->part;
  float *g = l->grad;
  product(0, 0, n, 700, 784, x, p + at[0], l->h1);
  bias_relu(n, 700, (void *)l->h1, p + at[1]);
  product(0, 0, n, 500, 700, l->h1, p + at[2], l->h2);
  bias_relu(n, 500, (void *)l->h2, p + at[3]);
  product(0, 0, n, 10, 500, l->h2, p + at[4], l->z);
  g[at[6]] = cross_entropy(n, 10, (void *)l->z, p + at[5], h->label + from, 1.0f / (float)h->batch,
                           g + at[5]);
  product(1, 0, 500, 10, n, l->h2, l->z, g + at[4]);
  product(0, 1, n, 500, 10, l->z, p + at[4], l->d2);
  mask_sum(n, 500, (void *)l->d2, (void *)l->h2, g + at[3]);
  product(1, 0, 700, 500, n, l->h1, l->d2, g + at[2]);
  product(0, 1, n, 700, 500, l->d2, p + at[2], l->d1);
  mask_sum(n, 700, (void *)l->d1, (void *)l->h1, g + at[1]);
  product(1, 0, 784, 700, n, x, l->d1, g + at[0]);
  settle_and_update(h, me);
}

/* z + b -> relu, and its sum over rows */
static void bias_relu_sum(int n, float (*restrict h)[48], const float *restrict b,
                          float *restrict sum) {
  for (int j = 0; j < 48; j++) sum[j] = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 48; j++) {
      float v = h[i][j] + b[j];
      h[i][j] = v > 0 ? v : 0;
      sum[j] += h[i][j];
    }
}

static void centre(int n, const float (*restrict h)[48], const float *restrict sum, float part,
                   float (*restrict c)[48], float *restrict squares) {
  for (int j = 0; j < 48; j++) squares[j] = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 48; j++) {
      c[i][j] = h[i][j] - sum[j] * part;
      squares[j] += c[i][j] * c[i][j];
    }
}

static void normalise(int n, float (*restrict c)[48], const float *restrict squares, float part,
                      float *restrict r) {
  for (int j = 0; j < 48; j++) r[j] = 1 / sqrtf(squares[j] * part + 1e-5f);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 48; j++) c[i][j] *= r[j];
}

/* sums of d and of d * y over rows */
static void norm_sums(int n, const float (*restrict d)[48], const float (*restrict y)[48],
                      float *restrict sum) {
  for (int j = 0; j < 96; j++) sum[j] = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 48; j++) {
      sum[j] += d[i][j];
      sum[48 + j] += d[i][j] * y[i][j];
    }
}

/* the gradient through batch norm and relu, and its sum over rows */
static void norm_back(int n, float (*restrict d)[48], const float (*restrict y)[48],
                      const float (*restrict h)[48], const float *restrict r,
                      const float *restrict sum, float part, float *restrict db) {
  for (int j = 0; j < 48; j++) db[j] = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 48; j++) {
      float v = r[j] * (d[i][j] - part * (sum[j] + y[i][j] * sum[48 + j]));
      d[i][j] = h[i][j] > 0 ? v : 0;
      db[j] += d[i][j];
    }
}

static void imdb_step(void *arg, int me) {
  Hand *h = arg;
  Local *l = &h->local[me];
  int from = h->batch * me / team_size(h->team),
      n = h->batch * (me + 1) / team_size(h->team) - from;
  const float *x = h->x + from * 1200, *p = l->param, part = 1.0f / (float)h->batch;
  const size_t *at = h->part;
  float *g = l->grad, r[48];
  product(0, 0, n, 48, 1200, x, p + at[0], l->h1);
  bias_relu_sum(n, (void *)l->h1, p + at[1], l->sums);
  team_all_reduce(h->team, me, h->sums, 48);
  float sum[96];
  memcpy(sum, l->sums, sizeof sum);
  centre(n, (void *)l->h1, sum, part, (void *)l->h2, l->sums);
  team_all_reduce(h->team, me, h->sums, 48);
  normalise(n, (void *)l->h2, l->sums, part, r);
  product(0, 0, n, 2, 48, l->h2, p + at[2], l->z);
  g[at[4]] = cross_entropy(n, 2, (void *)l->z, p + at[3], h->label + from, 1, g + at[3]);
  product(1, 0, 48, 2, n, l->h2, l->z, g + at[2]);
  product(0, 1, n, 48, 2, l->z, p + at[2], l->d1);
  norm_sums(n, (void *)l->d1, (void *)l->h2, l->sums);
  team_all_reduce(h->team, me, h->sums, 96);
  norm_back(n, (void *)l->d1, (void *)l->h2, (void *)l->h1, r, l->sums, part, g + at[1]);
  product(1, 0, 1200, 48, n, x, l->d1, g + at[0]);
  settle_and_update(h, me);
}

/* -------- a transformer block -------- */

static void gpt_rows(void *arg, int me) {
  Hand *h = arg;
  Local *l = &h->local[me];
  int from = h->batch * me / team_size(h->team),
      n = h->batch * (me + 1) / team_size(h->team) - from;
  size_t row = GPT_SEQ * GPT_WIDTH;
  l->grad[h->part[h->nparts]] = gpt_step(n, h->x + (size_t)from * row, l->param, l->grad, h->part,
                                         l->work, 1.0f / ((float)h->batch * (float)row));
  settle_and_update(h, me);
}

/* -------- many small operations; one long loop -------- */

static void small_step(void *arg, int me) {
  Hand *h = arg;
  Local *l = &h->local[me];
  int from = 64 * me / team_size(h->team), n = 64 * (me + 1) / team_size(h->team) - from;
  const float *x = h->x + from * 64, *p = l->param;
  float *a = l->h1, *b = l->h2;
  for (int i = 0; i < 10; i++) {
    product(0, 0, n, 64, 64, i ? b : x, p, a);
    bias_relu(n, 64, (void *)a, p + h->part[1]);
    float *other = a;
    a = b;
    b = other;
  }
  float sum[16] = {0};
  for (int i = 0; i < n * 4; i++)
    for (int j = 0; j < 16; j++) sum[j] += b[i * 16 + j];
  l->sums[0] = 0;
  for (int j = 0; j < 16; j++) l->sums[0] += sum[j];
  team_all_reduce(h->team, me, h->sums, 1);
  if (me == 0) h->loss = l->sums[0] / 4096;
}

static void chain(size_t n, float *restrict y) {
  for (size_t i = 0; i < n; i++) {
    float a = y[i] * 0.75f + 0.125f, b = fabsf(a - 0.5f), c = sqrtf(b) * a;
    y[i] = (c > 0.25f ? c : 0.25f) - b * 0.5f;
  }
}

static void chain_step(void *arg, int me) {
  Hand *h = arg;
  Local *l = &h->local[me];
  chain(h->part[1], l->param);
  if (me == 0) h->loss = l->param[0];
}

/* -------- from outside -------- */

/* One piece of memory for each device. Lines between the parts keep equal indices of different
 * arrays out of equal sets of the cache. */
static void hand_local(Hand *h, int me, bool moments) {
  size_t n = h->part[h->nparts], big = (n + 15) / 16 * 16 + 5 * 16;
  size_t rows = (size_t)(h->batch / team_size(h->team) + 1);
  size_t acts[] = {rows * 700, rows * 500, rows * 10, rows * 700, rows * 500, 96};
  float *at = team_floats(4 * big + rows * 2500 + 6 * 48), *place[6];
  for (int i = 0; i < 6; i++) {
    place[i] = at;
    at += (acts[i] + 15) / 16 * 16 + 16;
  }
  Local *l = &h->local[me];
  *l = (Local){.h1 = place[0],
               .h2 = place[1],
               .z = place[2],
               .d1 = place[3],
               .d2 = place[4],
               .sums = place[5],
               .grad = at,
               .param = at + big};
  if (moments) {
    l->m = at + 2 * big;
    l->v = at + 3 * big;
  }
  if (h->shared && me > 0) {
    l->param = h->local[0].param;
    l->m = h->local[0].m;
    l->v = h->local[0].v;
  }
  h->grads[me] = l->grad;
  h->sums[me] = l->sums;
}

static Hand *hand_new(int ndevices, bool shared, TeamJob *step, int batch, int in, int nparts,
                      const size_t *count, bool moments) {
  Hand *h = calloc(1, sizeof *h);
  if (!h || !(h->team = team_new(ndevices))) return NULL;
  h->shared = shared;
  h->step = step;
  h->batch = batch;
  h->in = in;
  h->nparts = nparts;
  for (int i = 0; i < nparts; i++) h->part[i + 1] = h->part[i] + count[i];
  for (int i = 0; i < ndevices; i++) hand_local(h, i, moments);
  return h;
}

Hand *hand_mnist(int ndevices, bool shared) {
  static const size_t count[] = {784 * 700, 700, 700 * 500, 500, 500 * 10, 10};
  return hand_new(ndevices, shared, mnist_step, MNIST_BATCH, 784, 6, count, true);
}

Hand *hand_imdb(int ndevices, bool shared) {
  static const size_t count[] = {1200 * 48, 48, 48 * 2, 2};
  return hand_new(ndevices, shared, imdb_step, IMDB_BATCH, 1200, 4, count, false);
}

Hand *hand_gpt(int ndevices) {
  Hand *h = hand_new(ndevices, false, gpt_rows, GPT_BATCH, 0, GPT_PARTS, gpt_count, false);
  for (int i = 0; h && i < ndevices; i++)
    h->local[i].work = team_floats(gpt_work((GPT_BATCH + ndevices - 1) / ndevices));
  return h;
}

Hand *hand_small(int ndevices) {
  static const size_t count[] = {64 * 64, 64};
  return hand_new(ndevices, false, small_step, 64, 64, 2, count, false);
}

Hand *hand_chain(void) {
  static const size_t count[] = {HAND_CHAIN};
  return hand_new(1, false, chain_step, 1, 0, 1, count, false);
}

void hand_free(Hand *h) {
  if (!h) return;
  team_free(h->team);
  free(h);
}

size_t hand_count(const Hand *h, int part) {
  return part < h->nparts ? h->part[part + 1] - h->part[part] : 0;
}

void hand_set(Hand *h, int part, const float *value) {
  for (int i = 0; i < team_size(h->team); i++)
    memcpy(h->local[i].param + h->part[part], value, hand_count(h, part) * sizeof *value);
}

void hand_reset(Hand *h) {
  size_t bytes = h->part[h->nparts] * sizeof(float);
  h->t = 0;
  for (int i = 0; i < team_size(h->team); i++) {
    if (h->local[i].m) memset(h->local[i].m, 0, bytes);
    if (h->local[i].v) memset(h->local[i].v, 0, bytes);
  }
}

float hand_step(Hand *h, const float *x, const int32_t *label) {
  h->x = x;
  h->label = label;
  h->t++;
  team_run(h->team, h->step, h);
  return h->loss;
}
