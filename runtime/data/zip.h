/* zip.h: the members of a zip archive: .npz of NumPy, .pt of PyTorch. zlib inflates; the directory
 * is read here, since no available library both gives the offset of a member's bytes and supports
 * zip64 (libzip hides offsets, the minizip of Debian 12 reads no 64-bit sizes).
 *
 * An archive is not trusted: members that overlap, reach past the end, claim more than deflate can
 * hold or have a wrong checksum are rejected. */
#ifndef DTG_RUNTIME_ZIP_H
#define DTG_RUNTIME_ZIP_H
#include <stdint.h>
#include "gz.h"

enum { ZIP_NAME = 100 /* bytes of a name that a message shows */ };
enum { ZIP_STORED = 0, ZIP_DEFLATED = 8 }; /* methods */

typedef struct zip_member {
  const unsigned char *name; /* in the directory */
  unsigned nname, flags, method;
  uint32_t crc;
  uint64_t packed, size; /* bytes in the archive, and unpacked */
  uint64_t header, data; /* where they begin */
  bool is_unsummed;      /* set by the reader: `crc` was not computed */
} zip_member;

typedef struct zip_archive {
  gz_stream *s;
  unsigned char *directory;
  uint64_t at, bytes, n; /* of the directory */
  zip_member *member;    /* [n] */
} zip_archive;

bool zip_is(const gz_stream *s);
/* Reads and checks the directory of a stream that is at its first byte. False with why; freed in
 * either case. */
bool zip_read(zip_archive *a, gz_stream *s);
void zip_free(zip_archive *a);
void zip_shown(const zip_member *m, char *text); /* of ZIP_NAME bytes */
/* Makes the stream that of a member. The checksum of a stored one of up to 64 MiB is compared at
 * once, of others as they are taken. */
bool zip_enter(gz_stream *s, const zip_member *m);
#endif
