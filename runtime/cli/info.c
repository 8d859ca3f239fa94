/* info.c: `info` and `--help`: the contents of a compiled program, in aligned columns, from its
 * tables alone. Devices are started only among several ranks, which are compared at that time: one
 * that is given another command would wait for this one. */
#include "cli.h"
#include <stdlib.h>
#include <string.h>
#include "block.h"
#include "cpus.h"
#include "launcher.h"
#include "plural.h"

static void put(char *text, size_t size, const char *more) {
  size_t n = strlen(text);
  if (n < size) snprintf(text + n, size - n, "%s", more);
}

static int64_t largest_block(const dtrt_program *p, const dtrt_dim *d) {
  BlockMesh m = {.naxes = p->naxes}; /* block_most asks for sizes alone */
  for (int i = 0; i < p->naxes; i++) m.size[i] = p->axis_size[i];
  return block_most(&m, d);
}

static void local_text(const dtrt_program *p, const dtrt_layout *l, char *text, size_t size) {
  char one[32];
  snprintf(text, size, "[");
  for (int d = 0; d < l->rank; d++) {
    snprintf(one, sizeof one, "%s%lld", d ? ", " : "", (long long)largest_block(p, &l->dim[d]));
    put(text, size, one);
  }
  put(text, size, "]");
}

static void bytes_text(int64_t bytes, char *text, size_t size) {
  static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double v = (double)bytes;
  int u = 0;
  for (; v >= 1024 && u < 4; u++) v /= 1024;
  snprintf(text, size, "%.*f %s", u ? (v < 10 ? 2 : 1) : 0, v, unit[u]);
}

static int64_t block_bytes(const dtrt_program *p, const dtrt_tensor *t) {
  int64_t n = dtrt_dtype_size(t->dtype);
  for (int d = 0; d < t->layout->rank; d++) n *= largest_block(p, &t->layout->dim[d]);
  return n;
}

enum { COLUMNS = 6, CELL = 256 };

/* Rows are kept until their columns' widths are known. */
typedef struct table {
  char (*cell)[COLUMNS][CELL];
  int rows, room;
} table;

static char (*table_row(table *t))[CELL] {
  if (t->rows == t->room) {
    t->room = 2 * t->room + 16;
    void *bigger = realloc(t->cell, (size_t)t->room * sizeof *t->cell);
    if (!bigger) return NULL;
    t->cell = bigger;
  }
  memset(t->cell[t->rows], 0, sizeof *t->cell);
  return t->cell[t->rows++];
}

static void table_tensor(table *t, const dtrt_program *p, const char *role, const dtrt_tensor *x) {
  char(*cell)[CELL] = table_row(t);
  if (!cell) return;
  snprintf(cell[0], CELL, "%s", role);
  snprintf(cell[1], CELL, "%s", x->name);
  cli_type_text(x, cell[2], CELL);
  block_layout_text(p, x->layout, cell[3], CELL);
  local_text(p, x->layout, cell[4], CELL);
  bytes_text(block_bytes(p, x), cell[5], CELL);
}

static void table_print(table *t) {
  size_t width[COLUMNS] = {0};
  for (int r = 0; r < t->rows; r++)
    for (int k = 0; k < COLUMNS; k++)
      if (strlen(t->cell[r][k]) > width[k]) width[k] = strlen(t->cell[r][k]);
  for (int r = 0; r < t->rows; r++) {
    fputs("  ", stdout);
    for (int k = 0; k + 1 < COLUMNS; k++)
      if (width[k]) printf("%-*s  ", (int)width[k], t->cell[r][k]);
    printf("%*s\n", (int)width[COLUMNS - 1], t->cell[r][COLUMNS - 1]);
  }
  free(t->cell);
  *t = (table){0};
}

static void table_head(table *t, const char *role, const char *name) {
  char(*cell)[CELL] = table_row(t);
  if (!cell) return;
  const char *const words[COLUMNS] = {role, name, "type", "layout", "a device", "bytes"};
  for (int k = 0; k < COLUMNS; k++) snprintf(cell[k], CELL, "%s", words[k]);
}

static void info_entry(const dtrt_program *p, const dtrt_entry *e) {
  table t = {0};
  printf("\nentry %s%s\n", e->name, e->assigns ? " (changes variables)" : "");
  table_head(&t, "", "name");
  for (int i = 0; i < e->nin; i++) table_tensor(&t, p, "input", &e->in[i]);
  for (int i = 0; i < e->nout; i++) table_tensor(&t, p, "output", &e->out[i]);
  table_print(&t);
}

static void info_vars(const dtrt_program *p, int trainable, const char *title) {
  table t = {0};
  int n = 0;
  for (int i = 0; i < p->nvars; i++) {
    if ((p->var[i].trainable != 0) != trainable) continue;
    if (!n++) {
      printf("\n%s\n", title);
      table_head(&t, "", "path");
    }
    table_tensor(&t, p, "", &p->var[i]);
  }
  table_print(&t);
}

