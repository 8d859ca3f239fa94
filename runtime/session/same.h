/* same.h: what ranks must have in common beyond the shape of their program: consts, code, options,
 * files. Each has a list of texts; if two lists differ the first difference is named, with both
 * ranks and both values. Costs one small message if all agree. */
#ifndef DTG_RUNTIME_SAME_H
#define DTG_RUNTIME_SAME_H
#include "data.h"
#include "session.h"

enum { SAME_TEXT = 480 };

typedef struct same_list {
  char (*text)[SAME_TEXT]; /* [n] "const `lr`" and its value behind a line end */
  int n;
  bool broken; /* out of memory */
} same_list;

/* `what` names one thing; a longer value is cut off, but compared by `hash` too. */
__attribute__((format(printf, 4, 5))) void same_add(same_list *l, const char *what, uint64_t hash,
                                                    const char *value, ...);
void same_free(same_list *l);
/* Collective. `at`: where the ranks are. */
dtrt_status session_same(dtrt_session *s, const char *at, const same_list *l);

/* Consts, and the code of each entry. */
void same_program(same_list *l, const dtrt_program *p);
uint64_t same_hash(const same_list *l);
/* The job of the session's files. Collective. */
spool_job session_job(dtrt_session *s);
/* The files of a set, by content: their paths may differ. `option` is "--feed". */
void same_files(same_list *l, const char *option, const data_set *set);
#endif
