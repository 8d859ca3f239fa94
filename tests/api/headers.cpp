#include <cstdint>
#include "dtrt.h"
#include "dtgc.h"
int headers_cpp();
int headers_cpp() { return int(DTGC_F32) == int(DTRT_F32); }
