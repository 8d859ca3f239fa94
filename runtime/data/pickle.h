/* pickle.h: what a Python pickle describes, without making it: nothing that it names is looked up
 * or called. Protocols 2 to 5, which lists and dicts of PyTorch's and NumPy's files are in.
 *
 * Invariant of reading: whatever the bytes are, the result is values that refer to each other by
 * numbers in range (in circles, perhaps), or a reason with an offset. */
#ifndef DTG_RUNTIME_PICKLE_H
#define DTG_RUNTIME_PICKLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum pickle_kind {
  PICKLE_OTHER, /* None, a real, bytes, a set, an integer beyond 64 bits */
  PICKLE_INTEGER,
  PICKLE_TRUTH,
  PICKLE_TEXT,
  PICKLE_LIST, /* or a tuple */
  PICKLE_DICT,
  PICKLE_NAME, /* of a class or function: in `of` its module, in `with` its own; texts */
  PICKLE_MADE, /* by calling `of`, with the arguments `with` */
  PICKLE_KEPT  /* outside of the pickle; `with` says where */
} pickle_kind;

typedef struct pickle_value {
  pickle_kind kind;
  int of, with, state; /* state: what BUILD gave to what was made; -1: nothing */
  int64_t number;
  const char *text; /* in the bytes, without a NUL; `n` bytes */
  int *item;        /* [n]: items; keys and values by turns, also those given to what was made */
  int n, room;
} pickle_value;

typedef struct pickle {
  pickle_value *value;
  int n, room;
  int top; /* what was pickled */
} pickle;

/* Reads the pickle that begins at the offset *at, which goes behind it. False with why ("at offset
 * 12: ..."). The bytes must stay. Freed in either case. */
bool pickle_read(pickle *p, const unsigned char *bytes, size_t n, size_t *at, char *why,
                 size_t whysize);
void pickle_free(pickle *p);
bool pickle_says(const pickle *p, int value, const char *text);
bool pickle_names(const pickle *p, int value, const char *module, const char *name);
#endif
