/* checkpoint_index.c: the index of a checkpoint: Hugging Face's `weight_map` (which tensor is in
 * which file), and dtg's own part: the program, mesh, progress, variables, and the checksums of
 * the files' headers. Its own checksum is part of it, computed with zeros in its place. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "checkpoint.h"
#include "checkpoint_index.h"

char *checkpoint_part_name(int part, int nparts) {
  return checkpoint_printf("part-%05d-of-%05d.safetensors", part, nparts);
}

char *checkpoint_entry_name(const char *path, int rank, const int64_t *shape,
                            const BlockSpan *box) {
  bool whole = true;
  for (int d = 0; d < rank; d++) whole &= box[d].lo == 0 && box[d].hi == shape[d];
  if (whole) return strdup(path);
  size_t room = strlen(path) + 8 + 44 * (size_t)rank;
  char *name = malloc(room);
  if (!name) return NULL;
  int n = snprintf(name, room, "%s[", path);
  for (int d = 0; d < rank; d++)
    n += snprintf(name + n, room - (size_t)n, "%s%lld:%lld", d ? ", " : "", (long long)box[d].lo,
                  (long long)box[d].hi);
  snprintf(name + n, room - (size_t)n, "]");
  return name;
}

json_t *checkpoint_metadata(const checkpoint_about *a) {
  char step[32];
  snprintf(step, sizeof step, "%lld", (long long)a->progress.step);
  return json_pack("{s:s, s:s, s:s, s:s}", "dtg", "1", "program", a->program, "mesh", a->mesh,
                   "step", step);
}

/* -------- writing -------- */

static json_t *hex64(uint64_t v) {
  char text[24];
  snprintf(text, sizeof text, "%016llx", (unsigned long long)v);
  return json_string(text);
}

static json_t *hex32(uint32_t v) {
  char text[16];
  snprintf(text, sizeof text, "%08x", v);
  return json_string(text);
}

static json_t *progress_json(const dtrt_progress *p) {
  return json_pack("{s:I, s:I, s:I, s:I, s:b, s:o, s:o, s:s}", "step", (json_int_t)p->step, "epoch",
                   (json_int_t)p->epoch, "row", (json_int_t)p->row, "rows", (json_int_t)p->rows,
                   "shuffled", p->shuffled != 0, "shuffle", hex64(p->shuffle), "seed",
                   hex64(p->seed), "note", p->note);
}

static json_t *variables_json(const checkpoint_about *a) {
  json_t *list = json_array();
  for (int i = 0; list && i < a->nvars; i++) {
    const checkpoint_saved *v = &a->var[i];
    json_t *shape = json_array();
    for (int d = 0; d < v->rank; d++) json_array_append_new(shape, json_integer(v->shape[d]));
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o, s:s, s:b}", "path", v->path,
                                          "dtype", safetensors_dtype(v->dtype), "stored",
                                          safetensors_dtype(v->kind), "shape", shape, "layout",
                                          v->layout, "trainable", v->trainable));
  }
  return list;
}

/* Adds one file to the lists. */
static bool add_part(const char *folder, int part, int nparts, json_t *map, json_t *files,
                     int64_t *bytes, char *why, size_t whysize) {
  safetensors f;
  char *name = checkpoint_part_name(part, nparts);
  char *path = name ? checkpoint_printf("%s/%s", folder, name) : NULL;
  snprintf(why, whysize, "out of memory");
  bool good = path && safetensors_open(&f, path, why, whysize);
  if (good) {
    bool bad = json_array_append_new(files, json_pack("{s:s, s:I, s:o}", "name", name, "bytes",
                                                      (json_int_t)f.size, "header_crc32",
                                                      hex32(f.header_crc)));
    for (int i = 0; i < f.n && !bad; i++) {
      bad = json_object_set_new(map, f.entry[i].name, json_string(name));
      *bytes += f.entry[i].bytes;
    }
    safetensors_free(&f);
    if (bad) snprintf(why, whysize, "%s: out of memory", path);
    good = !bad;
  }
  free(path);
  free(name);
  return good;
}

static char *index_text(const char *folder, const checkpoint_about *a, int nparts, char *why,
                        size_t whysize) {
  json_t *map = json_object(), *files = json_array();
  int64_t bytes = 0;
  char *text = NULL;
  bool good = map && files;
  for (int i = 0; good && i < nparts; i++)
    good = add_part(folder, i, nparts, map, files, &bytes, why, whysize);
  if (good) {
    json_t *all = json_pack(
        "{s:{s:I}, s:O, s:{s:i, s:s, s:s, s:o, s:s, s:o, s:O, s:o}}", "metadata", "total_size",
        (json_int_t)bytes, "weight_map", map, "dtg", "version", 1, "crc32 of index", "00000000",
        "program", a->program, "hash", hex64(a->hash), "mesh", a->mesh, "progress",
        progress_json(&a->progress), "files", files, "variables", variables_json(a));
    text = all ? json_dumps(all, JSON_INDENT(1)) : NULL;
    if (!text) snprintf(why, whysize, "%s: the index cannot be made: out of memory", folder);
    json_decref(all);
  }
  json_decref(map);
  json_decref(files);
  return text;
}

char *index_sum_place(char *text) {
  static const char key[] = "\"crc32 of index\": \"";
  char *at = strstr(text, key);
  return at && strlen(at) > sizeof key + 8 ? at + sizeof key - 1 : NULL;
}

uint32_t index_sum(const char *text) {
  return (uint32_t)crc32_z(0, (const unsigned char *)text, strlen(text));
}

static bool write_text(const char *path, const char *text, char *why, size_t whysize) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  bool good = fd >= 0;
  for (size_t at = 0, n = strlen(text); good && at < n;) {
    ssize_t done = write(fd, text + at, n - at);
    if (done < 0 && errno == EINTR) continue;
    good = done > 0;
    if (good) at += (size_t)done;
  }
  good = good && fsync(fd) == 0;
  if (!good) snprintf(why, whysize, "%s: %s", path, strerror(errno));
  if (fd >= 0 && close(fd) && good) {
    snprintf(why, whysize, "%s: %s", path, strerror(errno));
    good = false;
  }
  return good;
}

bool checkpoint_write_index(const char *folder, const checkpoint_about *a, int nparts, char *why,
                            size_t whysize) {
  char *text = index_text(folder, a, nparts, why, whysize);
  if (!text) return false;
  char *path = checkpoint_printf("%s/%s", folder, CHECKPOINT_INDEX), sum[16];
  char *at = index_sum_place(text);
  bool good = path && at;
  if (good) {
    snprintf(sum, sizeof sum, "%08x", index_sum(text));
    memcpy(at, sum, 8);
    good = write_text(path, text, why, whysize);
  } else {
    snprintf(why, whysize, "%s: out of memory", folder);
  }
  free(path);
  free(text);
  return good && checkpoint_sync_folder(folder, why, whysize);
}
