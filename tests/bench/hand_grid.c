/* hand_grid.c: see hand_grid.h. Compiled with -O3 -march=native. */
#include "hand_grid.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 4 };

typedef struct Block {
  float *u[2];          /* [m + 2][k + 2], zero around */
  double *field[FIELDS]; /* x, r, p, q; p with a border */
  _Alignas(128) double sum[2]; /* by turn: what a device adds up */
} Block;

struct HandGrid {
  Team *team;
  int n, rows, columns, m, k; /* m x k points a device */
  Block block[TEAM_MOST];
  int steps;
  float rate, *u;
  const double *b;
  double *x, residual;
};

enum { X, R, P, Q };

static double *doubles(size_t n) { return (double *)(void *)team_floats(2 * n); }

HandGrid *hand_grid(int n, int rows, int columns) {
  HandGrid *g = calloc(1, sizeof *g);
  *g = (HandGrid){.n = n, .rows = rows, .columns = columns, .m = n / rows, .k = n / columns};
  g->team = team_new(rows * columns);
  for (int i = 0; i < rows * columns; i++) {
    const size_t size = (size_t)(g->m + 2) * (size_t)(g->k + 2);
    for (int j = 0; j < 2; j++) g->block[i].u[j] = team_floats(size);
    for (int j = 0; j < FIELDS; j++) g->block[i].field[j] = doubles(size);
  }
  return g;
}

void hand_grid_free(HandGrid *g) {
  team_free(g->team);
  free(g);
}

/* -------- heat -------- */

static void heat(int m, int k, const float (*restrict u)[k + 2], float (*restrict to)[k + 2],
                 float rate) {
  for (int i = 1; i <= m; i++)
    for (int j = 1; j <= k; j++)
      to[i][j] = u[i][j] + rate * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j]);
}

/* The points along the cuts, of elements of `size` bytes, from blocks whose places are at[]. */
static void borders(const HandGrid *g, int me, char *const *at, size_t size) {
  const int row = me / g->columns, column = me % g->columns;
  const size_t line = (size_t)(g->k + 2) * size, m = (size_t)g->m, k = (size_t)g->k;
  char *own = at[me];
  if (row > 0) memcpy(own + size, at[me - g->columns] + m * line + size, k * size);
  if (row < g->rows - 1)
    memcpy(own + (m + 1) * line + size, at[me + g->columns] + line + size, k * size);
  for (size_t i = 1; column > 0 && i <= m; i++)
    memcpy(own + i * line, at[me - 1] + i * line + k * size, size);
  for (size_t i = 1; column < g->columns - 1 && i <= m; i++)
    memcpy(own + i * line + (k + 1) * size, at[me + 1] + i * line + size, size);
}

static float *plate_row(const HandGrid *g, int me, int i) {
  return g->u + (size_t)(me / g->columns * g->m + i) * (size_t)g->n + me % g->columns * g->k;
}

static void heat_on(void *arg, int me) {
  HandGrid *g = arg;
  const int ndevices = g->rows * g->columns, k = g->k;
  const size_t row = (size_t)k * sizeof(float);
  float(*own)[k + 2] = (void *)g->block[me].u[0];
  for (int i = 0; i < g->m; i++) memcpy(&own[i + 1][1], plate_row(g, me, i), row);
  for (int t = 0; t < g->steps; t++) {
    char *at[TEAM_MOST];
    team_barrier(g->team, me);
    for (int i = 0; i < ndevices; i++) at[i] = (char *)g->block[i].u[t % 2];
    borders(g, me, at, sizeof(float));
    heat(g->m, k, (void *)g->block[me].u[t % 2], (void *)g->block[me].u[1 - t % 2], g->rate);
  }
  own = (void *)g->block[me].u[g->steps % 2];
  for (int i = 0; i < g->m; i++) memcpy(plate_row(g, me, i), &own[i + 1][1], row);
}

void hand_heat(HandGrid *g, float *u, int steps, float rate) {
  g->u = u, g->steps = steps, g->rate = rate;
  team_run(g->team, heat_on, g);
}

