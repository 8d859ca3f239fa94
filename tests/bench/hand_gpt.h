/* hand_gpt.h: one transformer block, forward and backward, as a C programmer writes it for
 * OpenBLAS: pre-norm, causal attention of GPT_HEADS heads, an MLP four times as wide with gelu,
 * residuals; the loss is the mean of squares of what comes out. */
#ifndef HAND_GPT_H
#define HAND_GPT_H
#include <stddef.h>

enum { GPT_BATCH = 8, GPT_SEQ = 256, GPT_WIDTH = 256, GPT_HEADS = 8, GPT_PARTS = 12 };

/* Floats of each parameter: scale, shift of the first norm; q, k, v, out; scale, shift of the
 * second; w, b of the two layers of the MLP. */
extern const size_t gpt_count[GPT_PARTS];
size_t gpt_work(int batch); /* floats of room for activations */
/* x: [batch][GPT_SEQ][GPT_WIDTH]. Parameters and their gradients (of `part` times the sum of
 * squares) lie end to end, each beginning at `at`. Returns the loss. */
float gpt_step(int batch, const float *x, const float *p, float *g, const size_t *at, float *work,
               float part);
#endif
