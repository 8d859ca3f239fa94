/* Values, layouts, comparing and compiling for the equality tests; see kit.h. */
#include "kit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* -------- values -------- */

uint64_t random_next(Random *r) {
  uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}
int random_below(Random *r, int n) { return (int)(random_next(r) % (uint64_t)n); }
double random_real(Random *r) { return (double)(random_next(r) >> 11) * 0x1p-53; }

static size_t dtype_bytes(dtgc_dtype t) {
  static const size_t bytes[] = {1, 1, 1, 4, 8, 2, 2, 4, 8, 2, 2, 4, 8};
  return bytes[t];
}

dtgc_dtype dtype_named(const char *name, size_t len, bool *ok) {
  for (int t = DTGC_BOOL; t <= DTGC_U64; t++)
    if (strlen(dtgc_dtype_name((dtgc_dtype)t)) == len &&
        !strncmp(dtgc_dtype_name((dtgc_dtype)t), name, len)) {
      *ok = true;
      return (dtgc_dtype)t;
    }
  *ok = false;
  return DTGC_F32;
}

/* Values end at the end of a page, before one without access: programs read inputs where
 * the host has them, and one that reads too far dies. */
static size_t pages_of(const Tensor *t) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return (t->bytes + page - 1) / page * page;
}

void tensor_size(Tensor *t) {
  t->count = 1;
  for (int d = 0; d < t->rank; d++) t->count *= t->dim[d];
  t->bytes = (size_t)t->count * dtype_bytes(t->dtype);
  size_t pages = pages_of(t), guard = (size_t)sysconf(_SC_PAGESIZE);
  char *at = mmap(NULL, pages + guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED || (pages && mprotect(at, pages, PROT_READ | PROT_WRITE))) abort();
  t->data = at + pages - t->bytes;
}

void tensor_free(Tensor *t) {
  size_t pages = pages_of(t), guard = (size_t)sysconf(_SC_PAGESIZE);
  if (t->data) munmap((char *)t->data + t->bytes - pages, pages + guard);
  t->data = NULL;
}

double tensor_at(const Tensor *t, int64_t i) {
  switch (t->dtype) {
  case DTGC_BOOL:
  case DTGC_U8: return ((const uint8_t *)t->data)[i];
  case DTGC_I8: return ((const int8_t *)t->data)[i];
  case DTGC_I16: return ((const int16_t *)t->data)[i];
  case DTGC_U16: return ((const uint16_t *)t->data)[i];
  case DTGC_U32: return ((const uint32_t *)t->data)[i];
  case DTGC_U64: return (double)((const uint64_t *)t->data)[i];
  case DTGC_I32: return ((const int32_t *)t->data)[i];
  case DTGC_I64: return (double)((const int64_t *)t->data)[i];
  case DTGC_F32: return ((const float *)t->data)[i];
  case DTGC_F64: return ((const double *)t->data)[i];
  default: return ((const uint16_t *)t->data)[i]; /* halves: their bits */
  }
}

void tensor_put(Tensor *t, int64_t i, double v) {
  switch (t->dtype) {
  case DTGC_BOOL:
  case DTGC_U8: ((uint8_t *)t->data)[i] = (uint8_t)v; break;
  case DTGC_I8: ((int8_t *)t->data)[i] = (int8_t)v; break;
  case DTGC_I16: ((int16_t *)t->data)[i] = (int16_t)v; break;
  case DTGC_U16: ((uint16_t *)t->data)[i] = (uint16_t)v; break;
  case DTGC_U32: ((uint32_t *)t->data)[i] = (uint32_t)v; break;
  case DTGC_U64: ((uint64_t *)t->data)[i] = (uint64_t)v; break;
  case DTGC_I32: ((int32_t *)t->data)[i] = (int32_t)v; break;
  case DTGC_I64: ((int64_t *)t->data)[i] = (int64_t)v; break;
  case DTGC_F32: ((float *)t->data)[i] = (float)v; break;
  case DTGC_F64: ((double *)t->data)[i] = v; break;
  default: ((uint16_t *)t->data)[i] = (uint16_t)v; break;
  }
}

