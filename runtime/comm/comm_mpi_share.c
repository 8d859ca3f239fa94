/* comm_mpi_share.c: memory that the ranks of one machine share.
 *
 * Slots and segments of all devices of a machine are in POSIX shared memory and the collectives run
 * directly between them, as between threads. Devices of another machine, or with DTRT_MPI_SHARED=0
 * of another process, are reached by messages. Ranks report themselves which machine they share
 * (Hello), and a number in the file proves it. POSIX memory is used rather than
 * MPI_Win_allocate_shared because it can be reserved: too small a /dev/shm is then told here, and
 * is not a SIGBUS later. */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "comm_mpi.h"
#include "variables.h"

static uint64_t hash_text(uint64_t h, const char *text) { /* FNV-1a */
  for (; *text; text++) h = (h ^ (unsigned char)*text) * 0x100000001b3u;
  return h;
}

void mpi_hello(Hello *h) {
  memset(h, 0, sizeof *h);
  gethostname(h->host, sizeof h->host - 1);
  h->pid = (int32_t)getpid();
  char boot[64] = "";
  FILE *f = fopen("/proc/sys/kernel/random/boot_id", "rb");
  size_t n = f ? fread(boot, 1, sizeof boot - 1, f) : 0;
  if (f) fclose(f);
  boot[n] = 0;
  struct stat s = {0};
  int there = stat("/dev/shm", &s) == 0;
  h->memory = hash_text(hash_text(0xcbf29ce484222325u, h->host), boot);
  if (there) h->memory = (h->memory ^ s.st_dev) * 0x100000001b3u ^ s.st_ino;
  if (sched_getaffinity(0, sizeof h->cores, &h->cores)) CPU_ZERO(&h->cores);
}

/* The leader makes the file. Every rank reserves its own part, so that the pages are near it. */
int mpi_make_file(ShareOffer *o, int64_t total) {
  FILE *f = fopen("/dev/urandom", "rb");
  size_t got = f ? fread(&o->nonce, sizeof o->nonce, 1, f) : 0;
  if (f) fclose(f);
  if (got != 1) return -1;
  snprintf(o->name, sizeof o->name, "/dtrt-%ld-%016llx", (long)getpid(),
           (unsigned long long)o->nonce);
  int fd = shm_open(o->name, O_CREAT | O_EXCL | O_RDWR, 0600);
  if (fd < 0) return -1;
  if (ftruncate(fd, total) || posix_fallocate(fd, 0, MPI_PAGE) ||
      pwrite(fd, &o->nonce, sizeof o->nonce, 0) != sizeof o->nonce) {
    close(fd);
    shm_unlink(o->name);
    return -1;
  }
  o->fine = 1;
  return fd;
}

/* Collective. A stretch with `bytes` for every device of this machine, or {NULL} on all ranks of
 * all machines. */
