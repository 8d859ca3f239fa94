/* The page that dtgc_html writes, read back: it is one page that fetches nothing; nothing of the
 * user's breaks out of its place; its data are JSON and say the same as the dumps. */
#include "../api/check.h"
#include "json.h"
#include <dtgc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char training[] = "import \"nn\"\n"
                               "import \"optim\"\n"
                               "layer mlp() {\n"
                               "  d1 = dense(20, 30, act=relu)\n"
                               "  d2 = dense(30, 10)\n"
                               "  apply(x) { return d2(d1(x)) }\n"
                               "}\n"
                               "model = mlp()\n"
                               "opt = adam(model)\n"
                               "entry train(x: f32[17, 20], label: u8[17]) {\n"
                               "  loss = mean(sparse_softmax_cross_entropy(model(x), label))\n"
                               "  opt.minimize(loss)\n"
                               "  return loss\n"
                               "}\n"
                               "mesh [batch=4, model=2]\n"
                               "layout x = [batch, _]\n"
                               "layout model.d1.w = [_, model]\n";

static const char halo[] = "mesh [h=2, w=3]\n"
                           "entry f(x: f32[4, 8, 9, 3], k: f32[3, 3, 3, 5]) {\n"
                           "  return y = conv(x, k), s = sum(x)\n"
                           "}\n"
                           "layout x = [_, h, w, _]\n"
                           "layout f.y = [_, h, w, _]\n";

static const char alone[] = "entry f(x: f32[0, 4]) { return y = x + 1, one = 1.0 }\n";

/* Every line of it has something that a page could stumble over. */
static const char hostile_line[] = "entry f(x: f32[6] on [a]) { return y = sum(x) # </script><!-- "
                                   "<b>\"\\ \t &amp; \xe2\x80\xa8\xc3\xa9";
static const char hostile_name[] = "x</script><img src=http:/\xff>.dtg";

/* -------- helpers -------- */

static dtgc_program *compile(const char *name, const char *text) {
  dtgc_program *p = NULL;
  dtgc_status s = dtgc_compile_string(name, text, NULL, &p);
  if (s) fprintf(stderr, "%s\n", dtgc_error(p));
  CHECK(s == DTGC_OK);
  if (s) exit(1);
  return p;
}

static char *page_of(dtgc_program *p) {
  char *text = NULL;
  CHECK(dtgc_html(p, &text) == DTGC_OK);
  if (!text) exit(1);
  return text;
}

static int times(const char *text, const char *part) {
  int n = 0;
  for (; *text; text++) n += strncasecmp(text, part, strlen(part)) == 0;
  return n;
}

/* The text of the data; its end is *n bytes on. */
static const char *data_of(const char *page, size_t *n) {
  static const char open[] = "<script type=\"application/json\" id=\"data\">";
  const char *at = strstr(page, open), *end = at ? strstr(at, "</script>") : NULL;
  CHECK(at && end);
  if (!at || !end) exit(1);
  at += strlen(open);
  *n = (size_t)(end - at);
  return at;
}

static Json *read_data(const char *page) {
  size_t n, wrong;
  const char *data = data_of(page, &n);
  Json *j = json_read(data, n, &wrong);
  if (!j) fprintf(stderr, "not JSON at: %.60s\n", data + wrong);
  CHECK(j);
  if (!j) exit(1);
  return j;
}

static const Json *get(const Json *o, const char *key) {
  const Json *j = json_get(o, key);
  if (!j) fprintf(stderr, "no \"%s\"\n", key);
  CHECK(j);
  if (!j) exit(1);
  return j;
}

/* -------- the form -------- */

static void check_form(const char *page) {
  static const char *const outside[] = {"://",     "src=",      "href",    "@import",   "fetch(",
                                        "XMLHttp", "WebSocket", "import(", "eval(",     "<iframe",
                                        "<link",   "<img",      "url(h",   "sendBeacon"};
  size_t n;
  const char *data = data_of(page, &n), *end = data + n;
  CHECK(strncmp(page, "<!DOCTYPE html>\n<html lang=\"en\">", 32) == 0);
  CHECK(strcmp(page + strlen(page) - 8, "</html>\n") == 0);
  CHECK(times(page, "<script") == 2 && times(page, "</script") == 2);
  CHECK(times(page, "<style") == 1 && times(page, "</style") == 1);
  for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
    const char *at = page;
    while ((at = strstr(at, outside[i])) && at >= data && at < end) at = end;
    if (at) fprintf(stderr, "the page has %s: %.40s\n", outside[i], at);
    CHECK(!at);
  }
  for (const char *c = data; c < end; c++)
    if (*c == '<' || *c == '>' || *c == '&' || ((unsigned char)*c < 32 && *c != '\n')) {
      fprintf(stderr, "the data has a bare %c\n", *c);
      failures++;
      return;
    }
}

/* -------- the data against the dumps -------- */

