/* order.c: the compiler's check that every device can run the steps and meets the same exchanges in
 * the same order (verify_exchanges): a good plan passes, and each way to break it is found. */
#include "op_list.h"
#include "verify_plan.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* x: f32[8, 4] partial over a, y the same; sum = all-reduce(x) + all-reduce(y). */
enum { X, Y, RX, RY, SUM, GATHER, NODES };

typedef struct Fixture {
  Program program;
  Plan plan;
  LocalEntry le;
  Entry entry;
} Fixture;

static Layout layout_with(uint32_t partial, int axis) {
  Layout l = {.rank = 2, .partial = partial, .dim = {{.granule = 1}, {.granule = 1}}};
  if (axis >= 0) l.dim[0].axis[l.dim[0].naxes++] = axis;
  return l;
}

static const Layout *made(Fixture *f, const Layout *l) {
  Layout *copy = arena_new_of(f->plan.arena, Layout);
  *copy = *l;
  return copy;
}

static void add(Fixture *f, Op op, int n, const NodeId *operands, const Layout *l) {
  Node node = {.op = op,
               .dtype = DT_F32,
               .shape = {2, {8, 4}},
               .noperands = n,
               .operand = operands,
               .layout = made(f, l)};
  graph_add(f->le.graph, &node);
}

static void step(Fixture *f, StepKind kind, int n, const NodeId *nodes) {
  Step s = {.kind = kind};
  for (int i = 0; i < n; i++) vec_push(f->plan.arena, &s.nodes, nodes[i]);
  vec_push(f->plan.arena, &f->le.steps, s);
}

static Fixture *fixture(void) {
  static Fixture f;
  Arena *a = arena_new();
  f = (Fixture){.program = {.arena = a}, .plan = {.arena = a}, .entry = {.name = "train"}};
  f.program.mesh = (Mesh){.naxes = 2, .axis = {{.name = "a", .size = 2}, {.name = "b", .size = 3}}};
  f.program.layouts = layout_set_new(a, &f.program.mesh);
  f.plan.program = &f.program;
  f.le = (LocalEntry){.entry = &f.entry, .graph = graph_new(a, VIEW_LOCAL, 0)};
  Layout terms = layout_with(1, -1), whole = layout_with(0, -1), split = layout_with(0, 0);
  add(&f, &op_input, 0, NULL, &terms);
  add(&f, &op_input, 0, NULL, &terms);
  add(&f, &op_exchange, 1, (NodeId[]){X}, &whole);
  add(&f, &op_exchange, 1, (NodeId[]){Y}, &whole);
  add(&f, op_operator("+", 2), 2, (NodeId[]){RX, RY}, &whole);
  add(&f, &op_exchange, 1, (NodeId[]){SUM}, &split);
  f.le.stored = arena_array(a, bool, NODES);
  for (int i = 0; i < NODES; i++) f.le.stored[i] = true;
  step(&f, STEP_EXCHANGE, 2, (NodeId[]){RX, RY});
  step(&f, STEP_MAP, 1, (NodeId[]){SUM});
  step(&f, STEP_EXCHANGE, 1, (NodeId[]){GATHER});
  return &f;
}

static int failures;

/* The check in a process of its own, since a breach ends it. Takes the fixture as it is now. */
static void expect(const Fixture *f, const char *law) {
  int fd[2], status = 0;
  char said[1024] = "";
  if (pipe(fd)) exit(2);
  pid_t child = fork();
  if (child == 0) {
    dup2(fd[1], 2);
    verify_exchanges(&f->plan, &f->le, "memory");
    _exit(0);
  }
  close(fd[1]);
  ssize_t n = read(fd[0], said, sizeof said - 1);
  if (n < 0) n = 0;
  close(fd[0]);
  waitpid(child, &status, 0);
  bool fine = law ? WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(said, law) &&
                        strstr(said, "entry train")
                  : WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (fine) return;
  fprintf(stderr, "wanted `%s`, found `%s`, status %x\n", law ? law : "no breach", said, status);
  failures++;
}

