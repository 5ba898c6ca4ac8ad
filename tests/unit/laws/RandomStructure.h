// Random kernels in the operator form, built as IR: trees of words over small arrays, some extents symbols and some numbers.
#ifndef MOAC_TESTS_LAWS_RANDOMSTRUCTURE_H
#define MOAC_TESTS_LAWS_RANDOMSTRUCTURE_H

#include "ir/Interpreter.h"
#include "ir/Moa.h"

#include <random>

namespace moac {

/// A module with one kernel, and what to call it with: integers of three bits as data, so that sums stay exact.
struct RandomKernel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Arguments arguments;
  moa::KernelOp kernel() { return *module->getOps<moa::KernelOp>().begin(); }
};

RandomKernel randomStructure(mlir::MLIRContext &context, unsigned seed, unsigned words);

} // namespace moac

#endif
