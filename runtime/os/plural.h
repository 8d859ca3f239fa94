/* plural.h: "1 row", "2 rows". */
#ifndef DTG_PLURAL_H
#define DTG_PLURAL_H
#define PLURAL(n) ((n) == 1 ? "" : "s")
#endif
