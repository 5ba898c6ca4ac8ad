// The oracle: evaluates a moa kernel (as written or in DNF) or an onf function on data.
//
// Both give the same kind of Outcome: the status a compiled kernel would return, the results with
// an error bound for each element, and counts. On onf the interpreter is also a memory checker: it
// refuses programs that touch memory they must not, read what nobody wrote, race, or finish an
// element twice.
//
// Meaning of laziness: a moa value is pure, and only what a result needs may raise a status. A scalar
// that may fail, and is not needed at once, is an array of rank 0. An array whose elements cannot fail is evaluated whole, once, when first needed; one that may fail
// (a checked subscript or division in it, or in what it reads) is evaluated element by element as
// elements are read, each at most once.
#ifndef MOAC_IR_INTERPRETER_H
#define MOAC_IR_INTERPRETER_H

#include "ir/Tensor.h"

#include <map>
#include <set>

namespace moac {

namespace moa {
class KernelOp;
}
namespace onf {
class FuncOp;
}

/// Statuses of a compiled kernel, numbered as in runtime/moac.h.
enum class Status : int {
  Ok = 0,
  NullPointer = -1,
  Extent = -2,
  Constraint = -3,
  Index = -4,
  Overflow = -5,
  Aliasing = -6,
  NoMemory = -7,
  DivisionByZero = -8
};
/// The status that moa.require and onf.fail name: ok, constraint, extent, index, overflow or
/// division.
std::optional<Status> statusFromName(std::string_view name);
std::string_view statusName(Status status);

/// What a kernel is called with, in ABI order. Input tensors are row-major whatever the kernel's
/// layout says, and may carry bounds. Scalars are tensors of rank 0; a weak integer is i64.
struct Arguments {
  std::vector<int64_t> symbols;
  std::vector<Tensor> scalars;
  std::vector<Tensor> inputs;
};

/// Interpretation stops beyond these: steps are instructions, bytes the memory of arrays.
struct Limits {
  uint64_t steps = 4'000'000'000;
  uint64_t bytes = 8ull << 30;
  /// Also evaluate elements that no result needs, as a schedule that stores them does: for counts.
  /// Failures among them are ignored.
  bool unread = false;
  /// Go on after a failure, with an unknown value, to meet what else fails.
  bool onward = false;
};

/// Accesses to one buffer (or input of a moa kernel), in elements. An element that updates
/// accumulate in starts anew with each plain store: over all such lives, the fewest and the most
/// updates one has had (0 if there was none). Where every reduction has the same domain both are
/// its size.
struct Traffic {
  uint64_t loads = 0, stores = 0, updates = 0, finishes = 0;
  uint64_t leastUpdates = 0, mostUpdates = 0;
};

struct Counts {
  uint64_t steps = 0;
  std::map<std::string, uint64_t> operations; ///< executed scalar operations: "add.f64", "exp.f32"
  std::map<std::string, Traffic> buffers;     ///< by the name of the array or stage
  std::map<std::string, uint64_t>
      points; ///< reduction points visited, by the name of the array or stage
  /// Points visited by reductions that an onf.update can realise (all but argmax, argmin and fold).
  /// A realisation never visits more of them than the scheduled formula does.
  uint64_t visits = 0;
};

/// How interpretation ended.
enum class Ending {
  Returned,    ///< with `status`; the results are valid if it is Ok
  StepLimit,   ///< gave up
  MemoryLimit, ///< gave up
  Misuse,      ///< the arguments do not fit the kernel's signature
  Invalid ///< the program itself is wrong: a bug of whoever made it; `message` says which rule it
          ///< breaks
};

struct Outcome {
  Ending ending = Ending::Returned;
  Status status = Status::Ok;
  /// Whether a status is returned, or which, hinged on an ambiguous value or on order: do not
  /// insist on it.
  bool uncertain = false;
  /// When it fails, every status that is met: which of them is returned depends on order.
  std::set<Status> failures;
  std::string message;
  std::vector<Tensor> results;
  Counts counts;

  bool ok() const { return ending == Ending::Returned && status == Status::Ok; }
};

/// Runs a kernel of the moa dialect. Order of checks at entry: symbols and input extents, then the
/// kernel's requirements in order, then the extents of its results.
Outcome interpret(moa::KernelOp kernel, const Arguments &arguments, const Limits &limits = {});
/// Runs a function of the onf dialect, checking every access. Iterations of parallel loops run one
/// after another.
Outcome interpret(onf::FuncOp function, const Arguments &arguments, const Limits &limits = {});

} // namespace moac

#endif
