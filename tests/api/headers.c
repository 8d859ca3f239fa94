#include "dtgc.h"
#include "dtrt.h"
#include <stdint.h>
int headers_c(void);
int headers_c(void) { return DTGC_F32 == (int)DTRT_F32; }