/* These splits were not annotated, so they are named. */
static void info_shared(const dtrt_program *p) {
  int params = 0, states = 0, named = 0;
  for (int i = 0; i < p->nvars; i++)
    if (p->var[i].lent == DTRT_SHARED_UPDATE) *(p->var[i].trainable ? &params : &states) += 1;
  if (params + states == 0) return;
  printf("\nno layout is annotated; split so that each device updates a part (shared weight "
         "update):\n ");
  for (int i = 0; i < p->nvars; i++) {
    if (p->var[i].lent != DTRT_SHARED_UPDATE || !p->var[i].trainable) continue;
    if (++named <= 4) printf("%s %s", named > 1 ? "," : "", p->var[i].name);
  }
  if (named > 4) printf(" and %d more parameters", named - 4);
  if (states) printf("%s %d state%s", params ? " and" : "", states, states > 1 ? "s" : "");
  printf("\n  `layout NAME = replicated` replicates a parameter and its optimizer state\n");
}

static void info_memory(const dtrt_program *p) {
  char vars[32], arena[32], all[32];
  int64_t most = 0;
  int64_t trainable = 0;
  for (int i = 1; i < p->nentries; i++)
    if (p->entry[i].arena_bytes > most) most = p->entry[i].arena_bytes;
  for (int i = 0; i < p->nvars; i++)
    if (p->var[i].trainable) trainable += dtrt_tensor_count(&p->var[i]);
  bytes_text(p->vars_bytes, vars, sizeof vars);
  bytes_text(most, arena, sizeof arena);
  bytes_text(p->vars_bytes + most, all, sizeof all);
  printf("\nmemory of a device: %s of variables and %s of arena, together %s\n", vars, arena, all);
  printf("trainable values in all: %lld\n", (long long)trainable);
}

/* Where --bind puts the devices when all run on this host. */
static int info_bind(const cli *c) {
  const dtrt_program *p = c->program;
  cpus_core *core;
  int devices = 1, n = cpus_list(&core);
  char why[512];
  for (int i = 0; i < p->naxes; i++) devices *= p->axis_size[i];
  int each = n / devices;
  if (each < 1) each = 1;
  printf("\n%d core%s of this host:", n, n == 1 ? "" : "s");
  for (int i = 0; i < n; i++) printf(" %d (node %d)", core[i].cpu, core[i].node);
  putchar('\n');
  bool fits = (int64_t)each * devices <= n;
  for (int d = 0; fits && d < devices; d++) {
    int first = cpus_first(n, devices, d);
    printf("device %d:", d);
    if (c->bind == DTRT_BIND_NUMA) printf(" node %d", core[first].node);
    for (int k = 0; c->bind == DTRT_BIND_CORE && k < each; k++)
      printf("%s CPU %d", k ? "," : "", core[first + k].cpu);
    putchar('\n');
  }
  free(core);
  if (fits) return CLI_OK;
  snprintf(why, sizeof why, "--bind: %d device%s of %d core%s cannot be bound to %d core%s",
           devices, PLURAL(devices), each, each == 1 ? "" : "s", n, PLURAL(n));
  return cli_fail(c, why);
}

int info_run(const cli *given) {
  cli copy = *given, *c = &copy;
  const dtrt_program *p = c->program;
  char mesh[512];
  if (launcher_find().size > 1) {
    dtrt_session *s = cli_open(c);
    if (!s) return CLI_FAILED;
    dtrt_close(s);
  }
  if (c->quiet) return CLI_OK;
  cli_mesh_text(p, mesh, sizeof mesh);
  printf("%s: %s\n", p->name, mesh);
  for (int i = 1; i < p->nentries; i++) info_entry(p, &p->entry[i]);
  info_vars(p, 1, "parameters");
  info_vars(p, 0, "states");
  info_shared(p);
  info_memory(p);
  if (c->layouts && p->layouts) printf("\n%s", p->layouts);
  if (c->bind) return info_bind(c);
  return CLI_OK;
}

static void help_entry(const dtrt_entry *e, FILE *to) {
  char type[256];
  fprintf(to, "  %s\n", e->name);
  for (int i = 0; i < e->nin; i++) {
    cli_type_text(&e->in[i], type, sizeof type);
    fprintf(to, "      %s %-14s %s\n", "--feed", e->in[i].name, type);
  }
  for (int i = 0; i < e->nout; i++) {
    cli_type_text(&e->out[i], type, sizeof type);
    fprintf(to, "      %s %-14s %s\n", "gives ", e->out[i].name, type);
  }
}

