// How sums of differences from a mean change when the mean does: the second law behind online groups.
//
// Let r be the mean of t over the terms so far, and q that of u. When more terms make them r' and q',
//
//     sum[k]((t - r') * (u - q')) == sum[k]((t - r) * (u - q)) + n * (r - r') * (q - q')
//
// over the same n terms, because sum[k](t - r) is 0. So such a sum may be taken while the means are not yet known: what has
// been summed is shifted, and the next terms are taken from the new means. With t = u this is how variances are combined, with
// two arrays covariances. Required: r is the sum of just these t over the terms' domain, divided by their number. Nothing is
// ever subtracted from anything large: no sum of squares is formed, and shifts are not negative for a variance.
#ifndef MOAC_PASSES_MOMENTS_H
#define MOAC_PASSES_MOMENTS_H

#include "passes/Nests.h"

namespace moac {

/// The sums whose means a reduction's terms differ from: twice the same for a variance.
struct Shift {
  Stage *by, *other;
};

/// A value in a stage's body that is the mean which belongs to a sum.
struct MeanUse {
  mlir::Value value;
  Stage *sum;
};

class MomentFinder {
public:
  MomentFinder(StageGraph &graph, const Nest &nest) : graph(graph), nest(nest) {}

  /// The law for a reduction of the nest; nothing when its terms are no product of two such differences.
  std::optional<Shift> of(Stage &stage);
  /// The means that the body of a stage reads.
  std::vector<MeanUse> usesIn(Stage &stage);
  /// The sum that a value is the mean of, if it is one.
  Stage *meanOf(mlir::Value value);

private:
  Stage *memberRead(mlir::Value value);
  Stage *differenceFrom(mlir::Value factor, Stage &stage);
  bool isTermOf(Stage &sum, mlir::Value value, Stage &stage);

  StageGraph &graph;
  const Nest &nest;
};

} // namespace moac

#endif
