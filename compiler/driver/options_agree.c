/* Whether the options of a command line go together (options.h). */
#include "dtgc.h"
#include "options.h"
#include <stdio.h>
#include <string.h>

/* An option with whether it was given. */
typedef struct OtherOption {
  const char *option;
  bool given;
} OtherOption;

static const char *first_given(const OtherOption *of, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (of[i].given) return of[i].option;
  return NULL;
}

static bool check_calibrate(const Options *o, char *why, int n) {
  const OtherOption others[] = {
      {"a .dtg file", o->nfiles}, {"a C file", o->nhosts}, {"-D", o->ndefines},
      {"--layout", o->nlayouts}, {"-I", o->nimport_dirs}, {"--dump", o->ndumps},
      {"--also", o->nalsos}, {"--mesh", o->mesh}, {"--emit-c", o->emit_c},
      {"--emit-html", o->emit_html}, {"--cpu", o->cpu}, {"--machine", o->machine},
      {"--time", o->time}, {"--why", o->nwhys}, {"--diff", o->diff}, {"--auto", o->automatic},
      {"--strict-layouts", o->strict_layouts}, {"--precision", o->precision},
      {"--disable", o->ndisables}, {"-O", o->optimize}, {"--no-lines", o->no_lines},
      {"this option", o->loader || o->sums || o->repeat_saves || o->drop_exchange}};
  const char *wrong = NULL, *other = first_given(others, sizeof others / sizeof *others);
  if (other)
    snprintf(why, (size_t)n,
             "calibrate takes -o, --transport, --devices and --quick only, not %s", other);
  else if (o->output && !*o->output)
    wrong = "-o: the name is empty";
  else if (o->transport && strcmp(o->transport, "self") == 0)
    wrong = "calibrate measures links: --transport must be threads or mpi";
  if (wrong) snprintf(why, (size_t)n, "%s", wrong);
  return !wrong && !other;
}

static bool check_verify(const Options *o, char *why, int n) {
  const OtherOption others[] = {
      {"a C source, object or archive", o->nhosts}, {"--dump", o->ndumps}, {"--also", o->nalsos},
      {"-o", o->output}, {"--emit-c", o->emit_c}, {"--emit-html", o->emit_html},
      {"--why", o->nwhys}, {"--diff", o->diff}, {"--auto", o->automatic},
      {"--transport", o->transport}, {"--devices", o->devices}, {"--quick", o->quick}};
  const char *other = first_given(others, sizeof others / sizeof *others);
  if (o->nfiles && !other) return true;
  if (o->nfiles)
    snprintf(why, (size_t)n,
             "verify takes files, an entry, --feed, --steps, --tolerance, --seed, --json and "
             "compiler options (dtgc --help), not %s", other);
  else
    snprintf(why, (size_t)n, "expected a .dtg file");
  return false;
}

/* --dump=layouts --json is the stage layouts:json. */
static bool take_json(Options *o, char *why, int n) {
  const char *const *stages = dtgc_stages();
  for (int i = 0; i < o->ndumps; i++) {
    size_t len = strlen(o->dump[i]);
    int k = 0;
    while (stages[k] && (strncmp(stages[k], o->dump[i], len) || strcmp(stages[k] + len, ":json")))
      k++;
    if (!stages[k]) {
      snprintf(why, (size_t)n,
               "--dump=%s does not support --json; layouts, comm, memory and cost do", o->dump[i]);
      return false;
    }
    o->dump[i] = stages[k];
  }
  if (o->ndumps) return true;
  snprintf(why, (size_t)n, "--json goes with verify or --dump, or after fit or call");
  return false;
}

bool options_agree(Options *o, char *why, int n) {
  const char *wrong = NULL;
  if (o->help || o->version || o->ops) return true;
  if (o->cores && !o->run) {
    snprintf(why, (size_t)n, "--cores goes with run: cores are shared out when the program starts");
    return false;
  }
  for (int i = 0; o->cores && i < o->nrest; i++)
    if (!strcmp(o->rest[i], "--cores") || !strncmp(o->rest[i], "--cores=", 8)) {
      snprintf(why, (size_t)n, "--cores is given twice: before and after `%s`", o->rest[0]);
      return false;
    }
  if (o->verify) return check_verify(o, why, n);
  if (o->nfeeds || o->steps || o->tolerance > 0) {
    snprintf(why, (size_t)n,
             "--feed, --steps and --tolerance go with verify, or after fit or call");
    return false;
  }
  if (o->json && !take_json(o, why, n)) return false;
  if (o->calibrate) return check_calibrate(o, why, n);
  if (o->nfiles == 0)
    wrong = "expected a .dtg file";
  else if (o->nhosts && !o->output)
    wrong = "C sources, objects and archives go with -o";
  else if (o->run && (o->output || o->emit_c || o->emit_html || o->nalsos))
    wrong = "-o, --also, --emit-c and --emit-html do not go with run";
  else if (o->run && (o->nwhys || o->diff))
    wrong = "--why and --diff do not go with run";
  else if (o->devices || o->quick)
    wrong = "--devices and --quick go with calibrate";
  else if (o->automatic && (o->run || o->output || o->emit_c || o->emit_html || o->diff))
    wrong = "--auto writes layouts: it does not go with run, -o, --emit-c, --emit-html or --diff";
  else if (o->nalsos && !o->output)
    wrong = "--also goes with -o";
  else if (!o->run && o->transport && !o->output)
    wrong = "--transport goes with -o or run";
  else if (o->output && !*o->output)
    wrong = "-o: the name is empty";
  else if (o->output && o->transport && strcmp(o->transport, "self") == 0)
    wrong =
        "-o takes --transport=threads only; without it, the executable supports threads and mpi";
  if (wrong) snprintf(why, (size_t)n, "%s", wrong);
  return !wrong;
}
