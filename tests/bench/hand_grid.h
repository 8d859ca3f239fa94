/* hand_grid.h: heat in a plate and conjugate gradients for Poisson's equation (samples/heat, samples/solver) as a C programmer
 * writes them: blocks with a border of one point, two of them that change places, borders copied from the peers' memory, one
 * barrier a step of heat. */
#ifndef HAND_GRID_H
#define HAND_GRID_H
#include "hand_team.h"

typedef struct HandGrid HandGrid;
HandGrid *hand_grid(int n, int rows, int columns); /* devices in rows x columns, which divide n */
/* u, [n][n], moves `steps` steps. */
void hand_heat(HandGrid *g, float *u, int steps, float rate);
/* x of -laplacian(x) = b after `steps` steps; the square of the residual. */
double hand_solve(HandGrid *g, const double *b, double *x, int steps);
void hand_grid_free(HandGrid *g);
#endif
