// From loops for threads and lanes of a host to loops for the gangs, workers and vectors of a
// device with memory of its own.
//
// Everything that touches an array happens on the device: each loop that threads would share
// becomes one launch there, and so do lanes outside of such loops; what is left runs once, as a
// launch without parallelism. The host keeps the order of launches, loops around them, and scalars
// that no array decides.
//
//   * A team's loop without lanes inside is shared by gangs, workers and vectors. With one lane
//     loop inside, each worker takes an iteration and its vector the lanes; with several, a gang
//     does, so that what one loop has read is near for the next.
//   * Buffers of each thread become slices of arrays, one for each gang; gangs take iterations in
//     turn, and no more gangs are asked for than have slices.
//   * Largest and least elements of lanes are combined without regard to NaN by a device; whether
//     there was one is combined beside them.
//   * Arrays of the stack outside of launches become buffers.
#ifndef MOAC_EMITTERS_OFFLOAD_H
#define MOAC_EMITTERS_OFFLOAD_H

#include "emitters/LoopTree.h"

namespace moac::emit {

struct Offloaded {
  tree::Kernel kernel;
  std::vector<std::string> problems; // in the user's words
};
/// `kernel` for a device. Integer sums over lanes stay in order unless `integerLanes`: a language
/// may have no such sums that wrap.
Offloaded offload(tree::Kernel kernel, bool integerLanes);

} // namespace moac::emit

#endif
