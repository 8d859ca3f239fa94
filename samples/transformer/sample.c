/* Trains the GPT on windows of a text taken at random, then lets it go on from a prompt, byte by
 * byte. All through dtgc.h, on the devices that the layouts say. sample TEXT STEPS PROMPT BYTES
 * TEMPERATURE gpt.dtg [LAYOUTS.dtg] [NAME=VALUE of a const ...] */
#include <dtgc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Gpt {
  dtgc_program *p;
  int batch, seq, vocab;
} Gpt;

static uint64_t state = 1;

/* Evenly from [0, 1): xorshift64* (Vigna 2016). */
static double chance(void) {
  state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
  return (double)((state * 0x2545F4914F6CDD1Du) >> 11) * 0x1p-53;
}

static int fail(const char *what, const char *why) {
  fprintf(stderr, "sample: %s: %s\n", what, why);
  return 1;
}

static unsigned char *read_text(const char *path, long *n) {
  FILE *f = fopen(path, "rb");
  unsigned char *text = NULL;
  if (f && !fseek(f, 0, SEEK_END) && (*n = ftell(f)) > 0 && !fseek(f, 0, SEEK_SET) &&
      (text = malloc((size_t)*n)) && fread(text, 1, (size_t)*n, f) != (size_t)*n)
    free(text), text = NULL;
  if (f) fclose(f);
  return text;
}

/* The sizes are those of the program's own tensors. */
static int open_gpt(Gpt *g) {
  dtgc_tensor text, probability;
  if (dtgc_input(g->p, "train", 0, &text) || text.rank != 2) return fail("train", "not a GPT");
  if (dtgc_output(g->p, "next", 0, &probability)) return fail("next", dtgc_error(g->p));
  g->batch = (int)text.shape[0], g->seq = (int)text.shape[1];
  g->vocab = (int)probability.count;
  return 0;
}

static int train(Gpt *g, const unsigned char *text, long n, long steps) {
  size_t bytes = (size_t)g->batch * (size_t)g->seq, seq = (size_t)g->seq;
  unsigned char *windows = malloc(2 * bytes);
  int bad = !windows ? fail("train", "out of memory") : 0;
  float loss = 0;
  for (long step = 1; step <= steps && !bad; step++) {
    for (size_t b = 0; b < (size_t)g->batch; b++) {
      const unsigned char *at = text + (long)(chance() * (double)(n - g->seq));
      memcpy(windows + b * seq, at, seq);
      memcpy(windows + bytes + b * seq, at + 1, seq);
    }
    dtgc_buffer in[] = {{"text", windows, bytes}, {"after", windows + bytes, bytes}};
    dtgc_buffer out[] = {{"loss", &loss, sizeof loss}};
    if (dtgc_run(g->p, "train", in, 2, out, 1)) bad = fail("train", dtgc_error(g->p));
    if (!bad && (step == 1 || step % 100 == 0 || step == steps))
      fprintf(stderr, "step %ld  loss %.4f\n", step, (double)loss);
  }
  free(windows);
  return bad;
}

static int choose(const float *probability, int n) {
  double left = chance();
  for (int i = 0; i < n; i++)
    if ((left -= (double)probability[i]) < 0) return i;
  return n - 1;
}

/* What the model sees is the end of what there is, at most `seq` bytes of it. */
static int write_on(Gpt *g, const char *prompt, long bytes, float temperature) {
  size_t seq = (size_t)g->seq, known = strlen(prompt);
  unsigned char *seen = calloc(seq, 1);
  float *probability = calloc((size_t)g->vocab, sizeof *probability);
  int bad = !seen || !probability ? fail("next", "out of memory") : 0;
  fputs(prompt, stdout);
  if (known > seq) prompt += known - seq, known = seq;
  if (!bad) memcpy(seen, prompt, known);
  for (long i = 0; i < bytes && !bad; i++) {
    int32_t n = (int32_t)known;
    dtgc_buffer in[] = {{"prompt", seen, seq},
                        {"known", &n, sizeof n},
                        {"temperature", &temperature, sizeof temperature}};
    dtgc_buffer out[] = {{"probability", probability, (size_t)g->vocab * sizeof *probability}};
    if ((bad = dtgc_run(g->p, "next", in, 3, out, 1)) != 0) fail("next", dtgc_error(g->p));
    if (bad) break;
    if (known == seq) memmove(seen, seen + 1, --known);
    putchar(seen[known++] = (unsigned char)choose(probability, g->vocab));
    fflush(stdout);
  }
  putchar('\n');
  free(seen);
  free(probability);
  return bad;
}

static void show(void *user, const dtgc_message *m) { fputs(m->rendered, user); }

int main(int argc, char **argv) {
  if (argc < 7 || !*argv[3]) {
    fprintf(stderr,
            "sample TEXT STEPS PROMPT BYTES TEMPERATURE gpt.dtg [LAYOUTS.dtg] [NAME=VALUE ...]\n");
    return 2;
  }
  dtgc_source source[8];
  const char *define[16];
  dtgc_options o = {.define = define, .message = show, .user = stderr};
  int sources = 0;
  for (int i = 6; i < argc; i++)
    if (strchr(argv[i], '=') && o.ndefines < 16)
      define[o.ndefines++] = argv[i];
    else if (sources < 8)
      source[sources++] = (dtgc_source){.name = argv[i]};
  long n = 0, steps = atol(argv[2]), bytes = atol(argv[4]);
  float temperature = strtof(argv[5], NULL);
  unsigned char *text = read_text(argv[1], &n);
  Gpt g = {0};
  int bad = dtgc_compile(source, sources, &o, &g.p) != 0; /* messages have been shown */
  if (!bad) bad = open_gpt(&g);
  if (!bad && (!text || n <= g.seq))
    bad = fail(argv[1], "cannot be read, or is shorter than a window");
  if (!bad && !(temperature > 0)) bad = fail(argv[5], "a temperature is a number above 0");
  if (!bad) bad = train(&g, text, n, steps);
  if (!bad) bad = write_on(&g, argv[3], bytes, temperature);
  dtgc_free(g.p);
  free(text);
  return bad;
}
