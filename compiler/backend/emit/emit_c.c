/* The C file: tables of layouts, the loops, the entries (print_entry.c), tables of all, the
 * program. */
#include "print_loop.h"
#include "work.h"
#include <stdlib.h>
#include <string.h>

/* -------- tables of entries -------- */

static void put_tensor(Emit *e, Str *s, const char *name, DType t, const Layout *l,
                       const Shape *shape, int64_t offset, int trainable, int lent,
                       const char *dim_const, Span at, int shared) {
  str_puts(s, "    {");
  emit_string(s, name);
  str_printf(s, ", %s, %d, &%s, %ld, %ld, %d, %s, ", dtype_constant(t), trainable,
             emit_layout(e, l, shape), (long)offset, (long)layout_bytes(e->mesh, l, shape, t),
             lent, dim_const);
  emit_string(s, diag_where(e->program->diag, e->arena, at));
  str_printf(s, ", %d},\n", shared);
}

static void put_step(Emit *e, Str *out, const Step *s, const StepText *text) {
  const StepWork w = work_step(e->program, e->le, s);
  const char *kind = w.exchange ? "EXCHANGE" : w.flops > 0 ? "PRODUCT" : "LOOP";
  str_puts(out, "    {");
  emit_string(out, text->what);
  str_puts(out, ", ");
  emit_string(out, text->where);
  str_printf(out, ", DTRT_STEP_%s, %.0f, %.0f},\n", kind, w.flops, w.bytes);
}

static void put_entry_tables(Emit *e, Str *out, const char *id) {
  const LocalEntry *le = e->le;
  const Entry *en = le->entry;
  Str in = str_new(e->arena), outs = str_new(e->arena);
  for (int i = 0; i < en->inputs.n; i++) {
    const Input *x = &en->inputs.at[i];
    const Node *n = graph_node(le->graph, le->input[i]);
    const char *consts = "0";
    if (n->shape.rank) {
      consts = arena_printf(e->arena, "%s_dims_%d", id, i);
      str_printf(out, "static const char *const %s[] = {", consts);
      for (int d = 0; d < n->shape.rank; d++) {
        if (d) str_puts(out, ", ");
        emit_string(out, x->dim_const[d]);
      }
      str_puts(out, "};\n");
    }
    put_tensor(e, &in, x->name, n->dtype, n->layout, &n->shape,
               le->buffers.at[le->buffer[le->input[i]]].offset, 0, le->lent[i], consts, n->span, 0);
  }
  for (int i = 0; i < en->outputs.n; i++) {
    const Node *n = graph_node(le->graph, le->output[i]);
    put_tensor(e, &outs, en->outputs.at[i].name, n->dtype, n->layout, &n->shape,
               le->buffers.at[le->output_buffer[i]].offset, 0,
               le->buffers.at[le->output_buffer[i]].output ? LENT_TO_ONE : NOT_LENT, "0",
               en->outputs.at[i].span, 0);
  }
  if (en->inputs.n) str_printf(out, "static const dtrt_tensor %s_in[] = {\n%s};\n", id, in.at);
  if (en->outputs.n) str_printf(out, "static const dtrt_tensor %s_out[] = {\n%s};\n", id, outs.at);
  if (le->steps.n) {
    str_printf(out, "static const dtrt_step %s_steps[] = {\n", id);
    for (int t = 0; t < le->steps.n; t++) put_step(e, out, &le->steps.at[t], &e->text[t]);
    str_puts(out, "};\n");
  }
}

static void put_entry(Emit *e, const LoopEntry *en, Str *tables, Str *row) {
  const LocalEntry *le = en->le;
  const Entry *own = le->entry;
  const char *id = arena_printf(e->arena, "entry_%s", emit_word(e, own->name));
  emit_begin_entry(e, le);
  for (int i = 0; i < en->exchanges.n; i++)
    emit_exchange(e, en->exchanges.at[i], en->first_exchange + i);
  print_entry(e, en, id);
  put_entry_tables(e, tables, id);
  str_puts(row, "    {");
  emit_string(row, own->name);
  str_printf(row, ", %s, %d, %d, %d, %d, ", id, own->inputs.n, own->outputs.n, le->steps.n,
             own->assigns.n > 0);
  str_printf(row, own->inputs.n ? "%s_in, " : "0, ", id);
  str_printf(row, own->outputs.n ? "%s_out, " : "0, ", id);
  str_printf(row, le->steps.n ? "%s_steps, " : "0, ", id);
  str_printf(row, "%ld, ", (long)le->arena_bytes);
  emit_values(e, tables, row, id);
  str_printf(row, ", %ld},\n", (long)le->own_bytes);
}

