/* docs/ops.md, from the definitions. */
#include "opdefs.h"
#include <string.h>

/* The letters of a primitive's equation, read off its rule for the example's ranks, are not shown:
 * the doc line, the signature and whether there is a gradient are what a user asks for. */
static void put_op(Str *out, const OpDef *d) {
  /* Words of the language are not called by name. */
  bool word = !strcmp(d->name, "and") || !strcmp(d->name, "or") || !strcmp(d->name, "not");
  if (word)
    str_printf(out, "| `%s` | %s | ", strstr(d->example, ": ") + 2, d->doc);
  else
    str_printf(out, "| `%s(%s)` | %s | ", d->name, d->params, d->doc);
  if (d->grad && !d->no_grad)
    str_puts(out, "yes");
  else if (d->no_grad)
    str_printf(out, "no: %s", d->no_grad);
  else
    str_puts(out, "through its parts");
  str_printf(out, " | `%s` |\n", strstr(d->example, ": ") + 2);
}

void ops_doc(Str *out) {
  static const struct {
    const char *first, *title;
  } part[] = {{"add", "Elementwise"},
              {"matmul", "Products"},
              {"sum", "Reductions"},
              {"cumsum", "Running sums and sorting"},
              {"reshape", "Shape"},
              {"gather", "Indices"},
              {"conv", "Convolutions and pools"},
              {"uniform", "Random values"},
              {"zeros", "Constants"},
              {"print", "Messages"},
              {"relayout_like", "Layouts"}};
  str_puts(out, "# Operations\n\n"
                "Made from the compiler's definitions by `dtgc --ops`; do not edit. Where a "
                "parameter has a default it "
                "may be left out.\n`declared` is the shape or type of the variable being declared. "
                "Shapes broadcast as "
                "NumPy's do; types never change by\nthemselves: cast by calling a type, as in "
                "`f32(x)`. `axis` is a dim, "
                "a list of dims, or `none` for all; negative\nnumbers count from the end.\n");
  for (int i = 0; op_at(i); i++) {
    const OpDef *d = op_at(i);
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
      if (!strcmp(d->name, part[k].first))
        str_printf(
            out,
            "\n## %s\n\n| call | what it is | gradient | example |\n| --- | --- | --- | --- |\n",
            part[k].title);
    if (d->params) put_op(out, d);
  }
}
