// How long a sum without a closed form may be evaluated term by term: whoever asks about sizes that a user gave must get an
// answer, if only that there is none.
#ifndef MOAC_IR_COUNTLIMIT_H
#define MOAC_IR_COUNTLIMIT_H

#include <cstdint>

namespace moac::cost {

/// While it lives, Count::evaluate of this thread gives nothing after so many terms.
class CountLimit {
public:
  explicit CountLimit(uint64_t terms);
  ~CountLimit();
  CountLimit(const CountLimit &) = delete;

private:
  uint64_t before;
};

} // namespace moac::cost

#endif
