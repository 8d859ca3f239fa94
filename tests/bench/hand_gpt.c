/* hand_gpt.c: see hand_gpt.h. Compiled with -O3 -march=native -ffast-math, so that sums, expf and
 * erff are vectors (libmvec). One loop for what can be one loop: a norm is two sweeps of a row in
 * L1, softmax is causal; scores are kept for the backward pass. */
#include "hand_gpt.h"
#include <cblas.h>
#include <math.h>
#include <string.h>

enum { W = GPT_WIDTH, S = GPT_SEQ, H = GPT_HEADS, E = W / H, M = 4 * W };

const size_t gpt_count[GPT_PARTS] = {W, W, W *W, W *W, W *W, W *W, W, W, W *M, M, M *W, W};

typedef float Row[W];
typedef float Wide[M];
typedef float Score[S];

/* c = alpha op(a) op(b) + beta c, with leading dims */
static void product(int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
                    const float *b, int ldb, float beta, float *c, int ldc) {
  cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, m, n,
              k, alpha, a, lda, b, ldb, beta, c, ldc);
}

static void norm(int n, const Row *restrict x, const float *restrict scale,
                 const float *restrict shift, Row *restrict hat, float *restrict r,
                 Row *restrict y) {
  for (int i = 0; i < n; i++) {
    float sum = 0, squares = 0;
    for (int j = 0; j < W; j++) sum += x[i][j];
    const float mean = sum / W;
    for (int j = 0; j < W; j++) squares += (x[i][j] - mean) * (x[i][j] - mean);
    r[i] = 1 / sqrtf(squares / W + 1e-5f);
    for (int j = 0; j < W; j++) {
      hat[i][j] = (x[i][j] - mean) * r[i];
      y[i][j] = hat[i][j] * scale[j] + shift[j];
    }
  }
}

/* dx += the gradient through the norm, unless dx is NULL */
static void norm_back(int n, const Row *restrict dy, const Row *restrict hat,
                      const float *restrict r, const float *restrict scale, float *restrict dscale,
                      float *restrict dshift, Row *restrict dx) {
  for (int j = 0; j < W; j++) dscale[j] = dshift[j] = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < W; j++) {
      dscale[j] += dy[i][j] * hat[i][j];
      dshift[j] += dy[i][j];
    }
    if (!dx) continue;
    float sum = 0, dot = 0;
    for (int j = 0; j < W; j++) {
      const float d = dy[i][j] * scale[j];
      sum += d;
      dot += d * hat[i][j];
    }
    sum /= W;
    dot /= W;
    for (int j = 0; j < W; j++) dx[i][j] += r[i] * (dy[i][j] * scale[j] - sum - hat[i][j] * dot);
  }
}

static void softmax(Score *restrict s) {
  for (int i = 0; i < S; i++) {
    float most = -INFINITY, sum = 0;
    for (int j = 0; j <= i; j++) most = s[i][j] > most ? s[i][j] : most;
    for (int j = 0; j <= i; j++) {
      s[i][j] = expf(s[i][j] - most);
      sum += s[i][j];
    }
    const float over = 1 / sum;
    for (int j = 0; j <= i; j++) s[i][j] *= over;
    for (int j = i + 1; j < S; j++) s[i][j] = 0;
  }
}

static void softmax_back(const Score *restrict p, Score *restrict d) {
  for (int i = 0; i < S; i++) {
    float dot = 0;
    for (int j = 0; j <= i; j++) dot += p[i][j] * d[i][j];
    for (int j = 0; j <= i; j++) d[i][j] = p[i][j] * (d[i][j] - dot);
    for (int j = i + 1; j < S; j++) d[i][j] = 0;
  }
}

static void gelu(int n, Wide *restrict u, const float *restrict b, Wide *restrict h) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < M; j++) {
      u[i][j] += b[j];
      h[i][j] = 0.5f * u[i][j] * (1 + erff(u[i][j] * 0.70710678f));
    }
}

