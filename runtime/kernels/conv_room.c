/* conv_room.c: memory of a thread for what kernels copy. */
#include "conv.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t room_key;
static pthread_once_t room_once = PTHREAD_ONCE_INIT;
static bool room_ready;
static void room_make(void) { room_ready = pthread_key_create(&room_key, free) == 0; }

float *conv_room(int64_t floats) {
  static _Thread_local int64_t have;
  pthread_once(&room_once, room_make);
  if (!room_ready) return NULL;
  float *room = pthread_getspecific(room_key);
  if (floats <= have) return room;
  free(room);
  have = 0;
  room = aligned_alloc(64, (size_t)(floats + 15) / 16 * 64);
  if (pthread_setspecific(room_key, room)) {
    free(room);
    pthread_setspecific(room_key, NULL);
    return NULL;
  }
  if (room) have = floats;
  return room;
}
