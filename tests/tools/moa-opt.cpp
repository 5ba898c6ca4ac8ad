// moa-opt: runs passes of ours and of MLIR on textual moa and onf. A test tool, not installed.
#include "passes/Passes.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<moac::moa::MoaDialect, moac::onf::OnfDialect>();
  moac::registerMoacPasses();
  mlir::registerTransformsPasses();
  mlir::PassPipelineRegistration<> dnf("moa-dnf", "All passes from moa to DNF",
                                    [](mlir::OpPassManager &manager) { moac::addDnfPasses(manager); });
  mlir::PassPipelineRegistration<> gamma("gamma", "All passes from DNF to ONF", moac::addGammaPasses);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "moac's passes\n", registry));
}