/* Entry `name`'s exchanges, in their order, beside the lines of --dump=comm. */
static const char *check_exchanges(const Json *entry, const char *comm) {
  const Json *list = get(entry, "exchanges");
  long sum = 0;
  for (int i = 0; i < list->n; i++) {
    const Json *x = &list->at[i];
    char kind[32], axes[64];
    long group, bytes;
    CHECK(x->n >= 8 && x->at[2].kind == JSON_STRING);
    if (strcmp(x->at[2].text, "copy") == 0) continue;
    const char *at = strstr(comm, " over (");
    CHECK(at);
    if (!at) return comm;
    while (at > comm && at[-1] != '\n') at--;
    CHECK(sscanf(at, " %31s over (%63[^)]) of %ld %ld bytes", kind, axes, &group, &bytes) == 4);
    CHECK(strcmp(kind, x->at[2].text) == 0);
    CHECK((long)x->at[4].number == group && (long)x->at[5].number == bytes);
    CHECK(x->at[6].kind == JSON_NUMBER && x->at[6].number > 0);
    sum += bytes;
    comm = strchr(strstr(at, " over ("), '\n');
  }
  CHECK((long)get(entry, "received")->number == sum);
  return comm;
}

static void check_memory(const Json *entry, const char *memory) {
  char head[128];
  long arena = -1, live = -1;
  snprintf(head, sizeof head, "entry %s: arena ", get(entry, "name")->text);
  const char *at = strstr(memory, head);
  CHECK(at && sscanf(at + strlen(head), "%ld bytes a device; %ld live", &arena, &live) == 2);
  CHECK((long)get(entry, "arena")->number == arena && (long)get(entry, "live")->number == live);
}

/* Numbers into tables are in range; operands come before their users. */
static void check_numbers(const Json *data, const Json *entry) {
  const Json *local = get(entry, "local"), *global = get(entry, "global");
  int names = get(data, "names")->n, types = get(data, "types")->n;
  int layouts = get(data, "layouts")->n, places = get(data, "places")->n;
  for (int i = 0; i < global->n; i++) {
    const Json *g = global->at[i].at;
    CHECK(global->at[i].n == 7 && g[0].number < names && g[1].number < names);
    CHECK(g[2].number < types && g[3].number < layouts && g[4].number < places);
  }
  for (int i = 0; i < local->n; i++) {
    const Json *n = local->at[i].at;
    CHECK(local->at[i].n == 7 && n[0].number < names && n[1].number < global->n);
    CHECK(n[2].number < types && n[3].number < layouts);
    for (int k = 0; k < n[4].n; k++) CHECK(n[4].at[k].number < i);
  }
}

static void check_program(const char *name, const char *text, int least_exchanges) {
  dtgc_program *p = compile(name, text);
  char *page = page_of(p), *comm = NULL, *memory = NULL;
  CHECK(dtgc_dump(p, "comm", &comm) == DTGC_OK && dtgc_dump(p, "memory", &memory) == DTGC_OK);
  check_form(page);
  Json *data = read_data(page);
  const Json *entries = get(data, "entries");
  const char *at = comm;
  int n = 0;
  CHECK(entries->n == dtgc_entries(p) + 1); /* and init */
  CHECK(get(data, "vars")->n == dtgc_vars(p));
  for (int e = 0; e < entries->n; e++) {
    at = check_exchanges(&entries->at[e], at);
    check_memory(&entries->at[e], memory);
    check_numbers(data, &entries->at[e]);
    n += get(&entries->at[e], "exchanges")->n;
  }
  CHECK(at && !strstr(at, " over (")); /* the dump has no more */
  CHECK(n >= least_exchanges);
  dtgc_program *again = compile(name, text);
  char *same = page_of(again);
  CHECK(strcmp(page, same) == 0);
  json_free(data);
  dtgc_free_text(page);
  dtgc_free_text(same);
  dtgc_free_text(comm);
  dtgc_free_text(memory);
  dtgc_free(again);
  dtgc_free(p);
}

/* -------- text of the user's -------- */

static void check_hostile(void) {
  char text[512];
  snprintf(text, sizeof text, "mesh [a=2]\n%s\n}\n", hostile_line);
  dtgc_program *p = compile(hostile_name, text);
  char *page = page_of(p);
  check_form(page);
  Json *data = read_data(page);
  const Json *files = get(data, "files"), *line = json_get(&files->at[0].at[1], "2");
  CHECK(line && line->kind == JSON_STRING && strcmp(line->text, hostile_line) == 0);
  CHECK(strcmp(files->at[0].at[0].text, "x</script><img src=http:/\xef\xbf\xbd>.dtg") == 0);
  CHECK(times(page, "<title>") == 1 && !strstr(page, "<title></script") && !strchr(page, '\xff'));
  json_free(data);
  dtgc_free_text(page);
  dtgc_free(p);
}

static void check_refusals(void) {
  dtgc_program *p = NULL;
  char *text = (char *)"";
  CHECK(dtgc_html(NULL, &text) == DTGC_BAD_ARGUMENT && !text);
  CHECK(dtgc_compile_string("bad.dtg", "entry f( {", NULL, &p) == DTGC_BAD_SOURCE);
  CHECK(dtgc_html(p, &text) == DTGC_BAD_ARGUMENT && !text);
  dtgc_free(p);
  p = compile("alone.dtg", alone);
  CHECK(dtgc_html(p, NULL) == DTGC_BAD_ARGUMENT && strstr(dtgc_error(p), "NULL"));
  dtgc_free(p);
}

int main(void) {
  check_program("training.dtg", training, 2);
  check_program("halo.dtg", halo, 2);
  check_program("alone.dtg", alone, 0);
  check_hostile();
  check_refusals();
  if (failures) fprintf(stderr, "%d failed\n", failures);
  return failures != 0;
}
