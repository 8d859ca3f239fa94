/* From C to one object. A larger program is divided into parts, which threads optimize at the
 * same time: first constants are propagated from calls into functions, as their callers may come to
 * lie in another part; then each function that is not inlined belongs to one part, and all parts
 * have those that are. How many parts there are depends on the program alone, so that its object
 * does not depend on the machine's cores. */
#include "elf_join.h"
#include "jit.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
#ifdef __x86_64__
  MOST_PARTS = 16,
#else
  MOST_PARTS = 1, /* elf_join knows no other machine */
#endif
  PART_COST = 67, /* of one more part, in instructions optimized: 4 ms for its copies of helpers */
  WORTH = 16,     /* one of several parts does so many times as much, */
  WORTH_OF_TWO = 4, /* ... of two, for which any computer has the cores, so many */
  PLAIN = 10,       /* instructions that are not optimized take as long as one that is */
  /* Bytes of a thread's stack, which takes as much memory as is used: clang's front end and LLVM's
   * passes go down nested blocks, 2.5 KB each, and the caller's thread may have any stack. */
  STACK = 64 << 20
};

/* clang_shim.cpp, over clang's C++ interface: the front end alone, no optimization. NULL: *error is
 * clang's messages. */
LLVMModuleRef clang_shim_compile(LLVMContextRef c, const char *source, size_t n, const JitTarget *t,
                                 char **error);

/* What of a module's bitcode one part has: of its functions and of its variables, in the module's
 * order, `owner` says which part has the definition. Bodies that the part does not need are not
 * read. NULL: *error says why. */
LLVMModuleRef clang_shim_part(LLVMContextRef c, const char *at, size_t n, const int *owner,
                              int part, char **error);

typedef struct CompileParts {
  const JitTarget *target;
  int *owner; /* of all functions, then of all variables: a part, or EVERY_PART */
  int n;
  LLVMMemoryBufferRef code; /* bitcode of all */
  atomic_int next;          /* the first part that no thread has taken */
  JitObject object[MOST_PARTS];
  char *error[MOST_PARTS];
} CompileParts;

enum { EVERY_PART = -1 };

/* -------- which part -------- */

static bool has_attribute(LLVMValueRef f, const char *name) {
  const unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  return LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, kind) != NULL;
}

static bool is_local(LLVMValueRef v) {
  const LLVMLinkage l = LLVMGetLinkage(v);
  return l == LLVMInternalLinkage || l == LLVMPrivateLinkage;
}

static int instructions_of(LLVMValueRef f) {
  int n = 0;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) n++;
  return n;
}

/* Inlined functions, and constants whose address means nothing, are wherever they are used. */
static bool is_everywhere(LLVMValueRef v) {
  if (LLVMIsDeclaration(v)) return true;
  if (!is_local(v)) return false;
  return LLVMIsAFunction(v) ? !has_attribute(v, "noinline")
                            : LLVMGetUnnamedAddress(v) == LLVMGlobalUnnamedAddr;
}

typedef struct Sized {
  int *owner;
  int number, size;
} Sized;

static int by_size(const void *a, const void *b) {
  const Sized *x = a, *y = b;
  return x->size != y->size ? (x->size < y->size ? 1 : -1) : x->number - y->number;
}

/* The largest first, each to the part that has the least to do; the first has the rest too. */
static void deal(const CompileParts *p, Sized *f, int n, int64_t rest) {
  int64_t load[MOST_PARTS] = {rest};
  qsort(f, (size_t)n, sizeof *f, by_size);
  for (int i = 0; i < n; i++) {
    int least = 0;
    for (int k = 1; k < p->n; k++)
      if (load[k] < load[least]) least = k;
    load[least] += f[i].size;
    *f[i].owner = least;
  }
}

/* Parts see what is another's by name. */
static void show(LLVMValueRef v, const char *suffix) {
  size_t n;
  LLVMSetLinkage(v, LLVMExternalLinkage);
  LLVMSetVisibility(v, LLVMHiddenVisibility);
  if (!*suffix) return;
  const char *name = LLVMGetValueName2(v, &n);
  char *with = jit_printf("%.*s.%s", (int)n, name, suffix);
  if (with) LLVMSetValueName2(v, with, strlen(with));
  free(with);
}

/* The others are in the first part, as they are not optimized, or in all. */
static bool is_dealt(LLVMValueRef v) {
  return is_local(v) && !is_everywhere(v) && !has_attribute(v, "optnone");
}

/* As many as are worth what they cost, and can be dealt to 2, 4, 8 cores. Without optimization,
 * copying a part and joining it takes as long as compiling it. */