/* d becomes the gradient of u + b, and its sum over rows */
static void gelu_back(int n, const Wide *restrict u, Wide *restrict d, float *restrict db) {
  for (int j = 0; j < M; j++) db[j] = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < M; j++) {
      const float v = u[i][j];
      const float slope =
          0.5f * (1 + erff(v * 0.70710678f)) + v * 0.39894228f * expf(-0.5f * v * v);
      d[i][j] *= slope;
      db[j] += d[i][j];
    }
}

/* y += b + x; returns the sum of squares; dy = 2 part y, and its sum over rows */
static float loss_of(int n, Row *restrict y, const float *restrict b, const Row *restrict x,
                     float part, float *restrict db) {
  float loss = 0;
  for (int j = 0; j < W; j++) db[j] = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < W; j++) {
      const float v = y[i][j] + b[j] + x[i][j];
      loss += v * v;
      y[i][j] = 2 * part * v;
      db[j] += y[i][j];
    }
  return loss * part;
}

/* Where the activations lie. */
typedef struct Acts {
  float *hat1, *n1, *q, *k, *v, *mixed, *x1, *hat2, *n2, *y; /* [rows][W] */
  float *dq, *dk, *dv, *dn;
  float *u, *h, *dh;     /* [rows][M] */
  float *score, *dscore; /* [batch][H][S][S], [S][S] */
  float *r1, *r2;        /* [rows] */
} Acts;

enum { NARROW = 14, BROAD = 3, LINE = 80 };

size_t gpt_work(int batch) {
  const size_t rows = (size_t)batch * S;
  return rows * (NARROW * W + BROAD * M + 2) + ((size_t)batch * H + 1) * S * S +
         (NARROW + BROAD + 4) * LINE;
}

static void place(Acts *a, int batch, float *work) {
  const size_t rows = (size_t)batch * S, narrow = rows * W + LINE, broad = rows * M + LINE;
  float **const thin[NARROW] = {&a->hat1, &a->n1, &a->q, &a->k,  &a->v,  &a->mixed, &a->x1,
                                &a->hat2, &a->n2, &a->y, &a->dq, &a->dk, &a->dv,    &a->dn};
  float **const wide[BROAD] = {&a->u, &a->h, &a->dh};
  for (int i = 0; i < NARROW; i++) *thin[i] = work + (size_t)i * narrow;
  work += NARROW * narrow;
  for (int i = 0; i < BROAD; i++) *wide[i] = work + (size_t)i * broad;
  work += BROAD * broad;
  a->score = work;
  a->dscore = work + (size_t)batch * H * S * S + LINE;
  a->r1 = a->dscore + S * S + LINE;
  a->r2 = a->r1 + rows + LINE;
}

static void attention(const Acts *a, int batch, float alpha) {
  for (int b = 0; b < batch; b++)
    for (int h = 0; h < H; h++) {
      const size_t o = (size_t)b * S * W + (size_t)h * E;
      float *s = a->score + (size_t)(b * H + h) * S * S;
      product(0, 1, S, S, E, alpha, a->q + o, W, a->k + o, W, 0, s, S);
      softmax((void *)s);
      product(0, 0, S, E, S, 1, s, S, a->v + o, W, 0, a->mixed + o, W);
    }
}

/* dn holds the gradient of `mixed`. */
static void attention_back(const Acts *a, int batch, float alpha) {
  for (int b = 0; b < batch; b++)
    for (int h = 0; h < H; h++) {
      const size_t o = (size_t)b * S * W + (size_t)h * E;
      const float *s = a->score + (size_t)(b * H + h) * S * S;
      product(1, 0, S, E, S, 1, s, S, a->dn + o, W, 0, a->dv + o, W);
      product(0, 1, S, S, E, 1, a->dn + o, W, a->v + o, W, 0, a->dscore, S);
      softmax_back((const void *)s, (void *)a->dscore);
      product(0, 0, S, E, S, alpha, a->dscore, S, a->k + o, W, 0, a->dq + o, W);
      product(1, 0, S, E, S, alpha, a->dscore, S, a->q + o, W, 0, a->dk + o, W);
    }
}

