// γ as code: ((i0*n1 + i1)*n2 + i2); see Storage.h.
#include "passes/Storage.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

Value Storage::offset(OpBuilder &b, Location loc, ArrayRef<Value> subscripts) const {
  if (axes.empty() && cast<onf::BufferType>(buffer.getType()).getSpace() == "register")
    return {};
  Value sum;
  for (size_t n = axes.size(), k = 0; k < n; ++k) {
    size_t at = columnMajor ? n - 1 - k : k;
    Value index = subscripts[axes[at]];
    if (!origins.empty())
      index = buildIndex(b, loc, ScalarFn::sub_, {index, origins[at]});
    if (sum)
      sum = buildIndex(b, loc, ScalarFn::mul_, {sum, lengths.empty() ? extents[at] : lengths[at]});
    sum = sum ? buildIndex(b, loc, ScalarFn::add_, {sum, index}) : index;
  }
  return sum ? sum : indexConstant(b, loc, 0);
}
