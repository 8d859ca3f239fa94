/* The terms of a partial value, one from each device, against docs/sums.md: equal to the bit for up
 * to 300 devices. */
#include <stdio.h>
#include <string.h>
#include "reduce_terms.h"
#include "reference.h"

enum { MOST = 300, N = 1300 /* more than a tile */ };

int main(void) {
  static float term[MOST][N], got[N];
  const void *from[MOST];
  uint64_t state = 11;
  int failures = 0;
  for (int t = 0; t < MOST; t++) {
    from[t] = term[t];
    for (int i = 0; i < N; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      term[t][i] = (float)(state >> 40) * 0x1p-24f + 0.5f;
    }
  }
  for (int terms = 1; terms <= MOST; terms += terms < 70 ? 1 : 23)
    for (int k = SUM; k <= PROD; k++) {
      void *to = got;
      reduce_terms(DTRT_F32, k == SUM ? DTRT_SUM : DTRT_PROD, &to, 1, from, terms, N);
      for (int i = 0; i < N; i++) {
        const float want = in_blocks((Kind)k, &term[0][i], terms, N);
        if (!memcmp(&want, &got[i], sizeof want)) continue;
        if (failures++ < 10)
          printf("FAIL %s of %d terms: %.9g, in the documented order %.9g\n", k ? "prod" : "sum",
                 terms, got[i], want);
        break;
      }
    }
  return failures > 0;
}
