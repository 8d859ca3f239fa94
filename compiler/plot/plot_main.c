/* The command line of `dtgc plot`: which columns of which logs make which panel. A curve's colour
 * shows the log and its dashes the column; with one log the colour shows the column. */
#include "plot.h"
#include "files.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAIN_ERRORS = 1, MAIN_USAGE = 2, MAIN_HUES = 8, MAIN_DASHES = 4 };

static const char main_help[] =
    "dtgc plot: draws the logs of `fit --log` as SVG\n"
    "\n"
    "  dtgc plot LOG.csv... -o FILE.svg\n"
    "  dtgc plot one=a.csv eight=b.csv --y loss,eval.loss --y accuracy -o FILE.svg\n"
    "\n"
    "A log may be given the name it has in the legend: NAME=LOG.csv.\n"
    "\n"
    "  --y COLUMN,...   the curves of one panel; given again, of another. Without it: all columns "
    "but\n"
    "                   epoch, step, steps and seconds, those of one name (loss, eval.loss) "
    "together\n"
    "  --x COLUMN       what goes to the right: by default epoch\n"
    "  --log-y          y in powers of ten\n"
    "  --title TEXT     over all panels\n"
    "  -o FILE          the SVG; without it, standard output. With it, how far the curves of\n"
    "                   different logs are apart is told on standard output\n"
    "\n"
    "Exit status: 0, 1 after errors, 2 for a wrong command line.\n";

typedef struct Plotting {
  Arena *arena;
  PlotPage page;
  const char *x, *output;
  VEC(const char *) files, ys;
  VEC(PlotLog) logs;
  char why[1024];
} Plotting;

/* -------- words -------- */

static int usage(Plotting *p, const char *format, const char *a, const char *b) {
  snprintf(p->why, sizeof p->why, format, a, b);
  return MAIN_USAGE;
}

static int take(Plotting *p, const char **where, const char *option, const char *value) {
  if (*where) return usage(p, "%s is given twice (%s)", option, value);
  *where = value;
  return 0;
}

static int unknown(Plotting *p, const char *arg) {
  static const char *const options[] = {"--y", "--x", "--log-y", "--title", "-o", "--help"};
  int least = 4, which = -1;
  char typed[64];
  snprintf(typed, sizeof typed, "%.*s", (int)strcspn(arg, "="), arg);
  for (int i = 0; i < 6; i++) {
    int d = str_distance(typed, options[i], least);
    if (d < least) least = d, which = i;
  }
  if (which < 0) return usage(p, "unknown option %s (dtgc plot --help lists them)%s", typed, "");
  return usage(p, "unknown option %s: do you mean %s?", typed, options[which]);
}

/* The value of the option at argv[*i], joined by `=` or the next word; NULL when it is another. */
static const char *value_of(char **argv, int argc, int *i, const char *option, int *status,
                            Plotting *p) {
  size_t n = strlen(option);
  const char *arg = argv[*i];
  if (strncmp(arg, option, n) || (arg[n] && arg[n] != '=')) return NULL;
  const char *value = arg[n] ? arg + n + 1 : *i + 1 < argc ? argv[++*i] : "";
  if (!*value) *status = usage(p, "%s requires a value%s", option, "");
  return value;
}

static int read_words(Plotting *p, int argc, char **argv) {
  int status = 0;
  bool only_files = false;
  for (int i = 0; i < argc && !status; i++) {
    const char *arg = argv[i], *value;
    if (only_files || arg[0] != '-' || !arg[1])
      vec_push(p->arena, &p->files, arg);
    else if (!strcmp(arg, "--"))
      only_files = true;
    else if (!strcmp(arg, "--log-y"))
      p->page.log_y = true;
    else if ((value = value_of(argv, argc, &i, "--y", &status, p)))
      vec_push(p->arena, &p->ys, value);
    else if ((value = value_of(argv, argc, &i, "--x", &status, p)))
      status = status ? status : take(p, &p->x, "--x", value);
    else if ((value = value_of(argv, argc, &i, "--title", &status, p)))
      status = status ? status : take(p, &p->page.title, "--title", value);
    else if ((value = value_of(argv, argc, &i, "-o", &status, p)))
      status = status ? status : take(p, &p->output, "-o", value);
    else
      status = unknown(p, arg);
  }
  if (!status && !p->files.n) return usage(p, "no log is given (dtgc plot --help)%s%s", "", "");
  return status;
}

/* -------- logs -------- */

/* `mesh/data.csv` is called data. */
static const char *short_label(Arena *a, const char *path) {
  const char *base = strrchr(path, '/');
  base = base ? base + 1 : path;
  size_t n = strlen(base);
  return n > 4 && !strcmp(base + n - 4, ".csv") ? arena_strndup(a, base, n - 4) : base;
}

/* NAME=LOG.csv is cut at the first `=` behind which there is a file; a file of that very name is
 * itself. */
