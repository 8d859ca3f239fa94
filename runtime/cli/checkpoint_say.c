/* checkpoint_say.c: what the parts of `dtgc checkpoint` say alike. */
#include <stdio.h>
#include "checkpoint_command.h"
#include "tensor_file.h"

int checkpoint_command_fail(const checkpoint_command *c, const char *why) {
  fflush(stdout);
  fprintf(stderr, "%s: %s\n", c->prog, why);
  return COMMAND_FAILED;
}

void checkpoint_type_text(const checkpoint_var *v, int kind, char *text, size_t size) {
  if (kind < 0)
    snprintf(text, size, "?");
  else
    tensor_file_type_text(kind, v->rank, v->shape, text, size);
}
