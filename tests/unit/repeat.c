/* repeat_find: what it finds is there, saves enough, and overlaps nothing; known lists give known
 * answers. */
#include "repeat.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed;

static void fail(const char *name, const char *what) {
  printf("FAIL %s: %s\n", name, what);
  failed = 1;
}

/* A list as text, a key a letter. */
static void find(Arena *a, const char *list, int least, EntryRepeats *out) {
  int n = (int)strlen(list), *key = arena_array(a, int, n + 1), kinds = 0, kind[256];
  memset(kind, -1, sizeof kind);
  for (int i = 0; i < n; i++) {
    unsigned char c = (unsigned char)list[i];
    if (kind[c] < 0) kind[c] = kinds++;
    key[i] = kind[c];
  }
  repeat_find(a, key, n, least, out);
}

/* want: "first,period,count first,period,count ..." */
static void expect(const char *list, int least, const char *want) {
  Arena *a = arena_new();
  if (!a || arena_catch(a)) exit(1);
  EntryRepeats r = {0};
  char got[512] = "";
  find(a, list, least, &r);
  for (int i = 0; i < r.n; i++)
    snprintf(got + strlen(got), sizeof got - strlen(got), "%s%d,%d,%d", i ? " " : "", r.at[i].first,
             r.at[i].period, r.at[i].count);
  if (strcmp(got, want)) {
    printf("%s: found %s, not %s\n", list, got, want);
    fail(list, "another answer");
  }
  arena_free(a);
}

static void check_random(unsigned seed) {
  char list[400], name[32];
  int n = 50 + rand() % 340, letters = 1 + rand() % 6, at = 0;
  snprintf(name, sizeof name, "seed %u", seed);
  while (at < n) { /* stretches of random letters, some of them several times */
    int period = 1 + rand() % 20, count = 1 + rand() % 6, from = at;
    for (int i = 0; i < period && at < n; i++) list[at++] = (char)('a' + rand() % letters);
    for (int i = 0; i < period * (count - 1) && at < n; i++, at++)
      list[at] = list[from + i % period];
  }
  list[n] = 0;
  Arena *a = arena_new();
  if (!a || arena_catch(a)) exit(1);
  EntryRepeats r = {0};
  int least = 1 + rand() % 20, end = 0;
  find(a, list, least, &r);
  for (int i = 0; i < r.n; i++) {
    Repeat x = r.at[i];
    if (x.first < end || x.period < 1 || x.count < 2) fail(name, "over another, or empty");
    end = x.first + x.period * x.count;
    if (end > n) fail(name, "past the end");
    if ((x.count - 1) * x.period < least) fail(name, "saves too little");
    for (int k = x.first; k < end && end <= n; k++)
      if (list[k] != list[x.first + (k - x.first) % x.period]) fail(name, "is no repeat");
  }
  arena_free(a);
}

int main(void) {
  expect("", 1, "");
  expect("a", 1, "");
  expect("ab", 1, "");
  expect("aa", 1, "0,1,2");
  expect("aa", 2, "");
  expect("aaaaaaaa", 1, "0,1,8");
  expect("xabcabcabcy", 1, "1,3,3");
  expect("xabcabcabcy", 7, "");
  expect("abcabcabab", 3, "0,3,2");   /* and too little left */
  expect("aabaabaabaab", 1, "0,3,4"); /* the whole, not the doubled a within */
  expect("abcdabcdxwwwwwwwwww", 4, "0,4,2 9,1,10");
  expect("fghfghfghzfghfghfgh", 6, "0,3,3 10,3,3"); /* another in the middle */
  for (unsigned seed = 0; seed < 2000; seed++) {
    srand(seed);
    check_random(seed);
  }
  return failed;
}
