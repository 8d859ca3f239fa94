/* hdf5.c: see hdf5.h. */
#include "hdf5.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "element.h"
#include "little.h"

enum { DEEPEST = 32, MOST_LOOKS = 1 << 20, MOST_MESSAGE = 2048 };
enum { MESSAGE_SPACE = 1, MESSAGE_LINK_INFO = 2, MESSAGE_TYPE = 3, MESSAGE_LINK = 6 };
enum { MESSAGE_LAYOUT = 8, MESSAGE_CONTINUED = 16, MESSAGE_GROUP = 17 };
static const uint64_t NOWHERE = UINT64_MAX; /* an address that is not set */

typedef struct hdf5_file {
  int fd;
  int64_t from, to;
  bool (*take)(void *user, const hdf5_dataset *d);
  void *user;
  char name[HDF5_MOST_NAME]; /* of what is looked at */
  int looks;                 /* headers and nodes that were looked at */
  char *why;
  size_t whysize;
} hdf5_file;

/* What the messages of an object's header say. */
typedef struct object {
  hdf5_dataset d;
  bool has_space, has_type, has_layout, is_group;
  uint64_t tree, heap; /* of a group */
} object;

static bool stop(hdf5_file *f, uint64_t at, const char *what) {
  const char *name = *f->name ? f->name : "the root group";
  snprintf(f->why, f->whysize, "HDF5, at offset %llu, in %.200s: %s", (unsigned long long)at, name,
           what);
  return false;
}

bool hdf5_is(const unsigned char *head, size_t n) {
  return n >= 8 && !memcmp(head, "\x89HDF\r\n\x1a\n", 8);
}

/* Addresses count from the beginning of the HDF5 file. */
static bool read_at(hdf5_file *f, uint64_t at, void *to, size_t n) {
  const uint64_t size = (uint64_t)(f->to - f->from);
  if (at > size || n > size - at) return stop(f, at, "it reaches past the end of the file");
  for (size_t done = 0; done < n;) {
    const ssize_t got = pread(f->fd, (char *)to + done, n - done, f->from + (int64_t)(at + done));
    if (got <= 0) return stop(f, at, "it cannot be read");
    done += (size_t)got;
  }
  return true;
}

static bool look_once(hdf5_file *f, uint64_t at) {
  return ++f->looks <= MOST_LOOKS || stop(f, at, "it has too many objects, or is in a circle");
}

/* -------- messages of a header -------- */

static bool read_space(hdf5_file *f, uint64_t at, const unsigned char *p, size_t n, object *o) {
  const bool old = n && p[0] == 1;
  const size_t head = old ? 8 : 4;
  if (n < head || (p[0] != 1 && p[0] != 2)) return stop(f, at, "a dataspace of an unknown version");
  o->d.rank = p[1];
  if (o->d.rank > HDF5_MOST_RANK || head + 8 * (size_t)o->d.rank > n)
    return stop(f, at, "a dataspace with too many dims");
  for (int d = 0; d < o->d.rank; d++) {
    const uint64_t size = le(p + head + 8 * d, 8);
    if (size > INT64_MAX) return stop(f, at, "a size beyond 63 bits");
    o->d.shape[d] = (int64_t)size;
  }
  o->has_space = true;
  return true;
}

/* The float of a size and bits of exponent and significand, at their usual places. */
static int float_kind(const unsigned char *p, uint64_t size) {
  const int exponent = p[13], digits = p[15];
  if (size == 8 && exponent == 11 && digits == 52) return ELEMENT_F64;
  if (size == 4 && exponent == 8 && digits == 23) return ELEMENT_F32;
  if (size == 2 && exponent == 5 && digits == 10) return ELEMENT_F16;
  return size == 2 && exponent == 8 && digits == 7 ? ELEMENT_BF16 : -1;
}

static int integer_kind(bool is_signed, uint64_t size) {
  switch (size) {
  case 1: return is_signed ? ELEMENT_I8 : ELEMENT_U8;
  case 2: return is_signed ? ELEMENT_I16 : ELEMENT_U16;
  case 4: return is_signed ? ELEMENT_I32 : ELEMENT_U32;
  case 8: return is_signed ? ELEMENT_I64 : ELEMENT_U64;
  default: return -1;
  }
}

