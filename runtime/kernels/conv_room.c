/* conv_room.c: memory of a thread for what kernels copy. */
#include "conv.h"
#include <pthread.h>
#include <stdlib.h>

enum { ROOMS = 3 };
static pthread_key_t room_key[ROOMS];
static pthread_once_t room_once = PTHREAD_ONCE_INIT;
static bool room_ready;
static void room_make(void) {
  room_ready = true;
  for (int i = 0; i < ROOMS; i++)
    room_ready = room_ready && pthread_key_create(&room_key[i], free) == 0;
}

static float *room_of(int which, int64_t floats) {
  static _Thread_local int64_t have[ROOMS];
  pthread_once(&room_once, room_make);
  if (!room_ready) return NULL;
  float *room = pthread_getspecific(room_key[which]);
  if (floats <= have[which]) return room;
  free(room);
  have[which] = 0;
  room = aligned_alloc(64, (size_t)(floats + 15) / 16 * 64);
  if (pthread_setspecific(room_key[which], room)) {
    free(room);
    pthread_setspecific(room_key[which], NULL);
    return NULL;
  }
  if (room) have[which] = floats;
  return room;
}

float *conv_room(int64_t floats) { return room_of(0, floats); }
float *conv_sums_room(int64_t floats) { return room_of(1, floats); }
float *gemm_kept_room(int64_t floats) { return room_of(2, floats); }
