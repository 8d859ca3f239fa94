/* dtgc plot: the logs that `fit --log` writes, drawn as curves in one SVG file that needs nothing
 * else. A part of the executable, on the floor of support: it knows no tensors.
 *
 *   plot_read    a log: named columns of numbers
 *   plot_draw    panels of series, as SVG; the same panels always give the same bytes
 *   plot_main    the command line */
#ifndef DTG_PLOT_H
#define DTG_PLOT_H
#include "arena.h"
#include "str.h"
#include <stdbool.h>

typedef struct PlotLog {
  const char *path, *label;
  int ncolumns, nrows;
  const char **name; /* [ncolumns] */
  double *value;     /* [nrows][ncolumns]; may be infinite or NaN */
} PlotLog;

/* Comma-separated, names in the first line. On failure writes why, with path and line. */
bool plot_read(Arena *a, const char *path, PlotLog *out, char *why, int n);
int plot_column(const PlotLog *l, const char *name); /* -1: no such */

/* One curve. Where a value is not finite it has a gap. */
typedef struct PlotSeries {
  const char *label; /* in the legend */
  const PlotLog *log;
  int x, y;      /* columns of log */
  int hue, dash; /* which colour and which dashes, from 0 */
  int under;     /* coinciding series drawn over it: it is that much wider, so that it shows */
} PlotSeries;

typedef struct PlotPanel {
  const char *title;
  VEC(PlotSeries) series;
} PlotPanel;

typedef struct PlotPage {
  const char *title;   /* NULL: none */
  const char *x_title; /* below each panel */
  bool log_y;
  VEC(PlotPanel) panels;
} PlotPage;

/* The panels side by side, each with its axes and legend. */
void plot_draw(Arena *a, const PlotPage *page, Str *out);
/* The largest distance between two curves at the same x, or -1: they share no x. Both must go from
 * smaller x to larger: where they do not, points are passed over. */
double plot_apart(const PlotSeries *a, const PlotSeries *b);
/* The range of all finite values (with `positive`, of those above 0); false: there are none. */
bool plot_range(const PlotPanel *p, bool of_y, bool positive, double *least, double *most);

/* What comes after `dtgc plot`. The exit status: 0, 1 after errors, 2 for a wrong command line. */
int plot_main(int argc, char **argv);

#endif
