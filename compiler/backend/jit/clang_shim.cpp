// The one C++ file: clang's front end in process, from a C text in memory to a module of LLVM, with
// the messages as text. Everything else of LLVM is reached through its C interface (parts.c,
// orc.c). Builds against LLVM 14 to 22; where Clang's interface changed, CLANG_VERSION_MAJOR
// decides.
#include <clang/Basic/Version.h>
#include <llvm/ADT/IntrusiveRefCntPtr.h>
#include <memory>

#if CLANG_VERSION_MAJOR < 20
// Clang's syntax trees and static analyzer are two thirds of the time to compile this file, which
// uses neither. Their two headers are left out; the pointers to them that Clang's other headers
// hold inline are declared here and defined nowhere, so that a use would not link.
#define LLVM_CLANG_STATICANALYZER_CORE_ANALYZEROPTIONS_H
#define LLVM_CLANG_FRONTEND_ASTUNIT_H
namespace clang {
class AnalyzerOptions;
class ASTContext;
class ASTUnit;
class Module;
using AnalyzerOptionsRef = llvm::IntrusiveRefCntPtr<AnalyzerOptions>;
} // namespace clang
template <> struct llvm::IntrusiveRefCntPtrInfo<clang::AnalyzerOptions> {
  static void retain(clang::AnalyzerOptions *);
  static void release(clang::AnalyzerOptions *);
};
template <> struct llvm::IntrusiveRefCntPtrInfo<clang::ASTContext> {
  static void retain(clang::ASTContext *);
  static void release(clang::ASTContext *);
};
template <> void std::default_delete<clang::ASTUnit>::operator()(clang::ASTUnit *) const;
#endif

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/SourceManager.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendOptions.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

extern "C" {
#include "jit.h"
}

namespace {
// Blocks in blocks: each `continue` under a condition puts the rest of its loop into one. dtgc itself
// rejects what is nested half as deep.
enum { DEEPEST = 2048 };

// Our own consumer, because the constructor of clang's printer is not the same in all versions.
class Collector : public clang::DiagnosticConsumer {
public:
  std::string text;
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &d) override {
    DiagnosticConsumer::HandleDiagnostic(level, d);
    if (level < clang::DiagnosticsEngine::Error || text.size() > 4000) return;
    llvm::SmallString<256> message;
    d.FormatDiagnostic(message);
    if (d.hasSourceManager() && d.getLocation().isValid()) {
      clang::PresumedLoc at = d.getSourceManager().getPresumedLoc(d.getLocation());
      if (at.isValid())
        text += std::string(at.getFilename()) + ":" + std::to_string(at.getLine()) + ":" +
                std::to_string(at.getColumn()) + ": ";
    }
    text += message.str().str() + "\n";
  }
};

using Files = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

// The headers are all the files there are: none of the host's is seen.
Files header_files(const JitTarget &t) {
  auto *files = new llvm::vfs::InMemoryFileSystem();
  files->setCurrentWorkingDirectory("/");
  for (int i = 0; i < t.nheaders; i++) {
    const JitHeader &h = t.header[i];
    files->addFile(llvm::Twine("/") + h.name, 0,
                   llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(h.at, h.n), h.name));
  }
  return Files(files);
}

void create_diagnostics(clang::CompilerInstance &ci, Collector &collector, const Files &files) {
#if CLANG_VERSION_MAJOR >= 22
  ci.createVirtualFileSystem(files, &collector);
  ci.createDiagnostics(&collector, false);
  ci.createFileManager();
#elif CLANG_VERSION_MAJOR >= 20
  ci.createDiagnostics(*files, &collector, false);
  ci.createFileManager(files);
#else
  ci.createDiagnostics(&collector, false);
  ci.createFileManager(files);
#endif
}
} // namespace

extern "C" LLVMModuleRef clang_shim_compile(LLVMContextRef c, const char *source, size_t n,
                                            const JitTarget *t, char **error) {
  Collector collector;
  std::unique_ptr<llvm::Module> module;
  {
    clang::CompilerInstance ci;
    create_diagnostics(ci, collector, header_files(*t));
    llvm::ArrayRef<const char *> list(t->args, static_cast<size_t>(t->nargs));
    const bool ok =
        clang::CompilerInvocation::CreateFromArgs(ci.getInvocation(), list, ci.getDiagnostics());
    ci.getDiagnostics().setIgnoreAllWarnings(true);
    ci.getLangOpts().BracketDepth = DEEPEST;
    ci.setVerboseOutputStream(llvm::nulls());
    auto &front = ci.getFrontendOpts();
    front.Inputs.clear();
    front.Inputs.emplace_back(llvm::MemoryBufferRef(llvm::StringRef(source, n), "dtg.c"),
                              clang::InputKind(clang::Language::C));
    front.DisableFree = false; // we stay: clang must give its memory back
    ci.getCodeGenOpts().DisableFree = false;
    ci.getCodeGenOpts().DisableLLVMPasses = true;
    clang::EmitLLVMOnlyAction action(llvm::unwrap(c));
    if (ok && ci.ExecuteAction(action)) module = action.takeModule();
  }
  if (module) return llvm::wrap(module.release());
  *error =
      strdup(collector.text.empty() ? "clang failed without a message\n" : collector.text.c_str());
  return nullptr;
}

namespace {
bool is_dropped(const llvm::GlobalValue &g, int owner, int part) {
  return owner >= 0 && owner != part && !g.isDeclaration();
}

// Reads the bodies of `f` and of all local functions it uses, by way of others too.
llvm::Error read_used(llvm::Function *f) {
  llvm::SmallVector<llvm::Function *, 16> todo = {f};
  while (!todo.empty()) {
    llvm::Function *at = todo.pop_back_val();
    if (!at->isMaterializable()) continue;
    if (llvm::Error e = at->materialize()) return e;
    for (const llvm::BasicBlock &b : *at)
      for (const llvm::Instruction &i : b)
        for (const llvm::Use &u : i.operands())
          if (auto *used = llvm::dyn_cast<llvm::Function>(u.get()->stripPointerCasts()))
            if (used->hasLocalLinkage()) todo.push_back(used);
  }
  return llvm::Error::success();
}

llvm::Error keep_part(llvm::Module &m, const int *owner, int part) {
  const int *at = owner;
  for (llvm::Function &f : m)
    if (is_dropped(f, *at++, part)) f.deleteBody();
  for (llvm::GlobalVariable &v : m.globals())
    if (is_dropped(v, *at++, part)) {
      v.setInitializer(nullptr);
      v.setLinkage(llvm::GlobalValue::ExternalLinkage);
    }
  at = owner;
  for (llvm::Function &f : m)
    if (*at++ == part)
      if (llvm::Error e = read_used(&f)) return e;
  for (llvm::Function &f : llvm::make_early_inc_range(m))
    if (f.isMaterializable() && f.hasLocalLinkage() && f.use_empty()) f.eraseFromParent();
  return m.materializeAll(); // what variables refer to, and debug lines
}
} // namespace

extern "C" LLVMModuleRef clang_shim_part(LLVMContextRef c, const char *at, size_t n,
                                         const int *owner, int part, char **error) {
  llvm::MemoryBufferRef code(llvm::StringRef(at, n), "dtg.bc");
  auto m = llvm::getLazyBitcodeModule(code, *llvm::unwrap(c), true);
  llvm::Error e = m ? keep_part(**m, owner, part) : m.takeError();
  if (!e) return llvm::wrap(m->release());
  *error = strdup(llvm::toString(std::move(e)).c_str());
  return nullptr;
}
