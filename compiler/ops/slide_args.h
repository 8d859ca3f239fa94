#ifndef DTG_SLIDE_ARGS_H
#define DTG_SLIDE_ARGS_H
#include "opdefs.h"
#include "slide.h"

/* Reads stride=, padding= and dilation= ("same", "valid" or [[before, after], ...]) of a window
 * whose taps and large side are set, and computes the small side. */
bool slide_args(Build *b, const Arg *stride, const Arg *padding, const Arg *dilation, Slide *s);

#endif
