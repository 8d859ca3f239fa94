/* Serves many requests with one cache: continuous batching, all through dtgc.h. A request joins as
 * soon as a slot is free, its prompt is read by parts, then every call of `step` writes a byte in
 * each slot, and a request leaves at its end byte or when it has as many bytes as it asked for.
 * Rows of a batch do not know of each other, and a request draws its own numbers, so its text is
 * the same, bit for bit, whatever else is served.
 *
 *   serve CHECKPOINT MOST serve.dtg [LAYOUTS.dtg...] [CONST=VALUE ...] <REQUESTS
 *
 * At most MOST requests at once. A line is a request: WHEN BYTES END TEMPERATURE TOP_P PROMPT. It
 * comes before the WHEN-th call, ends after the byte with the number END (-1: none does) or after
 * BYTES bytes. Each text is written as it ends, as `number: prompt and what follows`, with \n for
 * the ends of its lines. */
#include <dtgc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SLOTS = 256, LINE = 65536 };

typedef struct Request {
  long when, bytes, written;
  int end;
  float temperature, top_p;
  unsigned char *text; /* [length] of the prompt and what was written */
  long prompt, length;
} Request;

typedef struct Server {
  dtgc_program *p;
  int slots, most;       /* in the cache; that are used */
  long chunk, seq;       /* bytes of a prompt in a call; most bytes of a text */
  Request *request;      /* [requests] in the order of their lines */
  int requests, next;    /* the first that has not joined */
  int who[MOST_SLOTS];   /* the request that has a slot; -1: none */
  long seen[MOST_SLOTS]; /* positions of its text that are in the cache: where the next byte goes */
  long calls, parts, bytes;
} Server;

static int fail(const char *what, const char *why) {
  fprintf(stderr, "serve: %s: %s\n", what, why);
  return 1;
}

/* In [0, 1), of a request's position alone (Steele et al. 2014: splitmix64). */
static float draw(int request, long position) {
  uint64_t z = ((uint64_t)request << 32 | (uint64_t)position) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return (float)((z ^ z >> 31) >> 40) * 0x1p-24f;
}

static int read_requests(Server *s, FILE *in) {
  static char line[LINE];
  while (fgets(line, sizeof line, in)) {
    Request r = {0};
    int at = 0;
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "%ld %ld %d %f %f %n", &r.when, &r.bytes, &r.end, &r.temperature, &r.top_p,
               &at) < 5 ||
        !line[at])
      return fail(line, "a request is WHEN BYTES END TEMPERATURE TOP_P PROMPT");
    r.prompt = r.length = (long)strlen(line + at);
    if (r.bytes < 1 || r.prompt + r.bytes - 1 > s->seq)
      return fail(line, "it has no room in the model's window");
    Request *more = realloc(s->request, (size_t)(s->requests + 1) * sizeof *more);
    if (!more || !(r.text = malloc((size_t)(r.prompt + r.bytes))))
      return fail(line, "out of memory");
    memcpy(r.text, line + at, (size_t)r.prompt);
    s->request = more;
    s->request[s->requests++] = r;
  }
  return 0;
}

/* The sizes are those of the program's own tensors. */
static int open_server(Server *s) {
  dtgc_tensor part, prompt;
  if (dtgc_input(s->p, "prefill", 0, &part) || dtgc_input(s->p, "write", 0, &prompt))
    return fail("serve.dtg", dtgc_error(s->p));
  s->slots = (int)part.shape[0];
  s->chunk = (long)part.shape[1];
  s->seq = (long)prompt.shape[1];
  if (s->slots > MOST_SLOTS) return fail("slots", "there are too many");
  if (s->most < 1 || s->most > s->slots) s->most = s->slots;
  for (int i = 0; i < s->slots; i++) s->who[i] = -1;
  return 0;
}

/* Requests that have come get the slots that are free. */
static void join(Server *s) {
  for (int i = 0; i < s->most; i++) {
    if (s->who[i] >= 0 || s->next == s->requests) continue;
    if (s->request[s->next].when > s->calls) return;
    s->who[i] = s->next++;
    s->seen[i] = 0;
  }
}

static void leave(Server *s, int slot) {
  const Request *r = &s->request[s->who[slot]];
  printf("%d: ", s->who[slot]);
  for (long i = 0; i < r->length; i++)
    if (r->text[i] == '\n')
      fputs("\\n", stdout);
    else
      putchar(r->text[i]);
  putchar('\n');
  fflush(stdout);
  s->who[slot] = -1, s->seen[slot] = 0;
}