/* Strings, compounds and big-endian numbers are no types of dtg's. */
static bool read_type(hdf5_file *f, uint64_t at, const unsigned char *p, size_t n, object *o) {
  enum { INTEGER = 0, FLOAT = 1, ENUM = 8 };
  if (n < 8) return stop(f, at, "a datatype that is too short");
  const int class = p[0] & 15, bits = p[1];
  const uint64_t size = le(p + 4, 4);
  o->d.kind = -1;
  if (class == INTEGER && n >= 12 && !(bits & 1)) o->d.kind = integer_kind(bits & 8, size);
  if (class == FLOAT && n >= 20 && !(bits & 65)) o->d.kind = float_kind(p, size);
  if (class == ENUM && size == 1) o->d.kind = ELEMENT_BOOL; /* as h5py has truth values */
  o->has_type = true;
  return true;
}

static bool read_layout(hdf5_file *f, uint64_t at, const unsigned char *p, size_t n, object *o) {
  enum { COMPACT = 0, CONTIGUOUS = 1 };
  if (n < 4 || (p[0] != 3 && p[0] != 4)) return stop(f, at, "a data layout of an unknown version");
  uint64_t place = at + 4, bytes = le(p + 2, 2);
  if (p[1] == CONTIGUOUS && n >= 18) {
    place = le(p + 2, 8), bytes = le(p + 10, 8);
  } else if (p[1] != COMPACT) {
    return stop(f, at, "its elements are in chunks, as of compressed datasets; save it without");
  }
  if (place == NOWHERE) place = bytes = 0; /* never written */
  const uint64_t size = (uint64_t)(f->to - f->from);
  if (place > size || bytes > size - place)
    return stop(f, at, "its elements reach past the end of the file");
  o->d.at = f->from + (int64_t)place;
  o->d.bytes = (int64_t)bytes;
  o->has_layout = true;
  return true;
}

static bool look(hdf5_file *f, uint64_t header, int deep);

/* An object below this one. */
static bool look_below(hdf5_file *f, const char *key, size_t nkey, uint64_t header, int deep) {
  const size_t n = strlen(f->name);
  if (n + nkey + 2 > sizeof f->name) return stop(f, header, "a name that is too long");
  snprintf(f->name + n, sizeof f->name - n, "%s%.*s", n ? "/" : "", (int)nkey, key);
  const bool good = look(f, header, deep + 1);
  if (good) f->name[n] = 0;
  return good;
}

/* A link of a group of the newer kind. */
static bool follow(hdf5_file *f, uint64_t at, const unsigned char *p, size_t n, int deep) {
  enum { HAS_TYPE = 8, HAS_ORDER = 4, HAS_SET = 16 };
  if (n < 2 || p[0] != 1) return stop(f, at, "a link of an unknown version");
  const int flags = p[1], width = 1 << (flags & 3);
  size_t i = 2;
  const bool is_hard = !(flags & HAS_TYPE) || (n > i && p[i] == 0);
  i += (flags & HAS_TYPE ? 1u : 0) + (flags & HAS_ORDER ? 8u : 0) + (flags & HAS_SET ? 1u : 0);
  if (i + (size_t)width > n) return stop(f, at, "a link that is too short");
  const uint64_t length = le(p + i, width);
  i += (size_t)width;
  if (!is_hard) return true; /* by name, or to another file */
  if (length > n - i || n - i - length < 8) return stop(f, at, "a link that is too short");
  return look_below(f, (const char *)p + i, (size_t)length, le(p + i + length, 8), deep);
}

static bool read_message(hdf5_file *f, int type, uint64_t at, const unsigned char *p, size_t n,
                         object *o, int deep) {
  switch (type) {
  case MESSAGE_SPACE: return read_space(f, at, p, n, o);
  case MESSAGE_TYPE: return read_type(f, at, p, n, o);
  case MESSAGE_LAYOUT: return read_layout(f, at, p, n, o);
  case MESSAGE_LINK: return follow(f, at, p, n, deep);
  case MESSAGE_LINK_INFO:
    o->is_group = true;
    if (n >= 18 && le(p + (p[1] & 1 ? 10 : 2), 8) != NOWHERE)
      return stop(f, at, "a group in a fractal heap, which h5py writes with libver='latest' alone");
    return true;
  case MESSAGE_GROUP:
    if (n < 16) return stop(f, at, "a symbol table message that is too short");
    o->is_group = true;
    o->tree = le(p, 8), o->heap = le(p + 8, 8);
    return true;
  default: return true;
  }
}

