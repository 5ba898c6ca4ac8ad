// Where an operation stands in the user's source, as emitted comments say it: FILE:LINE of the innermost
// place that a location has, without folders, so that output does not depend on where files lie.
#include "emitters/LoopTreeBuilder.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>

using namespace mlir;

namespace moac::emit {

std::string sourcePlace(Location location) {
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return fmt::format("{}:{}", llvm::sys::path::filename(file.getFilename().getValue()).str(),
                       file.getLine());
  if (auto named = dyn_cast<NameLoc>(location))
    return sourcePlace(named.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return sourcePlace(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (std::string place = sourcePlace(part); !place.empty())
        return place;
  return "";
}

} // namespace moac::emit
