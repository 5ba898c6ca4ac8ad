// Kernels whose work is divided among processing elements (PEs): `partition k over pe`.
//
// Such a kernel is composed of kernels for one machine, each scheduled like any other, and of blocks that PEs give each other:
//
//     X.part     X for a part of the axis: k runs over k_len indices from k_lo on
//     X.whole    where k is summed: X with each reduction over k made of the parts' values
//
//     free axis        PE p runs X.part on its block of the results, whichever axis of them it is
//     reduced axis     for its own parts, PE p runs X.part into a slot of an array of all parts' values; the slots go to every
//                      PE, and each runs X.whole
//
// The law of a reduction whose parts are combined is that of online groups: a sum of terms with exp(t - m) in it, m the maximum
// over the part, is corrected by exp(m - m of all) (Rescale.h). How many parts there are, and the order in which they are
// combined, depends on the axis alone: results are the same, bit for bit, for every number of PEs.
#ifndef MOAC_PASSES_PARTITION_H
#define MOAC_PASSES_PARTITION_H

#include "passes/Rescale.h"
#include "passes/UserSchedule.h"

namespace moac {

/// A reduction over the divided axis.
struct PartitionState {
  Stage *stage = nullptr;
  struct Correction {
    Stage *maximum;
    llvm::SmallVector<unsigned> axes; ///< of `stage`, those that are the maximum's
    Rescale law;
  };
  llvm::SmallVector<Correction> corrections;
};

/// What is divided, in a kernel whose loops have their names.
struct PartitionPlan {
  bool isFree = false; ///< an axis of results
  shape::Expr extent;  ///< of the axis
  llvm::DenseSet<mlir::Value> axes; ///< indices of gens and of reductions that run over a part
  std::vector<PartitionState> states;
};

/// How the axis `directive` names can be divided; reports why it cannot.
mlir::FailureOr<PartitionPlan> planPartition(StageGraph &graph, const UserSchedule &user, const UserDirective &directive);

/// Composes the functions of partitioned kernels from those of their phases, which disappear.
mlir::LogicalResult joinPartitions(mlir::ModuleOp module);

} // namespace moac

#endif
