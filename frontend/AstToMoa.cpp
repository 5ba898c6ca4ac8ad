// The order of analysis: heads of all files, the call graph, then one body after the other. See
// AstToMoa.h.
#include "frontend/AstToMoa.h"
#include "frontend/Analyzer.h"
#include "frontend/CallGraph.h"

namespace moac {

mlir::OwningOpRef<mlir::ModuleOp> buildModule(const std::vector<ast::File> &files,
                                              Diagnostics &diags, mlir::MLIRContext &context) {
  context.loadDialect<moa::MoaDialect>();
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  sema::Items items = sema::collectItems(files, diags);
  sema::checkCalls(files, items, diags);
  for (const ast::File &file : files)
    for (const ast::Kernel &kernel : file.kernels) {
      auto it = items.kernels.find(kernel.name.text);
      if (it->second.ast != &kernel || !it->second.valid)
        continue;
      sema::Analyzer analyzer(items, it->second, diags, *module);
      analyzer.run();
      if (&file != &files.front())
        module->getBody()->back().setAttr("imported", mlir::UnitAttr::get(&context));
    }
  if (!diags.hasErrors())
    return module;
  // What was built may be incomplete and point into what was discarded.
  module->getBody()->dropAllReferences();
  module->walk([](mlir::Operation *op) { op->dropAllReferences(); });
  return nullptr;
}

} // namespace moac
