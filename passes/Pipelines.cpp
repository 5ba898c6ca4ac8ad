// The pipelines, so that the driver and the test tool stop at the same places.
#include "passes/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void moac::addDnfPasses(OpPassManager &manager, const std::map<std::string, int64_t> &bindings) {
  manager.addPass(createInlineCalls());
  auto &kernel = manager.nest<moa::KernelOp>();
  if (!bindings.empty()) {
    BindSymbolsOptions options;
    for (const auto &[name, value] : bindings)
      options.bindings.push_back(name + "=" + std::to_string(value));
    kernel.addPass(createBindSymbols(options));
  }
  kernel.addPass(createPsiReduce());
  kernel.addPass(createLiftArrays());
  kernel.addPass(createSplitStages());
  kernel.addPass(createCSEPass());
}

void moac::addSchedulePasses(OpPassManager &manager) {
  manager.addPass(createGammaPartition());
  auto &kernel = manager.nest<moa::KernelOp>();
  kernel.addPass(createGammaLift());
  kernel.addPass(createGammaAtomicRemoval());
  kernel.addPass(createGammaFactor());
  kernel.addPass(createGammaCoalesce()); // of the stages as they are written, for those that ask before they are placed
  kernel.addPass(createGammaOnline());
  kernel.addPass(createGammaInline());
  kernel.addPass(createGammaPlace());
  kernel.addPass(createCSEPass());
  kernel.addPass(createGammaCoalesce()); // of what has become of them
  kernel.addPass(createGammaNest());
  kernel.addPass(createGammaSplit());
}

void moac::addGammaPasses(OpPassManager &manager) {
  addSchedulePasses(manager);
  manager.addPass(createGammaConstruct());
}
