/* Converts between the dims of a tensor, which layouts split, and the factors of a rule, to which
 * ways assign axes. */
#ifndef DTG_CUT_H
#define DTG_CUT_H
#include "op.h"

/* The projection of a dim's axes on the factors of a rule, and back. A compound dim is filled from
 * its major factor; only its last cut factor may be cut in part. */
typedef struct Cut {
  int naxes;
  int axis[MAX_AXES];
  int64_t granule;
} Cut;
/* The axes of dim `d` that fall on factor `f`; false: the dim does not carry f. */
bool cut_of(const Mesh *m, const Rule *r, const RuleDim *rd, const DimLayout *d, int f, Cut *out);
/* The dim's layout when its factors are cut so; false: it would be no box. */
bool cut_join(const Mesh *m, const Rule *r, const RuleDim *rd, const Cut *cut /* by factor */,
              DimLayout *out);

#endif