void tensor_fill(Tensor *t, Random *r, bool whole) {
  for (int64_t i = 0; i < t->count; i++) {
    double v;
    if (t->below)
      v = random_below(r, (int)t->below);
    else if (t->dtype == DTGC_BOOL)
      v = random_below(r, 2);
    else if (t->dtype == DTGC_U8 || t->dtype >= DTGC_U16)
      v = random_below(r, 7);
    else if (whole || t->dtype < DTGC_F16 || t->dtype > DTGC_F64)
      v = t->positive ? 1 + random_below(r, 4) : random_below(r, 7) - 3;
    else
      v = t->positive ? 0.5 + 1.5 * random_real(r) : 4 * random_real(r) - 2;
    tensor_put(t, i, t->zeros && random_below(r, 3) ? 0 : v);
  }
}

void tensor_type(const Tensor *t, char *out, size_t n) {
  int at = snprintf(out, n, "%s[", dtgc_dtype_name(t->dtype));
  for (int d = 0; d < t->rank; d++)
    at += snprintf(out + at, n - (size_t)at, "%s%ld", d ? ", " : "", (long)t->dim[d]);
  snprintf(out + at, n - (size_t)at, "]");
}

int64_t tensor_differs(const Tensor *a, const Tensor *b, double terms) {
  size_t size = dtype_bytes(a->dtype);
  bool real = a->dtype == DTGC_F32 || a->dtype == DTGC_F64;
  double eps = a->dtype == DTGC_F64 ? 0x1p-52 : 0x1p-23;
  for (int64_t i = 0; i < a->count; i++) {
    if (!memcmp((char *)a->data + (size_t)i * size, (char *)b->data + (size_t)i * size, size))
      continue;
    double x = tensor_at(a, i), y = tensor_at(b, i);
    if (real && ((isnan(x) && isnan(y)) || x == y)) continue; /* 0 and -0 */
    if (real && terms > 0 && fabs(x - y) <= terms * eps * (1 + fabs(x))) continue;
    return i;
  }
  return -1;
}

/* -------- cases -------- */

static bool parse_input(Case *c, const char *at, const char *end) {
  if (c->nin == MOST_INPUTS) return false;
  Tensor *t = &c->in[c->nin++];
  bool ok;
  int used;
  const char *open = memchr(at, '[', (size_t)(end - at));
  if (!open) return false;
  t->dtype = dtype_named(at, (size_t)(open - at), &ok);
  if (!ok) return false;
  for (at = open + 1; *at != ']'; at += *at == ',') {
    long n;
    if (t->rank == MOST_RANK || sscanf(at, " %ld%n", &n, &used) != 1) return false;
    t->dim[t->rank++] = n;
    at += used;
    if (*at != ',' && *at != ']') return false;
  }
  if (sscanf(at + 1, " %31[a-z_A-Z0-9]%n", t->name, &used) != 1) return false;
  at += 1 + used;
  if (*at == '+') t->positive = true;
  if (*at == '~') t->zeros = true;
  if (*at == '%') t->below = strtol(at + 1, NULL, 10);
  tensor_size(t);
  return true;
}

bool case_parse(Case *c, const char *example) {
  const char *colon = strchr(example, ':'), *at = example;
  if (!colon) return false;
  while (at < colon) {
    const char *end = at;
    for (int depth = 0; end < colon && (depth || *end != ','); end++)
      depth += (*end == '[') - (*end == ']');
    while (*at == ' ') at++;
    if (!parse_input(c, at, end)) return false;
    at = end + (end < colon);
  }
  while (*++colon == ' ') {
  }
  snprintf(c->expr, sizeof c->expr, "%s", colon);
  return true;
}

static void replace_type(char *out, size_t n, const char *in, const char *dtype) {
  size_t at = 0;
  while (*in && at + 8 < n) {
    if (!strncmp(in, "f32", 3))
      at += (size_t)snprintf(out + at, n - at, "%s", dtype), in += 3;
    else
      out[at++] = *in++;
  }
  out[at] = 0;
}

