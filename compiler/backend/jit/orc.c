/* The LLVM side of the JIT: what this machine is, and objects loaded by ORC. With clang_shim.cpp it
 * makes the module libdtgc-jit.so, whose one symbol is dtgc_jit_verbs.
 * Each loaded object has its own LLJIT: programs do not see each other's names, and unloading one
 * frees all of it. */
#include "jit.h"
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/OrcEE.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm/Config/llvm-config.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct JitLoaded {
  LLVMOrcLLJITRef jit;
};

/* LLVM is initialized once a process. */
static struct {
  pthread_once_t once;
  char *triple, *cpu, *features;
} orc_host = {.once = PTHREAD_ONCE_INIT};

static void orc_find_host(void) {
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
  LLVMInitializeNativeAsmParser();
  orc_host.triple = LLVMGetDefaultTargetTriple();
  orc_host.cpu = LLVMGetHostCPUName();
  orc_host.features = LLVMGetHostCPUFeatures();
}

static const char *orc_version(void) { return LLVM_VERSION_STRING; }
static const char *orc_triple(void) {
  pthread_once(&orc_host.once, orc_find_host);
  return orc_host.triple;
}
/* A CPU that is younger than this LLVM is "generic" to it, which clang takes for no x86-64 CPU.
 * What the CPU can do is among the features. */
static const char *orc_cpu(void) {
  pthread_once(&orc_host.once, orc_find_host);
#ifdef __x86_64__
  if (!strcmp(orc_host.cpu, "generic")) return "x86-64";
#endif
  return orc_host.cpu;
}
static const char *orc_features(void) {
  pthread_once(&orc_host.once, orc_find_host);
  return orc_host.features;
}

static bool orc_compile(const char *source, size_t n, const JitTarget *t, JitObject *out,
                        char **error) {
  pthread_once(&orc_host.once, orc_find_host);
  return parts_compile(source, n, t, out, error);
}

static char *orc_take_message(LLVMErrorRef e) {
  char *m = LLVMGetErrorMessage(e), *copy = strdup(m);
  LLVMDisposeErrorMessage(m);
  return copy;
}

/* RuntimeDyld rather than JITLink: in every LLVM from 14 on it is there, and takes listeners, by
 * which gdb (and perf, when asked) learn of the code. */
static LLVMOrcObjectLayerRef orc_linking_layer(void *perf, LLVMOrcExecutionSessionRef es,
                                               const char *triple) {
  (void)triple;
  LLVMOrcObjectLayerRef layer = LLVMOrcCreateRTDyldObjectLinkingLayerWithSectionMemoryManager(es);
  LLVMJITEventListenerRef gdb = LLVMCreateGDBRegistrationListener();
  if (gdb) LLVMOrcRTDyldObjectLinkingLayerRegisterJITEventListener(layer, gdb);
  LLVMJITEventListenerRef told = *(bool *)perf ? LLVMCreatePerfJITEventListener() : NULL;
  if (told) LLVMOrcRTDyldObjectLinkingLayerRegisterJITEventListener(layer, told);
  return layer;
}

static LLVMErrorRef orc_fill(LLVMOrcLLJITRef jit, const void *bytes, size_t n, const char *symbol,
                             const char *library, void **address) {
  LLVMOrcJITDylibRef dylib = LLVMOrcLLJITGetMainJITDylib(jit);
  LLVMOrcDefinitionGeneratorRef names = NULL;
  LLVMErrorRef e = LLVMOrcCreateDynamicLibrarySearchGeneratorForPath(
      &names, library, LLVMOrcLLJITGetGlobalPrefix(jit), NULL, NULL);
  if (e) return e;
  LLVMOrcJITDylibAddGenerator(dylib, names);
  LLVMMemoryBufferRef object = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, n, "dtg.o");
  e = LLVMOrcLLJITAddObjectFile(jit, dylib, object);
  if (e) return e;
  LLVMOrcExecutorAddress at = 0;
  e = LLVMOrcLLJITLookup(jit, &at, symbol);
  *address = (void *)(uintptr_t)at;
  return e;
}

static void orc_unload(JitLoaded *l) {
  if (!l) return;
  LLVMErrorRef e = LLVMOrcDisposeLLJIT(l->jit);
  if (e) LLVMConsumeError(e);
  free(l);
}

static JitLoaded *orc_load(const void *bytes, size_t n, const char *symbol, const char *library,
                           bool perf, void **address, char **error) {
  pthread_once(&orc_host.once, orc_find_host);
  JitLoaded *l = calloc(1, sizeof *l);
  if (!l) {
    *error = strdup("out of memory");
    return NULL;
  }
  LLVMOrcLLJITBuilderRef b = LLVMOrcCreateLLJITBuilder();
  LLVMOrcLLJITBuilderSetObjectLinkingLayerCreator(b, orc_linking_layer, &perf);
  LLVMErrorRef e = LLVMOrcCreateLLJIT(&l->jit, b);
  if (e) {
    *error = orc_take_message(e);
    free(l);
    return NULL;
  }
  e = orc_fill(l->jit, bytes, n, symbol, library, address);
  if (!e) return l;
  *error = orc_take_message(e);
  orc_unload(l);
  return NULL;
}

__attribute__((visibility("default"))) const JitVerbs dtgc_jit_verbs = {
    .abi = JIT_ABI,
    .version = orc_version,
    .triple = orc_triple,
    .cpu = orc_cpu,
    .features = orc_features,
    .compile = orc_compile,
    .load = orc_load,
    .unload = orc_unload,
};