static int parts_of(int64_t instructions, char level) {
  if (level == '0' || MOST_PARTS < 2 || instructions < 2 * WORTH_OF_TWO * PART_COST) return 1;
  int n = 2;
  while (2 * n <= MOST_PARTS && (int64_t)2 * n * WORTH * PART_COST <= instructions) n *= 2;
  return n;
}

/* The first part, until it is dealt. Parts see what is another's by name. */
static int first_owner(const CompileParts *p, LLVMValueRef v) {
  if (is_everywhere(v)) return EVERY_PART;
  if (is_local(v)) show(v, p->target->suffix);
  return 0;
}

/* All that has a definition gets its part. */
static bool deal_out(CompileParts *p, LLVMModuleRef m) {
  int64_t moved = 0, rest = 0;
  int nvalues = 0, nmoved = 0, k = 0;
  LLVMValueRef v;
  for (v = LLVMGetFirstGlobal(m); v; v = LLVMGetNextGlobal(v)) nvalues++;
  for (v = LLVMGetFirstFunction(m); v; v = LLVMGetNextFunction(v)) {
    *(is_dealt(v) ? &moved : &rest) += instructions_of(v);
    nvalues++;
  }
  rest /= PLAIN;
  p->n = parts_of(moved + rest, p->target->level);
  if (p->n == 1) return true;
  p->owner = malloc((size_t)nvalues * sizeof *p->owner);
  Sized *f = malloc((size_t)nvalues * sizeof *f);
  if (!p->owner || !f) return free(f), false;
  for (v = LLVMGetFirstFunction(m); v; v = LLVMGetNextFunction(v), k++) {
    const bool dealt = is_dealt(v);
    p->owner[k] = first_owner(p, v);
    if (!dealt) continue;
    f[nmoved] = (Sized){&p->owner[k], nmoved, instructions_of(v)};
    nmoved++;
  }
  for (v = LLVMGetFirstGlobal(m); v; v = LLVMGetNextGlobal(v)) p->owner[k++] = first_owner(p, v);
  deal(p, f, nmoved, rest);
  free(f);
  return true;
}

/* -------- one part -------- */

/* Loops that LLVM does not vectorize are no concern of whoever runs the program: without a handler
 * LLVM prints remarks about them. */
static void heard(LLVMDiagnosticInfoRef d, void *first) {
  char **error = first;
  if (LLVMGetDiagInfoSeverity(d) != LLVMDSError || *error) return;
  char *said = LLVMGetDiagInfoDescription(d);
  *error = strdup(said);
  LLVMDisposeMessage(said);
}

static LLVMContextRef context_new(char **error) {
  const LLVMContextRef c = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(c, heard, error);
  return c;
}

static char *run_passes(LLVMModuleRef m, const char *passes, LLVMTargetMachineRef machine) {
  LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
  LLVMPassBuilderOptionsSetLoopVectorization(o, 1);
  LLVMPassBuilderOptionsSetSLPVectorization(o, 1);
  LLVMErrorRef e = LLVMRunPasses(m, passes, machine, o);
  LLVMDisposePassBuilderOptions(o);
  if (!e) return NULL;
  char *said = LLVMGetErrorMessage(e), *copy = strdup(said);
  LLVMDisposeErrorMessage(said);
  return copy;
}

static LLVMTargetMachineRef make_machine(const JitTarget *t, char **error) {
  static const LLVMCodeGenOptLevel level[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess,
                                              LLVMCodeGenLevelDefault, LLVMCodeGenLevelAggressive};
  LLVMTargetRef target;
  char *said = NULL;
  if (LLVMGetTargetFromTriple(t->triple, &target, &said)) {
    *error = strdup(said);
    LLVMDisposeMessage(said);
    return NULL;
  }
  return LLVMCreateTargetMachine(target, t->triple, t->cpu, t->features, level[t->level - '0'],
                                 LLVMRelocPIC, LLVMCodeModelDefault);
}

static bool emit(LLVMModuleRef m, LLVMTargetMachineRef machine, JitObject *out, char **error) {
  LLVMMemoryBufferRef object = NULL;
  char *said = NULL;
  if (LLVMTargetMachineEmitToMemoryBuffer(machine, m, LLVMObjectFile, &said, &object)) {
    *error = strdup(said);
    LLVMDisposeMessage(said);
    return false;
  }
  *out = (JitObject){malloc(LLVMGetBufferSize(object)), LLVMGetBufferSize(object)};
  if (out->at) memcpy(out->at, LLVMGetBufferStart(object), out->n);
  LLVMDisposeMemoryBuffer(object);
  return out->at != NULL;
}

