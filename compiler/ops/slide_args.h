#ifndef DTG_SLIDE_ARGS_H
#define DTG_SLIDE_ARGS_H
#include "opdefs.h"
#include "slide.h"

/* Reads stride=, dilation= and padding= ("same", "valid", with `may_wrap` "wrap", or [[before,
 * after], ...]) of a window whose taps and large side are set, and computes the small side. */
bool slide_args(Build *b, const Arg *stride, const Arg *padding, const Arg *dilation, bool may_wrap,
                Slide *s);
/* Of one whose sides are set: windows come round once, and each sees no element twice. */
bool slide_can_wrap(Build *b, const Arg *padding, const Slide *s);

#endif
