/* The stages of --dump that a plan has. */
#include "edits.h"
#include "pipeline.h"
#include <string.h>

bool report_dump(const Plan *p, const FrontOptions *front, const char *stage, Str *out) {
  static const struct {
    const char *name;
    void (*dump)(const Plan *p, Str *out);
    bool wraps;
  } stages[] = {
#define STAGE(NAME, DUMP, WRAPS) {NAME, DUMP, WRAPS},
#include "stages.def"
  };
  Str text = str_new(p->arena);
  for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
    if (stages[i].dump && !strcmp(stage, stages[i].name)) {
      stages[i].dump(p, stages[i].wraps ? &text : out);
      report_wrap(text.at, out);
      return true;
    }
  if (!strncmp(stage, "loops:", 6)) return pipeline_show((Plan *)p, stage + 6, dump_loops, out);
  if (!strcmp(stage, "comm"))
    dump_comm(p, front, &text);
  else if (!strcmp(stage, "edits"))
    edits_put(edits_try(p, front, edits_many(p), 10 * EDITS_SECOND), &text);
  else
    return false;
  report_wrap(text.at, out);
  return true;
}
