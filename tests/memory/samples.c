/* The memory that --dump=memory predicts is what the devices take, within 1 %, on every sample
 * under all its layouts, once all entries have run; and the arena is at most 1.05 of the most that
 * is alive at once.
 *
 *   memory_samples SAMPLES [quick]      the folder; quick: only the small ones */
#include <dtgc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Sample {
  const char *file[2]; /* in the folder; NULL: none */
  int quick;
} Sample;

static const Sample samples[] = {
    {{"digits/digits.dtg"}, 1},
    {{"digits/digits.dtg", "digits/data_parallel.dtg"}, 1},
    {{"digits/digits.dtg", "digits/model_parallel.dtg"}, 1},
    {{"digits/digits.dtg", "digits/mixed.dtg"}, 1},
    {{"imdb/mlp.dtg"}, 0},
    {{"imdb/mlp.dtg", "imdb/data_parallel.dtg"}, 0},
    {{"imdb/mlp.dtg", "imdb/model_parallel.dtg"}, 0},
    {{"imdb/mlp.dtg", "imdb/spatial_parallel.dtg"}, 0},
    {{"keras3/dense.dtg"}, 0},
    {{"keras3/dense.dtg", "keras3/data_parallel.dtg"}, 0},
    {{"keras3/dense.dtg", "keras3/model_parallel.dtg"}, 0},
    {{"mnist/mlp.dtg"}, 1},
    {{"mnist/mlp.dtg", "mnist/data_parallel.dtg"}, 0},
    {{"mnist/mlp.dtg", "mnist/model_parallel.dtg"}, 0},
    {{"mnist/mlp.dtg", "mnist/mixed.dtg"}, 1},
    {{"cifar10/cnn.dtg", "cifar10/one.dtg"}, 0},
    {{"cifar10/cnn.dtg", "cifar10/batch.dtg"}, 0},
    {{"cifar10/cnn.dtg", "cifar10/space.dtg"}, 0},
    {{"cifar10/cnn.dtg", "cifar10/mixed.dtg"}, 0},
    {{"transformer/gpt.dtg"}, 0},
    {{"transformer/gpt.dtg", "transformer/data.dtg"}, 0},
    {{"transformer/gpt.dtg", "transformer/tensor.dtg"}, 0},
    {{"transformer/gpt.dtg", "transformer/sequence.dtg"}, 0},
    {{"transformer/gpt.dtg", "zero/data.dtg"}, 0},
    {{"transformer/gpt.dtg", "zero/zero1.dtg"}, 0},
    {{"transformer/gpt.dtg", "zero/zero2.dtg"}, 0},
    {{"transformer/gpt.dtg", "zero/zero3.dtg"}, 0},
    {{"gpipe/gpipe.dtg", "gpipe/one.dtg"}, 0},
    {{"gpipe/gpipe.dtg", "gpipe/stages.dtg"}, 0},
    {{"gpipe/gpipe.dtg", "gpipe/mixed.dtg"}, 0},
    {{"moe/moe.dtg", "moe/one.dtg"}, 0},
    {{"moe/moe.dtg", "moe/experts.dtg"}, 0},
    {{"moe/moe.dtg", "moe/mixed.dtg"}, 0},
};

static int failures;
static const char *name; /* of the sample at hand */

static void fail(const char *what) {
  fprintf(stderr, "FAIL %s: %s\n", name, what);
  failures++;
}

static void print_error(void *user, const dtgc_message *m) {
  (void)user;
  if (m->severity == DTGC_ERROR) fputs(m->rendered, stderr);
}

/* Zeros are good for all tensors, as labels and tokens too; a single number is a length, and is 1.
 * They are given at odd addresses: an input is predicted to lie in the arena, as for `fit`, and one
 * that is aligned may stay with the host. */
static void run_entry(dtgc_program *p, const char *entry) {
  enum { MOST = 16 };
  dtgc_buffer in[MOST];
  int n = dtgc_inputs(p, entry);
  if (n < 0 || n > MOST) {
    fail("another number of inputs than this test expects");
    return;
  }
  for (int i = 0; i < n; i++) {
    dtgc_tensor t;
    dtgc_input(p, entry, i, &t);
    in[i] = (dtgc_buffer){t.name, (char *)calloc(1, t.bytes + 1) + 1, t.bytes};
    if (t.count == 1) *(char *)in[i].data = 1;
  }
  if (dtgc_run(p, entry, in, n, NULL, 0)) fail(dtgc_error(p));
  for (int i = 0; i < n; i++) free((char *)in[i].data - 1);
}

/* "entry train: arena A bytes a device; L live at the peak" of the dump. */
static void check_arenas(dtgc_program *p) {
  char *text;
  if (dtgc_dump(p, "memory", &text)) {
    fail(dtgc_error(p));
    return;
  }
  int entries = 0;
  for (char *at = text; (at = strstr(at, "\nentry ")); at++) {
    long long arena, alive;
    if (sscanf(at, "\nentry %*[^:]: arena %lld bytes a device; %lld", &arena, &alive) != 2)
      continue;
    entries++;
    if (arena < alive || (double)arena > 1.05 * (double)alive)
      fprintf(stderr, "FAIL %s: an arena of %lld where %lld are alive\n", name, arena, alive),
          failures++;
  }
  if (entries != dtgc_entries(p) + 1) fail("the dump does not tell of all entries");
  dtgc_free_text(text);
}

static void check_sample(const char *folder, const Sample *s) {
  char path[2][1024];
  dtgc_source source[2];
  int n = 0;
  for (; n < 2 && s->file[n]; n++) {
    snprintf(path[n], sizeof path[n], "%s/%s", folder, s->file[n]);
    source[n] = (dtgc_source){.name = path[n]};
  }
  name = s->file[n - 1];
  dtgc_program *p = NULL;
  dtgc_options o = {.message = print_error};
  dtgc_memory predicted, got, most = {0};
  if (dtgc_compile(source, n, &o, &p) || dtgc_memory_predicted(p, &predicted)) {
    fail(dtgc_error(p));
    dtgc_free(p);
    return;
  }
  check_arenas(p);
  for (int e = 0; e < dtgc_entries(p); e++) run_entry(p, dtgc_entry(p, e));
  for (int d = 0; d < dtgc_devices(p); d++) {
    if (dtgc_memory_measured(p, d, &got)) fail(dtgc_error(p));
    if (got.total > most.total) most = got;
  }
  double ratio = (double)most.total / (double)predicted.total;
  printf("%-32s %12lld %12lld %.4f\n", name, (long long)predicted.total, (long long)most.total,
         ratio);
  if (ratio < 0.99 || ratio > 1.01) {
    const dtgc_memory *m[] = {&predicted, &most};
    for (int i = 0; i < 2; i++)
      fprintf(stderr, "%s: variables %lld, arena %lld, packing %lld, exchanges %lld\n",
              i ? "measured" : "predicted", (long long)m[i]->variables, (long long)m[i]->arena,
              (long long)m[i]->packing, (long long)m[i]->exchanges);
    fail("what was predicted is not what was taken");
  }
  dtgc_free(p);
}

int main(int argc, char **argv) {
  int quick = argc > 2 && !strcmp(argv[2], "quick");
  if (argc < 2) return 2;
  printf("%-32s %12s %12s\n", "bytes of a device", "predicted", "measured");
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
    if (!quick || samples[i].quick) check_sample(argv[1], &samples[i]);
  return failures != 0;
}
