/* Lets the trained GPT go on from a prompt, byte by byte. All through dtgc.h: the model is
 * compiled, its variables come from a checkpoint of a training under any layouts, and entry `next`
 * gives the probability of each byte.
 *
 *   sample CHECKPOINT PROMPT BYTES TEMPERATURE gpt.dtg [LAYOUTS.dtg] [CONST=VALUE ...]
 */
#include <dtgc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Gpt {
  dtgc_program *p;
  int seq, vocab;
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

/* The sizes are those of the program's own tensors. */
static int open_gpt(Gpt *g) {
  dtgc_tensor prompt, probability;
  if (dtgc_input(g->p, "next", 0, &prompt) || prompt.rank != 2 ||
      dtgc_output(g->p, "next", 0, &probability))
    return fail("next", dtgc_error(g->p));
  g->seq = (int)prompt.shape[1];
  g->vocab = (int)probability.count;
  return 0;
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
  if (argc < 6 || !*argv[2]) {
    fprintf(stderr,
            "sample CHECKPOINT PROMPT BYTES TEMPERATURE gpt.dtg [LAYOUTS.dtg] [NAME=VALUE ...]\n");
    return 2;
  }
  dtgc_source source[8];
  const char *define[16];
  dtgc_options o = {.define = define, .message = show, .user = stderr};
  int sources = 0;
  for (int i = 5; i < argc; i++)
    if (strchr(argv[i], '=') && o.ndefines < 16)
      define[o.ndefines++] = argv[i];
    else if (sources < 8)
      source[sources++] = (dtgc_source){.name = argv[i]};
  float temperature = strtof(argv[4], NULL);
  if (!(temperature > 0)) return fail(argv[4], "a temperature is a number above 0");
  Gpt g = {0};
  int bad = dtgc_compile(source, sources, &o, &g.p) != 0; /* messages have been shown */
  if (!bad) bad = open_gpt(&g);
  if (!bad && dtgc_restore(g.p, argv[1], NULL, NULL)) bad = fail(argv[1], dtgc_error(g.p));
  if (!bad) bad = write_on(&g, argv[2], atol(argv[3]), temperature);
  dtgc_free(g.p);
  return bad;
}
