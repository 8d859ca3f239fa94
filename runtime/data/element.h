/* element.h: the number types of data files, and their conversion to tensors.
 *
 * A file may hold another type than the tensor, and the other byte order.
 * Invariant: a value is converted exactly or not at all. Types that always convert exactly are
 * accepted; integers convert to any integer dtype with a check of each value; everything else is
 * rejected before it is read. */
#ifndef DTG_RUNTIME_ELEMENT_H
#define DTG_RUNTIME_ELEMENT_H
#include <stdbool.h>
#include <stddef.h>
#include "dtrt.h"

/* The DTRT_ dtypes, with their numbers. */
typedef enum element_kind {
#define DTYPE(ID, ...) ELEMENT_##ID = DTRT_##ID,
#include "dtypes.def"
  ELEMENT_KINDS
} element_kind;

size_t element_size(int kind);
const char *element_name(int kind);
bool element_is_float(int kind);
int element_digits(int kind); /* binary, of a float's significand; 0 of integers */
bool element_is_complex(int kind); /* and a float: two of `element_part`, re and im */
int element_part(int kind);

/* Whether values of `from` may become `to` under the law above. */
bool element_allowed(int from, int to);

/* Copies n elements at `from` (any alignment; byte-swapped when `swap`) to dense elements of dtype
 * `to`. Returns the index of the first value that does not fit, or n. The kinds must be allowed. */
int64_t element_convert(int kind, bool swap, const void *from, int64_t n, int dtype, void *to);
/* Text of one element, for messages and printing: the shortest that reads back the same. */
void element_print(int kind, bool swap, const void *at, char *text, size_t size);
double element_value(int dtype, const void *at); /* of any dtype; i64 rounds; complex: |z| */

/* What became of a number written as text. */
typedef enum element_text {
  ELEMENT_FITS,
  ELEMENT_NOT_A_NUMBER,
  ELEMENT_OUT_OF_RANGE,
  ELEMENT_FRACTION
} element_text;
/* Reads all of `text` (no blanks around) as one element of a dtype. Text to a float rounds, as in
 * C; bools are 0, 1, true, false. */
element_text element_parse(const char *text, int dtype, void *to);
/* Whether `text` is meant as an element of a dtype, in its range or not. */
bool element_is_number(const char *text, int dtype);
const char *element_range(int dtype); /* "0 to 255" */
#endif
