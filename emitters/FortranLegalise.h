// What Fortran cannot say, said otherwise: from a kernel's loop tree to procedures that have a
// Fortran form.
//
//   * Both sides of merge(), .and. and .or. may be evaluated: a side that must not be, because it
//     reads memory or divides, becomes an if statement before the statement that wants it.
//   * A team of threads with buffers of its own becomes a call: the buffers are dummy arguments of
//     a procedure whose variables every thread has for itself.
//   * Declarations stand first, so an array has one size in a procedure; names differ by more than
//     case and hide no procedure of the module.
//   * Literals that stand where a kind matters get one; unsigned ones become signed patterns.
//   * Prefetches become calls of the runtime (FortranPrefetch.h); without one they are left out.
//   * Lanes are not promised for sums that wrap; those along an extent have a limit.
//   * Divisions in subscripts that a compiler tries get names (FortranSubscripts.h).
#ifndef MOAC_EMITTERS_FORTRANLEGALISE_H
#define MOAC_EMITTERS_FORTRANLEGALISE_H

#include "emitters/LoopTree.h"
#include "emitters/Names.h"

#include <map>

namespace moac::emit {

struct Dummy {
  enum class Kind : uint8_t {
    Value,     // a scalar, passed by value
    Reference, // a scalar that the procedure changes
    Input,     // an array that is read
    Changed,   // an array that is written
  };
  std::string name;
  tree::Elem type;
  Kind kind = Kind::Value;
  tree::Expr count = {}; // elements of an array
};

/// An array of each thread of a team: slices of a larger one.
struct Pool {
  std::string name;  // of the larger array
  std::string pitch; // name of the number of elements from one slice to the next
  tree::Scratch scratch;
};

struct FortranProcedure {
  std::string name;
  std::vector<Dummy> dummies; // scalars first
  tree::Body body;
  bool fails = false; // has a dummy `status`
};

/// Names of a kernel's procedures in its module.
struct FortranInterface {
  std::string native, entry, run, size, workspace;
  struct Resident {
    std::string form, native, entry; // ending in C, and the names here
  };
  std::vector<Resident> resident; // for arrays that are on a device already
};

struct FortranKernel {
  FortranInterface names;
  tree::Kernel kernel;    // everything but the body is used
  FortranProcedure loops; // the body
  std::vector<FortranProcedure> teams;
  std::vector<Pool> pools;
  std::map<std::string, std::string> places; // names for pointers to arrays, by the array's name
};

/// `module` gives the names of the module's procedures and takes more of them; `standalone`: no
/// runtime library will be there.
FortranKernel legaliseForFortran(tree::Kernel kernel, const FortranInterface &names, Names &module,
                                 bool standalone);

} // namespace moac::emit

#endif