enum { SCALE1, SHIFT1, Q, K, V, OUT, SCALE2, SHIFT2, UP, UP_B, DOWN, DOWN_B };

float gpt_step(int batch, const float *x, const float *p, float *g, const size_t *at, float *work,
               float part) {
  Acts a;
  place(&a, batch, work);
  const int n = batch * S;
  const float alpha = 1 / sqrtf(E);
  norm(n, (const void *)x, p + at[SCALE1], p + at[SHIFT1], (void *)a.hat1, a.r1, (void *)a.n1);
  product(0, 0, n, W, W, 1, a.n1, W, p + at[Q], W, 0, a.q, W);
  product(0, 0, n, W, W, 1, a.n1, W, p + at[K], W, 0, a.k, W);
  product(0, 0, n, W, W, 1, a.n1, W, p + at[V], W, 0, a.v, W);
  attention(&a, batch, alpha);
  memcpy(a.x1, x, (size_t)n * sizeof(Row));
  product(0, 0, n, W, W, 1, a.mixed, W, p + at[OUT], W, 1, a.x1, W);
  norm(n, (const void *)a.x1, p + at[SCALE2], p + at[SHIFT2], (void *)a.hat2, a.r2, (void *)a.n2);
  product(0, 0, n, M, W, 1, a.n2, W, p + at[UP], M, 0, a.u, M);
  gelu(n, (void *)a.u, p + at[UP_B], (void *)a.h);
  product(0, 0, n, W, M, 1, a.h, M, p + at[DOWN], W, 0, a.y, W);
  const float loss =
      loss_of(n, (void *)a.y, p + at[DOWN_B], (const void *)a.x1, part, g + at[DOWN_B]);

  product(1, 0, M, W, n, 1, a.h, M, a.y, W, 0, g + at[DOWN], W);
  product(0, 1, n, M, W, 1, a.y, W, p + at[DOWN], W, 0, a.dh, M);
  gelu_back(n, (const void *)a.u, (void *)a.dh, g + at[UP_B]);
  product(1, 0, W, M, n, 1, a.n2, W, a.dh, M, 0, g + at[UP], M);
  product(0, 1, n, W, M, 1, a.dh, M, p + at[UP], M, 0, a.dn, W);
  norm_back(n, (const void *)a.dn, (const void *)a.hat2, a.r2, p + at[SCALE2], g + at[SCALE2],
            g + at[SHIFT2], (void *)a.y);
  product(1, 0, W, W, n, 1, a.mixed, W, a.y, W, 0, g + at[OUT], W);
  product(0, 1, n, W, W, 1, a.y, W, p + at[OUT], W, 0, a.dn, W);
  attention_back(&a, batch, alpha);
  product(1, 0, W, W, n, 1, a.n1, W, a.dq, W, 0, g + at[Q], W);
  product(1, 0, W, W, n, 1, a.n1, W, a.dk, W, 0, g + at[K], W);
  product(1, 0, W, W, n, 1, a.n1, W, a.dv, W, 0, g + at[V], W);
  product(0, 1, n, W, W, 1, a.dq, W, p + at[Q], W, 0, a.dn, W);
  product(0, 1, n, W, W, 1, a.dk, W, p + at[K], W, 1, a.dn, W);
  product(0, 1, n, W, W, 1, a.dv, W, p + at[V], W, 1, a.dn, W);
  norm_back(n, (const void *)a.dn, (const void *)a.hat1, a.r1, p + at[SCALE1], g + at[SCALE1],
            g + at[SHIFT1], NULL);
  return loss;
}
