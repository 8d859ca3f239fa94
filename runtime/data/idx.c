/* idx.c: headers of IDX files (MNIST): two zero bytes, a type, the number of dims, then each dim as
 * a big-endian u32. Format: "THE IDX FILE FORMAT" of the MNIST page. */
#include "plural.h"
#include "tensor_file.h"

static int idx_kind(int code) {
  switch (code) {
  case 0x08: return ELEMENT_U8;
  case 0x09: return ELEMENT_I8;
  case 0x0B: return ELEMENT_I16;
  case 0x0C: return ELEMENT_I32;
  case 0x0D: return ELEMENT_F32;
  case 0x0E: return ELEMENT_F64;
  default: return -1;
  }
}

bool idx_is(const gz_stream *s) {
  return s->nhead >= 4 && !s->head[0] && !s->head[1] && idx_kind(s->head[2]) >= 0;
}

bool idx_read_header(tensor_file *f, gz_stream *s) {
  unsigned char magic[4], dim[4];
  f->format = "IDX";
  int64_t got = gz_take(s, magic, 4);
  if (got < 4)
    return got < 0 ? false : gz_fail(s, "the IDX header is cut off at offset %lld", (long long)got);
  f->kind = idx_kind(magic[2]);
  f->swap = element_size(f->kind) > 1; /* IDX is big-endian */
  f->rank = magic[3];
  if (f->rank > DTRT_MAX_RANK)
    return gz_fail(s, "IDX with %d dims; expected at most %d", f->rank, DTRT_MAX_RANK);
  for (int d = 0; d < f->rank; d++) {
    if ((got = gz_take(s, dim, 4)) < 4)
      return got < 0
                 ? false
                 : gz_fail(s,
                           "the IDX header is cut off at offset %lld: expected %d dim%s, found %d",
                           (long long)s->at, f->rank, PLURAL(f->rank), d);
    f->shape[d] =
        (int64_t)((uint32_t)dim[0] << 24 | (uint32_t)dim[1] << 16 | (uint32_t)dim[2] << 8 | dim[3]);
  }
  return true;
}
