/* Panels of curves as SVG. Colours and fonts are in one <style>, with other colours where the
 * reader prefers a dark page; viewers that know no media queries show the light one. Widths of
 * texts are guessed, since an SVG file cannot measure them: nothing is placed so that a guess could
 * cover a curve. */
#include "plot.h"
#include <math.h>
#include <string.h>

enum {
  DRAW_WIDE = 460, /* a panel */
  DRAW_HIGH = 300, /* its plot, without titles and legend */
  DRAW_LEFT = 62,
  DRAW_RIGHT = 16,
  DRAW_TITLE = 34, /* above a panel */
  DRAW_BELOW = 46, /* numbers and title of x */
  DRAW_LINE = 20,  /* of a legend */
  DRAW_HUES = 8,
  DRAW_DASHES = 4,
  DRAW_POINTS = 2000, /* of a series; beyond, only what can be seen of it */
  DRAW_MARKED = 40    /* a series of at most so many points has each of them marked */
};

/* Okabe and Ito's colours, which the colour-blind can tell apart; on dark ground lighter. */
static const char *const draw_light[DRAW_HUES] = {"#0072b2", "#d55e00", "#009e73", "#b0528f",
                                                  "#c28500", "#2a9bd6", "#555555", "#8a6d3b"};
static const char *const draw_dark[DRAW_HUES] = {"#4aa8e0", "#ff8a3d", "#2fcf9f", "#e39ac6",
                                                 "#f0b73a", "#8fd0f5", "#bbbbbb", "#cdb07a"};
static const char *const draw_dashes[DRAW_DASHES] = {"", "7 4", "2 3", "9 3 2 3"};

/* Where a panel's values are on the page. */
typedef struct PlotFrame {
  double x0, y0, wide, high;               /* the plot: left, top */
  double least_x, most_x, least_y, most_y; /* of y the logarithm, when log_y */
  bool log_y, whole_x;                     /* whole_x: epochs have no halves */
} PlotFrame;

static double at_x(const PlotFrame *f, double x) {
  return f->x0 + (x - f->least_x) / (f->most_x - f->least_x) * f->wide;
}

static double at_y(const PlotFrame *f, double y) {
  return f->y0 + (f->most_y - (f->log_y ? log10(y) : y)) / (f->most_y - f->least_y) * f->high;
}

/* -------- text -------- */

/* The bytes of the UTF-8 character at s, 0 when it is none that XML may hold. */
static int utf8_length(const unsigned char *s) {
  int n = s[0] < 0x80 ? 1 : s[0] >= 0xC2 && s[0] < 0xE0 ? 2 : s[0] < 0xE0 ? 0 : s[0] < 0xF0 ? 3 : 4;
  if (s[0] > 0xF4 || n == 0 || (n == 1 && s[0] < 32 && s[0] != '\t') || s[0] == 127) return 0;
  for (int i = 1; i < n; i++)
    if ((s[i] & 0xC0) != 0x80) return 0;
  unsigned second = n > 1 ? s[1] : 0;
  bool wrong = (s[0] == 0xE0 && second < 0xA0) || (s[0] == 0xED && second > 0x9F) ||
               (s[0] == 0xF0 && second < 0x90) || (s[0] == 0xF4 && second > 0x8F) ||
               (s[0] == 0xEF && second == 0xBF && s[2] >= 0xBE);
  return wrong ? 0 : n;
}

static int text_length(const char *s) { /* in characters */
  int count = 0;
  for (int n; *s; s += n ? n : 1, count++) n = utf8_length((const unsigned char *)s);
  return count;
}

/* At most so many characters; the last is an ellipsis when there are more. */
static void put_text(Str *out, const char *s, int most) {
  bool cut = text_length(s) > most;
  for (int n, i = 0; *s && i < most - cut; s += n ? n : 1, i++) {
    n = utf8_length((const unsigned char *)s);
    if (!n)
      str_puts(out, "?");
    else if (strchr("<>&\"", *s))
      str_printf(out, "&#%d;", *s);
    else
      str_put(out, s, (size_t)n);
  }
  if (cut) str_puts(out, "\xE2\x80\xA6");
}

static double guess_width(const char *s) { return 6.4 * text_length(s); }

/* -------- ticks -------- */

/* The 1, 2 or 5 times a power of ten that gives at most `most` steps in `span`. */
static double nice_step(double span, int most) {
  double unit = pow(10, floor(log10(span / most)));
  static const double times[] = {1, 2, 5, 10};
  for (int i = 0; i < 3; i++)
    if (span / (unit * times[i]) <= most) return unit * times[i];
  return unit * 10;
}