/* Loop functions and epilogues, each once. */
static void put_units(Emit *e, const LoopProgram *all) {
  e->unit = arena_array(e->arena, const char *, all->units.n + 1);
  for (int i = 0; i < all->units.n; i++) {
    const LoopUnit *u = &all->units.at[i];
    const LoopFunction *f = u->run >= 0 ? &u->entry->runs.at[u->run] : NULL;
    const LoopRows *r = f ? NULL : &u->entry->rows.at[u->rows];
    e->unit[i] = arena_printf(e->arena, "%s%d_%s", f ? "loop" : r->tiles ? "tiles" : "rows", i + 1,
                              emit_word(e, f ? f->what : r->what));
    e->le = u->entry->le;
    if (f)
      print_function(e, f, e->unit[i]);
    else
      print_rows(e, u->entry, r, e->unit[i]);
  }
}

static void put_head(Emit *e, Str *out) {
  size_t line = out->n; /* where it begins */
  str_printf(out, "/* %s, made by dtgc from", emit_comment(e, e->options->name));
  for (int i = 0; i < e->program->diag->sources.n; i++) {
    const char *name = emit_comment(e, e->program->diag->sources.at[i].name);
    const bool wraps = i && out->n - line + strlen(name) > 96;
    str_puts(out, i ? "," : "");
    if (wraps) str_puts(out, "\n"), line = out->n;
    str_printf(out, "%s%s", wraps ? " * " : " ", name);
  }
  str_puts(out, ".\n * ");
  if (e->mesh->naxes) {
    str_puts(out, "Mesh");
    for (int i = 0; i < e->mesh->naxes; i++)
      str_printf(out, "%s %s=%ld", i ? "," : "", e->mesh->axis[i].name,
                 (long)e->mesh->axis[i].size);
    str_puts(out, ": every device runs this on its own blocks.");
  } else {
    str_puts(out, "For one device.");
  }
  str_printf(out, " Planned for machine %s. */\n", emit_comment(e, e->program->machine->name));
  str_puts(out, "#include \"dtrt.h\"\n\n");
}

/* Before the entries, whose blocks are told where theirs begin. */
static void put_exchanges(Emit *e, Str *out) {
  if (e->nexchanges == 0) return;
  str_puts(out, "static const dtrt_exchange *const exchanges[] = {");
  for (int i = 0; i < e->nexchanges; i++)
    str_printf(out, "%s&exchange_%d", i == 0 ? "" : i % 6 ? ", " : ",\n    ", i);
  str_puts(out, "};\n");
}

/* What ranks compare. */
static void put_identity(Emit *e, Str *out, const LoopProgram *all) {
  str_puts(out, "static const uint64_t code[] = {");
  for (int i = 0; i < all->entries.n; i++)
    str_printf(out, "%s0x%016llx", i ? ", " : "",
               (unsigned long long)all->entries.at[i]->identity);
  str_puts(out, "};\n");
  if (e->program->constants.n) {
    str_puts(out, "static const dtrt_const constants[] = {\n");
    for (int i = 0; i < e->program->constants.n; i++) {
      str_puts(out, "    {");
      emit_string(out, e->program->constants.at[i].name);
      str_puts(out, ", ");
      emit_string(out, e->program->constants.at[i].value);
      str_puts(out, "},\n");
    }
    str_puts(out, "};\n");
  }
  str_puts(out, "\n");
}

/* What the runtime chooses the algorithms of exchanges by. */
static void put_links(Emit *e, Str *out) {
  str_puts(out, "static const dtrt_link links[] = {");
  for (int a = 0; a < e->mesh->naxes; a++) {
    Link l = machine_axis(e->program->machine, e->mesh, a);
    str_printf(out, "%s{%.17g, %.17g, %.17g}", a ? ", " : "", l.bandwidth, l.latency, l.message);
  }
  str_puts(out, "};\n");
}

