/* fit_count.c: the steps of a pass over the data, the order of its rows, and its figures. */
#include "fit.h"
#include "element.h"

int64_t fit_steps(const fit_pass *pass) { return pass->full + (pass->rest > 0); }

/* Training may end within its last epoch. */
int64_t fit_epoch_steps(const fit *f, const fit_pass *pass, int64_t epoch) {
  int64_t all = fit_steps(pass), left = f->steps - (epoch - 1) * all;
  return f->steps && pass == &f->train && left < all ? left : all;
}

double fit_value(const fit_pass *pass, int output) {
  return element_value(pass->entry->out[output].dtype, pass->out[output]);
}

double fit_mean(const fit_pass *pass, int output) { return pass->sum[output] / (double)pass->rows; }

bool fit_order(const fit *f, const fit_pass *pass, data_set *set, int64_t epoch) {
  if (f->stream) return data_stream(set);
  return !f->shuffle || pass != &f->train || data_shuffle(set, f->shuffle_seed, epoch);
}
