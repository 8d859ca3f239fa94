/* hand.h: the training steps of the benchmark as a C programmer writes them for OpenBLAS,
 * and two small programs. */
#ifndef HAND_H
#define HAND_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MNIST_BATCH = 128, IMDB_BATCH = 64, HAND_PARTS = 12, HAND_CHAIN = 1 << 18 };

typedef struct Hand Hand;

/* shared: all devices use one copy of the parameters and each updates a part of it, which only
 * threads of one process can do; otherwise every device has and updates its own, as a device of a
 * mesh does. */
Hand *hand_mnist(int ndevices, bool shared);
Hand *hand_imdb(int ndevices, bool shared);
/* Ten of relu(x @ w + b) on 64x64 and their mean; a loop of eight operations over HAND_CHAIN
 * floats. */
Hand *hand_small(int ndevices);
Hand *hand_chain(void);
/* A transformer block (hand_gpt.h), SGD 1e-2. */
Hand *hand_gpt(int ndevices);
void hand_free(Hand *h);

/* The parameters, in the order w, b of each layer: gives every device this value. */
void hand_set(Hand *h, int part, const float *value);
void hand_reset(Hand *h);                   /* what the optimizer remembers, to its first values */
size_t hand_count(const Hand *h, int part); /* floats; 0: no such part */
/* x: [batch][784 or 1200]; label: [batch]. Returns the loss (the mean; the first element). */
float hand_step(Hand *h, const float *x, const int32_t *label);
#endif
