/* same.c: see same.h. */
#include "same.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "file_digest.h"

static uint64_t same_mix(uint64_t h, const void *bytes, size_t n) { /* FNV-1a, mixed */
  const unsigned char *p = bytes;
  h ^= 0xcbf29ce484222325u;
  for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 0x100000001b3u;
  h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
  return h ^ h >> 32;
}

void same_add(same_list *l, const char *what, uint64_t hash, const char *value, ...) {
  if ((l->n & (l->n - 1)) == 0) { /* a power of two: full */
    char(*bigger)[SAME_TEXT] = realloc(l->text, (l->n ? 2 * (size_t)l->n : 1) * sizeof *bigger);
    if (!bigger) l->broken = true;
    if (!bigger) return;
    l->text = bigger;
  }
  char *to = l->text[l->n++];
  memset(to, 0, SAME_TEXT);
  memcpy(to, &hash, sizeof hash);
  size_t at = sizeof hash;
  at += (size_t)snprintf(to + at, SAME_TEXT / 2, "%s", what);
  if (at > SAME_TEXT / 2) at = SAME_TEXT / 2;
  to[at++] = '\n';
  va_list list;
  va_start(list, value);
  vsnprintf(to + at, SAME_TEXT - at, value, list);
  va_end(list);
}

void same_free(same_list *l) {
  free(l->text);
  *l = (same_list){0};
}

uint64_t same_hash(const same_list *l) {
  return l->n ? same_mix((uint64_t)l->n, l->text, (size_t)l->n * sizeof *l->text) : 0;
}

/* -------- naming the first difference -------- */

/* "rank 2 on host b" */
static void same_who(const Comm *c, int rank, char *text, size_t size) {
  bool away = c->nhosts > 1 && c->host;
  snprintf(text, size, "rank %d%s%s", rank, away ? " on host " : "", away ? c->host[rank] : "");
}

/* The text of item i on rank `from`. */
static dtrt_status same_text(dtrt_session *s, const char *at, const same_list *l, int i, int from,
                             char *text) {
  memset(text, 0, SAME_TEXT);
  if (i < l->n) memcpy(text, l->text[i], SAME_TEXT);
  dtrt_status status = session_spread(s, at, from, text, SAME_TEXT);
  text[SAME_TEXT - 1] = 0;
  return status;
}

static dtrt_status same_name(dtrt_session *s, const char *at, const same_list *l, int other,
                             int item) {
  static const char all[] = "all ranks must run the same program with the same arguments and files";
  char a[SAME_TEXT], b[SAME_TEXT], first[COMM_HOST + 32], second[COMM_HOST + 32];
  dtrt_status status = same_text(s, at, l, item, 0, a);
  if (status == DTRT_OK) status = same_text(s, at, l, item, other, b);
  if (status != DTRT_OK) return status;
  same_who(s->comm, 0, first, sizeof first);
  same_who(s->comm, other, second, sizeof second);
  char *what = a + sizeof(uint64_t), *mine = strchr(what, '\n');
  char *other_what = b + sizeof(uint64_t), *theirs = strchr(other_what, '\n');
  if (mine) *mine++ = 0;
  if (theirs) *theirs++ = 0;
  if (!mine || !theirs || strcmp(what, other_what) != 0)
    return session_error(s, DTRT_INVALID, "%s has %.200s where %s has %.200s; %s", second,
                         theirs ? other_what : "nothing", first, mine ? what : "nothing", all);
  return session_error(s, DTRT_INVALID, "%s is %.200s on %s, but %.200s on %s; %s", what, theirs,
                       second, mine, first, all);
}

/* The lowest rank that differs from rank 0, and its first item that does. */
static dtrt_status same_find(dtrt_session *s, const char *at, const same_list *l, int n) {
  int nranks = s->comm->nranks;
  size_t words = (size_t)n + 1;
  uint64_t *mine = calloc(words, sizeof *mine);
  uint64_t *all = calloc(words * (size_t)nranks, sizeof *all);
  dtrt_status status = mine && all ? DTRT_OK : session_error(s, DTRT_NO_MEMORY, "out of memory");
  if (status != DTRT_OK) s->comm->verbs->fail(s->comm, "out of memory to compare ranks");
  for (int i = 0; status == DTRT_OK && i < l->n && i < n; i++)
    mine[i] = same_mix(1, l->text[i], sizeof *l->text);
  if (status == DTRT_OK) status = session_gather_words(s, at, mine, n, all);
  int other = 0, item = 0;
  for (int r = 1; status == DTRT_OK && r < nranks && !other; r++)
    for (int i = 0; i < n && !other; i++)
      if (all[r * n + i] != all[i]) other = r, item = i;
  free(mine);
  free(all);
  return status == DTRT_OK && other ? same_name(s, at, l, other, item) : status;
}

dtrt_status session_same(dtrt_session *s, const char *at, const same_list *l) {
  int nranks = s->comm->nranks, most = l->n;
  if (nranks == 1 || !s->comm->verbs->faces) return DTRT_OK;
  uint64_t mine[] = {same_hash(l), (uint64_t)l->n}, *all = calloc((size_t)nranks, sizeof mine);
  if (!all || l->broken) {
    free(all);
    s->comm->verbs->fail(s->comm, "out of memory to compare ranks");
    return session_error(s, DTRT_NO_MEMORY, "out of memory");
  }
  dtrt_status status = session_gather_words(s, at, mine, 2, all);
  bool same = true;
  for (int r = 1; status == DTRT_OK && r < nranks; r++) {
    same = same && all[2 * r] == all[0];
    if ((int)all[2 * r + 1] > most) most = (int)all[2 * r + 1];
  }
  if (status == DTRT_OK && (int)all[1] > most) most = (int)all[1];
  free(all);
  return status == DTRT_OK && !same ? same_find(s, at, l, most) : status;
}

/* -------- what is compared -------- */

void same_program(same_list *l, const dtrt_program *p) {
  char what[SAME_TEXT];
  for (int i = 0; i < p->nconsts; i++) {
    snprintf(what, sizeof what, "const `%s`", p->constant[i].name);
    same_add(l, what, same_mix(0, p->constant[i].value, strlen(p->constant[i].value)), "%s",
             p->constant[i].value);
  }
  for (int i = 0; p->code && i < p->nentries; i++) {
    snprintf(what, sizeof what, "the hash of entry `%s`'s code", p->entry[i].name);
    same_add(l, what, 0, "%016llx", (unsigned long long)p->code[i]);
  }
}

void same_files(same_list *l, const char *option, const data_set *set) {
  for (int i = 0; i < set->entry->nin; i++) {
    const tensor_file *f = set->file[i];
    char what[SAME_TEXT], type[200];
    const char *spec = set->spec[i];
    if (!spec) continue; /* a host's array: each rank needs its own rows only */
    bool sampled = false;
    uint64_t sum = file_digest(f, &sampled);
    snprintf(what, sizeof what, "%s %s", option, set->entry->in[i].name);
    tensor_file_type_text(f->kind, f->rank, f->shape, type, sizeof type);
    if (!strcmp(f->format, "number"))
      same_add(l, what, sum, "%s", spec);
    else
      same_add(l, what, sum, "%s with checksum %08llx%s", type,
               (unsigned long long)sum & 0xffffffff, sampled ? " of a sample" : "");
  }
}
