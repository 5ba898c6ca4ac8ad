// From the compiler's forms of a kernel to an Explanation; the MLIR side of Explain.h.
#ifndef MOAC_FRONTEND_EXPLAINKERNEL_H
#define MOAC_FRONTEND_EXPLAINKERNEL_H

#include "frontend/Explain.h"
#include "ir/Onf.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <map>
#include <optional>

namespace moac {

/// What an explanation is made from.
struct ExplainSource {
  mlir::ModuleOp module; ///< as the frontend made it
  onf::FuncOp function;  ///< of the kernel, in the ONF
  std::map<std::string, int64_t> bindings;
  /// Line `line` (from 1) of a source file; empty when it is not known.
  std::function<std::string(llvm::StringRef file, unsigned line)> lineText;
};

/// Derives the kernel once more, this time listening to what the passes tell; nothing when a pass fails. `glyphs`: formulas
/// in MoA's notation instead of index form.
std::optional<Explanation> explainKernel(const ExplainSource &source, const std::string &name, bool glyphs);

} // namespace moac

#endif
