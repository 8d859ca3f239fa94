/* Converts between the dims of a tensor and the factors of a rule. */
#include "cut.h"

static int64_t axes_size(const Mesh *m, const Cut *c) {
  int64_t k = 1;
  for (int i = 0; i < c->naxes; i++) k *= m->axis[c->axis[i]].size;
  return k;
}

static int64_t minor_size(const Rule *r, const RuleDim *rd, int j) {
  int64_t n = 1;
  for (int i = j + 1; i < rd->n; i++) n *= r->factor[rd->factor[i]].size;
  return n;
}

bool cut_of(const Mesh *m, const Rule *r, const RuleDim *rd, const DimLayout *d, int f, Cut *out) {
  int at = 0;
  bool full = true; /* all factors before are fully cut */
  *out = (Cut){.granule = 1};
  for (int j = 0; j < rd->n; j++) {
    int64_t size = r->factor[rd->factor[j]].size, p = 1, minor = minor_size(r, rd, j);
    Cut c = {.granule = d->granule % minor == 0 && d->granule > minor ? d->granule / minor : 1};
    if (size % c.granule) c.granule = 1; /* granules of the dim need not be those of its factor */
    while (full && at < d->naxes) {
      int64_t s = m->axis[d->axis[at]].size;
      if (rd->n > 1 && j + 1 < rd->n && (p * s > size || (size % (p * s) && at + 1 < d->naxes)))
        break;
      c.axis[c.naxes++] = d->axis[at++];
      p *= s;
    }
    full = full && p == size;
    if (rd->factor[j] == f) {
      *out = c;
      return true;
    }
  }
  return false;
}

bool cut_join(const Mesh *m, const Rule *r, const RuleDim *rd, const Cut *cut, DimLayout *out) {
  bool open = true;
  *out = (DimLayout){.granule = 1};
  for (int j = 0; j < rd->n; j++) {
    int f = rd->factor[j];
    const Cut *c = &cut[f];
    int64_t size = r->factor[f].size, k = axes_size(m, c);
    if (!c->naxes) {
      if (size > 1) open = false;
      continue;
    }
    if (!open || (rd->n > 1 && k > size)) return false;
    for (int i = 0; i < c->naxes; i++) {
      if (out->naxes == MAX_AXES) return false;
      out->axis[out->naxes++] = c->axis[i];
    }
    out->granule = c->granule * minor_size(r, rd, j);
    open = k == size;
    if (open) out->granule = 1;
  }
  out->window = rd->window;
  return true;
}
