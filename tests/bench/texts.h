/* texts.h: the programs of the benchmark as .dtg, and compiling them. */
#ifndef TEXTS_H
#define TEXTS_H
#include <dtgc.h>
#include <stdbool.h>

enum { MOST_LAYOUTS = 4 };

typedef struct Text {
  const char *name;
  const char *text;
  int devices;                             /* sizes of mesh to run on, as bits: 1, 2, 8 */
  int batch, width, classes;               /* x: f32[batch, width]; label: i32[batch] */
  int ninputs;                             /* 0, 1 (x), 2 (x and label) */
  int steps;                               /* of a round */
  const char *part[13];                    /* parameters in the order of hand.h; ends in NULL */
  const char *layouts[MOST_LAYOUTS];       /* data parallel; ends in NULL */
  const char *split_layouts[MOST_LAYOUTS]; /* the same with the optimizer split, or empty */
} Text;

extern const Text text_all[]; /* ends in one without a name */

/* On a mesh [batch=devices]; an error ends the program. */
dtgc_program *text_compile(const Text *t, int devices, const char *const *layouts);

/* Compiles mnist once and prints the milliseconds from text to callable, then the stages. Returns
 * the exit status. */
int text_compile_once(int devices, bool cold);

double text_now(void); /* seconds */
#endif
