/* progress_thread.h: a thread that takes messages in flight further for all devices of a process
 * while they compute. It sleeps while Device.under_way of each is 0. */
#ifndef DTG_RUNTIME_PROGRESS_THREAD_H
#define DTG_RUNTIME_PROGRESS_THREAD_H
#include <stdbool.h>

struct Device;
typedef struct ProgressThread ProgressThread;
/* Takes a device's messages further, as far as they go now; true: some have gone on. Failures do
 * not leave it. */
typedef bool ProgressTurn(struct Device *d);

/* NULL with a reason (of COMM_WHY bytes): the system rejects it. */
ProgressThread *progress_thread_open(struct Device *devices, int n, ProgressTurn *turn, char *why);
void progress_thread_close(ProgressThread *t); /* NULL is allowed */
void progress_thread_wake(ProgressThread *t);  /* NULL is allowed; something is in flight */

#endif
