/* The machine that a plan is made for: the cost of an operation, a byte and a message.
 *
 * A mesh's devices are numbered with its last axis fastest, and machines consist of nested groups
 * of consecutive devices: two cores of one socket, eight accelerators of one box, boxes of a pod.
 * A link joins the devices of such a group. An axis whose lines stay within a group runs at its
 * link's rates; the narrowest such group applies. A line `axis NAME` sets the link of one axis
 * instead. docs/machines.md is the manual of the file. */
#ifndef DTG_MACHINE_H
#define DTG_MACHINE_H
#include "layout.h"

typedef enum LinkBy { LINK_UNSAID, LINK_MEMORY, LINK_MESSAGES } LinkBy;

typedef struct Link {
  int64_t devices;  /* of a group; 0: all there are */
  const char *axis; /* of this axis alone; NULL: any axis within the group */
  double bandwidth; /* bytes a second that one device receives while it sends as many */
  double latency;   /* seconds until other devices have word */
  double message;   /* seconds of a device's own a message; below 0: a tenth of the latency */
  LinkBy by;        /* whether devices read each other's memory; unsaid: see machine_axis */
} Link;

enum { MAX_LINKS = 16 };

/* The levels between a core and memory, nearest first. */
typedef enum CacheLevel { CACHE_L1, CACHE_L2, CACHE_L3, CACHE_LEVELS } CacheLevel;
typedef struct Cache {
  double size;      /* bytes of one; 0: there is none */
  int64_t cores;    /* that share it */
  double bandwidth; /* bytes a second that each of them reads while the others do, too */
} Cache;

/* Invariant: there is a link of all devices (devices and axis 0), so every axis of every mesh has
 * one; there are L1 and L2; a vector, a line and a page are powers of two of at least 16 bytes. A
 * device is a core. */
typedef struct Machine {
  const char *name;
  double flops;            /* a second of one device, in matrix products and convolutions */
  double vector_flops;     /* in everything else */
  double memory_bandwidth; /* bytes a second read or written */
  double memory;           /* bytes of one device; 0: unknown */
  double start;            /* seconds before a step of computation is under way */
  double call;             /* seconds of a kernel besides what it computes */
  double memory_latency;   /* seconds until a line that memory is asked for is there */
  double vector;           /* bytes of the widest vectors of a core, ... */
  int64_t registers;       /* ... and registers for them */
  double line, page;       /* bytes of a cache's line, and of a page of memory */
  int64_t streams;         /* that a core fetches ahead at once */
  int64_t cores;           /* of a host; 0: unknown */
  double host_bandwidth;   /* bytes a second of its memory, by all cores; 0: it keeps up */
  Cache cache[CACHE_LEVELS];
  int nlinks;
  Link link[MAX_LINKS];
} Machine;

/* One core of a server, the same on every computer: what plans are made for where nothing else is
 * said. */
const Machine *machine_generic(void);
/* What is not known, 0 or of times below 0: of a core and of caches where there are none as of the
 * generic machine, and bandwidths of caches that are so many times that of memory. */
void machine_complete(Machine *m);
/* Elements of so many bytes in a vector and in a line of a cache; at least 1. */
int64_t machine_vector(const Machine *m, int64_t size);
int64_t machine_line(const Machine *m, int64_t size);
/* Operations at vector_flops in the time in which numbers of a vector of f32 that lie apart come
 * one by one, for each that they would take side by side. */
double machine_apart(const Machine *m);
/* Bytes of a level that a core has for itself when all that share it are at work. */
int64_t machine_cache(const Machine *m, CacheLevel level);
/* Cores of a device. Handing over a part takes about as long as beginning a step: what takes 16 of
 * these is dealt, in parts that take 4 at least. Seconds of a part at least, and whether what takes
 * so many seconds is dealt. */
double machine_part(const Machine *m);
bool machine_deals(const Machine *m, double seconds);
/* Bytes that a host's caches hold at the last level that it has. */
double machine_near(const Machine *m);
/* Cores of each of so many devices of a host that has no others; 1 where the machine does not say.
 */
int64_t machine_cores(const Machine *m, int64_t devices);
/* Reads the text of a machine file that is already a source of `diag`. Reports there and returns
 * NULL when it is wrong. */
const Machine *machine_read(Arena *a, Diag *diag, uint32_t source);
/* As a machine file, which reads back as the same numbers to the last bit. */
void machine_put(Str *out, const Machine *m);
const char *link_by_name(LinkBy by); /* "memory", "messages" */
/* Devices in a row that read each other's memory; 1: none do. */
int64_t machine_memory_group(const Machine *m);
/* The link along one axis of a mesh, with nothing unsaid: groups share memory, but not all devices
 * where there are groups; and an axis without its own figures has those of its group. */
Link machine_axis(const Machine *m, const Mesh *mesh, int axis);

#endif
