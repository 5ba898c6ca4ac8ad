// The directives that a user wrote, and the names by which they call loops.
//
// They stand in the kernel's schedule with an empty stage: names are still the user's, which speak
// of several stages at once. A loop is called by
//
//     i      the axis i of the outputs, and every axis that is mapped to it one to one: read at
//     index i alone, over the
//            same extent; when no output has an i, every axis i
//     S.i    the axis i of value S and no other
//     it     a loop that a lift made
//
// gamma-lift finds out which axes are meant and writes the names on them (attribute `loops`), since
// inlining renames indices; the passes after it ask for an axis's names. What is refused is
// reported with the number of the directive and of the name in it, so that the frontend can point
// at it.
#ifndef MOAC_PASSES_USERSCHEDULE_H
#define MOAC_PASSES_USERSCHEDULE_H

#include "passes/Digits.h"
#include "passes/Refusal.h"

namespace moac {

struct UserDirective {
  unsigned number = 0; ///< in the user's schedule
  llvm::StringRef verb, mode;
  llvm::SmallVector<llvm::StringRef> names;
  bool is(llvm::StringRef word) const { return verb == word; }
  /// Is followed by loops that moac makes itself; other directives make loops.
  bool leavesLoops() const { return is("online") || is("tile") || is("reduce"); }
};

class UserSchedule {
public:
  explicit UserSchedule(moa::KernelOp kernel);

  llvm::ArrayRef<UserDirective> all() const { return directives; }
  bool empty() const { return directives.empty(); }
  /// It speaks of loops, and of no pass over an axis in which they would be moac's.
  bool forbidsGroups() const;

  /// Reports that the directive cannot be followed because of its `name`-th name.
  mlir::LogicalResult refuse(const UserDirective &directive, unsigned name, llvm::StringRef kind,
                             const llvm::Twine &reason, const llvm::Twine &help) const;

private:
  mutable moa::KernelOp kernel;
  llvm::SmallVector<UserDirective> directives;
};

/// Writes on every axis of every stage how users may call it.
void nameLoops(StageGraph &graph);
/// The names of an axis, the shortest first; its own word when nothing is written on it.
llvm::SmallVector<llvm::StringRef> loopNames(mlir::BlockArgument axis);
/// The user's `name` means this loop of the stage.
bool isCalled(const StageLoop &loop, Stage &stage, llvm::StringRef name);
/// Every loop of a stage, axis by axis.
llvm::SmallVector<StageLoop> allLoops(Stage &stage, const LiftedAxes &lifted);

} // namespace moac

#endif
