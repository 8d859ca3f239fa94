/* --dump=comm: every exchange, what it costs in the model, and why it is there. */
#include "edits.h"
#include <string.h>

enum { ENOUGH_EDITS = 60 };

static const char *share(const Plan *p, double part, double all) {
  return arena_printf(p->arena, "%.1f%%", all > 0 ? 100 * part / all : 0);
}

static const char *step_name(const Plan *p, const LocalEntry *le, int t) {
  if (t >= le->steps.n) return "the end";
  return node_text(p->program, le->entry->graph, le->origin.at[le->steps.at[t].nodes.at[0]],
                   p->arena);
}

/* What the device does while an exchange is in flight. */
static void put_in_flight(const Plan *p, const LocalEntry *le, int start, double hidden, Str *out) {
  double time = 0;
  int wait = start + 1, steps = 0;
  for (;
       le->steps.at[wait].kind != STEP_WAIT || le->steps.at[wait].slot != le->steps.at[start].slot;
       wait++) {
    if (le->steps.at[wait].kind == STEP_WAIT) continue;
    StepCost c = cost_step(p, le, wait);
    time += c.compute + c.exchange;
    steps++;
  }
  int next = wait + 1;
  while (next < le->steps.n && le->steps.at[next].kind == STEP_WAIT) next++;
  str_printf(out, "    overlapped with %d step%s of %s, awaited before %s", steps,
             steps == 1 ? "" : "s", report_time(p, time), step_name(p, le, next));
  const StepCost c = cost_step(p, le, start);
  if (c.messages)
    str_printf(out, ": %s hidden, %s exposed", report_time(p, hidden),
               report_time(p, c.exchange - hidden));
  str_puts(out, "\n");
}

/* A further panel, which is there for what the first is there for. */
static void put_panel(const Plan *p, const LocalEntry *le, NodeId id, Str *out) {
  const Node *n = graph_node(le->graph, id);
  const Exchange x = exchange_at(p->program, le->graph, n);
  str_printf(out, "    %s  %ld bytes a device  %s panel %d of %d\n", exchange_name(x.kind),
             (long)x.bytes,
             node_text(p->program, le->entry->graph, le->origin.at[id], p->arena), n->panel,
             n->panels);
}

static void put_entry(const Plan *p, const LocalEntry *le, const Edits *edits, Str *out) {
  EntryCost cost = cost_entry(p, le);
  int count = 0, local = 0;
  double *hidden = arena_array(p->arena, double, le->steps.n + 1);
  cost_hidden(p, le, 1, hidden);
  Str list = str_new(p->arena);
  for (int t = 0; t < le->steps.n; t++) {
    const Step *s = &le->steps.at[t];
    if (s->kind != STEP_EXCHANGE) continue;
    StepCost c = cost_step(p, le, t);
    if (!report_moves(p, le, s->nodes.at[0])) {
      local++;
      continue;
    }
    const char *combined = "";
    if (s->nodes.n > 1) /* they move no more as one than each by itself, and often less */
      combined = arena_printf(p->arena, ", combined, %ld bytes a device", (long)c.bytes);
    const Turns turns = step_turns(le, t);
    str_printf(&list, "  exchange %d%s%s: %s, %s of a call%s\n", ++count, report_turns(p, &turns),
               combined, report_time(p, c.exchange), share(p, turns.times * c.exchange, cost.time),
               report_algorithm(p, &c));
    if (s->slot) put_in_flight(p, le, t, hidden[t], &list);
    if (graph_node(le->graph, s->nodes.at[0])->panel > 1) {
      put_panel(p, le, s->nodes.at[0], &list);
      continue;
    }
    for (int i = 0; i < s->nodes.n; i++) {
      report_exchange(p, le, s->nodes.at[i], &list);
      explain_exchange(p, le, s->nodes.at[i], &list);
    }
    if (edits && le->index > 0) edits_put_without(edits, le, t, &list);
  }
  str_printf(out, "entry %s: %d exchange%s, %ld bytes a device each call", le->entry->name, count,
             count == 1 ? "" : "s", (long)cost.bytes);
  if (local) str_printf(out, " (and %d local cop%s)", local, local == 1 ? "y" : "ies");
  if (count)
    str_printf(out, "; modelled %s of %s, %s", report_time(p, cost.exchange - cost.hidden),
               report_time(p, cost.time), share(p, cost.exchange - cost.hidden, cost.time));
  if (cost.hidden > 0)
    str_printf(out, ", and %s hidden by computation, %s of all", report_time(p, cost.hidden),
               share(p, cost.hidden, cost.exchange));
  if (cost.unknown) str_puts(out, "; loops that run \"x ?\" times count as `most` says, or 10 runs");
  str_puts(out, "\n");
  str_puts(out, list.at);
}

/* Of all entries, before what each moves. */
static void put_totals(const Plan *p, Str *out) {
  int wide = 5;
  for (int e = 0; e < p->entries.n; e++) {
    int n = (int)strlen(p->entries.at[e].entry->name);
    if (n > wide) wide = n;
  }
  str_printf(out, "%-*s  exchanges  bytes a device   modelled  of a call\n", wide, "total");
  for (int e = 0; e < p->entries.n; e++) {
    const LocalEntry *le = &p->entries.at[e];
    EntryCost c = cost_entry(p, le);
    if (!c.exchanges && !strcmp(le->entry->name, "init")) continue;
    str_printf(out, "%-*s  %9d  %14ld  %9s  %9s\n", wide, le->entry->name, c.exchanges,
               (long)c.bytes, report_time(p, c.exchange - c.hidden),
               share(p, c.exchange - c.hidden, c.time));
  }
}

void dump_comm(const Plan *p, const FrontOptions *front, Str *out) {
  int most = front ? edits_affordable(p) : 0;
  const Edits *edits = most >= ENOUGH_EDITS ? edits_try(p, front, most, EDITS_SECOND / 2) : NULL;
  report_mesh(p, out);
  if (p->program->fast_sums)
    str_puts(out, "sums fast: a host sends one sum, in the type of the tensor (docs/sums.md)\n");
  put_totals(p, out);
  for (int e = 0; e < p->entries.n; e++) put_entry(p, &p->entries.at[e], edits, out);
  bool any = false;
  for (int e = 0; e < p->entries.n; e++) any |= cost_entry(p, &p->entries.at[e]).exchanges > 0;
  if (!edits && any && !p->variables_of)
    str_puts(out, "# --dump=edits searches for layout edits that avoid exchanges\n");
  if (edits && edits->is_short)
    str_printf(out,
               "# the search for cheaper edits stopped after %d of %d, half a second: "
               "--dump=edits searches longer\n",
               edits->edit.n, edits->edit.n + edits->left_out);
}
