/* layout_text.c: a layout as docs/language.md spells it. */
#include <stdio.h>
#include <string.h>
#include "block.h"

static void put(char *text, size_t size, const char *more) {
  size_t n = strlen(text);
  if (n < size) snprintf(text + n, size - n, "%s", more);
}

void block_layout_text(const dtrt_program *p, const dtrt_layout *l, char *text, size_t size) {
  static const char *const reduce[] = {"", ", max", ", min", ", prod"};
  char by[48];
  snprintf(text, size, "[");
  for (int d = 0; d < l->rank; d++) {
    const dtrt_dim *m = &l->dim[d];
    put(text, size, d ? ", " : "");
    if (!m->naxes) put(text, size, "_");
    if (m->naxes > 1) put(text, size, "(");
    for (int i = 0; i < m->naxes; i++) {
      put(text, size, i ? ", " : "");
      put(text, size, p->axis_name[m->axis[i]]);
    }
    if (m->naxes > 1) put(text, size, ")");
    snprintf(by, sizeof by, " by %lld", (long long)m->granule);
    if (m->naxes && m->granule > 1) put(text, size, by);
    if (m->naxes && m->of > 0) put(text, size, " with halo");
  }
  put(text, size, "]");
  bool first = true;
  for (int a = 0; a < p->naxes; a++) {
    if (!(l->partial & (1u << a))) continue;
    put(text, size, first ? " partial(" : ", ");
    put(text, size, p->axis_name[a]);
    first = false;
  }
  if (first) return;
  put(text, size, l->reduce >= 0 && l->reduce < 4 ? reduce[l->reduce] : "");
  put(text, size, ")");
}
