/* A random .dtg program as lines that can be switched off one by one: that is how a failing one is
 * made small.
 *
 * Two kinds. `whole` programs compute with small whole numbers in f64, so that every sum is exact
 * and every layout must give the same bits. The others take in tanh, softmax, division and the
 * like, and are compared within a bound; they have nothing that jumps. */
#ifndef DTG_TEST_PROGRAM_H
#define DTG_TEST_PROGRAM_H
#include "kit.h"

typedef enum LineKind { LINE_PARAM, LINE_ENTRY, LINE_BODY, LINE_RETURN, LINE_LAYOUT } LineKind;

typedef struct Line {
  LineKind kind;
  int entry; /* LINE_ENTRY, LINE_BODY, LINE_RETURN */
  bool off;
  char text[480];
} Line;

typedef struct Value {
  char name[32];
  int rank;
  int64_t dim[MOST_RANK];
  double most; /* no element is larger; whole programs keep it small */
  bool named;  /* a layout statement can be said of it: entry.name */
} Value;

enum { MOST_LINES = 500, MOST_VALUES = 64, MOST_ENTRIES = 3, MOST_PARAMS = 4 };

typedef struct Scenery {
  int nvalues;
  Value value[MOST_VALUES];
  int ninputs;
  Tensor input[16]; /* the first values are inputs too; i32 inputs are only here */
} Scenery;

typedef struct Script {
  Random random;
  bool whole;
  int nlines;
  Line line[MOST_LINES];
  int nparams;
  Tensor param[MOST_PARAMS]; /* named net.pK */
  int nentries;
  Scenery entry[MOST_ENTRIES];
  char mesh[40];
  int naxes;
} Script;

void script_generate(Script *s, uint64_t seed);
/* Switches the layouts of an earlier round off and says others, on another mesh. */
void script_layouts(Script *s);
/* Switches off what forbids gathers; false when nothing does. */
bool script_allow_gathers(Script *s);
/* all: entries return every value that they name, so that each lies in memory and nothing is fused.
 */
void script_write(const Script *s, bool all, FILE *model, FILE *layouts);

#endif
