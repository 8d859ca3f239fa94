/* Parts of dtrt_math.h and dtrt_special.h that a program uses, kept as its C is written: clang
 * takes as long for the headers as for a small program, and half of that for these parts. Each has
 * a guard of its own. A function that is missing here is an undeclared one to clang. */
#include "emit.h"
#include <string.h>

void emit_uses_type(HeaderUse *u, DType t) {
  u->ints = u->ints || (dtype_is_int(t) && t != DT_I32 && t != DT_I64);
}

void emit_uses_lanes(HeaderUse *u, DType t) {
  u->lanes = true;
  u->lanes_f64 = u->lanes_f64 || t == DT_F64;
}

/* How the names of functions on lanes begin, after "dtrt_". */
static const char *const lane_names[] = {"accumulate_", "carry_", "combine_", "find_",
                                         "fold_",       "join_",  "line_",    "prod_",
                                         "scan_",       "sum_",   NULL};

static bool is_of_lanes(const char *name) {
  for (int i = 0; lane_names[i]; i++)
    if (!strncmp(name, lane_names[i], strlen(lane_names[i]))) return true;
  return false;
}

void emit_uses_function(HeaderUse *u, const char *name) {
  static const char prefix[] = "dtrt_";
  const char *last = strrchr(name, '_');
  DType t = DT_F32;
  if (!last || strncmp(name, prefix, sizeof prefix - 1)) return;
  if (dtype_from_name(last + 1, &t)) emit_uses_type(u, t);
  if (is_of_lanes(name + sizeof prefix - 1)) emit_uses_lanes(u, t);
}

void emit_left_out(const HeaderUse *u, const char *guard[HEADER_GUARDS]) {
  int n = 0;
  if (!u->special) guard[n++] = "DTRT_SPECIAL_H";
  if (!u->special && !u->ints) guard[n++] = "DTRT_INTS_H"; /* special functions take integers too */
  if (!u->lanes) guard[n++] = "DTRT_LANES_H";
  if (!u->lanes_f64) guard[n++] = "DTRT_LANES_F64_H";
  guard[n] = NULL;
}
