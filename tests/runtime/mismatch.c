/* mismatch.c: ranks that were given different programs are told so, each by name, and none waits.
 * Under mpiexec; rank 1 has the odd one. */
#include <stdint.h>
#include "harness.h"

static dtrt_dim dim = {.n = 64, .granule = 1}, cut = {.n = 64, .granule = 1, .naxes = 1};
static const dtrt_layout partial = {1, 1, DTRT_SUM, &dim}, whole = {1, 0, DTRT_SUM, &dim};
static const dtrt_layout split = {1, 0, DTRT_SUM, &cut};
static dtrt_exchange reduce = {.kind = DTRT_ALL_REDUCE,
                               .dtype = DTRT_F32,
                               .axes = 1,
                               .from = &partial,
                               .to = &whole,
                               .what = "x",
                               .where = "a.dtg:1"},
                     gather = {.kind = DTRT_ALL_GATHER,
                               .dtype = DTRT_F32,
                               .axes = 1,
                               .from = &split,
                               .to = &whole,
                               .what = "y",
                               .where = "a.dtg:2"};
static const dtrt_exchange *list[2];

static void run(dtrt_device *dev) {
  for (int i = 0; i < 2; i++) dtrt_run_exchange(dev, list[i], dev->arena, dev->arena + 512);
}

static void try(const char *odd, int nranks, int rank) {
  static const dtrt_step steps[] = {{.what = "all-reduce of x", .where = "a.dtg:1"},
                                    {.what = "all-gather of y", .where = "a.dtg:2"}},
                         swapped[] = {{.what = "all-gather of y", .where = "a.dtg:2"},
                                      {.what = "all-reduce of x", .where = "a.dtg:1"}};
  static const dtrt_step moved[] = {{.what = "all-reduce of x", .where = "b.dtg:9"},
                                    {.what = "all-gather of y", .where = "b.dtg:8"}};
  Fixture f;
  int size[] = {nranks};
  dtrt_options o = {.transport = "mpi"};
  bool mine = rank == 1;
  harness_program(&f, 1, size, 4096);
  dtrt_entry *e = harness_entry(&f, "train", run);
  e->nsteps = 2;
  e->step = mine && !strcmp(odd, "steps") ? swapped : mine && !strcmp(odd, "file") ? moved : steps;
  if (mine && !strcmp(odd, "entries")) e->name = "eval";
  if (mine && !strcmp(odd, "seed")) o.seed = 7;
  static const uint64_t same[] = {1, 2}, other[] = {1, 3};
  static char long_text[3000], long_other[3000];
  memset(long_text, 'x', sizeof long_text - 1);
  memset(long_other, 'x', sizeof long_other - 1);
  long_other[2900] = 'y';
  const dtrt_const consts[] = {{"a", "1"},
                               {"text", mine && !strcmp(odd, "long") ? long_other : long_text},
                               {"b", mine && !strcmp(odd, "const") ? "3" : "2"},
                               {"c", "7"}};
  f.program.code = mine && !strcmp(odd, "code") ? other : same;
  f.program.constant = consts;
  f.program.nconsts = mine && !strcmp(odd, "fewer") ? 3 : 4;
  list[0] = mine && !strcmp(odd, "exchanges") ? &gather : &reduce;
  list[1] = list[0] == &gather ? &reduce : &gather;
  for (int i = 0; i < 2; i++) ((dtrt_exchange *)(uintptr_t)list[i])->id = i;
  dim.n = cut.n = mine && !strcmp(odd, "sizes") ? 65 : 64;
  f.program.nexchanges = 2;
  f.program.exchange = list;
  if (mine && !strcmp(odd, "mesh")) {
    f.program.naxes = 2;
    f.size[0] = 1;
    f.size[1] = nranks;
    cut.axis[0] = 1;
  }
  const dtrt_link links[] = {{1e9, mine && !strcmp(odd, "links of the machine") ? 2e-6 : 1e-6, 0},
                             {1e9, 1e-6, 0}};
  f.program.link = links;
  dtrt_session *s = NULL;
  dtrt_status status = dtrt_open(&f.program, &o, &s);
  cut.axis[0] = 0;
  if (!strcmp(odd, "") || !strcmp(odd, "file")) {
    CHECK(status == DTRT_OK, "%s", dtrt_session_error(s));
    CHECK(dtrt_call(s, 1, NULL, NULL) == DTRT_OK, "%s", dtrt_session_error(s));
  } else {
    char want[160];
    const char *what = !strcmp(odd, "steps")   ? "entries"
                       : !strcmp(odd, "sizes") ? "exchanges"
                                               : odd;
    snprintf(want, sizeof want, "rank 1 runs a different program than rank 0: its %s differ", what);
    if (!strcmp(odd, "entries")) /* says more than that entries differ */
      strcpy(want, "rank 1 has the hash of entry `eval`'s code where rank 0 has the hash of entry "
                   "`train`'s code; all");
    if (!strcmp(odd, "code"))
      strcpy(want, "the hash of entry `train`'s code is "
                   "0000000000000003 on rank 1, but 0000000000000002 on rank 0; all ranks must");
    if (!strcmp(odd, "const"))
      strcpy(want, "const `b` is 3 on rank 1, but 2 on rank 0; all ranks must");
    if (!strcmp(odd, "long")) strcpy(want, "const `text` is xxxxxxxxx");
    if (!strcmp(odd, "fewer"))
      strcpy(want, "rank 1 has the hash of entry `init`'s code "
                   "where rank 0 has const `c`; all");
    CHECK(status == DTRT_INVALID, "%s: opened", odd);
    CHECK(!strncmp(dtrt_session_error(s), want, strlen(want)), "%s: %s", odd,
          dtrt_session_error(s));
  }
  dtrt_close(s);
}

int main(void) {
  const int rank = dtrt_launch_rank(), size = dtrt_launch_size();
  if (size < 2) return fprintf(stderr, "start it with mpiexec\n"), 2;
  static const char *const odd[] = {
      "",      "file", "exchanges", "steps", "entries", "seed",  "exchanges",
      "sizes", "mesh", "code",      "const", "long",    "fewer", "links of the machine",
      ""};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) try(odd[i], size, rank);
  return harness_result();
}
