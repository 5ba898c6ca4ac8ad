// The buffers that a kernel needs beside its arguments.
#ifndef MOAC_EMITTERS_DEMAND_H
#define MOAC_EMITTERS_DEMAND_H

#include "emitters/LoopTree.h"

namespace moac::tree {

struct Demand {
  std::vector<Scratch> shared;
  std::vector<std::vector<Scratch>> thread; // one list for each team that has its own buffers
  std::vector<Expr> work;                   // of those teams
  bool any() const { return !shared.empty() || !thread.empty(); }
  /// The work of all those teams together.
  Expr totalWork() const;
  /// Names in the sizes and in the work.
  std::set<std::string> names() const;
};
Demand demandOf(const Kernel &kernel);
/// True if the kernel has buffers beside its arguments, and so the forms `_ws` and `_ws_size`.
bool needsScratch(const Kernel &kernel);

} // namespace moac::tree

#endif
