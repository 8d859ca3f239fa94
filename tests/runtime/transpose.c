/* Transposed copies of elements of 1 to 8 bytes: each number of rows and columns up to a block, in
 * matrices with other elements around, which stay as they were. */
#include <stdio.h>
#include <string.h>
#include <dtrt.h>

enum { LINE = 64, MOST = LINE + 9, ROOM = MOST * MOST * 8 };
typedef void Transpose(void *, int64_t, const void *, int64_t, int64_t, int64_t);

static unsigned char from[ROOM], to[ROOM], want[ROOM];

/* The matrices' rows have `more` elements beside those copied. */
static int differs(Transpose *f, int bytes, int rows, int columns, int more) {
  const int to_row = columns + more, from_row = rows + more;
  memset(to, 0xee, sizeof to);
  memset(want, 0xee, sizeof want);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      memcpy(want + (i * to_row + j) * bytes, from + (j * from_row + i) * bytes, (size_t)bytes);
  f(to, to_row, from, from_row, rows, columns);
  if (!memcmp(to, want, sizeof to)) return 0;
  fprintf(stderr, "%d bytes, %d x %d: another copy\n", bytes, rows, columns);
  return 1;
}

int main(void) {
  static Transpose *const function[] = {dtrt_transpose_1, dtrt_transpose_2, dtrt_transpose_4,
                                        dtrt_transpose_8};
  int bad = 0, n = 0;
  for (int i = 0; i < ROOM; i++) from[i] = (unsigned char)(i * 2654435761u >> 24);
  for (int s = 0; s < 4; s++) {
    const int bytes = 1 << s, block = LINE / bytes;
    for (int rows = 0; rows <= block + 2; rows++)
      for (int columns = 0; columns <= block + 2; columns++, n++)
        bad += differs(function[s], bytes, rows, columns, (rows + columns) % 4);
  }
  printf("%d copies, %d wrong\n", n, bad);
  return bad != 0;
}
