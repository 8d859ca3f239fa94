/* Lets the trained GPT go on from a prompt. All through dtgc.h: the model is compiled, its
 * variables come from a checkpoint of a training under any layouts, and entry `write` chooses byte
 * after byte, as many in a call as it has room for.
 *
 *   sample CHECKPOINT PROMPT BYTES TEMPERATURE gpt.dtg [LAYOUTS.dtg] [CONST=VALUE ...]
 */
#include <dtgc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Gpt {
  dtgc_program *p;
  int32_t seq, longest; /* bytes that it sees, and that it writes in a call */
} Gpt;

static int fail(const char *what, const char *why) {
  fprintf(stderr, "sample: %s: %s\n", what, why);
  return 1;
}

/* The sizes are those of the program's own tensors. */
static int open_gpt(Gpt *g) {
  dtgc_tensor prompt, written;
  if (dtgc_input(g->p, "write", 0, &prompt) || prompt.rank != 2 ||
      dtgc_output(g->p, "write", 0, &written))
    return fail("write", dtgc_error(g->p));
  g->seq = (int32_t)prompt.shape[1];
  g->longest = (int32_t)written.count;
  return 0;
}

/* The model sees the end of what there is, at most `seq` bytes. */
static int write_on(Gpt *g, const char *prompt, long bytes, float temperature) {
  const size_t seq = (size_t)g->seq, longest = (size_t)g->longest, given = strlen(prompt);
  unsigned char *seen = calloc(seq + longest, 1), *written = malloc(longest);
  int bad = !seen || !written ? fail("write", "out of memory") : 0;
  int32_t known = (int32_t)(given < seq ? given : seq);
  if (!bad) memcpy(seen, prompt + given - known, (size_t)known);
  fputs(prompt, stdout);
  while (bytes > 0 && !bad) {
    int32_t n = (int32_t)(bytes < g->longest ? bytes : g->longest);
    dtgc_buffer in[] = {{"prompt", seen, seq},
                        {"known", &known, sizeof known},
                        {"n", &n, sizeof n},
                        {"temperature", &temperature, sizeof temperature}};
    dtgc_buffer out[] = {{"written", written, longest}};
    if ((bad = dtgc_run(g->p, "write", in, 4, out, 1)) != 0) fail("write", dtgc_error(g->p));
    if (bad) break;
    fwrite(written, 1, (size_t)n, stdout);
    fflush(stdout);
    memcpy(seen + known, written, (size_t)n);
    const int32_t all = known + n;
    known = all < g->seq ? all : g->seq;
    memmove(seen, seen + all - known, (size_t)known);
    bytes -= n;
  }
  putchar('\n');
  free(seen);
  free(written);
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