static const char *cut_label(Arena *a, const char **file) {
  struct stat st;
  const char *whole = *file, *first = strchr(whole, '=');
  if (!first || first == whole || !stat(whole, &st)) return NULL;
  const char *eq = first;
  while (eq && stat(eq + 1, &st)) eq = strchr(eq + 1, '=');
  if (!eq) eq = first;
  *file = eq + 1;
  return arena_strndup(a, whole, (size_t)(eq - whole));
}

static int read_logs(Plotting *p) {
  for (int i = 0; i < p->files.n; i++) {
    const char *file = p->files.at[i], *label = cut_label(p->arena, &file);
    PlotLog log;
    if (!plot_read(p->arena, file, &log, p->why, sizeof p->why)) return MAIN_ERRORS;
    log.label = label ? label : short_label(p->arena, file);
    vec_push(p->arena, &p->logs, log);
  }
  for (int i = 0; i < p->logs.n; i++) /* two of one name: by their paths */
    for (int k = 0; k < i; k++)
      if (!strcmp(p->logs.at[i].label, p->logs.at[k].label)) {
        p->logs.at[i].label = p->files.at[i];
        p->logs.at[k].label = p->files.at[k];
      }
  return 0;
}

static int no_column(Plotting *p, const PlotLog *l, const char *name, size_t length) {
  Str has = str_new(p->arena);
  for (int i = 0; i < l->ncolumns; i++) str_printf(&has, "%s%s", i ? ", " : "", l->name[i]);
  snprintf(p->why, sizeof p->why, "%s: there is no column `%.*s`; the columns are %.600s", l->path,
           (int)(length < 80 ? length : 80), name, has.at);
  return MAIN_ERRORS;
}

/* -------- panels -------- */

/* "loss" of eval.loss */
static const char *quantity(const char *column) {
  const char *dot = strrchr(column, '.');
  return dot && dot[1] ? dot + 1 : column;
}

static bool is_count(const Plotting *p, const char *column) {
  static const char *const counts[] = {"epoch", "step", "steps", "seconds"};
  for (int i = 0; i < 4; i++)
    if (!strcmp(column, counts[i])) return true;
  return !strcmp(column, p->x);
}

/* The column of each log that has it; all must, when it is `needed`. */
static int add_series(Plotting *p, PlotPanel *panel, const char *column, int nth, int of,
                      bool needed) {
  for (int i = 0; i < p->logs.n; i++) {
    const PlotLog *l = &p->logs.at[i];
    int x = plot_column(l, p->x), y = plot_column(l, column);
    if (y < 0 && needed) return no_column(p, l, column, strlen(column));
    if (y < 0) continue;
    if (x < 0) return no_column(p, l, p->x, strlen(p->x));
    PlotSeries s = {.log = l, .x = x, .y = y, .label = column};
    if (p->logs.n > 1)
      s.label = of == 1 ? l->label : arena_printf(p->arena, "%s: %s", l->label, column);
    int hue = p->logs.n > 1 ? i : nth, dash = p->logs.n > 1 ? nth : 0;
    s.hue = hue % MAIN_HUES;
    s.dash = (dash + hue / MAIN_HUES) % MAIN_DASHES;
    vec_push(p->arena, &panel->series, s);
  }
  return 0;
}

/* A panel of these columns; the title is what they have in common, or all of them. */
static int add_panel(Plotting *p, const char *const *column, int n, bool needed) {
  PlotPanel panel = {.title = quantity(column[0])};
  Str all = str_new(p->arena);
  bool alike = n > 1;
  for (int i = 0; i < n; i++) {
    alike = alike && !strcmp(quantity(column[i]), panel.title);
    str_printf(&all, "%s%s", i ? ", " : "", column[i]);
  }
  if (!alike) panel.title = all.at;
  for (int i = 0; i < n; i++) {
    int status = add_series(p, &panel, column[i], i, n, needed);
    if (status) return status;
  }
  double least, most;
  for (int y = 0; y < 2; y++)
    if (!plot_range(&panel, y, y && p->page.log_y, &least, &most)) {
      snprintf(p->why, sizeof p->why, "%.200s: there is no %s value to draw", y ? all.at : p->x,
               y && p->page.log_y ? "positive" : "finite");
      return MAIN_ERRORS;
    }
  vec_push(p->arena, &p->page.panels, panel);
  return 0;
}

static int panel_of_list(Plotting *p, const char *list) {
  VEC(const char *) column = {0};
  for (const char *at = list;; at++) {
    size_t n = strcspn(at, ",");
    if (!n) return usage(p, "--y takes columns between commas, not `%s`%s", list, "");
    vec_push(p->arena, &column, arena_strndup(p->arena, at, n));
    at += n;
    if (!*at) break;
  }
  return add_panel(p, column.at, column.n, true);
}