/* One call: parts of prompts where there are any, or else a byte in each slot. */
static int call(Server *s) {
  static unsigned char text[MOST_SLOTS * LINE], next[MOST_SLOTS];
  int32_t at[MOST_SLOTS] = {0}, known[MOST_SLOTS];
  float drawn[MOST_SLOTS] = {0}, temperature[MOST_SLOTS] = {0}, top_p[MOST_SLOTS];
  bool part = false, takes[MOST_SLOTS] = {false};
  for (int i = 0; i < s->slots; i++)
    part = part || (s->who[i] >= 0 && s->seen[i] < s->request[s->who[i]].prompt);
  const long n = part ? s->chunk : 1;
  memset(text, 0, (size_t)(s->slots * n));
  for (int i = 0; i < s->slots; i++) {
    known[i] = 1, top_p[i] = 1, at[i] = (int32_t)s->seen[i];
    if (s->who[i] < 0) continue;
    const Request *r = &s->request[s->who[i]];
    takes[i] = !part || s->seen[i] < r->prompt;
    if (!takes[i]) continue;
    const long left = r->length - s->seen[i];
    known[i] = (int32_t)(left < n ? left : n);
    memcpy(text + i * n, r->text + s->seen[i], (size_t)known[i]);
    drawn[i] = draw(s->who[i], s->seen[i] + known[i]);
    temperature[i] = r->temperature, top_p[i] = r->top_p;
  }
  const size_t slots = (size_t)s->slots;
  dtgc_buffer in[] = {{part ? "part" : "byte", text, slots * (size_t)n},
                      {"at", at, slots * sizeof *at},
                      {"draw", drawn, slots * sizeof *drawn},
                      {"temperature", temperature, slots * sizeof *temperature},
                      {"top_p", top_p, slots * sizeof *top_p},
                      {"known", known, slots * sizeof *known}};
  dtgc_buffer out[] = {{"next", next, slots}};
  if (dtgc_run(s->p, part ? "prefill" : "step", in, part ? 6 : 5, out, 1))
    return fail("a call", dtgc_error(s->p));
  s->calls++, s->parts += part;
  for (int i = 0; i < s->slots; i++) {
    if (!takes[i]) continue;
    Request *r = &s->request[s->who[i]];
    s->seen[i] += known[i];
    if (s->seen[i] < r->length) continue; /* more of the prompt is to come */
    r->text[r->length++] = next[i];
    r->written++, s->bytes++;
    if (next[i] == r->end || r->written == r->bytes) leave(s, i);
  }
  return 0;
}

static int serve(Server *s) {
  for (;;) {
    bool busy = false;
    join(s);
    for (int i = 0; i < s->slots; i++) busy = busy || s->who[i] >= 0;
    if (busy && call(s)) return 1;
    if (!busy && s->next == s->requests) break;
    if (!busy) s->calls++; /* time goes by */
  }
  fprintf(stderr, "%d requests, %ld bytes, %ld calls, %ld of parts of prompts\n", s->requests,
          s->bytes, s->calls, s->parts);
  return 0;
}

static void show(void *user, const dtgc_message *m) { fputs(m->rendered, user); }

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr,
            "serve CHECKPOINT MOST serve.dtg [LAYOUTS.dtg...] [NAME=VALUE ...] <REQUESTS\n");
    return 2;
  }
  dtgc_source source[8];
  const char *define[16];
  dtgc_options o = {.define = define, .message = show, .user = stderr};
  int sources = 0;
  for (int i = 3; i < argc; i++)
    if (strchr(argv[i], '=') && o.ndefines < 16)
      define[o.ndefines++] = argv[i];
    else if (sources < 8)
      source[sources++] = (dtgc_source){.name = argv[i]};
  static Server s;
  s.most = atoi(argv[2]);
  /* The cache is in no checkpoint. */
  const dtgc_restore_options partial = {.partial = 1};
  int bad = dtgc_compile(source, sources, &o, &s.p) != 0; /* messages have been shown */
  if (!bad) bad = open_server(&s);
  if (!bad && dtgc_restore(s.p, argv[1], &partial, NULL)) bad = fail(argv[1], dtgc_error(s.p));
  if (!bad) bad = read_requests(&s, stdin);
  if (!bad) bad = serve(&s);
  for (int i = 0; i < s.requests; i++) free(s.request[i].text);
  free(s.request);
  dtgc_free(s.p);
  return bad;
}
