/* --dump=cost, and the line that `dtgc FILES` prints. */
#include "algorithm_table.h"
#include "choose.h"
#include "report.h"
#include <string.h>

static void put_machine(const Plan *p, Str *out) {
  const Machine *m = p->program->machine;
  const Mesh *mesh = &p->program->mesh;
  str_printf(out, "machine %s: %.3g Gflop/s in products, %.3g in the rest, memory %.3g GB/s\n",
             m->name, m->flops / 1e9, m->vector_flops / 1e9, m->memory_bandwidth / 1e9);
  str_puts(out, "  caches of a core:");
  for (int l = 0; l < CACHE_LEVELS && m->cache[l].size > 0; l++) {
    const long size = (long)machine_cache(m, l);
    str_printf(out, "%s L%d %ld %s at %.3g GB/s", l ? "," : "", l + 1,
               size < 1024 ? size : size / 1024, size < 1024 ? "B" : "KiB",
               m->cache[l].bandwidth / 1e9);
  }
  str_puts(out, "\n");
  if (m->cores > 0) {
    str_printf(out, "  %ld core%s of a host", (long)m->cores, m->cores == 1 ? "" : "s");
    if (m->host_bandwidth > 0)
      str_printf(out, ", %.3g GB/s of memory together", m->host_bandwidth / 1e9);
    str_puts(out, "\n");
  }
  for (int a = 0; a < mesh->naxes; a++) {
    Link l = machine_axis(m, mesh, a);
    str_printf(out, "  axis %s: %.3g GB/s, %s latency, by %s", mesh->axis[a].name,
               l.bandwidth / 1e9, report_time(p, l.latency), link_by_name(l.by));
    if (l.by == LINK_MESSAGES) str_printf(out, " of %s each", report_time(p, l.message));
    str_puts(out, "\n");
  }
}

static void put_entry_cost(const Plan *p, const LocalEntry *le, Str *out) {
  EntryCost c = cost_entry(p, le);
  str_printf(out, "entry %s: %s a call, modelled%s\n", le->entry->name, report_time(p, c.time),
             c.unknown ? "; loops of an unknown number of runs count as `most` says, or 10 runs" : "");
  str_printf(out, "  computation  %-10s %4.1f%%  %.4g Mflop a device\n", report_time(p, c.compute),
             c.time > 0 ? 100 * c.compute / c.time : 0, c.flops / 1e6);
  const int64_t cores = machine_cores(p->program->machine, mesh_devices(&p->program->mesh));
  if (cores > 1)
    str_printf(out, "    on %ld cores  %-10s a call %s, %ld bytes more a device\n", (long)cores,
               report_time(p, cost_on_cores(p, le, cores)),
               report_time(p, cost_call_on_cores(p, le, cores)),
               (long)((cores - 1) * le->own_bytes));
  if (p->all_kept && p->loops_keep[le->index].levels) {
    const EntryCost all = cost_entry(p->all_kept, &p->all_kept->entries.at[le->index]);
    str_printf(out, "    to fit     %-10s %4.1f%%  of a call: runs of loops are computed again\n",
               report_time(p, c.compute - all.compute),
               c.time > 0 ? 100 * (c.compute - all.compute) / c.time : 0);
  }
  str_printf(out, "  exchanges    %-10s %4.1f%%  %ld bytes a device in %d\n",
             report_time(p, c.exchange), c.time > 0 ? 100 * c.exchange / c.time : 0, (long)c.bytes,
             c.exchanges);
  if (c.hidden > 0)
    str_printf(out, "    hidden     %-10s %4.1f%%  of them, by computation\n", report_time(p, c.hidden),
               100 * c.hidden / c.exchange);
  for (int i = 0; i < c.over.n; i++) {
    const AxesCost *a = &c.over.at[i];
    str_printf(out, "    over (%s)  %-10s %4.1f%%  %ld bytes a device in %d\n",
               report_axes(p, a->axes), report_time(p, a->time),
               c.time > 0 ? 100 * a->time / c.time : 0,
               (long)a->bytes, a->exchanges);
  }
  for (int i = 0; i < ALGORITHMS; i++) {
    const AxesCost *a = &c.by[i];
    if (a->exchanges)
      str_printf(out, "    by %s  %-10s %4.1f%%  %ld bytes a device in %d\n",
                 collective_algorithm(i)->name, report_time(p, a->time),
                 c.time > 0 ? 100 * a->time / c.time : 0, (long)a->bytes, a->exchanges);
  }
  double copied = c.exchange;
  for (int i = 0; i < ALGORITHMS; i++) copied -= c.by[i].time;
  if (copied > 1e-3 * c.exchange)
    str_printf(out, "    copies     %-10s %4.1f%%  of blocks that a device has itself, beside them\n",
               report_time(p, copied), c.time > 0 ? 100 * copied / c.time : 0);
  if (le->index > 0)
    str_printf(out, "  choice       %s as a sum over ops and conversions; each op by itself: %s\n",
               report_time(p, le->choice->total), report_time(p, le->choice->greedy));
  int64_t memory = p->vars_bytes + le->arena_bytes;
  str_printf(out, "  memory       %ld bytes a device: variables %ld, arena %ld", (long)memory,
             (long)p->vars_bytes, (long)le->arena_bytes);
  if (p->program->machine->memory > 0)
    str_printf(out, " (%.3g%% of %.4g GB)", 100 * (double)memory / p->program->machine->memory,
               p->program->machine->memory / 1e9);
  str_puts(out, "\n");
}

void dump_cost(const Plan *p, Str *out) {
  report_mesh(p, out);
  put_machine(p, out);
  for (int e = 0; e < p->entries.n; e++) put_entry_cost(p, &p->entries.at[e], out);
}

enum { ENTRIES_SHOWN = 4 };

void dump_summary(const Plan *p, Str *out) {
  int64_t devices = mesh_devices(&p->program->mesh);
  dtrt_memory m = report_memory(p);
  int shown = 0;
  str_printf(out, "no errors; %ld device%s", (long)devices, devices == 1 ? "" : "s");
  for (int e = 0; e < p->entries.n; e++) {
    const LocalEntry *le = &p->entries.at[e];
    if (!strcmp(le->entry->name, "init") || shown++ >= ENTRIES_SHOWN) continue;
    EntryCost c = cost_entry(p, le);
    str_printf(out, "%s%s %s", shown > 1 ? ", " : "; modelled time a call: ", le->entry->name,
               report_time(p, c.time));
  }
  if (shown > ENTRIES_SHOWN) str_printf(out, " and %d more", shown - ENTRIES_SHOWN);
  if (m.total >= 0) str_printf(out, "; memory a device: %s", report_bytes(p, (double)m.total));
  if (m.total >= 0 && p->memory > 0)
    str_printf(out, ", of which --memory limits variables and arena: %s",
               report_bytes(p, (double)m.variables + (double)m.arena));
  str_puts(out, "\n");
}
