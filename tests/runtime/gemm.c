/* gemm.c: dtrt_gemm against three loops: all transpositions, degenerate shapes, leading dims,
 * accumulation. */
#include <math.h>
#include "harness.h"

static double at(int type, const void *p, int64_t i) {
  return type == DTRT_F64 ? ((const double *)p)[i] : ((const float *)p)[i];
}
static void put(int type, void *p, int64_t i, double v) {
  if (type == DTRT_F64)
    ((double *)p)[i] = v;
  else
    ((float *)p)[i] = (float)v;
}

static void one(int type, int ta, int tb, int m, int n, int k, int pad, int add) {
  static char a[1 << 18], b[1 << 18], c[1 << 18], d[1 << 18];
  int64_t lda = (ta ? m : k) + pad, ldb = (tb ? k : n) + pad, ldc = n + pad;
  for (int i = 0; i < 20000; i++) {
    put(type, a, i, (double)(harness_mix((uint64_t)i) % 17) - 8);
    put(type, b, i, (double)(harness_mix((uint64_t)i + 99) % 13) - 6);
    put(type, c, i, add ? i % 5 : NAN); /* what is not added to may be anything */
    put(type, d, i, at(type, c, i));
  }
  dtrt_gemm(type, ta, tb, m, n, k, a, lda, b, ldb, c, ldc, add);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = add ? at(type, d, i * ldc + j) : 0;
      for (int l = 0; l < k; l++)
        sum += at(type, a, ta ? l * lda + i : i * lda + l) *
               at(type, b, tb ? j * ldb + l : l * ldb + j);
      put(type, d, i * ldc + j, sum);
    }
  size_t size = (size_t)dtrt_dtype_size(type);
  CHECK(!memcmp(c, d, 20000 * size), "%s ta %d tb %d %dx%dx%d pad %d add %d", dtrt_dtype_name(type),
        ta, tb, m, n, k, pad, add);
}

int main(void) {
  static const int sizes[] = {0, 1, 2, 7, 33, 64};
  Fixture f;
  harness_program(&f, 0, NULL, 64);
  dtrt_session *s = harness_open(&f, NULL); /* which makes OpenBLAS fit */
  for (int type = DTRT_F32; type <= DTRT_F64; type++)
    for (int t = 0; t < 8; t++)
      for (int i = 0; i < 216; i++)
        one(type, t & 1, t >> 1 & 1, sizes[i / 36], sizes[i / 6 % 6], sizes[i % 6], i % 3, t >> 2);
  dtrt_close(s);
  return harness_result();
}
