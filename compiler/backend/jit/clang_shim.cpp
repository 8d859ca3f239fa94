// The one C++ file: clang -cc1 in process, from a C text in memory to an object in memory, with the
// messages as text. Everything else of LLVM is reached through its C interface (orc.c).
// Builds against LLVM 14 to 22; where Clang's interface changed, CLANG_VERSION_MAJOR decides.
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Basic/Version.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendOptions.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

extern "C" {
#include "jit.h"
}

namespace {
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

void create_diagnostics(clang::CompilerInstance &ci, Collector &collector) {
#if CLANG_VERSION_MAJOR >= 22
  ci.createVirtualFileSystem(llvm::vfs::getRealFileSystem(), &collector);
  ci.createDiagnostics(&collector, false);
#elif CLANG_VERSION_MAJOR >= 20
  ci.createDiagnostics(*llvm::vfs::getRealFileSystem(), &collector, false);
#else
  ci.createDiagnostics(&collector, false);
#endif
}
} // namespace

extern "C" bool clang_shim_compile(const char *source, size_t n, const char *const *args, int nargs,
                                   void **object, size_t *object_bytes, char **error) {
  Collector collector;
  llvm::SmallVector<char, 0> bytes;
  bool ok = false;
  {
    clang::CompilerInstance ci;
    create_diagnostics(ci, collector);
    llvm::ArrayRef<const char *> list(args, static_cast<size_t>(nargs));
    ok = clang::CompilerInvocation::CreateFromArgs(ci.getInvocation(), list, ci.getDiagnostics());
    ci.getDiagnostics().setIgnoreAllWarnings(true);
    ci.setVerboseOutputStream(llvm::nulls());
    auto &front = ci.getFrontendOpts();
    front.Inputs.clear();
    front.Inputs.emplace_back(llvm::MemoryBufferRef(llvm::StringRef(source, n), "dtg.c"),
                              clang::InputKind(clang::Language::C));
    front.DisableFree = false; // we stay: clang must give its memory back
    ci.getCodeGenOpts().DisableFree = false;
    ci.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(bytes));
    llvm::LLVMContext context;
    clang::EmitObjAction action(&context);
    ok = ok && ci.ExecuteAction(action) && !bytes.empty();
  }
  *object = ok ? malloc(bytes.size()) : nullptr;
  if (*object) {
    memcpy(*object, bytes.data(), bytes.size());
    *object_bytes = bytes.size();
    return true;
  }
  if (collector.text.empty()) collector.text = ok ? "out of memory\n" : "clang said nothing\n";
  *error = strdup(collector.text.c_str());
  return false;
}
