/* --dump=loops: the statements of each entry (ir/loop.h), with those of the loop functions that
 * they call: which values are in memory, and which are expressions in the loops that use them;
 * tiles with the steps inside; kernels with their epilogues; exchanges. */
#include "loops.h"
#include "report.h"

void dump_loops(const Plan *p, Str *out) {
  const LoopProgram *all = loop_program(p); /* p->loops has each function once */
  report_mesh(p, out);
  for (int i = 0; i < all->entries.n; i++) {
    if (i) str_puts(out, "\n");
    loop_put_entry(out, p, all->entries.at[i]);
  }
}