/* The first step and its end, `wait` steps later. */
static Fixture *in_flight(int wait) {
  Fixture *f = fixture();
  f->le.steps.at[0].slot = 1;
  step(f, STEP_WAIT, 2, (NodeId[]){RX, RY});
  Step end = f->le.steps.at[3];
  end.slot = 1;
  for (int t = 3; t > wait; t--) f->le.steps.at[t] = f->le.steps.at[t - 1];
  f->le.steps.at[wait] = end;
  return f;
}

static void swap(Fixture *f, int s, int t) {
  Step keep = f->le.steps.at[s];
  f->le.steps.at[s] = f->le.steps.at[t];
  f->le.steps.at[t] = keep;
}

int main(void) {
  Fixture *f = fixture();
  expect(f, NULL);
  f->le.steps.at[0].nodes.at[0] = RY, f->le.steps.at[0].nodes.at[1] = RX;
  expect(f, "not in the order of the graph");
  f = fixture(), swap(f, 0, 1);
  expect(f, "a step reads a value that no earlier step computes");
  f = fixture(), swap(f, 1, 2);
  expect(f, "a step reads a value that no earlier step computes");
  f = fixture(), step(f, STEP_EXCHANGE, 1, (NodeId[]){RX});
  expect(f, "an exchange is executed twice");
  f = fixture(), step(f, STEP_MAP, 1, (NodeId[]){GATHER});
  expect(f, "an exchange in a loop");
  f = fixture(), f->le.steps.at[1].kind = STEP_EXCHANGE;
  expect(f, "another op");
  f = fixture(), f->le.steps.at[0].nodes.at[1] = GATHER; /* which depends on the first */
  expect(f, "of several kinds, or a copy");
  f = fixture(),
  graph_node(f->le.graph, Y)->layout =
      made(f, &(Layout){.rank = 2, .partial = 2, .dim = {{.granule = 1}, {.granule = 1}}});
  expect(f, "with different axes, groups or reduction ops");
  f = fixture(), graph_node(f->le.graph, Y)->dtype = DT_F64;
  expect(f, "changes its tensor");
  f = fixture(), graph_node(f->le.graph, Y)->dtype = graph_node(f->le.graph, RY)->dtype = DT_F64;
  expect(f, "with different axes, groups or reduction ops");
  Layout l = layout_with(1, 0);
  f = fixture(), graph_node(f->le.graph, X)->layout = made(f, &l);
  expect(f, "both splits a tensor and is partial");
  l = layout_with(0, 5);
  f = fixture(), graph_node(f->le.graph, GATHER)->layout = made(f, &l);
  expect(f, "an axis that the mesh does not have");
  l = layout_with(0, 0);
  l.dim[0].window = (Window){.of = 8, .mul = 1, .div = 1, .first = -1, .last = 1};
  f = fixture(), graph_node(f->le.graph, SUM)->layout = made(f, &l);
  expect(f, "from a layout with windows");
  expect(in_flight(1), NULL);
  expect(in_flight(2), "a step reads a value that no earlier step computes");
  f = in_flight(1), f->le.steps.at[1].slot = 2;
  expect(f, "a wait for an exchange that was not started");
  f = in_flight(1), f->le.steps.at[1].nodes.n = 1;
  expect(f, "a wait for an exchange that was not started");
  f = in_flight(1), f->le.steps.at[3].slot = 3;
  expect(f, "an exchange is never awaited");
  f = in_flight(1), swap(f, 0, 1);
  expect(f, "a wait for an exchange that was not started");
  f = in_flight(1), f->le.steps.at[0].slot = f->le.steps.at[1].slot = DTRT_SLOTS + 1;
  expect(f, "too many exchanges in flight");
  if (failures) fprintf(stderr, "%d checks failed\n", failures);
  return failures != 0;
}