/* As many digits behind the point as the step needs. */
static void put_number(Str *out, double v, double step) {
  int digits = (int)ceil(-log10(step) - 1e-9);
  if (fabs(v) < step * 1e-6) v = 0;
  if (fabs(v) >= 1e6 || digits > 5)
    str_printf(out, "%.4g", v);
  else
    str_printf(out, "%.*f", digits > 0 ? digits : 0, v);
}

static void put_y_tick(const PlotFrame *f, double v, double step, Str *out) {
  double y = at_y(f, v);
  str_printf(out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", f->x0,
             y, f->x0 + f->wide, y);
  str_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", f->x0 - 7, y + 4);
  put_number(out, v, step);
  str_puts(out, "</text>\n");
}

/* Some of each decade, or only the decades where there are many. */
static void put_log_ticks(const PlotFrame *f, Str *out) {
  static const double times[] = {1, 2, 5, 3, 7};
  double span = f->most_y - f->least_y;
  int every = (int)ceil(span / 8), drawn = 0, each = span <= 1 ? 5 : span <= 3 ? 3 : 1;
  for (int decade = (int)floor(f->least_y); decade <= f->most_y; decade++)
    for (int i = 0; i < each; i++) {
      double v = times[i] * pow(10, decade);
      if (log10(v) < f->least_y - 1e-9 || log10(v) > f->most_y + 1e-9 || decade % every) continue;
      put_y_tick(f, v, pow(10, decade), out);
      drawn++;
    }
  if (drawn > 1) return; /* less than from one such number to the next */
  double least = pow(10, f->least_y), most = pow(10, f->most_y), step = nice_step(most - least, 6);
  for (double k = ceil(least / step - 1e-9); k * step <= most * (1 + 1e-9); k++)
    put_y_tick(f, k * step, step, out);
}

static void put_ticks(const PlotFrame *f, Str *out) {
  double step = nice_step(f->most_y - f->least_y, 6);
  if (f->log_y)
    put_log_ticks(f, out);
  else
    for (double k = ceil(f->least_y / step - 1e-9); k * step <= f->most_y + step * 1e-9; k++)
      put_y_tick(f, k * step, step, out);
  step = nice_step(f->most_x - f->least_x, 8);
  if (f->whole_x) step = fmax(step, 1);
  for (double k = ceil(f->least_x / step - 1e-9); k * step <= f->most_x + step * 1e-9; k++) {
    double x = at_x(f, k * step), y = f->y0 + f->high;
    str_printf(out, "<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", x, y,
               x, y + 4);
    str_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", x, y + 18);
    put_number(out, k * step, step);
    str_puts(out, "</text>\n");
  }
}

/* -------- a curve -------- */

typedef struct Point {
  double x, y;
} Point;
typedef VEC(Point) Points;

static double value(const PlotSeries *s, int row, int column) {
  return s->log->value[(size_t)row * (size_t)s->log->ncolumns + (size_t)column];
}

/* Not infinite, nor so large that a span could be. */
static bool is_number(double v) { return fabs(v) <= 1e300; }

static bool can_show(const PlotFrame *f, Point p) {
  return is_number(p.x) && is_number(p.y) && (!f->log_y || p.y > 0);
}

/* Of many points the least and the greatest of each small stretch, in their order: what is left out
 * could not be seen. */
static void thin(Arena *a, Points *run) {
  int keep = DRAW_POINTS / 2, n = run->n;
  Points few = {0};
  if (n <= DRAW_POINTS) return;
  for (int k = 0; k < keep; k++) {
    int first = (int)((long long)n * k / keep), end = (int)((long long)n * (k + 1) / keep);
    int low = first, high = first;
    for (int i = first; i < end; i++) {
      if (run->at[i].y < run->at[low].y) low = i;
      if (run->at[i].y > run->at[high].y) high = i;
    }
    vec_push(a, &few, run->at[low < high ? low : high]);
    if (low != high) vec_push(a, &few, run->at[low < high ? high : low]);
  }
  *run = few;
}