/* Every quantity a panel, in the order in which the logs name them. */
static int panels_of_all(Plotting *p) {
  VEC(const char *) columns = {0};
  for (int i = 0; i < p->logs.n; i++)
    for (int c = 0; c < p->logs.at[i].ncolumns; c++) {
      const char *name = p->logs.at[i].name[c];
      bool had = is_count(p, name);
      for (int k = 0; k < columns.n && !had; k++) had = !strcmp(columns.at[k], name);
      if (!had) vec_push(p->arena, &columns, name);
    }
  for (int i = 0; i < columns.n; i++) {
    VEC(const char *) these = {0};
    bool first = true;
    for (int k = 0; k < columns.n; k++) {
      if (strcmp(quantity(columns.at[k]), quantity(columns.at[i]))) continue;
      first = first && k >= i;
      vec_push(p->arena, &these, columns.at[k]);
    }
    int status = first ? add_panel(p, these.at, these.n, false) : 0;
    if (status) return status;
  }
  if (columns.n) return 0;
  snprintf(p->why, sizeof p->why, "%s: there is nothing to draw but %s", p->logs.at[0].path, p->x);
  return MAIN_ERRORS;
}

/* -------- curves on each other -------- */

static bool same_column(const PlotSeries *a, const PlotSeries *b) {
  return a->log != b->log && !strcmp(a->log->name[a->y], b->log->name[b->y]);
}

/* Of coinciding curves the lower ones are drawn wider, so that each is visible. */
static void show_all(PlotPanel *panel) {
  double least, most;
  plot_range(panel, true, false, &least, &most);
  for (int i = 0; i < panel->series.n; i++)
    for (int k = i + 1; k < panel->series.n; k++) {
      const PlotSeries *a = &panel->series.at[i], *b = &panel->series.at[k];
      double apart = same_column(a, b) ? plot_apart(a, b) : -1;
      if (apart >= 0 && apart <= 0.004 * (most - least)) panel->series.at[i].under++;
    }
}

/* Of each column, which stand together, how far its logs are apart. */
static void tell(const PlotPanel *panel) {
  for (int first = 0, end; first < panel->series.n; first = end) {
    const PlotSeries *s = panel->series.at;
    const char *column = s[first].log->name[s[first].y];
    double most = -1;
    for (end = first; end < panel->series.n && !strcmp(s[end].log->name[s[end].y], column); end++)
      for (int k = first; k < end; k++) {
        double apart = plot_apart(&s[k], &s[end]);
        if (apart > most) most = apart;
      }
    if (most >= 0) printf("  %s: at most %.3g apart\n", column, most);
  }
}

/* -------- -------- */

static int write_page(Plotting *p, const Str *text) {
  for (int i = 0; i < p->logs.n; i++)
    if (file_is_same(p->output, p->logs.at[i].path)) {
      snprintf(p->why, sizeof p->why, "-o %s would overwrite a log; name another file", p->output);
      return MAIN_USAGE;
    }
  int error = file_replace(p->output, text->at, text->n, "", 0);
  if (!error) return 0;
  snprintf(p->why, sizeof p->why, "%s: %s", p->output, strerror(error));
  return MAIN_ERRORS;
}

/* Not inlined: it would share plot_main's frame, whose variables a jump leaves uncertain. */
__attribute__((noinline)) static int draw(Plotting *p, int argc, char **argv) {
  int status = read_words(p, argc, argv);
  if (!p->x) p->x = "epoch";
  p->page.x_title = p->x;
  if (!status) status = read_logs(p);
  for (int i = 0; i < p->ys.n && !status; i++) status = panel_of_list(p, p->ys.at[i]);
  if (!status && !p->ys.n) status = panels_of_all(p);
  if (status) return status;
  for (int i = 0; i < p->page.panels.n; i++) show_all(&p->page.panels.at[i]);
  Str text = str_new(p->arena);
  plot_draw(p->arena, &p->page, &text);
  if (!p->output) {
    fwrite(text.at, 1, text.n, stdout);
    return 0;
  }
  if ((status = write_page(p, &text))) return status;
  printf("%s: %d log%s\n", p->output, p->logs.n, p->logs.n == 1 ? "" : "s");
  for (int i = 0; i < p->page.panels.n; i++) tell(&p->page.panels.at[i]);
  return 0;
}

int plot_main(int argc, char **argv) {
  for (int i = 0; i < argc; i++)
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) return fputs(main_help, stdout), 0;
  Arena *volatile arena = arena_new();
  static Plotting p;
  int status = MAIN_ERRORS;
  p = (Plotting){.arena = arena};
  if (!arena || arena_catch(arena))
    snprintf(p.why, sizeof p.why, "out of memory");
  else
    status = draw(&p, argc, argv);
  if (status) fprintf(stderr, "dtgc plot: %s\n", p.why);
  arena_free(arena);
  return status;
}
