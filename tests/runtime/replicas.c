/* replicas.c [mpi]: a bit that differs between devices which hold the same block is found,
 * whichever variable, device and bit it is, and named; blocks that are no replicas may differ. So
 * is a device that took another way through a program. On threads, or under mpiexec with 4 or 2
 * ranks of a mesh of 4. */
#include <stdint.h>
#include "session.h"
#include "harness.h"

enum { A = 2, B = 2, VARS = 4 };
static const dtrt_dim whole_dim = {.n = 9, .granule = 1}, by_a = {.n = 9, .granule = 1, .naxes = 1},
                      by_b = {.n = 9, .granule = 1, .naxes = 1, .axis = {1}},
                      by_ab = {.n = 9, .granule = 1, .naxes = 2, .axis = {0, 1}};
static const dtrt_layout whole = {1, 0, DTRT_SUM, &whole_dim}, cut_a = {1, 0, DTRT_SUM, &by_a},
                         cut_b = {1, 0, DTRT_SUM, &by_b}, cut_ab = {1, 0, DTRT_SUM, &by_ab};
static const dtrt_tensor vars[VARS] = {
    {.name = "w", .dtype = DTRT_F32, .layout = &whole, .offset = 0, .bytes = 36},
    {.name = "a", .dtype = DTRT_U8, .layout = &cut_a, .offset = 64, .bytes = 5},
    {.name = "b", .dtype = DTRT_F64, .layout = &cut_b, .offset = 128, .bytes = 40},
    {.name = "ab", .dtype = DTRT_F32, .layout = &cut_ab, .offset = 192, .bytes = 12}};

/* Of 9 elements of half a dim: 4 and 5. */
static int64_t block_bytes(int var, int device) {
  static const int size[] = {4, 1, 8, 4};
  int at = var == 1 ? device / B : var == 2 ? device % B : 0;
  int64_t n = var == 0 ? 9 : var == 3 ? 9 * (device + 1) / 4 - 9 * device / 4 : at ? 5 : 4;
  return n * size[var];
}

static dtrt_session *open_it(Fixture *f, const char *transport) {
  int mesh[] = {A, B};
  harness_program(f, 2, mesh, 4096);
  f->program.nvars = VARS;
  f->program.var = vars;
  f->program.vars_bytes = 256;
  return harness_open(f, transport);
}

/* Flips a bit of one device's block; `peer` is the lowest device that holds the same, or -1. */
static void try(const char *transport, int var, int device, int64_t byte, int peer) {
  Fixture f;
  char want[160];
  dtrt_session *s = open_it(&f, transport);
  if (!s) return;
  const Comm *c = s->comm;
  CHECK(dtrt_check_replicas(s) == DTRT_OK, "%s", dtrt_session_error(s));
  if (device >= c->first && device < c->first + c->count)
    s->device[device - c->first].pub.vars[vars[var].offset + byte] ^= 0x10;
  dtrt_status status = dtrt_check_replicas(s);
  int wrong = device == peer ? -1 : device; /* the lowest is the measure, so another is named */
  if (peer < 0) {
    CHECK(status == DTRT_OK, "%s of device %d: %s", vars[var].name, device, dtrt_session_error(s));
  } else {
    snprintf(want, sizeof want, "replicas differ: variable %s has different bits on device ",
             vars[var].name);
    const char *why = dtrt_session_error(s);
    CHECK(status == DTRT_FAILED && !strncmp(why, want, strlen(want)), "%s of device %d: %s",
          vars[var].name, device, why);
    if (wrong >= 0) CHECK(atoi(why + strlen(want)) == wrong, "device %d: %s", device, why);
    CHECK(dtrt_check_replicas(s) == DTRT_FAILED, "a failed session is used");
  }
  dtrt_close(s);
}

/* A condition that came to something else on one device, though no variable shows it. */
static void try_ways(const char *transport, int device) {
  static const char want[] =
      "devices took different ways: a condition of a loop or a branch came to another "
      "value on device ";
  Fixture f;
  dtrt_session *s = open_it(&f, transport);
  if (!s) return;
  const Comm *c = s->comm;
  const uint8_t yes = 1, no = 0;
  for (int d = 0; d < c->count; d++) {
    CHECK(dtrt_holds(&s->device[d].pub, &yes), "a condition that holds");
    CHECK(!dtrt_holds(&s->device[d].pub, &no), "one that does not");
  }
  CHECK(dtrt_check_replicas(s) == DTRT_OK, "%s", dtrt_session_error(s));
  for (int d = 0; d < c->count; d++)
    dtrt_holds(&s->device[d].pub, c->first + d == device ? &no : &yes);
  const dtrt_status status = dtrt_check_replicas(s);
  const char *why = dtrt_session_error(s);
  CHECK(status == DTRT_FAILED && !strncmp(why, want, strlen(want)), "device %d: %s", device, why);
  CHECK(atoi(why + strlen(want)) == (device ? device : 1), "device %d: %s", device, why);
  dtrt_close(s);
}

int main(int argc, char **argv) {
  const char *transport = argc > 1 ? argv[1] : "threads";
  for (int device = 0; device < A * B; device++)
    for (int var = 0; var < VARS; var++) {
      int peer = var == 0 ? 0 : var == 1 ? device / B * B : var == 2 ? device % B : -1;
      int64_t n = block_bytes(var, device), step = argc > 1 ? n : 1;
      for (int64_t byte = (device + var) % n; byte < n; byte += step)
        try(transport, var, device, byte, peer);
    }
  for (int device = 0; device < A * B; device++) try_ways(transport, device);
  return harness_result();
}