/* -------- conjugate gradients -------- */

/* The sum over the devices, in their order; turns of 2. */
static double all_sum(HandGrid *g, int me, int turn, double own) {
  double s = 0;
  g->block[me].sum[turn] = own;
  team_barrier(g->team, me);
  for (int i = 0; i < g->rows * g->columns; i++) s += g->block[i].sum[turn];
  return s;
}

enum { LANES = 32 }; /* sums are kept in so many, or they would wait for each other */

static double fold(const double *lane) {
  double s = 0;
  for (int i = 0; i < LANES; i++) s += lane[i];
  return s;
}

/* q = A p; p . q */
static double apply(int m, int k, const double (*restrict p)[k + 2], double (*restrict q)[k]) {
  double lane[LANES] = {0};
  for (int i = 1; i <= m; i++)
    for (int j = 0; j < k; j += LANES)
      for (int l = 0; l < LANES; l++) {
        const int c = j + l + 1;
        const double v = 4 * p[i][c] - p[i - 1][c] - p[i + 1][c] - p[i][c - 1] - p[i][c + 1];
        q[i - 1][c - 1] = v;
        lane[l] += p[i][c] * v;
      }
  return fold(lane);
}

/* x += alpha p; r -= alpha q; r . r */
static double step(int m, int k, double alpha, double (*restrict x)[k], double (*restrict r)[k],
                   const double (*restrict p)[k + 2], const double (*restrict q)[k]) {
  double lane[LANES] = {0};
  for (int i = 0; i < m; i++)
    for (int j = 0; j < k; j += LANES)
      for (int l = 0; l < LANES; l++) {
        const int c = j + l;
        x[i][c] += alpha * p[i + 1][c + 1];
        r[i][c] -= alpha * q[i][c];
        lane[l] += r[i][c] * r[i][c];
      }
  return fold(lane);
}

static void direction(int m, int k, double beta, double (*restrict p)[k + 2],
                      const double (*restrict r)[k]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < k; j++) p[i + 1][j + 1] = r[i][j] + beta * p[i + 1][j + 1];
}

static void solve_on(void *arg, int me) {
  HandGrid *g = arg;
  const int m = g->m, k = g->k;
  double(*x)[k] = (void *)g->block[me].field[X], (*r)[k] = (void *)g->block[me].field[R],
  (*p)[k + 2] = (void *)g->block[me].field[P], (*q)[k] = (void *)g->block[me].field[Q];
  const size_t row = (size_t)k * sizeof(double),
               first = (size_t)(me / g->columns * m) * (size_t)g->n + (size_t)(me % g->columns * k);
  double size = 0;
  for (int i = 0; i < m; i++) {
    memcpy(r[i], g->b + first + (size_t)i * (size_t)g->n, row);
    memcpy(&p[i + 1][1], r[i], row);
    memset(x[i], 0, row);
    for (int j = 0; j < k; j++) size += r[i][j] * r[i][j];
  }
  double rho = all_sum(g, me, 0, size);
  for (int t = 0; t < g->steps; t++) {
    char *at[TEAM_MOST];
    team_barrier(g->team, me); /* p is there */
    for (int i = 0; i < g->rows * g->columns; i++) at[i] = (char *)g->block[i].field[P];
    borders(g, me, at, sizeof(double));
    const double alpha = rho / all_sum(g, me, 1, apply(m, k, (void *)p, q)), old = rho;
    rho = all_sum(g, me, 0, step(m, k, alpha, x, r, (void *)p, (void *)q));
    direction(m, k, rho / old, p, (void *)r);
  }
  for (int i = 0; i < m; i++) memcpy(g->x + first + (size_t)i * (size_t)g->n, x[i], row);
  if (me == 0) g->residual = rho;
}

double hand_solve(HandGrid *g, const double *b, double *x, int steps) {
  g->b = b, g->x = x, g->steps = steps;
  team_run(g->team, solve_on, g);
  return g->residual;
}
