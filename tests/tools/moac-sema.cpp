// Semantic analysis alone, for tests: prints the diagnostics of a file and, when there is no error, its moa dialect.
//
//     moac-sema [-I folder]... file.moa
//
// Exit code 0, or 1 after an error. The module is verified: a program that passes analysis but not the verifiers is a defect.
#include "frontend/AstToMoa.h"
#include "frontend/Imports.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  std::vector<std::string> folders;
  std::string path;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "-I" && i + 1 < argc)
      folders.push_back(argv[++i]);
    else
      path = argv[i];
  }
  moac::SourceManager sources;
  moac::Diagnostics diags(sources);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::vector<moac::ast::File> files = moac::loadFiles(path, folders, sources, diags);
  mlir::OwningOpRef<mlir::ModuleOp> module;
  if (!files.empty())
    module = moac::buildModule(files, diags, context);
  llvm::errs() << diags.render();
  if (!module)
    return 1;
  module->print(llvm::outs());
  llvm::outs() << "\n";
  return mlir::succeeded(mlir::verify(*module)) ? 0 : 2;
}