static void put_run(Arena *a, const PlotFrame *f, const PlotSeries *s, Points *run, Str *out) {
  double width = 2 + 3.2 * (s->under < 5 ? s->under : 5);
  if (!run->n) return;
  bool marked = s->log->nrows <= DRAW_MARKED || run->n == 1;
  thin(a, run);
  if (run->n > 1) {
    str_printf(out, "<polyline class=\"h%d d%d\" stroke-width=\"%.1f\" points=\"", s->hue, s->dash,
               width);
    for (int i = 0; i < run->n; i++)
      str_printf(out, "%s%.1f,%.1f", i ? " " : "", at_x(f, run->at[i].x), at_y(f, run->at[i].y));
    str_puts(out, "\"/>\n");
  }
  for (int i = 0; i < run->n && marked; i++) {
    str_printf(out, "<circle class=\"f%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"><title>", s->hue,
               at_x(f, run->at[i].x), at_y(f, run->at[i].y), width / 2 + 2);
    put_text(out, s->label, 200);
    str_printf(out, " at %g: %g</title></circle>\n", run->at[i].x, run->at[i].y);
  }
}

static void put_curve(Arena *a, const PlotFrame *f, const PlotSeries *s, Str *out) {
  Points run = {0};
  for (int i = 0; i < s->log->nrows; i++) {
    Point p = {value(s, i, s->x), value(s, i, s->y)};
    if (can_show(f, p)) {
      vec_push(a, &run, p);
      continue;
    }
    put_run(a, f, s, &run, out);
    run = (Points){0};
  }
  put_run(a, f, s, &run, out);
}

/* -------- the legend -------- */

/* Draws it below y, or with out == NULL only counts its lines. */
static int put_legend(const PlotPanel *p, double left, double y, Str *out) {
  double x = 0, wide = DRAW_WIDE - DRAW_LEFT - DRAW_RIGHT;
  int line = 0;
  for (int i = 0; i < p->series.n; i++) {
    const PlotSeries *s = &p->series.at[i];
    double need = 34 + fmin(guess_width(s->label), wide - 34) + 16;
    if (x > 0 && x + need - 16 > wide) x = 0, line++;
    if (out) {
      double at = y + line * DRAW_LINE;
      str_printf(out,
                 "<line class=\"h%d d%d\" stroke-width=\"2\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" "
                 "y2=\"%.1f\"/><text x=\"%.1f\" y=\"%.1f\">",
                 s->hue, s->dash, left + x, at, left + x + 26, at, left + x + 32, at + 4);
      put_text(out, s->label, (int)((wide - 34) / 6.4));
      str_puts(out, "</text>\n");
    }
    x += need;
  }
  return line + 1;
}

/* -------- a panel -------- */

double plot_apart(const PlotSeries *a, const PlotSeries *b) {
  double most = -1;
  for (int i = 0, k = 0; i < a->log->nrows && k < b->log->nrows;) {
    double x = value(a, i, a->x), other = value(b, k, b->x);
    double d = fabs(value(a, i, a->y) - value(b, k, b->y));
    if (x == other && isfinite(d) && d > most) most = d;
    i += !(x > other);
    k += !(x < other);
  }
  return most;
}

bool plot_range(const PlotPanel *p, bool of_y, bool positive, double *least, double *most) {
  *least = INFINITY, *most = -INFINITY;
  for (int i = 0; i < p->series.n; i++) {
    const PlotSeries *s = &p->series.at[i];
    for (int row = 0; row < s->log->nrows; row++) {
      double v = value(s, row, of_y ? s->y : s->x);
      if (!is_number(v) || (positive && v <= 0)) continue;
      *least = fmin(*least, v);
      *most = fmax(*most, v);
    }
  }
  return *least <= *most;
}

/* So that there is a span, and that no curve runs along the border. */
static void widen(double *least, double *most, double share) {
  double span = *most - *least;
  double least_span = fmax(fabs(*most), fabs(*least)) * 1e-9; /* what %g can show */
  if (span <= least_span) span = fmax(fabs(*most), 1) * 0.1, share = 1;
  *least -= span * share;
  *most += span * share;
}

static bool only_whole_x(const PlotPanel *p) {
  for (int i = 0; i < p->series.n; i++)
    for (int row = 0; row < p->series.at[i].log->nrows; row++) {
      double x = value(&p->series.at[i], row, p->series.at[i].x);
      if (isfinite(x) && x != floor(x)) return false;
    }
  return true;
}