static const char usage[] =
    "usage: %s info [--layouts]\n"
    "       %s call ENTRY --feed NAME=FILE ... [--out NAME=FILE.npy|-] ... [--seed N]\n"
    "       %s fit ENTRY --feed NAME=FILE ... --epochs N|--steps N [options]\n";

static const char details[] =
    "FILE is .npy, IDX or CSV, each also gzipped. CSV columns: FILE:0-63, FILE:64, FILE:0-3,7 "
    "(from 0).\n"
    "An array of an archive: FILE.npz:NAME. Raw records: FILE:u8[3073], FILE:u8[3073]:1-3072; one "
    "every 64\n"
    "bytes: FILE:u8[65]@64. Several files as one: 'data_*.bin', '{a,b}.npy'.\n"
    "A scalar input (shape []) also takes a number: --feed rate=0.1. `call` reads whole inputs; "
    "`fit` reads\n"
    "rows, a batch a step, and prints the means of the float scalar outputs over each epoch.\n"
    "\n"
    "options of fit:\n"
    "  --epochs N              passes over the data\n"
    "  --steps N               or total steps, over as many epochs as they take\n"
    "  --skip N, --limit N     leave out the first N rows; use the first N of what is left\n"
    "  --shuffle SEED          reshuffles rows each epoch, the same on every mesh\n"
    "  --stream ENTRY          row b of each step follows row b of the one before; ENTRY resets\n"
    "                          the states at the start of each pass\n"
    "  --drop-last             leave out the rows that do not fill a batch\n"
    "  --eval ENTRY            run it over the --eval-feed files after each epoch\n"
    "  --eval-feed NAME=FILE   its inputs\n"
    "  --report ENTRY          run it after each epoch and show its results\n"
    "  --eval-skip N, --eval-limit N\n"
    "                          as --skip and --limit, for these files\n"
    "  --prefetch N            number of batches read ahead by a thread (2); 0: none\n"
    "  --steps-per-call N      steps that devices run between two returns to the host at most;\n"
    "                          if not given, by their cost\n"
    "  --log FILE.csv          one line an epoch; FILE.jsonl: JSON lines\n"
    "  --log-steps FILE.csv    one line a step\n"
    "  --log-ranks FILE.csv    one line a step and rank, with its time and rows a second\n"
    "  --verify-every K        compare every K-th step with one device (dtgc run alone)\n"
    "  --stop-on-nan           end at the first value that is not finite\n"
    "  --check-replicas N      every N steps: compare the bits of replicated variables\n"
    "  --stragglers            every 100 steps and at the end: which ranks the others wait for, "
    "by\n"
    "                          exchange\n"
    "  --plain                 no progress bar\n"
    "  --save DIR              checkpoints in DIR/step-N: --every N steps (or `epoch`), the "
    "newest\n"
    "                          three kept (--keep K); --resume continues from the newest good "
    "one;\n"
    "                          --save-sync: training waits until it is on disk\n"
    "options of call:\n"
    "  --traffic               bytes that each device received and sent, and by which algorithms\n"
    "  --save PATH             the variables afterwards, as a checkpoint\n"
    "options of call and fit:\n"
    "  --footprint             the memory used by each device\n"
    "  --load PATH             start from the values of a checkpoint, .safetensors, .npz, .pt or "
    ".h5;\n"
    "                          --load-map FILE: lines `theirs -> ours`; --load-partial:\n"
    "                          missing values are reported, not rejected\n"
    "  --check-nan[=MODE]      stop at the first op that computes NaN or infinity (full, also "
    "without\n"
    "                          =MODE); cheap (default): check outputs and variables, warn once; "
    "off\n"
    "  --save-bf16             f32 parameters are rounded to bf16 on disk\n"
    "  --profile [FILE.json]   a table of what each step took, and a trace for Perfetto\n"
    "  --seed N                of all random values (0)\n"
    "  --transport T           self, threads or mpi\n"
    "  --devices-per-rank N    under mpiexec: threads of each process (devices / ranks)\n"
    "  --cores N               cores of each device (the host's cores, shared out)\n"
    "  --bind none|core|numa   bind devices to cores, or to NUMA nodes; of info: show where\n"
    "  --progress thread|poll  messages between hosts go on by a thread while devices compute "
    "(where\n"
    "                          the host has a core to spare), or only between steps\n"
    "  --timeout SECONDS       under mpiexec: maximum wait for another rank (600); 0: forever\n";

int help_run(const cli *c, FILE *to, int status) {
  const dtrt_program *p = c->program;
  char mesh[512];
  if (c->quiet) return status;
  cli_mesh_text(p, mesh, sizeof mesh);
  fprintf(to, usage, c->prog, c->prog, c->prog);
  fprintf(to, "\n%s runs on %s. Its entries:\n", p->name, mesh);
  for (int i = 1; i < p->nentries; i++) help_entry(&p->entry[i], to);
  fprintf(to, "\n%s", details);
  return status;
}