/* Messages of a block of a header; where one says that they go on elsewhere, *next is that block. */
static bool read_block(hdf5_file *f, uint64_t at, uint64_t end, int version, int flags, object *o,
                       uint64_t next[2], int deep) {
  unsigned char head[8], data[MOST_MESSAGE];
  const size_t nhead = version == 1 ? 8 : flags & 4 ? 6 : 4;
  next[0] = next[1] = 0;
  while (end - at >= nhead && at < end) {
    if (!read_at(f, at, head, nhead)) return false;
    const int type = version == 1 ? (int)le(head, 2) : head[0];
    const size_t n = (size_t)le(head + (version == 1 ? 2 : 1), 2);
    at += nhead;
    if (n > end - at) return stop(f, at, "a message that is longer than its header");
    const size_t use = n < sizeof data ? n : sizeof data; /* no more matters of any */
    if (!read_at(f, at, data, use)) return false;
    if (type == MESSAGE_CONTINUED && n >= 16)
      next[0] = le(data, 8), next[1] = le(data + 8, 8);
    else if (!read_message(f, type, at, data, use, o, deep))
      return false;
    at += n;
  }
  return true;
}

/* The first block of a header, and how its messages are written. */
static bool read_prefix(hdf5_file *f, uint64_t at, int *version, int *flags, uint64_t block[2]) {
  unsigned char head[16];
  if (!read_at(f, at, head, sizeof head)) return false;
  *version = memcmp(head, "OHDR", 4) ? head[0] : head[4];
  *flags = 0;
  if (*version == 1) {
    block[0] = at + 16, block[1] = le(head + 8, 4);
    return true;
  }
  if (*version != 2) return stop(f, at, "an object header of an unknown version");
  *flags = head[5];
  unsigned char size[8];
  const int width = 1 << (*flags & 3);
  at += 6 + (*flags & 32 ? 16u : 0) + (*flags & 16 ? 4u : 0);
  if (!read_at(f, at, size, (size_t)width)) return false;
  block[0] = at + (uint64_t)width, block[1] = le(size, width);
  return true;
}

static bool read_header(hdf5_file *f, uint64_t header, object *o, int deep) {
  int version, flags;
  uint64_t block[2], next[2];
  if (!read_prefix(f, header, &version, &flags, block)) return false;
  for (bool first = true; block[1]; first = false) {
    uint64_t from = block[0], n = block[1];
    if (!look_once(f, from)) return false;
    if (!first && version == 2) { /* between "OCHK" and a checksum */
      if (n < 8) return stop(f, from, "a block of a header that is too short");
      from += 4, n -= 8;
    }
    if (n > (uint64_t)(f->to - f->from)) return stop(f, from, "a header longer than the file");
    if (!read_block(f, from, from + n, version, flags, o, next, deep)) return false;
    block[0] = next[0], block[1] = next[1];
  }
  return true;
}

/* -------- groups -------- */

typedef struct names {
  uint64_t at, bytes; /* of the heap's data */
} names;

static bool read_heap(hdf5_file *f, uint64_t at, names *heap) {
  unsigned char head[32];
  if (!read_at(f, at, head, sizeof head)) return false;
  if (memcmp(head, "HEAP", 4) != 0) return stop(f, at, "a heap is expected");
  heap->bytes = le(head + 8, 8), heap->at = le(head + 24, 8);
  return true;
}

static bool look_at_symbol(hdf5_file *f, const unsigned char *p, const names *heap, int deep) {
  enum { IS_SYMBOLIC = 2 };
  char name[HDF5_MOST_NAME];
  const uint64_t at = le(p, 8), room = at < heap->bytes ? heap->bytes - at : 0;
  if (le(p + 16, 4) == IS_SYMBOLIC) return true;
  const size_t n = room < sizeof name ? (size_t)room : sizeof name;
  if (!read_at(f, heap->at + at, name, n)) return false;
  if (!memchr(name, 0, n)) return stop(f, heap->at + at, "a name without an end");
  return look_below(f, name, strlen(name), le(p + 8, 8), deep);
}

