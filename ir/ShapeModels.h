// Sample points of a scope, private to this library: integer values for all names that satisfy
// every fact.
//
// A goal that is negative at such a point cannot be proved, so the search drops it at once. Only
// effort depends on the samples, never an answer's soundness: without any the search just takes
// longer to give up.
#ifndef MOAC_IR_SHAPEMODELS_H
#define MOAC_IR_SHAPEMODELS_H

#include "ir/ShapeNode.h"

#include <unordered_map>

namespace moac::shape {

/// Values of atoms at one point. Compound atoms may be present as well, to save evaluating them.
using Model = std::unordered_map<AtomRef, int64_t>;

/// The value at `model`; names it lacks get an arbitrary fixed value. Nothing on overflow or
/// divisor 0.
std::optional<int64_t> valueAt(const Expr &e, const Model &model);

/// A range of a name in sampling order; bounds may mention names sampled before it.
struct SampleRange {
  std::string name;
  Expr lo, hi;
};

/// Up to eight points at which every fact holds (is >= 0). Deterministic.
std::vector<Model> sampleModels(const std::vector<SampleRange> &ranges,
                                const std::vector<Expr> &facts);

} // namespace moac::shape

#endif
