// Whether a kernel is scheduled for a device with memory and lanes of its own (GPUs through OpenACC).
//
// The caller of the schedule's passes says so by the attribute `device` of the kernel. Default choices
// then differ: no register blocks, panels or tiles for the caches of a host, lanes along the axis that
// neighbours in memory share, and sums in registers inside of them.
#ifndef MOAC_PASSES_ONDEVICE_H
#define MOAC_PASSES_ONDEVICE_H

#include "ir/Moa.h"

namespace moac {

inline bool onDevice(mlir::Operation *inside) {
  auto kernel = inside->getParentOfType<moa::KernelOp>();
  return kernel && kernel->hasAttr("device");
}

} // namespace moac

#endif
