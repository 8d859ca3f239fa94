/* cli.c: shared by the commands: messages, suggestions for misspelled names, opening the session,
 * text of types. */
#include "cli.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_usage(const cli *c, const char *format, ...) {
  if (c->quiet) return CLI_USAGE;
  va_list list;
  va_start(list, format);
  fflush(stdout);
  fprintf(stderr, "%s: ", c->prog);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  va_end(list);
  return CLI_USAGE;
}

int cli_fail(const cli *c, const char *why) {
  fflush(stdout);
  if (c->rank > 0) {
    usleep(1000000);
    fprintf(stderr, "%s: rank %d: %s\n", c->prog, c->rank, why);
  } else {
    fprintf(stderr, "%s: %s\n", c->prog, why);
  }
  return CLI_FAILED;
}

void cli_note(const cli *c, const char *note) {
  if (c->quiet || !*note) return;
  fflush(stdout);
  fprintf(stderr, "%s: %s\n", c->prog, note);
}

void cli_note_set(const cli *c, const data_set *set) {
  for (int i = 0; i < set->entry->nin; i++) {
    bool said = false; /* by another input that reads the same file */
    for (int k = 0; k < i; k++) said = said || !strcmp(set->file[k]->note, set->file[i]->note);
    if (!said) cli_note(c, set->file[i]->note);
  }
}

int cli_session_failed(const cli *c, const dtrt_session *s) {
  const char *why = s ? dtrt_session_error(s) : "out of memory";
  return cli_fail(c, why && *why ? why : "the session failed");
}

/* Edit distance with swaps of neighbours (Damerau, restricted), for words of up to 63 letters. */
static int distance(const char *a, const char *b) {
  int row[3][64], n = (int)strlen(a), m = (int)strlen(b);
  if (n > 63 || m > 63) return 99;
  for (int j = 0; j <= m; j++) row[0][j] = j;
  for (int i = 1; i <= n; i++) {
    int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= m; j++) {
      int best = last[j - 1] + (a[i - 1] != b[j - 1]);
      if (last[j] + 1 < best) best = last[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          before[j - 2] + 1 < best)
        best = before[j - 2] + 1;
      now[j] = best;
    }
  }
  return row[n % 3][m];
}

void cli_near_start(cli_near *n, const char *word) {
  *n = (cli_near){.word = word, .distance = 1 + (int)strlen(word) / 3};
  if (n->distance < 2) n->distance = 2;
}

void cli_near_try(cli_near *n, const char *name) {
  int d = distance(n->word, name);
  if (d > n->distance || (n->best && d == n->distance) || d >= (int)strlen(name)) return;
  n->best = name;
  n->distance = d;
}

const char *cli_near_text(cli_near *n) {
  n->text[0] = '\0';
  if (n->best) snprintf(n->text, sizeof n->text, " (did you mean '%s'?)", n->best);
  return n->text;
}

void cli_type_text(const dtrt_tensor *t, char *text, size_t size) {
  size_t n = (size_t)snprintf(text, size, "%s[", dtrt_dtype_name(t->dtype));
  for (int d = 0; d < t->layout->rank && n < size; d++) {
    const char *name = t->dim_const ? t->dim_const[d] : NULL;
    n += (size_t)snprintf(text + n, size - n, "%s%s%s%lld", d ? ", " : "", name ? name : "",
                          name ? "=" : "", (long long)t->layout->dim[d].n);
  }
  if (n < size) snprintf(text + n, size - n, "]");
}

void cli_mesh_text(const dtrt_program *p, char *text, size_t size) {
  int64_t devices = 1;
  for (int i = 0; i < p->naxes; i++) devices *= p->axis_size[i];
  size_t n = (size_t)snprintf(text, size, "%lld device%s%s", (long long)devices,
                              devices == 1 ? "" : "s", p->naxes ? ", mesh [" : "");
  for (int i = 0; i < p->naxes && n < size; i++)
    n += (size_t)snprintf(text + n, size - n, "%s%s=%d%s", i ? ", " : "", p->axis_name[i],
                          p->axis_size[i], i + 1 < p->naxes ? "" : "]");
}

void cli_print_footprint(const dtrt_session *s) {
  for (int d = 0; d < dtrt_session_ndevices(s); d++) {
    dtrt_memory m = dtrt_device_memory(s, d);
    if (m.total < 0) continue;
    printf("device %d: took %lld bytes: variables %lld, arena %lld, packing %lld, exchanges %lld\n",
           d, (long long)m.total, (long long)m.variables, (long long)m.arena, (long long)m.packing,
           (long long)m.exchanges);
  }
}
