/* A program with a limit of memory computes values again to keep it, and gives the same bits:
 * losses and all variables after some steps, on one device and on four, with random draws among
 * what is recomputed. A limit that nothing can keep is an error that lists the live buffers and the
 * bytes that can be kept.
 *
 *   memory_limits SCALE      the folder with gpt.dtg and its layouts */
#include <dtgc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 4, BATCH = 4, SEQ = 32, TOKENS = BATCH * SEQ, MOST = 64 };

static const char *const sizes[] = {"blocks=4", "batch=4",  "seq=32",   "width=32",
                                    "heads=4",  "vocab=16", "rate=1e-2"};

/* What dropout draws forward is drawn again backward, whatever else the entry has. */
#define DROPPING(LOOP)                                                                             \
  "import \"nn\"\nimport \"optim\"\nconst batch = 1024\n"                                          \
  "layer net() {\n  d1 = dense(64, 64)\n  d2 = dense(64, 64)\n  d3 = dense(64, 64)\n"              \
  "  apply(x) {\n    h = dropout(tanh(d1(x)), 0.5)\n    h = dropout(tanh(d2(h)), 0.5)\n"           \
  "    return dropout(tanh(d3(h)), 0.5)\n  }\n}\n"                                                 \
  "model = net()\nopt = sgd(model, lr=1e-2)\n"                                                     \
  "entry train(x: f32[batch, 64]) {\n" LOOP "  y = model(x)\n  loss = mean(y * y)\n"               \
  "  opt.minimize(loss)\n  return loss\n}\n"
static const char dropping[] = DROPPING("");
static const char idle[] = DROPPING("  z = x\n  repeat i in 0..3 { z = z * 2 }\n");

/* What an entry does to variables that devices share decides where those of all entries lie: four
 * steps in one entry; one of them under a limit would have set apart others than without it. */
#define STEP(N)                                                                                    \
  "  y = model(f16(x))\n  loss" #N " = mean((f32(y) - t) ** 2)\n  opt.minimize(loss" #N ")\n"
static const char sharing[] =
    "import \"nn\"\nimport \"optim\"\nmesh [d=2]\nlayout x = [d, ...]\n"
    "fn pool(x) { return max_pool(x, [2, 2]) }\nfn flat(x) { return reshape(x, [12, 20]) }\n"
    "model = sequential([conv_layer(2, 4, [3, 3], act=relu, type=f16), batch_norm(4, type=f16), "
    "pool,\n"
    "  conv_layer(4, 5, [3, 3], stride=2, act=elu, type=f16), flat, dense(20, 3, type=f16)])\n"
    "opt = adafactor(model)\n"
    "entry train(x: f32[12, 8, 8, 2], t: f32[12, 3]) {\n" STEP(0) STEP(1) STEP(2)
        STEP(3) "  return loss = loss0 + loss1 + loss2 + loss3\n}\n";

static int failures;
#define CHECK(what)                                                                                \
  do {                                                                                             \
    if (!(what)) fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what), failures++;            \
  } while (0)

typedef struct Case {
  dtgc_source source[2];
  int n;
  dtgc_options o;
} Case;

static char heard[8192];
static void hear(void *user, const dtgc_message *m) {
  (void)user;
  size_t n = strlen(heard);
  snprintf(heard + n, sizeof heard - n, "%s", m->rendered);
}

static dtgc_program *compile(const Case *c, uint64_t memory) {
  dtgc_options o = c->o;
  dtgc_program *p = NULL;
  o.memory = memory;
  o.message = hear;
  heard[0] = 0;
  dtgc_compile(c->source, c->n, &o, &p);
  return p;
}

static dtgc_memory predicted(dtgc_program *p) {
  dtgc_memory m = {0};
  CHECK(dtgc_memory_predicted(p, &m) == DTGC_OK);
  return m;
}

/* The loss of each step, then all variables: malloc'ed, *n bytes. */
static char *train(dtgc_program *p, size_t *n) {
  size_t room = STEPS * sizeof(float);
  for (int v = 0; v < dtgc_vars(p); v++) {
    dtgc_tensor t;
    dtgc_var(p, v, &t);
    room += t.bytes;
  }
  char *out = calloc(1, room), *at = out + STEPS * sizeof(float);
  dtgc_buffer in[2];
  int nin = dtgc_inputs(p, "train");
  for (int i = 0; i < nin; i++) {
    dtgc_tensor t;
    dtgc_input(p, "train", i, &t);
    in[i] = (dtgc_buffer){t.name, malloc(t.bytes), t.bytes};
    for (int64_t k = 0; k < t.count; k++) {
      if (t.dtype == DTGC_F32)
        ((float *)in[i].data)[k] = (float)((k * 37 + 11) % 64) / 64 - 0.5f;
      else
        ((int32_t *)in[i].data)[k] = (int32_t)((k * 7 + i) % 16);
    }
  }
  for (int s = 0; s < STEPS; s++) {
    dtgc_buffer loss = {"loss", out + (size_t)s * sizeof(float), sizeof(float)};
    if (dtgc_run(p, "train", in, nin, &loss, 1)) fprintf(stderr, "%s\n", dtgc_error(p)), failures++;
  }
  for (int v = 0; v < dtgc_vars(p); v++) {
    dtgc_tensor t;
    dtgc_var(p, v, &t);
    CHECK(dtgc_get(p, t.name, at, t.bytes) == DTGC_OK);
    at += t.bytes;
  }
  for (int i = 0; i < nin; i++) free(in[i].data);
  *n = room;
  return out;
}

