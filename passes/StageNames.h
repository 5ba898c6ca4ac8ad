// Names for stages that the compiler makes: `O_sum`, `O_sum2`, never one that the kernel has already.
#ifndef MOAC_PASSES_STAGENAMES_H
#define MOAC_PASSES_STAGENAMES_H

#include "ir/Moa.h"

#include <set>

namespace moac {

class StageNames {
public:
  explicit StageNames(moa::KernelOp kernel) {
    for (unsigned i = 0; i < kernel.entry().getNumArguments(); ++i)
      names.insert(kernel.argName(i).str());
    for (mlir::Attribute result : kernel.getResults())
      names.insert(llvm::cast<mlir::StringAttr>(result).getValue().str());
    kernel.walk([&](moa::GenOp gen) { names.insert(gen.getName().str()); });
  }

  /// `base`, or `base2`, `base3`, ...: a name no stage or parameter of the kernel has. It is then taken.
  std::string fresh(const std::string &base) {
    std::string name = base;
    for (unsigned count = 2; !names.insert(name).second; ++count)
      name = base + std::to_string(count);
    return name;
  }

private:
  std::set<std::string> names;
};

} // namespace moac

#endif
