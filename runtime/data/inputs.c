/* inputs.c: reads whole inputs of one step from files or arrays, for hosts that run entries
 * themselves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "data.h"
#include "plural.h"

/* The entry with the inputs alone that are fed. */
static int fed_inputs(const dtrt_entry *e, const dtrt_feed *feed, int n, dtrt_tensor *in, int *at) {
  /* No batch is short here, so its size need not be a const. */
  static const char *const batch[DTRT_MAX_RANK] = {"batch"};
  int fed = 0;
  for (int i = 0; i < e->nin; i++)
    for (int k = 0; k < n; k++) {
      if (strcmp(feed[k].name, e->in[i].name) != 0) continue;
      at[fed] = i, in[fed] = e->in[i];
      in[fed++].dim_const = batch;
    }
  return fed;
}

static bool read_all(data_set *set, const dtrt_entry *fed, const int *at, int64_t step,
                     void *const *in, char *why) {
  if (!set->whole) {
    int64_t full = set->limit / set->batch;
    if (full == 0) {
      snprintf(why, 256, "the files hold %lld row%s, and a batch of '%s' has %lld",
               (long long)set->limit, PLURAL(set->limit), fed->name, (long long)set->batch);
      return false;
    }
    set->first = step % full * set->batch;
  }
  for (int i = 0; i < fed->nin; i++) {
    const dtrt_layout *l = fed->in[i].layout;
    int64_t lo[DTRT_MAX_RANK + 1] = {0}, hi[DTRT_MAX_RANK + 1] = {0};
    for (int d = 0; d < l->rank; d++) hi[d] = l->dim[d].n;
    if (data_fill(set, 0, i, lo, hi, in[at[i]], why)) return false;
  }
  return true;
}

static const char *wrong_arguments(const dtrt_program *p, int entry, const dtrt_feed *feed,
                                   int nfeed, void *const *in) {
  if (!p) return "the program is NULL";
  if (entry < 0 || entry >= p->nentries) return "the program has no entry of this number";
  if (nfeed < 0) return "the number of feeds is below 0";
  if (nfeed && !feed) return "feed is NULL";
  for (int i = 0; i < nfeed; i++)
    if (!feed[i].name) return "a feed has no name";
  return !in && p->entry[entry].nin ? "in is NULL" : NULL;
}

dtrt_status dtrt_read_inputs(const dtrt_program *p, int entry, const dtrt_feed *feed, int nfeed,
                             int64_t step, void *const *in, char *why, int n) {
  const char *wrong = wrong_arguments(p, entry, feed, nfeed, in);
  if (wrong) {
    if (why && n > 0) snprintf(why, (size_t)n, "%s", wrong);
    return DTRT_INVALID;
  }
  const dtrt_entry *e = &p->entry[entry];
  dtrt_tensor *t = calloc((size_t)e->nin + 1, sizeof *t);
  int *at = calloc((size_t)e->nin + 1, sizeof *at);
  data_pair *pair = calloc((size_t)nfeed + 1, sizeof *pair);
  data_set set;
  char text[768] = "out of memory";
  bool good = t && at && pair;
  for (int i = 0; good && i < nfeed; i++)
    pair[i] = (data_pair){feed[i].name, feed[i].file, feed[i].data, feed[i].rows};
  dtrt_entry fed = {.name = e->name, .in = t};
  if (good) fed.nin = fed_inputs(e, feed, nfeed, t, at);
  if (good && fed.nin) {
    good = data_open(&set, &fed, pair, nfeed, true, 0, 0, NULL, text, sizeof text) ||
           data_open(&set, &fed, pair, nfeed, false, 0, 0, NULL, text, sizeof text);
    if (good) {
      good = read_all(&set, &fed, at, step, in, text);
      data_close(&set);
    }
  }
  if (!good && why && n > 0) snprintf(why, (size_t)n, "%s", text);
  free(t);
  free(at);
  free(pair);
  return good ? DTRT_OK : DTRT_INVALID;
}