static bool look_at_symbols(hdf5_file *f, uint64_t at, const names *heap, int deep) {
  unsigned char head[8], entry[40];
  if (!look_once(f, at) || !read_at(f, at, head, sizeof head)) return false;
  if (memcmp(head, "SNOD", 4) != 0) return stop(f, at, "a node of symbols is expected");
  for (uint64_t i = 0; i < le(head + 6, 2); i++)
    if (!read_at(f, at + 8 + 40 * i, entry, sizeof entry) || !look_at_symbol(f, entry, heap, deep))
      return false;
  return true;
}

static bool look_at_tree(hdf5_file *f, uint64_t at, const names *heap, int level, int deep) {
  unsigned char head[24], child[8];
  if (!look_once(f, at) || !read_at(f, at, head, sizeof head)) return false;
  if (memcmp(head, "TREE", 4) != 0 || head[4] != 0) return stop(f, at, "a tree is expected");
  if (level >= 0 && head[5] != level) return stop(f, at, "a tree of another level is expected");
  for (uint64_t i = 0; i < le(head + 6, 2); i++) {
    if (!read_at(f, at + 32 + 16 * i, child, sizeof child)) return false;
    if (!(head[5] ? look_at_tree(f, le(child, 8), heap, head[5] - 1, deep)
                  : look_at_symbols(f, le(child, 8), heap, deep)))
      return false;
  }
  return true;
}

/* -------- objects -------- */

static bool take(hdf5_file *f, uint64_t at, object *o) {
  int64_t bytes = 1;
  bool is_empty = false;
  for (int d = 0; d < o->d.rank; d++) is_empty |= !o->d.shape[d];
  for (int d = 0; d < o->d.rank && !is_empty; d++)
    if (__builtin_mul_overflow(bytes, o->d.shape[d], &bytes))
      return stop(f, at, "more elements than fit in 64 bits");
  if (o->d.kind >= 0) {
    if (__builtin_mul_overflow(bytes, (int64_t)element_size(o->d.kind), &bytes))
      return stop(f, at, "more elements than fit in 64 bits");
    if (is_empty) bytes = 0;
    if (o->d.bytes < bytes) return stop(f, at, "its elements were never written, or are cut off");
  }
  o->d.bytes = o->d.kind < 0 ? 0 : bytes;
  o->d.name = f->name;
  return f->take(f->user, &o->d);
}

static bool look(hdf5_file *f, uint64_t header, int deep) {
  object o = {.tree = NOWHERE};
  names heap;
  if (deep > DEEPEST) return stop(f, header, "groups nested too deep, or in a circle");
  if (!read_header(f, header, &o, deep)) return false;
  if (o.is_group && o.tree != NOWHERE)
    return read_heap(f, o.heap, &heap) && look_at_tree(f, o.tree, &heap, -1, deep);
  return !(o.has_space && o.has_type && o.has_layout) || take(f, header, &o);
}

bool hdf5_each(int fd, int64_t from, int64_t to, bool (*visit)(void *user, const hdf5_dataset *d),
               void *user, char *why, size_t whysize) {
  hdf5_file f = {
      .fd = fd, .from = from, .to = to, .take = visit, .user = user, .why = why, .whysize = whysize};
  unsigned char head[96];
  enum { WIDTHS = 8 << 8 | 8 }; /* addresses and lengths of 8 bytes */
  if (!read_at(&f, 0, head, 96)) return false;
  if (!hdf5_is(head, sizeof head)) return stop(&f, 0, "no signature");
  const int version = head[8];
  if (version > 3) return stop(&f, 8, "a superblock of an unknown version");
  if (le(head + (version < 2 ? 13 : 9), 2) != WIDTHS)
    return stop(&f, 8, "addresses that are not of 8 bytes");
  const size_t root = version == 0 ? 24 + 32 + 8 : version == 1 ? 28 + 32 + 8 : 12 + 24;
  return look(&f, le(head + root, 8), 0);
}
