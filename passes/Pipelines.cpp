// The pipelines, so that the driver and the test tool stop at the same places.
#include "passes/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void moac::addDnfPasses(OpPassManager &manager) {
  manager.addPass(createInlineCalls());
  auto &kernel = manager.nest<moa::KernelOp>();
  kernel.addPass(createComposePsi());
  kernel.addPass(createLiftArrays());
  kernel.addPass(createSplitStages());
  kernel.addPass(createCSEPass());
}

void moac::addGammaPasses(OpPassManager &manager) {
  auto &kernel = manager.nest<moa::KernelOp>();
  kernel.addPass(createGammaInline());
  kernel.addPass(createGammaPlace());
  kernel.addPass(createCSEPass());
  kernel.addPass(createGammaNest());
  manager.addPass(createGammaConstruct());
}