static void put_rates(Emit *e, Str *out) {
  const Machine *m = e->program->machine;
  str_puts(out, "static const dtrt_rates rates = {");
  emit_string(out, m->name);
  str_printf(out, ", %.9g, {", m->flops);
  for (int l = 0; l < CACHE_LEVELS; l++)
    str_printf(out, "%s%ld", l ? ", " : "", (long)machine_cache(m, (CacheLevel)l));
  str_puts(out, "}, {");
  for (int l = 0; l < CACHE_LEVELS; l++) str_printf(out, "%.9g, ", m->cache[l].bandwidth);
  str_printf(out, "%.9g}};\n", m->memory_bandwidth);
}

static void put_program(Emit *e, Str *out, const LoopProgram *all, const char *rows) {
  const Plan *p = e->plan;
  int naxes = e->mesh->naxes;
  if (naxes) {
    str_puts(out, "static const char *const axis_names[] = {");
    for (int i = 0; i < naxes; i++) {
      if (i) str_puts(out, ", ");
      emit_string(out, e->mesh->axis[i].name);
    }
    str_puts(out, "};\nstatic const int32_t axis_sizes[] = {");
    for (int i = 0; i < naxes; i++)
      str_printf(out, "%s%ld", i ? ", " : "", (long)e->mesh->axis[i].size);
    str_puts(out, "};\n");
  }
  if (e->nexchanges) put_links(e, out);
  put_rates(e, out);
  if (p->shared.n) {
    str_puts(out, "static const uint32_t shared[] = {");
    for (int i = 0; i < p->shared.n; i++)
      str_printf(out, "%s%u", i ? ", " : "", (unsigned)p->shared.at[i]);
    str_puts(out, "};\n");
  }
  Str vars = str_new(e->arena);
  for (int i = 0; i < e->program->vars.n; i++) {
    const Var *v = &e->program->vars.at[i];
    put_tensor(e, &vars, v->path, v->dtype, v->layout, &v->shape, p->var_offset[i], v->trainable,
               plan_shares_update(p, i), "0", v->span, p->var_shared[i]);
  }
  str_puts(out, e->tables.at);
  e->tables = str_new(e->arena);
  if (e->program->vars.n)
    str_printf(out, "static const dtrt_tensor variables[] = {\n%s};\n", vars.at);
  str_printf(out, "static const dtrt_entry entries[] = {\n%s};\n", rows);
  put_identity(e, out, all);
  str_puts(
      out,
      "extern const dtrt_program dtg_program;\nconst dtrt_program dtg_program = {\n    DTRT_ABI, ");
  emit_string(out, e->options->name);
  str_printf(out, ", %d, %s, %s, %d, %d, %d, %s, entries, %s, %ld,\n    ", naxes,
             naxes ? "axis_names" : "0", naxes ? "axis_sizes" : "0", e->program->vars.n,
             p->entries.n, e->nexchanges, e->program->vars.n ? "variables" : "0",
             e->nexchanges ? "exchanges" : "0", (long)p->vars_bytes);
  emit_string(out, e->options->layouts);
  str_printf(out, ", code, %d, %s, %s%s", e->program->constants.n,
             e->program->constants.n ? "constants" : "0", e->nexchanges ? "links" : "0",
             e->program->fast_sums ? ", DTRT_SUMS_FAST" : ", DTRT_SUMS_FIXED");
  str_printf(out, ", %d, %s, &rates};\n", p->shared.n, p->shared.n ? "shared" : "0");
}

void emit_c(Str *out, const Plan *plan, const EmitOptions *o, EmitCounts *counts) {
  *counts = (EmitCounts){0};
  Emit e = {.arena = plan->arena,
            .names = names_new(plan->arena),
            .plan = plan,
            .program = plan->program,
            .mesh = &plan->program->mesh,
            .options = o,
            .counts = counts};
  e.tables = str_new(e.arena), e.loops = str_new(e.arena), e.entries = str_new(e.arena);
  Str tables = str_new(e.arena), rows = str_new(e.arena), program = str_new(e.arena);
  const LoopProgram *all = plan->loops;
  put_units(&e, all);
  for (int i = 0; i < all->entries.n; i++) put_entry(&e, all->entries.at[i], &tables, &rows);
  Str early = e.tables;
  e.tables = str_new(e.arena);
  put_program(&e, &program, all, rows.at);
  put_head(&e, out);
  str_puts(out, early.at);
  put_exchanges(&e, out);
  str_puts(out, "\n");
  str_puts(out, e.loops.at);
  str_puts(out, e.entries.at);
  if (o->line_marks) str_puts(out, "#line 1 \"tables\"\n");
  str_puts(out, tables.at);
  str_puts(out, program.at);
}
