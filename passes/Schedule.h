// Schedules as data: an ordered list of directives on a kernel in DNF.
//
// Verbs (axes are index names of the stage; a nest is named by its root stage):
//   place S inline            S is recomputed where it is read
//   place S at R              S is computed inside the outer loops of nest R, in a buffer for what is needed there; `at R, it`:
//                             inside the loop `it` of these
//   place S store             S is a whole array
//   keep S                    S is not inlined unless it is placed so
//   reduce S [k] "owner"      who adds the terms of the reduction S: owner, private, recompute or atomic (GammaAtomicRemoval)
//   nest R [b, i]             R roots a nest whose outer loops are these loops of R
//   parallel R [b, i]         these outer loops are divided among threads
//   order S [k, p]            the loops of S inside the nest, outermost first; a reduction axis in the list is a loop of the
//                             nest (the stage accumulates in its buffer), one that is not is summed into a register
//   coalesce S [p, k]         the axes of S that may run innermost, that along which memory is walked first; "across": its
//                             reduction would jump over what that axis walks
//   lanes S [p]               the innermost loop is meant for vector lanes
//   split S [i] "N; N + 1"    the loop over i is cut at these indices where that decides what stands inside it
//   tile S [j, i, k, t] "4096, 4096, 256, 65536"   a contraction (Contraction.h) in tiles of lanes, rows and points of the
//                             sum; of the last other axis, if any, as many indices as have panels of so many elements
//   pack S [k, j]             the operand with these axes is copied for each tile, block by block along the last
//   unroll S [i] "MOAC_ROWS, 4, 1"   rows of its register blocks, smaller ones for what is left; `lanes S [j] "..."` the lanes
//   parallel S [i, j] "8, 32" what one thread takes at a time, in register blocks
//   online R [i, k] "48, 256" the members of nest R are an online group (Online.h): tiles of rows i and of the streamed axis k
//   lift S [j] "(i*N + j)//M" the loop over j becomes one over this quotient and, inside, one over the indices that have it
//   lift S [i, it, ii] "64"   the loop over i becomes two, it over tiles of 64 and ii inside them; "4 cyclic": tiles whose
//                             indices are a quarter of the extent apart (Digits.h). Other directives name them in place of i.
#ifndef MOAC_PASSES_SCHEDULE_H
#define MOAC_PASSES_SCHEDULE_H

#include "ir/Moa.h"

namespace moac {

class Schedule {
public:
  explicit Schedule(moa::KernelOp kernel);

  void add(llvm::StringRef verb, llvm::StringRef stage, llvm::ArrayRef<std::string> axes, llvm::StringRef mode = "");
  /// The axes of the first directive with this verb and stage; empty when there is none.
  std::vector<std::string> axes(llvm::StringRef verb, llvm::StringRef stage) const;
  /// What the first directive with this verb and stage says; empty when there is none.
  llvm::StringRef mode(llvm::StringRef verb, llvm::StringRef stage) const;
  /// The mode of `place STAGE`; empty when nothing is said.
  llvm::StringRef placement(llvm::StringRef stage) const;
  /// The expressions of `VERB STAGE [axis] "e; e"`, for split and lift.
  std::vector<shape::Expr> expressions(llvm::StringRef verb, llvm::StringRef stage, llvm::StringRef axis) const;
  /// The sizes that a directive's mode lists: numbers, or names of ir/Tuned.def.
  std::vector<std::string> sizes(llvm::StringRef verb, llvm::StringRef stage) const;
  /// Drops all directives of a verb that speak of stages.
  void remove(llvm::StringRef verb);
  /// Replaces one of them.
  void setSize(llvm::StringRef verb, llvm::StringRef stage, unsigned index, llvm::StringRef size);
  bool hasAny(llvm::StringRef verb) const;
  bool has(llvm::StringRef verb, llvm::StringRef stage) const;
  bool empty() const { return directives.empty(); }
  llvm::ArrayRef<moa::DirectiveAttr> all() const { return directives; }

  /// Writes the list back to the kernel.
  void store(moa::KernelOp kernel) const;

private:
  mlir::MLIRContext *context;
  llvm::SmallVector<moa::DirectiveAttr> directives;
};

} // namespace moac

#endif