static Map share(Mpi *m, int64_t bytes, int64_t *stride) {
  Map map = {NULL, 0};
  Comm *c = &m->comm;
  char why[COMM_WHY];
  ShareOffer o = {.stride = (bytes + MPI_PAGE - 1) / MPI_PAGE * MPI_PAGE};
  if (o.stride == 0) o.stride = MPI_PAGE;
  int64_t total = MPI_PAGE + o.stride * m->on_host;
  int fd = -1;
  ShareOffer *all = calloc((size_t)c->nranks, sizeof *all);
  if (c->rank == m->leader) fd = mpi_make_file(&o, total);
  bool fine = mpi_all_agree(m, all != NULL) &&
              mpi_gather(m, &o, all, sizeof o, "sharing memory", 0, why) == 0;
  if (fine && c->rank != m->leader) {
    o = all[m->leader];
    o.name[sizeof o.name - 1] = 0;
    if (o.fine) fd = shm_open(o.name, O_RDWR, 0);
  }
  fine = fine && o.fine && fd >= 0 &&
         posix_fallocate(fd, MPI_PAGE + o.stride * m->index[c->first], o.stride * c->count) == 0;
  if (fine) {
    map.at = mmap(NULL, (size_t)total, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    map.bytes = total;
    fine = map.at != MAP_FAILED && !memcmp(map.at, &o.nonce, sizeof o.nonce);
    if (map.at == MAP_FAILED) map.at = NULL;
  }
  if (fd >= 0) close(fd);
  fine = mpi_all_agree(m, fine);
  if (c->rank == m->leader && o.fine) shm_unlink(o.name);
  free(all);
  *stride = o.stride;
  if (fine) return map;
  if (map.at) munmap(map.at, (size_t)map.bytes);
  return (Map){NULL, 0};
}

static bool is_mine(const Comm *c, int device) {
  return device >= c->first && device < c->first + c->count;
}

/* Each rank is a place of its own. */
static void place_ranks(Comm *c) {
  for (int i = 0; i < c->ndevices; i++) c->place[i] = i / c->count;
}

static void stop_sharing(Mpi *m) {
  Comm *c = &m->comm;
  place_ranks(c);
  m->shared = c->all_direct = false;
  for (int i = 0; i < c->ndevices; i++) {
    if (is_mine(c, i)) continue;
    c->slot[i] = NULL;
    for (int s = 0; s < NSEGMENTS; s++) c->segment[s][i] = NULL;
  }
}

static void drop_segment(Mpi *m, int which) {
  Comm *c = &m->comm;
  if (m->map[which].at) munmap(m->map[which].at, (size_t)m->map[which].bytes);
  for (int i = c->first; !m->map[which].at && i < c->first + c->count; i++)
    comm_unmap(c->segment[which][i], c->segment_bytes[which]);
  m->map[which] = (Map){NULL, 0};
  for (int i = 0; i < c->ndevices; i++) c->segment[which][i] = NULL;
}

int mpi_segment(Comm *c, int which, int64_t bytes, char *why) {
  Mpi *m = (Mpi *)(void *)c;
  bool first = c->segment[which][c->first] == NULL;
  drop_segment(m, which);
  c->segment_bytes[which] = bytes;
  if (m->shared) {
    int64_t stride;
    m->map[which] = share(m, bytes, &stride);
    if (m->map[which].at) {
      for (int i = 0; i < c->ndevices; i++)
        if (m->index[i] >= 0)
          c->segment[which][i] = m->map[which].at + MPI_PAGE + stride * m->index[i];
      return 0;
    }
    if (!first) {
      snprintf(why, COMM_WHY,
               "shared memory for %lld bytes a device: /dev/shm is too small (DTRT_MPI_SHARED=0 "
               "does without)",
               (long long)bytes);
      return -1;
    }
    stop_sharing(m);
  }
  bool fine = true;
  for (int i = c->first; i < c->first + c->count; i++)
    fine = (c->segment[which][i] = comm_map(bytes)) != NULL && fine;
  if (mpi_all_agree(m, fine)) return 0;
  snprintf(why, COMM_WHY, "out of memory: %lld bytes for each device", (long long)bytes);
  return -1;
}

/* -------- opening -------- */

static int count_hosts(Mpi *m, const Hello *all) {
  Comm *c = &m->comm;
  int hosts = 0;
  for (int i = 0; i < c->nranks; i++) {
    int same = 0;
    while (all[same].memory != all[i].memory) same++;
    hosts += same == i;
    for (int k = 0; k < c->count; k++) c->place[i * c->count + k] = same;
  }
  m->leader = 0;
  while (all[m->leader].memory != all[c->rank].memory) m->leader++;
  for (int i = 0; i < c->ndevices; i++)
    m->index[i] = all[i / c->count].memory == all[c->rank].memory ? m->on_host++ : -1;
  return hosts;
}

/* A core for every device of this machine, among those that its ranks may use. */
static bool enough_cores(const Mpi *m, const Hello *all) {
  const Comm *c = &m->comm;
  cpu_set_t any;
  CPU_ZERO(&any);
  for (int i = 0; i < c->nranks; i++)
    if (all[i].memory == all[c->rank].memory) CPU_OR(&any, &any, &all[i].cores);
  return CPU_COUNT(&any) >= m->on_host && comm_cores() >= c->count;
}

/* Ranks that a launcher has bound to CPUs of their own share none. */
static int count_beside(const Comm *c, const Hello *all, int ranks) {
  int n = 0;
  for (int i = 0; i < ranks; i++) {
    cpu_set_t both;
    CPU_AND(&both, &all[i].cores, &all[c->rank].cores);
    if (all[i].memory == all[c->rank].memory && (i == c->rank || CPU_COUNT(&both)))
      n += c->count;
  }
  return n;
}

void mpi_share_hosts(Mpi *m, const Hello *all) {
  Comm *c = &m->comm;
  c->nhosts = count_hosts(m, all);
  c->spin = enough_cores(m, all);
  c->beside = count_beside(c, all, c->nranks);
  c->before = count_beside(c, all, c->rank);
  c->failed = &m->failed;
}

int mpi_share_open(Mpi *m, char *why) {
  Comm *c = &m->comm;
  int64_t stride;
  const char *asked = variable(VARIABLE_MPI_SHARED);
  if (mpi_all_agree(m, !asked || strcmp(asked, "0") != 0))
    m->control = share(m, sizeof(Slot), &stride);
  if (m->control.at) {
    for (int i = 0; i < c->ndevices; i++)
      if (m->index[i] >= 0)
        c->slot[i] = (Slot *)(void *)(m->control.at + MPI_PAGE + stride * m->index[i]);
    c->failed = (_Atomic int *)(void *)(m->control.at + 64);
    m->shared = true;
    c->all_direct = c->nhosts == 1;
    return 0;
  }
  size_t bytes = (size_t)c->count * sizeof(Slot);
  m->own_slots = aligned_alloc(_Alignof(Slot), bytes);
  if (!mpi_all_agree(m, m->own_slots != NULL)) return snprintf(why, COMM_WHY, "out of memory"), -1;
  memset(m->own_slots, 0, bytes);
  place_ranks(c);
  for (int i = 0; i < c->count; i++) c->slot[c->first + i] = &m->own_slots[i];
  c->all_direct = c->nranks == 1;
  return 0;
}

void mpi_share_close(Mpi *m) {
  for (int i = 0; i < NSEGMENTS; i++)
    if (m->comm.segment[i]) drop_segment(m, i);
  if (m->control.at) munmap(m->control.at, (size_t)m->control.bytes);
  free(m->own_slots);
  free(m->index);
}
