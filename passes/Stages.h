// The stages of a kernel in DNF as a graph, with what a schedule needs to know of them: who reads whom, how often, at
// which strides, and what an element costs. Everything is derived from the IR; sizes are sampled, never assumed.
#ifndef MOAC_PASSES_STAGES_H
#define MOAC_PASSES_STAGES_H

#include "ir/IndexExpr.h"

namespace moac {

struct Stage;

/// One read of a stage by another (or of a stage by itself never).
struct StageRead {
  Stage *reader = nullptr;
  moa::PsiOp psi;
  double timesPerElement = 1; ///< executions for each element of the reader (domain of the reductions around it)
};

struct Stage {
  moa::GenOp gen;
  bool isResult = false;
  moa::RedOp root;              ///< the reduction whose value the gen yields, if it is one
  /// The axes that may run innermost, best first, as gamma-coalesce wrote them down (AxisChoice.h reads them); whether the first
  /// is one that the reduction would jump across.
  llvm::SmallVector<mlir::BlockArgument> coalesced;
  bool across = false;
  double elements = 1;          ///< at the sample size
  double cost = 0;              ///< of one element's body, reductions included, in units of an addition
  unsigned size = 0;            ///< operations in the body
  llvm::SmallVector<StageRead> reads;   ///< of other stages, by this one
  llvm::SmallVector<StageRead> readers; ///< of this stage, by others (reader = who)

  std::string name() { return gen.getName().str(); }
  unsigned rank() { return gen.entry().getNumArguments(); }
  bool hasReduction();
  /// Some read of it has a subscript that is checked at run time.
  bool readChecked();
};

class StageGraph {
public:
  explicit StageGraph(moa::KernelOp kernel);

  std::vector<std::unique_ptr<Stage>> stages; ///< in the kernel's order: definitions before reads
  Stage *of(mlir::Value array) const;
  /// `later` reads `earlier`, directly or through others.
  bool dependsOn(Stage *later, Stage *earlier) const;

  /// Step of the flat offset of an access when an index grows by one: a number when it is a constant.
  shape::Expr strideOf(moa::PsiOp psi, mlir::BlockArgument index);
  shape::Expr writeStride(Stage &stage, unsigned axis);
  /// All symbols (and unknown values) at the sample size.
  double sample(const shape::Expr &e) const;

  moa::IndexExprs exprs;
  static constexpr int64_t sampleSize = 64;

private:
  void readCoalesced(moa::KernelOp kernel);
  double domainSize(moa::RedOp red);
  void visit(Stage &stage, mlir::Block &block, double times);
  std::map<mlir::Operation *, Stage *> byGen;
};

/// Cost of one execution of a scalar operation, in units of an addition (throughput on a current core).
double operationCost(mlir::Operation *op);

} // namespace moac

#endif
