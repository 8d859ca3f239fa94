/* conv_portable.c: convolutions for any CPU. */
#include "portable.h"
#define NAME conv_kernel_portable
#define PAIRS_NAME conv_pairs_portable
#include "conv_kernel.inc"
