// The order of analysis: heads of all files, the call graph, then one body after the other. See
// AstToMoa.h.
#include "frontend/AstToMoa.h"
#include "frontend/Analyzer.h"
#include "frontend/CallGraph.h"
#include "frontend/Schedules.h"

namespace moac {

namespace {
/// Puts the kernels in the order of the source and marks those of other files.
void arrange(const std::vector<ast::File> &files, mlir::ModuleOp module) {
  mlir::SymbolTable table(module);
  for (const ast::File &file : files)
    for (const ast::Kernel &kernel : file.kernels)
      if (mlir::Operation *op = table.lookup(kernel.name.text)) {
        op->moveBefore(module.getBody(), module.getBody()->end());
        if (&file != &files.front())
          op->setAttr("imported", mlir::UnitAttr::get(module.getContext()));
      }
}
} // namespace

mlir::OwningOpRef<mlir::ModuleOp> buildModule(const std::vector<ast::File> &files,
                                              Diagnostics &diags, mlir::MLIRContext &context) {
  context.loadDialect<moa::MoaDialect>();
  std::string mainPath(files.empty() ? "" : diags.sourceManager().path(files.front().id));
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::FileLineColLoc::get(&context, mainPath, 1, 1));
  sema::Items items = sema::collectItems(files, diags);
  sema::Demands demands;
  for (const std::string &name : sema::checkCalls(files, items, diags))
    if (const sema::KernelInfo &kernel = items.kernels.find(name)->second; kernel.valid)
      sema::Analyzer(items, kernel, demands, diags, *module).run();
  arrange(files, *module);
  sema::attachSchedules(files, items, *module, diags);
  if (!diags.hasErrors())
    return module;
  // What was built may be incomplete and point into what was discarded.
  module->getBody()->dropAllReferences();
  module->walk([](mlir::Operation *op) { op->dropAllReferences(); });
  return nullptr;
}

} // namespace moac