static void compile_module(CompileParts *p, int i, LLVMModuleRef m) {
  char passes[] = "default<O3>";
  LLVMTargetMachineRef machine = make_machine(p->target, &p->error[i]);
  if (!machine) return;
  passes[sizeof "default<O" - 1] = p->target->level;
  p->error[i] = run_passes(m, passes, machine);
  if (!p->error[i]) emit(m, machine, &p->object[i], &p->error[i]);
  LLVMDisposeTargetMachine(machine);
}

static void compile_part(CompileParts *p, int i) {
  char *diagnosed = NULL;
  LLVMContextRef c = context_new(&diagnosed);
  LLVMModuleRef m = clang_shim_part(c, LLVMGetBufferStart(p->code), LLVMGetBufferSize(p->code),
                                    p->owner, i, &p->error[i]);
  if (m) compile_module(p, i, m);
  if (diagnosed && !p->error[i])
    p->error[i] = diagnosed;
  else
    free(diagnosed);
  if (m) LLVMDisposeModule(m);
  LLVMContextDispose(c);
}

/* -------- all -------- */

static void *compile_parts(void *arg) {
  CompileParts *p = arg;
  for (int i; (i = atomic_fetch_add(&p->next, 1)) < p->n;) compile_part(p, i);
  return NULL;
}

typedef struct Helpers {
  pthread_t thread[MOST_PARTS];
  int n;
} Helpers;

static bool start(pthread_t *thread, void *run(void *), void *arg) {
  pthread_attr_t attr;
  if (pthread_attr_init(&attr)) return false;
  pthread_attr_setstacksize(&attr, STACK);
  const bool started = !pthread_create(thread, &attr, run, arg);
  pthread_attr_destroy(&attr);
  return started;
}

/* As many as there are cores for, beside this thread. */
static void start_helpers(CompileParts *p, Helpers *h) {
  cpu_set_t set;
  const int cores = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
  while (h->n < p->n - 1 && h->n < cores - 1 && start(&h->thread[h->n], compile_parts, p)) h->n++;
}

static bool join(CompileParts *p, JitObject *out, char **error) {
  const char *why = NULL;
  for (int i = 0; i < p->n; i++)
    if (!p->object[i].at || p->error[i]) {
      *error = p->error[i] ? strdup(p->error[i]) : NULL;
      return false;
    }
  if (p->n == 1) {
    *out = p->object[0];
    p->object[0].at = NULL;
    return true;
  }
  if (elf_join(p->object, p->n, out, &why)) return true;
  *error = jit_printf("the objects of its parts cannot be joined: %s", why);
  return false;
}

static bool compile_all(const char *source, size_t n, const JitTarget *t, JitObject *out,
                        char **error) {
  CompileParts p = {.target = t};
  Helpers helpers = {.n = 0};
  char *diagnosed = NULL;
  LLVMContextRef c = context_new(&diagnosed);
  LLVMModuleRef m = clang_shim_compile(c, source, n, t, error);
  if (m) *error = run_passes(m, t->level == '0' ? "globaldce" : "ipsccp,globaldce", NULL);
  bool ok = m && !*error && deal_out(&p, m);
  const bool one = ok && p.n == 1;
  if (one) compile_module(&p, 0, m);
  if (ok && !one) p.code = LLVMWriteBitcodeToMemoryBuffer(m);
  if (ok && !one) start_helpers(&p, &helpers);
  if (m) LLVMDisposeModule(m);
  LLVMContextDispose(c);
  ok = ok && !diagnosed;
  if (ok && !one) compile_parts(&p);
  for (int i = 0; i < helpers.n; i++) pthread_join(helpers.thread[i], NULL);
  ok = ok && join(&p, out, error);
  for (int i = 0; i < p.n; i++) free(p.object[i].at), free(p.error[i]);
  if (p.code) LLVMDisposeMemoryBuffer(p.code);
  free(p.owner);
  if (!ok && !*error) *error = diagnosed ? diagnosed : strdup("out of memory");
  if (*error != diagnosed) free(diagnosed);
  return ok;
}

typedef struct CompileAll {
  const char *source;
  size_t n;
  const JitTarget *target;
  JitObject *out;
  char **error;
  locale_t numbers;
  bool ok;
} CompileAll;

static void *compile_on_thread(void *arg) {
  CompileAll *a = arg;
  uselocale(a->numbers);
  a->ok = compile_all(a->source, a->n, a->target, a->out, a->error);
  return NULL;
}

bool parts_compile(const char *source, size_t n, const JitTarget *t, JitObject *out, char **error) {
  CompileAll a = {source, n, t, out, error, uselocale(NULL), false};
  pthread_t thread;
  if (!start(&thread, compile_on_thread, &a)) return compile_all(source, n, t, out, error);
  pthread_join(thread, NULL);
  return a.ok;
}
