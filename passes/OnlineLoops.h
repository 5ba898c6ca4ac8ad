// The loops of an online group: tiles of rows, and inside them one pass over the streamed axis in tiles.
#ifndef MOAC_PASSES_ONLINELOOPS_H
#define MOAC_PASSES_ONLINELOOPS_H

#include "passes/ContractionLoops.h"
#include "passes/Online.h"

namespace moac {

/// What the loops write to: results and stored stages are whole arrays there already; places in tiles are added.
struct OnlineSite {
  ContractionSite blocks;
  llvm::DenseMap<mlir::Value, Storage> &storage;
};
mlir::LogicalResult emitOnline(const Online &online, const Nest &nest, const Schedule &schedule, OnlineSite site);

/// Adds the default tiles and register blocks of a group to a schedule.
void scheduleOnline(StageGraph &graph, const Online &online, const Nest &nest, Schedule &schedule);

} // namespace moac

#endif
