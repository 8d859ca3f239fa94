/* checkpoint_command.h: `dtgc checkpoint`: its arguments, and the commands that implement it. None
 * of them holds more than a buffer of a tensor. */
#ifndef DTG_RUNTIME_CHECKPOINT_COMMAND_H
#define DTG_RUNTIME_CHECKPOINT_COMMAND_H
#include "checkpoint.h"

enum { COMMAND_OK, COMMAND_FAILED, COMMAND_USAGE }; /* of diff, as of diff(1): 1 is `they differ` */

typedef struct checkpoint_command {
  const char *prog;    /* "dtgc checkpoint" */
  const char *word[3]; /* what follows the command */
  int nwords;
  const char *output; /* -o */
  int files;          /* --files; 0: not given */
  bool bf16, params;
} checkpoint_command;

int checkpoint_cat(const checkpoint_command *c);
int checkpoint_diff(const checkpoint_command *c);
int checkpoint_reshard(const checkpoint_command *c);

int checkpoint_command_fail(const checkpoint_command *c, const char *why); /* COMMAND_FAILED */
/* "f32[3, 4]"; "?" for a type that dtg does not have */
void checkpoint_type_text(const checkpoint_var *v, int kind, char *text, size_t size);

/* A variable in its row-major order, in boxes of at most CHECKPOINT_BUFFER bytes of a dtype. */
typedef struct checkpoint_walk {
  checkpoint_reader reader;
  const checkpoint_var *v;
  int dtype;
  int64_t size; /* of an element */
  int dim; /* that is cut; those inside it are whole, of those outside it one index at a time */
  int64_t most; /* indices of it at a time */
  int64_t lo[DTRT_MAX_RANK], hi[DTRT_MAX_RANK];
  bool begun, ended;
  char *data;
  int64_t count; /* elements in data */
  bool failed;   /* why has the reason */
} checkpoint_walk;
/* why: of CHECKPOINT_WHY bytes. A walk that did not open is closed as well. */
bool checkpoint_walk_open(checkpoint_walk *w, const checkpoint *c, const checkpoint_var *v,
                          int dtype, char *why);
bool checkpoint_walk_next(checkpoint_walk *w); /* false at the end or when it failed */
void checkpoint_walk_close(checkpoint_walk *w);
#endif
