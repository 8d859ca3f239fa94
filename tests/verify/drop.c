/* No exchange may be left out unnoticed: each of several models' is, one at a time (drop_exchange),
 * and dtgc_verify must then find a difference; with none left out it must find none. verify_drop
 * SOURCE-FOLDER [all] */
#include <dtgc.h>
#include <dtrt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *model, *layouts, *define[4];
} cases[] = {
    {"tests/golden/layouts/mlp_data.dtg", NULL, {NULL}},
    {"tests/golden/layouts/mlp_uneven.dtg", NULL, {NULL}},
    {"tests/golden/layouts/mlp_zero.dtg", NULL, {NULL}},
    {"samples/digits/digits.dtg", "samples/digits/mixed.dtg", {"batch=8"}},
    {"samples/imdb/mlp.dtg", "samples/imdb/model_parallel.dtg", {"batch=8", "tokens=40"}},
    {
        "samples/transformer/gpt.dtg",
        "samples/transformer/tensor.dtg",
        {"batch=4", "seq=8", "width=32", "blocks=1"},
    },
};

enum { QUICKER = 5, /* the first so many */ WRITES = 5 };

static dtgc_program *compiled(const char *root, int k, int drop) {
  char path[2][1024];
  const char *const name[] = {cases[k].model, cases[k].layouts};
  dtgc_source source[2] = {{0}};
  int n = cases[k].layouts ? 2 : 1, defines = 0;
  for (int i = 0; i < n; i++) {
    snprintf(path[i], sizeof path[i], "%s/%s", root, name[i]);
    source[i].name = path[i];
  }
  while (defines < 4 && cases[k].define[defines]) defines++;
  dtgc_options o = {.define = cases[k].define, .ndefines = defines, .drop_exchange = drop};
  dtgc_program *p = NULL;
  if (dtgc_compile(source, n, &o, &p)) {
    fprintf(stderr, "%s: %s\n", cases[k].model, dtgc_error(p));
    exit(1);
  }
  return p;
}

/* Entry `write` of the transformer: its prompt of 8 positions is full after three bytes more, so
 * that what it does then is done; and each byte is the most likely one, as values in loops are not
 * compared: what is left out there must show in what is written. */
static const int32_t known = 5, n = 40;
static const float temperature = 1e-6f;
static const dtgc_feed feeds[] = {{.name = "known", .data = &known},
                                  {.name = "n", .data = &n},
                                  {.name = "temperature", .data = &temperature}};

/* Which, -1: none, is left out. How many exchanges there are is in *all, when not NULL. */
static int differs(const char *root, int k, int which, int *all, char **text) {
  dtgc_program *p = compiled(root, k, which + 1);
  const dtrt_program *code;
  int found = 0;
  const dtgc_verify_options o = {.feed = feeds, .nfeed = k == WRITES ? 3 : 0};
  if (dtgc_load(p, &code) || dtgc_verify(p, &o, &found, text)) {
    fprintf(stderr, "%s, without %d: %s\n", cases[k].model, which, dtgc_error(p));
    exit(1);
  }
  if (all) *all = code->nexchanges;
  dtgc_free(p);
  return found;
}

int main(int argc, char **argv) {
  int bad = argc < 2, dropped = 0, most = (int)(sizeof cases / sizeof *cases);
  for (int k = 0; k < (argc > 2 ? most : QUICKER) && !bad; k++) {
    int all = 0;
    char *text;
    if (differs(argv[1], k, -1, &all, &text)) {
      fprintf(stderr, "%s: nothing is left out, and yet:\n%s", cases[k].model, text);
      bad = 1;
    }
    dtgc_free_text(text);
    printf("%s: %d exchanges\n", cases[k].model, all);
    for (int i = 0; i < all; i++, dropped++) {
      if (!differs(argv[1], k, i, NULL, &text)) {
        fprintf(stderr, "%s: exchange %d of %d is left out, and nothing is found:\n%s",
                cases[k].model, i, all, text);
        bad = 1;
      } else if (!strstr(text, "differs from the result on one device")) {
        fprintf(stderr, "%s: exchange %d: no value is named:\n%s", cases[k].model, i, text);
        bad = 1;
      }
      dtgc_free_text(text);
    }
  }
  printf("%d exchanges left out, one at a time\n", dropped);
  return bad || dropped == 0;
}
