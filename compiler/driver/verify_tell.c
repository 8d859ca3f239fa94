/* dtgc_verify: its report, for a reader or as JSON; see verify.h. */
#include "verify.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

void verify_json(Str *s, const char *text) {
  str_puts(s, "\"");
  for (const char *c = text; *c; c++)
    if (*c == '"' || *c == '\\')
      str_printf(s, "\\%c", *c);
    else if ((unsigned char)*c < 32)
      str_printf(s, "\\u%04x", (unsigned char)*c);
    else
      str_put(s, c, 1);
  str_puts(s, "\"");
}

static void json_number(Str *s, double x) {
  if (isfinite(x))
    str_printf(s, "%.17g", x);
  else
    verify_json(s, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

static void tell_json(Verify *v, const Told *t) {
  Str *s = &v->text;
  char index[256];
  index_text(t->rank, t->p.index, index, sizeof index);
  str_printf(s, "{\"entry\": \"%s\", \"step\": %lld, \"differs\": ", v->entry->name,
             (long long)v->step + 1);
  verify_json(s, t->name);
  str_puts(s, ", \"made_by\": ");
  verify_json(s, t->what ? t->what : "");
  str_puts(s, ", \"where\": ");
  verify_json(s, t->where);
  if (t->device >= 0) str_printf(s, ", \"device\": %d", t->device);
  str_printf(s, ", \"index\": %s, \"plan\": ", index);
  json_number(s, t->p.got);
  str_puts(s, ", \"one_device\": ");
  json_number(s, t->p.want);
  str_puts(s, ", \"bound\": ");
  json_number(s, t->p.bound);
  str_puts(s, "}\n");
}

/* The sign of a NaN has no meaning. */
static double shown(double x) { return isnan(x) ? fabs(x) : x; }

void verify_tell(Verify *v, const Told *t) {
  char index[256], text[900], device[40] = "", step[40] = "";
  v->differs = true;
  if (v->o->json) {
    tell_json(v, t);
    return;
  }
  index_text(t->rank, t->p.index, index, sizeof index);
  if (t->device >= 0) snprintf(device, sizeof device, "device %d, ", t->device);
  const char *unnamed = t->name[0] == '%' ? "the value " : "";
  snprintf(text, sizeof text,
           "%s%.200s of entry `%.100s` differs from the result on one device%s%.200s", unnamed,
           t->name, v->entry->name, t->what ? "; it is computed by " : "", t->what ? t->what : "");
  str_puts(&v->text, diag_render(&t->of->diag, v->text.arena, SEV_ERROR, t->at, text));
  if (!v->given) snprintf(step, sizeof step, "step %lld, ", (long long)v->step + 1);
  str_printf(&v->text, "  %s%sindex %s: %.9g, and on one device %.9g; they may differ by %.3g\n",
             step, device, index, shown(t->p.got), shown(t->p.want), t->p.bound);
}

void verify_say_entry(Verify *v, int64_t steps) {
  Str *s = &v->text;
  if (v->o->json) {
    str_printf(
        s, "{\"entry\": \"%s\", \"agrees\": %s, \"tensors\": %lld, \"steps\": %lld, \"worst\": ",
        v->entry->name, v->differs ? "false" : "true", (long long)v->tensors, (long long)steps);
    json_number(s, v->worst);
    str_puts(s, ", \"of\": ");
    verify_json(s, v->worst_name);
    str_puts(s, "}\n");
    return;
  }
  str_printf(s, "%s: %lld tensor%s compared over %lld step%s on %lld device%s: ", v->entry->name,
             (long long)v->tensors, v->tensors == 1 ? "" : "s", (long long)steps,
             steps == 1 ? "" : "s", (long long)dtgc_devices(v->p),
             dtgc_devices(v->p) == 1 ? "" : "s");
  if (v->differs)
    str_puts(s, "they differ\n");
  else if (v->worst > 0)
    str_printf(s, "they agree; %s is closest to its bound, at %.2g of it\n", v->worst_name,
               v->worst);
  else
    str_puts(s, "they agree bit for bit\n");
}