static void put_panel(Arena *a, const PlotPage *page, const PlotPanel *p, double left, double top,
                      Str *out) {
  PlotFrame f = {.x0 = left + DRAW_LEFT,
                 .y0 = top + DRAW_TITLE,
                 .wide = DRAW_WIDE - DRAW_LEFT - DRAW_RIGHT,
                 .high = DRAW_HIGH,
                 .log_y = page->log_y,
                 .whole_x = only_whole_x(p)};
  plot_range(p, false, false, &f.least_x, &f.most_x);
  plot_range(p, true, page->log_y, &f.least_y, &f.most_y);
  if (f.log_y) f.least_y = log10(f.least_y), f.most_y = log10(f.most_y);
  widen(&f.least_x, &f.most_x, 0.02);
  widen(&f.least_y, &f.most_y, 0.05);
  str_printf(out, "<text class=\"title\" x=\"%.1f\" y=\"%.1f\">", f.x0, top + 20);
  put_text(out, p->title, 55);
  str_puts(out, "</text>\n");
  put_ticks(&f, out);
  str_printf(out, "<polyline class=\"axis\" points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n", f.x0,
             f.y0, f.x0, f.y0 + f.high, f.x0 + f.wide, f.y0 + f.high);
  str_printf(out, "<text class=\"name\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
             f.x0 + f.wide / 2, f.y0 + f.high + 36);
  put_text(out, page->x_title, 55);
  str_puts(out, "</text>\n");
  for (int i = 0; i < p->series.n; i++) put_curve(a, &f, &p->series.at[i], out);
  put_legend(p, f.x0, f.y0 + f.high + DRAW_BELOW + 10, out);
}

/* -------- the page -------- */

static void put_style(Str *out) {
  str_puts(out, "<style>\n"
                ".page{fill:#fff} text{font:12px system-ui,sans-serif;fill:#444}\n"
                ".title{font-size:14px;font-weight:600;fill:#111} .name{fill:#111}\n"
                ".grid{stroke:#e4e4e4} .axis{stroke:#888;fill:none}\n"
                "polyline{fill:none;stroke-linejoin:round;stroke-linecap:butt}\n");
  for (int i = 0; i < DRAW_HUES; i++)
    str_printf(out, ".h%d{stroke:%s} .f%d{fill:%s}\n", i, draw_light[i], i, draw_light[i]);
  for (int i = 1; i < DRAW_DASHES; i++)
    str_printf(out, ".d%d{stroke-dasharray:%s}\n", i, draw_dashes[i]);
  str_puts(out, "@media (prefers-color-scheme:dark){\n"
                ".page{fill:#16181c} text{fill:#b8bcc4} .title,.name{fill:#eee}\n"
                ".grid{stroke:#2c3038} .axis{stroke:#7a808a}\n");
  for (int i = 0; i < DRAW_HUES; i++)
    str_printf(out, ".h%d{stroke:%s} .f%d{fill:%s}\n", i, draw_dark[i], i, draw_dark[i]);
  str_puts(out, "}\n</style>\n");
}

void plot_draw(Arena *a, const PlotPage *page, Str *out) {
  int lines = 1, top = page->title ? 30 : 0, columns = page->panels.n < 3 ? page->panels.n : 3;
  for (int i = 0; i < page->panels.n; i++) {
    int n = put_legend(&page->panels.at[i], 0, 0, NULL);
    if (n > lines) lines = n;
  }
  int high = DRAW_TITLE + DRAW_HIGH + DRAW_BELOW + lines * DRAW_LINE + 8;
  int rows = (page->panels.n + columns - 1) / columns;
  str_printf(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 "
             "%d %d\" role=\"img\">\n<title>",
             columns * DRAW_WIDE, top + rows * high, columns * DRAW_WIDE, top + rows * high);
  for (int i = 0; i < page->panels.n && !page->title; i++) {
    if (i) str_puts(out, ", ");
    put_text(out, page->panels.at[i].title, 80);
  }
  if (page->title) put_text(out, page->title, 200);
  str_puts(out, " by ");
  put_text(out, page->x_title, 80);
  str_puts(out, "</title>\n");
  put_style(out);
  str_puts(out, "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
  if (page->title) {
    str_printf(out, "<text class=\"title\" x=\"%d\" y=\"24\">", DRAW_LEFT);
    put_text(out, page->title, 60 * columns);
    str_puts(out, "</text>\n");
  }
  for (int i = 0; i < page->panels.n; i++)
    put_panel(a, page, &page->panels.at[i], i % columns * DRAW_WIDE, top + i / columns * high, out);
  str_puts(out, "</svg>\n");
}
