/* Two programs of one model side by side: one trains on eight devices, one serves single images on
 * one device and gets the weights after each epoch. cc train_and_serve.c $(pkg-config --cflags
 * --libs dtgc) -o train_and_serve
 *   ./train_and_serve ../digits */
#include <dtgc.h>
#include <stdio.h>

enum { EPOCHS = 5, TRAINED_ON = 1500, PIXELS = 64 };

static const char serve_text[] = "entry serve(image: u8[batch, 64]) {\n"
                                 "  p = softmax(model(f32(image) / 16))\n"
                                 "  return digit = argmax(p, axis=1), sure = max(p, axis=1)\n"
                                 "}\n";

typedef struct Server {
  dtgc_program *program;
  dtgc_status failed;
} Server;

static void show(void *user, const dtgc_message *m) {
  (void)user;
  fputs(m->rendered, stderr);
}

static int fail(const char *what, const dtgc_program *p) {
  fprintf(stderr, "%s: %s\n", what, dtgc_error(p));
  return 1;
}

/* A seven as it was scanned. */
static const unsigned char seven[PIXELS] = {
    0, 0, 7, 8, 13, 16, 15, 1,  0, 0, 7, 7, 4,  11, 12, 0, 0, 0, 0, 0, 8, 13,
    1, 0, 0, 4, 8,  8,  15, 15, 6, 0, 0, 2, 11, 15, 15, 4, 0, 0, 0, 0, 0, 16,
    5, 0, 0, 0, 0,  0,  9,  15, 1, 0, 0, 0, 0,  0,  13, 5, 0, 0, 0, 0};

static int serve(dtgc_program *p, const unsigned char *image) {
  int32_t digit = -1;
  float sure = 0;
  dtgc_buffer in[] = {{"image", (void *)image, PIXELS}};
  dtgc_buffer out[] = {{"digit", &digit, sizeof digit}, {"sure", &sure, sizeof sure}};
  if (dtgc_run(p, "serve", in, 1, out, 2)) return fail("serve", p);
  printf("  the scan is a %d (%.0f %% sure)\n", digit, 100 * (double)sure);
  return 0;
}

/* Between epochs the weights go over, whole, whatever their layouts on either side. */
static int on_epoch(void *user, dtgc_program *p, const dtgc_pass *train, const dtgc_pass *eval) {
  Server *s = user;
  printf("epoch %d  loss %.3f  held out: loss %.3f, accuracy %.3f\n", (int)train->epoch,
         train->metric[0].mean, eval->metric[0].mean, eval->metric[1].mean);
  s->failed = dtgc_copy_variables(s->program, p, NULL);
  return s->failed || serve(s->program, seven);
}

static int train(dtgc_program *p, Server *s, const char *folder) {
  char pixels[512], labels[512];
  snprintf(pixels, sizeof pixels, "%s/data/digits.csv.gz:0-63", folder);
  snprintf(labels, sizeof labels, "%s/data/digits.csv.gz:64", folder);
  dtgc_feed feed[] = {{.name = "image", .file = pixels}, {.name = "label", .file = labels}};
  dtgc_fit_options o = {.train = {.entry = "train", .feed = feed, .nfeed = 2, .limit = TRAINED_ON},
                        .eval = {.entry = "eval", .feed = feed, .nfeed = 2, .skip = TRAINED_ON},
                        .epochs = EPOCHS,
                        .shuffle = 1,
                        .on_epoch = on_epoch,
                        .user = s};
  if (dtgc_fit(p, &o)) return fail("train", p);
  return s->failed ? fail("copy", s->program) : 0;
}

int main(int argc, char **argv) {
  const char *folder = argc > 1 ? argv[1] : "../digits";
  char model[512], layouts[512];
  snprintf(model, sizeof model, "%s/digits.dtg", folder);
  snprintf(layouts, sizeof layouts, "%s/mixed.dtg", folder);
  dtgc_program *trains = NULL;
  Server server = {0};

  dtgc_source both[] = {{.name = model}, {.name = layouts}};
  dtgc_source alone[] = {{.name = model}, {"serve", serve_text, sizeof serve_text - 1}};
  const char *one[] = {"batch=1"};
  dtgc_options o = {.message = show};
  int bad = dtgc_compile(both, 2, &o, &trains);
  o.define = one, o.ndefines = 1, o.transport = "self";
  bad = bad || dtgc_compile(alone, 2, &o, &server.program) || train(trains, &server, folder);
  dtgc_free(trains);
  dtgc_free(server.program);
  return bad;
}
