/* call_many.c: dtrt_call_many: checks the host's buffers, which hold the tensors of all calls. */
#include <stdlib.h>
#include "plural.h"
#include "session.h"

/* Whether `bytes` are n of t. */
static bool are_many(const dtrt_tensor *t, int64_t n, int64_t bytes) {
  int64_t all;
  return !__builtin_mul_overflow(session_tensor_bytes(t), n, &all) && all == bytes;
}

static dtrt_status bad_size(dtrt_session *s, const dtrt_entry *e, const char *what,
                            const dtrt_tensor *t, int64_t n, int64_t bytes) {
  return session_error(s, DTRT_INVALID,
                       "entry `%s`: %s `%s` of %lld call%s has %lld bytes, not %lld times %lld",
                       e->name, what, t->name, (long long)n, PLURAL(n), (long long)bytes,
                       (long long)n, (long long)session_tensor_bytes(t));
}

static dtrt_status check(dtrt_session *s, const dtrt_entry *e, const SessionCall *c,
                         const int64_t *in_bytes, const int64_t *out_bytes, bool *same) {
  for (int i = 0; c->in && i < e->nin; i++) {
    if (!c->in[i]) continue; /* session_call has the words */
    if (!in_bytes)
      return session_error(s, DTRT_INVALID, "entry `%s`: no sizes of inputs are given", e->name);
    same[i] = in_bytes[i] == session_tensor_bytes(&e->in[i]);
    if (!same[i] && !are_many(&e->in[i], c->runs, in_bytes[i]))
      return bad_size(s, e, "input", &e->in[i], c->runs, in_bytes[i]);
  }
  for (int i = 0; c->out && i < e->nout; i++) {
    if (!c->out[i]) continue;
    if (!out_bytes)
      return session_error(s, DTRT_INVALID, "entry `%s`: no sizes of outputs are given", e->name);
    if (!are_many(&e->out[i], c->runs, out_bytes[i]))
      return bad_size(s, e, "output", &e->out[i], c->runs, out_bytes[i]);
  }
  return DTRT_OK;
}

/* Each a call of its own, so that what is found is found before the next. */
static dtrt_status one_by_one(dtrt_session *s, const dtrt_entry *e, const SessionCall *c,
                              const void **in, void **out) {
  dtrt_status status = DTRT_OK;
  for (int64_t k = 0; k < c->runs && !status; k++) {
    SessionCall one = {.entry = c->entry, .runs = 1, .in = c->in ? in : NULL, .out = out};
    for (int i = 0; c->in && i < e->nin; i++)
      in[i] = c->in[i]
                  ? (const char *)c->in[i] + (c->same[i] ? 0 : k * session_tensor_bytes(&e->in[i]))
                  : NULL;
    for (int i = 0; i < e->nout; i++)
      out[i] =
          c->out && c->out[i] ? (char *)c->out[i] + k * session_tensor_bytes(&e->out[i]) : NULL;
    status = session_call(s, &one);
  }
  return status;
}

dtrt_status dtrt_call_many(dtrt_session *s, int entry, int64_t n, const void *const *in,
                           const int64_t *in_bytes, void *const *out, const int64_t *out_bytes) {
  SESSION_USE(s);
  dtrt_status status = session_usable(s);
  if (status) return status;
  const dtrt_program *p = s->program[0].p;
  SessionCall c = {.entry = entry, .runs = n, .in = in, .out = out};
  if (entry < 0 || entry >= p->nentries) return session_call(s, &c); /* which says so */
  const dtrt_entry *e = &p->entry[entry];
  if (n < 1)
    return session_error(s, DTRT_INVALID, "entry `%s`: %lld calls, expected at least 1", e->name,
                         (long long)n);
  size_t room = (size_t)(e->nin + e->nout) + 1;
  bool *same = calloc(room, sizeof *same);
  const void **at = calloc(room, sizeof *at);
  void **to = calloc(room, sizeof *to);
  c.same = same;
  if (!same || !at || !to)
    status = session_error(s, DTRT_NO_MEMORY, "out of memory");
  else
    status = check(s, e, &c, in_bytes, out_bytes, same);
  if (!status) status = s->check_nan ? one_by_one(s, e, &c, at, to) : session_call(s, &c);
  free(same);
  free(at);
  free(to);
  return status;
}
