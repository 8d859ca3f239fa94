/* sentiment: the trained model as a program of its own, for one device and without the compiler.
 *   sentiment CHECKPOINT VOCABULARY < reviews.txt
 * A review a line; for each it prints `positive` or `negative` and how probable that is, as soon as
 * the line is there. It is made by dtgc -D batch=1 mlp.dtg sentiment.c text.c vocabulary.c -o
 * sentiment --transport=threads */
#include <dtrt.h>
#include "text.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct Model {
  dtrt_session *session;
  int entry;
  TextVocabulary v;
  float *row; /* [columns] */
} Model;

static bool fail(const char *what, const char *why) {
  fprintf(stderr, "sentiment: %s%s%s\n", what, *what ? ": " : "", why);
  return false;
}

static bool open_model(Model *m, const char *checkpoint, const char *vocabulary) {
  char why[TEXT_WHY];
  dtrt_options o = {.transport = "self"};
  if (!text_read_vocabulary(vocabulary, &m->v, why)) return fail("", why);
  m->entry = dtrt_find_entry(&dtg_program, "classify");
  if (m->entry < 0) return fail("the model", "it has no entry classify");
  const dtrt_dim *x = dtg_program.entry[m->entry].in[0].layout->dim; /* [batch, tokens] */
  if (x[0].n != 1 || (size_t)x[1].n != m->v.columns) {
    snprintf(why, sizeof why, "expected %lld columns for 1 review, found %zu for %lld",
             (long long)x[1].n, m->v.columns, (long long)x[0].n);
    return fail(vocabulary, why);
  }
  m->row = malloc(m->v.columns * sizeof *m->row);
  if (!m->row) return fail("", "out of memory");
  if (dtrt_open(&dtg_program, &o, &m->session) == DTRT_OK &&
      dtrt_restore(m->session, checkpoint, NULL, NULL) == DTRT_OK)
    return true;
  return fail("", m->session ? dtrt_session_error(m->session) : "out of memory");
}

static bool classify(Model *m, TextBytes *line, TextBytes *spare) {
  float positive;
  const void *in[] = {m->row};
  void *out[] = {&positive};
  if (text_repair(line, spare) == -2 || !text_features(&m->v, line->at, line->n, m->row))
    return fail("", "out of memory");
  if (dtrt_call(m->session, m->entry, in, out)) return fail("", dtrt_session_error(m->session));
  bool good = positive >= 0.5f;
  printf("%s %.3f\n", good ? "positive" : "negative", (double)(good ? positive : 1 - positive));
  return !fflush(stdout) || fail("standard output", strerror(errno));
}

int main(int argc, char **argv) {
  Model m = {.session = NULL};
  TextBytes line = {0}, spare = {0};
  int got = 0;
  if (argc != 3) return fputs("usage: sentiment CHECKPOINT VOCABULARY < reviews.txt\n", stderr), 2;
  bool ok = open_model(&m, argv[1], argv[2]);
  while (ok && (got = text_line(stdin, &line)) > 0) ok = classify(&m, &line, &spare);
  if (ok && got == -1) ok = fail("standard input", strerror(errno));
  if (ok && got < 0)
    ok = fail("standard input", got == -2 ? "a line of more than 16 MiB" : "out of memory");
  dtrt_close(m.session);
  text_free_vocabulary(&m.v);
  free(m.row);
  free(line.at);
  free(spare.at);
  return !ok;
}