bool case_as(const Case *c, const char *dtype, Case *out) {
  bool any = false, ok;
  *out = *c;
  for (int i = 0; i < c->nin; i++) {
    if (c->in[i].dtype == DTGC_F32)
      out->in[i].dtype = dtype_named(dtype, strlen(dtype), &ok), any = true;
    tensor_size(&out->in[i]);
  }
  replace_type(out->expr, sizeof out->expr, c->expr, dtype);
  return any;
}

void case_free(Case *c) {
  for (int i = 0; i < c->nin; i++) tensor_free(&c->in[i]);
}

void case_write(const Case *c, FILE *out) {
  fprintf(out, "entry %s(", c->entry);
  for (int i = 0; i < c->nin; i++) {
    char type[100];
    tensor_type(&c->in[i], type, sizeof type);
    fprintf(out, "%s%s: %s", i ? ", " : "", c->in[i].name, type);
  }
  fprintf(out, ") { return r = %s }\n", c->expr);
}

/* -------- layouts -------- */

const Grid grids[] = {{"a=1", 1}, {"a=2", 1},     {"a=4", 1}, {"a=2,b=2", 2},
                      {"a=3", 1}, {"a=2,b=3", 2}, {NULL, 0}};

void layout_random(Random *r, int naxes, int rank, char *out, size_t n) {
  int dim[MOST_AXES], order[MOST_AXES];
  for (int a = 0; a < naxes; a++) {
    dim[a] = random_below(r, rank + 1) - 1; /* -1: over none */
    order[a] = a;
  }
  for (int a = naxes - 1; a > 0; a--) {
    int b = random_below(r, a + 1), t = order[a];
    order[a] = order[b];
    order[b] = t;
  }
  int at = snprintf(out, n, "[");
  for (int d = 0; d < rank; d++) {
    int k = 0, many = 0;
    for (int a = 0; a < naxes; a++) many += dim[a] == d;
    at += snprintf(out + at, n - (size_t)at, "%s%s", d ? ", " : "",
                   many > 1 ? "("
                   : many   ? ""
                            : "_");
    for (int i = 0; i < naxes; i++)
      if (dim[order[i]] == d)
        at += snprintf(out + at, n - (size_t)at, "%s%c", k++ ? ", " : "", 'a' + order[i]);
    if (many > 1) at += snprintf(out + at, n - (size_t)at, ")");
  }
  snprintf(out + at, n - (size_t)at, "]");
}

void layout_write(FILE *out, const char *tensor, const char *layout) {
  fprintf(out, "layout %s = %s\n", tensor, layout);
}

/* -------- compiling -------- */

static void on_message(void *user, const dtgc_message *m) {
  if (m->severity == DTGC_ERROR) fputs(m->rendered, user);
}

dtgc_program *kit_compile(const char *model, const char *layouts, const char *mesh, char **why) {
  return kit_compile_without(NULL, model, layouts, mesh, why);
}

dtgc_program *kit_compile_without(const char *disable, const char *model, const char *layouts,
                                  const char *mesh, char **why) {
  size_t n;
  FILE *said = open_memstream(why, &n);
  if (!said) abort();
  dtgc_options o = {.mesh = mesh,
                    .no_lines = 1,
                    .message = on_message,
                    .user = said,
                    .seed = 11,
                    .disable = &disable,
                    .ndisables = disable != NULL};
  dtgc_source s[2] = {{"model.dtg", model, strlen(model)},
                      {"layouts.dtg", layouts, layouts ? strlen(layouts) : 0}};
  dtgc_program *p = NULL;
  dtgc_status bad = dtgc_compile(s, layouts ? 2 : 1, &o, &p);
  if (!bad) {
    fclose(said);
    free(*why);
    *why = NULL;
    return p;
  }
  if (ftell(said) == 0) fprintf(said, "%s\n", dtgc_error(p));
  fclose(said);
  dtgc_free(p);
  return NULL;
}