/* With `share` of what the arena takes without a limit. The dump says `said`. */
static void check_case(const Case *c, const char *name, double share, const char *said) {
  dtgc_program *plain = compile(c, 0);
  dtgc_memory m = predicted(plain), got;
  uint64_t limit = (uint64_t)m.variables + (uint64_t)((double)m.arena * share);
  dtgc_program *small = compile(c, limit);
  dtgc_memory s = predicted(small);
  char *text = NULL;
  size_t n, k;
  CHECK((uint64_t)(s.variables + s.arena) <= limit && s.variables == m.variables);
  CHECK(dtgc_dump(small, "memory", &text) == DTGC_OK && strstr(text, said));
  dtgc_free_text(text);
  char *a = train(plain, &n), *b = train(small, &k);
  CHECK(n == k && !memcmp(a, b, n));
  CHECK(*(float *)(void *)a > 0 && memcmp(a, a + sizeof(float), sizeof(float)));
  CHECK(dtgc_memory_measured(small, 0, &got) == DTGC_OK && got.arena <= s.arena);
  CHECK((uint64_t)(got.variables + got.arena) <= limit);
  printf("%s: arena %lld -> %lld\n", name, (long long)m.arena, (long long)s.arena);
  free(a);
  free(b);
  dtgc_free(plain);
  dtgc_free(small);
}

static void check_refusal(const Case *c) {
  dtgc_program *p = compile(c, 100000);
  CHECK(dtgc_errors(p) > 0);
  CHECK(strstr(heard, "entry train does not fit 100000 bytes a device"));
  CHECK(strstr(heard, "are live at the peak"));
  dtgc_free(p);
}

/* The bytes that an error tells are enough, and so is every limit above them. */
static void check_told(const char *model) {
  static const char *const large[] = {"blocks=12", "batch=8"};
  const Case gpt = {{{.name = model}}, 1, {.define = large, .ndefines = 2}};
  dtgc_free(compile(&gpt, 200000000));
  const char *told = strstr(heard, "entry train does not fit");
  told = told ? strstr(told, "requires ") : NULL;
  const uint64_t least = told ? strtoull(told + strlen("requires "), NULL, 10) : 0;
  CHECK(least > 200000000);
  for (uint64_t limit = least; limit < least * 5 / 4; limit += least / 16) {
    dtgc_program *p = compile(&gpt, limit);
    CHECK(dtgc_errors(p) == 0);
    const dtgc_memory m = predicted(p);
    CHECK((uint64_t)(m.variables + m.arena) <= limit);
    dtgc_free(p);
  }
}

int main(int argc, char **argv) {
  char model[1024], layouts[1024];
  if (argc < 2) return 2;
  snprintf(model, sizeof model, "%s/gpt.dtg", argv[1]);
  snprintf(layouts, sizeof layouts, "%s/megatron.dtg", argv[1]);
  Case gpt = {{{.name = model}, {.name = layouts}},
              1,
              {.define = sizes, .ndefines = (int)(sizeof sizes / sizeof *sizes), .seed = 3}};
  Case four = gpt, drops = {{{.name = "drops.dtg", .text = dropping, .bytes = sizeof dropping - 1}},
                            1,
                            {.seed = 5}};
  const Case shares = {
      {{.name = "shares.dtg", .text = sharing, .bytes = sizeof sharing - 1}}, 1, {.seed = 3}};
  const char *const stored = "is recomputed in step";
  four.n = 2;
  four.o.mesh = "data=2,model=2";
  check_case(&gpt, "gpt, one device", 0.6, stored);
  check_case(&four, "gpt, four devices", 0.7, stored);
  check_case(&drops, "dropout", 0.85, stored);
  drops.source[0].text = idle, drops.source[0].bytes = sizeof idle - 1;
  check_case(&drops, "a loop that nothing needs", 0.85, stored);
  check_case(&shares, "steps that share variables", 0.9, "to fit");
  check_refusal(&gpt);
  check_told(model);
  return failures != 0;
}
