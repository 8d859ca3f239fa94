/* formats.h: the formats that users have and no reader here takes, for messages. */
#ifndef DTG_RUNTIME_FORMATS_H
#define DTG_RUNTIME_FORMATS_H
#include <stddef.h>

/* ", xz data (unpack it)" and the like for the first n bytes of a file, or "". */
const char *formats_text(const unsigned char *head, size_t n);
#endif
