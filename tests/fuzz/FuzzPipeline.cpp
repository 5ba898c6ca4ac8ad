// The phases without files: text, tree, moa, DNF, ONF, C.
#include "tests/fuzz/FuzzPipeline.h"

#include "emitters/C.h"
#include "emitters/CFile.h"
#include "emitters/LoopTreeBuilder.h"
#include "emitters/OnfWork.h"
#include "emitters/Verify.h"
#include "frontend/AstToMoa.h"
#include "frontend/Parser.h"
#include "ir/IndexForm.h"
#include "passes/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include <cstdio>
#include <cstdlib>

using namespace mlir;

namespace moac::fuzz {
namespace {

class Pipeline {
public:
  Pipeline()
      : context(MLIRContext::Threading::DISABLED), handler(&context, [this](mlir::Diagnostic &d) {
          heard += d.str() + "\n";
          return success();
        }) {
    context.loadDialect<moa::MoaDialect, onf::OnfDialect>();
  }

  Outcome translate(std::string_view text, Goal goal, reading::CReader reader) {
    Outcome outcome;
    std::vector<ast::File> files;
    files.push_back(parse(sources, sources.add("t.moa", std::string(text)), messages));
    OwningOpRef<ModuleOp> module = buildModule(files, messages, context);
    messages.render();
    outcome.accepted = bool(module);
    if (!module) {
      if (!messages.hasErrors())
        outcome.fault = "refused without a message";
      return outcome;
    }
    if (failed(verify(*module)))
      outcome.fault = "analysis made invalid IR: " + heard;
    else if (!passes(*module, [](PassManager &manager) { addDnfPasses(manager, {}); }))
      outcome.fault = "no DNF: " + heard;
    else if (goal == Goal::C)
      toC(*module, reader, outcome);
    else
      for (auto kernel : module->getOps<moa::KernelOp>())
        moa::indexForm(kernel);
    return outcome;
  }

private:
  bool passes(ModuleOp module, llvm::function_ref<void(PassManager &)> fill) {
    PassManager manager(&context);
    fill(manager);
    return succeeded(manager.run(module));
  }

  void toC(ModuleOp module, reading::CReader reader, Outcome &outcome) {
    if (!passes(module, [](PassManager &manager) { addGammaPasses(manager); })) {
      outcome.fault = "no ONF: " + heard;
      return;
    }
    std::vector<onf::FuncOp> functions;
    for (auto function : module.getOps<onf::FuncOp>())
      functions.push_back(function);
    const tree::File tree = emit::buildLoopTree(functions, emit::cTraits());
    const emit::COptions style{.standalone = true, .headerName = ""};
    const emit::Emitted emitted = emit::printCFile(tree, style, emit::cTraits());
    if (!emitted.problems.empty()) // a kernel may have a name that C cannot have
      return;
    outcome.source = emitted.text;
    const bool callsShmem = llvm::any_of(tree.kernels, [](const tree::Kernel &kernel) { return !kernel.pe.empty(); }); // not read back
    if (!reader || tree.kernels.empty() || callsShmem)
      return;
    const reading::CReading read = reader({"t.c", emitted.text}, {});
    for (const std::string &wrong : reading::verifyC(tree, read, emitted.text))
      outcome.fault += wrong + "\n";
    for (size_t i = 0; outcome.fault.empty() && i < functions.size(); ++i)
      for (const std::string &wrong : reading::compareWork(
               emit::workOf(functions[i], tree.kernels[i]), reading::workOf(read, tree.kernels[i])))
        outcome.fault += tree.kernels[i].name + ": " + wrong + "\n";
  }

  SourceManager sources;
  Diagnostics messages{sources};
  MLIRContext context;
  std::string heard; ///< from passes
  ScopedDiagnosticHandler handler;
};

} // namespace

Outcome translate(std::string_view text, Goal goal, reading::CReader reader) {
  return Pipeline().translate(text, goal, reader);
}

int run(const unsigned char *data, unsigned long size, Goal goal) {
  const Outcome outcome = translate({reinterpret_cast<const char *>(data), size}, goal);
  if (outcome.fault.empty())
    return 0;
  std::fprintf(stderr, "fault: %s\n", outcome.fault.c_str());
  std::abort();
}

} // namespace moac::fuzz
