/* Programs on the host's own communicators, for mpiexec -n 4: two halves that run two programs at
 * the same moment, all ranks in another order, and two programs side by side on the same ranks. */
#include <dtgc.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int failures, world;
#define CHECK(what)                                                                                \
  do {                                                                                             \
    if (!(what)) {                                                                                 \
      fprintf(stderr, "rank %d: %s:%d: %s\n", world, __FILE__, __LINE__, #what);                   \
      failures++;                                                                                  \
    }                                                                                              \
  } while (0)

static const char sum_model[] = "entry add(x: f32[8]) { return s = sum(x) }\n"
                                "layout x = [a]\n";
static const char count_model[] = "layer counter() {\n"
                                  "  state total: f32[8] = zeros()\n"
                                  "  apply(x) { total <- total + x\n return total }\n"
                                  "}\n"
                                  "count = counter()\n"
                                  "entry step(x: f32[8]) { return total = count(x) }\n"
                                  "layout count.total = [a]\n";

static dtgc_program *compile(const char *model, const char *mesh, const MPI_Comm *on) {
  dtgc_program *p = NULL;
  dtgc_options o = {.mesh = mesh, .mpi_comm = on};
  if (dtgc_compile_string("model.dtg", model, &o, &p)) fprintf(stderr, "%s\n", dtgc_error(p));
  return p;
}

static void check_sum(dtgc_program *p, float scale) {
  float x[8], s = 0;
  for (int i = 0; i < 8; i++) x[i] = (float)i * scale;
  dtgc_buffer in[] = {{"x", x, sizeof x}}, out[] = {{"s", &s, sizeof s}};
  if (dtgc_run(p, "add", in, 1, out, 1)) fprintf(stderr, "%s\n", dtgc_error(p));
  CHECK(s == 28 * scale);
}

static void check_count(dtgc_program *p, int times) {
  float x[8], total[8];
  for (int i = 0; i < 8; i++) x[i] = (float)i;
  dtgc_buffer in[] = {{"x", x, sizeof x}}, out[] = {{"total", total, sizeof total}};
  for (int k = 1; k <= times; k++) {
    if (dtgc_run(p, "step", in, 1, out, 1)) fprintf(stderr, "%s\n", dtgc_error(p));
    for (int i = 0; i < 8; i++) CHECK(total[i] == (float)(i * k));
  }
}

/* Each half goes its own way, and the host's own messages go between them meanwhile. */
static void halves(void) {
  MPI_Comm half;
  int here = world / 2, mine = world, got = -1;
  MPI_Comm_split(MPI_COMM_WORLD, here, world, &half);
  dtgc_program *p = compile(here ? count_model : sum_model, "a=2", &half);
  CHECK(p && dtgc_devices(p) == 2 && dtgc_start(p) == DTGC_OK);
  MPI_Comm_free(&half); /* what runs has one of its own */
  if (here) {
    check_count(p, 20);
    MPI_Send(&mine, 1, MPI_INT, world - 2, 17, MPI_COMM_WORLD);
  } else {
    check_sum(p, 1);
    MPI_Recv(&got, 1, MPI_INT, world + 2, 17, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(got == world + 2);
    for (int k = 0; k < 5; k++) check_sum(p, (float)k);
  }
  dtgc_free(p);
}

/* The ranks of the communicator are the devices, so device 0 is the world's last. */
static void reversed_and_two(void) {
  MPI_Comm all;
  MPI_Comm_split(MPI_COMM_WORLD, 0, 4 - world, &all);
  dtgc_program *a = compile(sum_model, "a=4", &all), *b = compile(count_model, "a=2,b=2", &all);
  CHECK(a && b);
  check_sum(a, 2);
  check_count(b, 3);
  check_sum(a, 3);
  dtgc_run(b, "init", NULL, 0, NULL, 0);
  check_count(b, 2);
  dtgc_free(a);
  dtgc_free(b);
  MPI_Comm_free(&all);
}

static const char line_model[] = "import \"optim\"\n"
                                 "const batch = 4\n"
                                 "layer linear() {\n"
                                 "  param w: f32[4] = zeros()\n"
                                 "  apply(x) { return x @ w }\n"
                                 "}\n"
                                 "line = linear()\n"
                                 "opt = sgd(line, lr=0.1)\n"
                                 "entry train(x: f32[batch, 4], y: f32[batch]) {\n"
                                 "  d = line(x) - y\n"
                                 "  loss = mean(d * d)\n"
                                 "  opt.minimize(loss)\n"
                                 "  return loss\n"
                                 "}\n";

static int count_steps(void *user, dtgc_program *p, const dtgc_pass *at) {
  float w[4];
  CHECK(!dtgc_get(p, "line.w", w, sizeof w)); /* between steps, on all ranks */
  *(int *)user += at->rows > 0;
  return 0;
}

/* 10 rows in batches of 4: the ranks of the communicator compile the short batch together. */
static void fit_and_blocks(void) {
  MPI_Comm all;
  MPI_Comm_split(MPI_COMM_WORLD, 0, 4 - world, &all);
  float x[10][4], y[10], w[4], alone[4], block[2];
  int steps = 0, rank;
  for (int i = 0; i < 10; i++) {
    for (int j = 0; j < 4; j++) x[i][j] = (float)((i * 3 + j) % 5) / 5;
    y[i] = x[i][0] - x[i][2];
  }
  MPI_Comm_rank(all, &rank);
  const dtgc_feed feed[] = {{"x", .data = x, .rows = 10}, {"y", .data = y, .rows = 10}};
  dtgc_fit_options fit = {.train = {.entry = "train", .feed = feed, .nfeed = 2},
                          .epochs = 3,
                          .shuffle = 1,
                          .on_step = count_steps,
                          .user = &steps};
  const char *layouts[] = {"x=[a,_]", "line.w=[b]"};
  dtgc_options o = {.mesh = "a=2,b=2", .layout = layouts, .nlayouts = 2, .mpi_comm = &all};
  dtgc_program *p = NULL, *q = NULL;
  CHECK(!dtgc_compile_string("line.dtg", line_model, &o, &p) && !dtgc_fit(p, &fit));
  CHECK(steps == 9 && !dtgc_get(p, "line.w", w, sizeof w));
  o = (dtgc_options){.transport = "self"};
  CHECK(!dtgc_compile_string("line.dtg", line_model, &o, &q) && !dtgc_fit(q, &fit));
  CHECK(!dtgc_get(q, "line.w", alone, sizeof alone));
  for (int i = 0; i < 4; i++) CHECK(w[i] - alone[i] < 1e-6f && alone[i] - w[i] < 1e-6f);

  /* Each rank gives and takes its own block alone. */
  dtgc_block mine = {NULL, rank, block, sizeof block};
  int64_t first, count;
  CHECK(!dtgc_local_devices(p, &first, &count) && first == rank && count == 1);
  CHECK(!dtgc_unpack(p, "line.w", &mine, 1) && !memcmp(block, w + rank % 2 * 2, sizeof block));
  block[0] = (float)(rank % 2), block[1] = 7;
  CHECK(!dtgc_pack(p, "line.w", &mine, 1) && !dtgc_get(p, "line.w", w, sizeof w));
  CHECK(w[0] == 0 && w[1] == 7 && w[2] == 1 && w[3] == 7);
  mine.device = (rank + 1) % 4;
  CHECK(dtgc_pack(p, "line.w", &mine, 1) == DTGC_BAD_ARGUMENT);
  CHECK(strstr(dtgc_error(p), "does not belong to this process"));
  dtgc_free(p);
  dtgc_free(q);
  MPI_Comm_free(&all);
}

static void refusals(void) {
  MPI_Comm half, self = MPI_COMM_SELF;
  MPI_Comm_split(MPI_COMM_WORLD, world / 2, world, &half);
  dtgc_program *p = compile(sum_model, "a=3", &half);
  CHECK(dtgc_start(p) == DTGC_BAD_ARGUMENT && strstr(dtgc_error(p), "2 MPI ranks"));
  dtgc_free(p);
  MPI_Comm_free(&half);
  dtgc_options o = {.mesh = "a=4", .mpi_comm = &self, .transport = "threads"};
  CHECK(dtgc_compile_string("model.dtg", sum_model, &o, &p) == DTGC_BAD_ARGUMENT);
  CHECK(strstr(dtgc_error(p), "mpi_comm"));
  dtgc_free(p);
}

int main(int argc, char **argv) {
  int ranks, level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 4) {
    fprintf(stderr, "run with mpiexec -n 4\n");
    return 2;
  }
  halves();
  reversed_and_two();
  fit_and_blocks();
  refusals();
  MPI_Barrier(MPI_COMM_WORLD); /* the host's MPI is still the host's */
  MPI_Finalize();
  return failures != 0;
}
