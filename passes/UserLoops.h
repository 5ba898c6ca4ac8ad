// What a user's directives say of one stage's loops: which are meant, and in which order they run.
#ifndef MOAC_PASSES_USERLOOPS_H
#define MOAC_PASSES_USERLOOPS_H

#include "passes/UserSchedule.h"

namespace moac {

/// Adds the user's lifts to the schedule, stage by stage, and gives the lifted axes.
LiftedAxes stateLifts(StageGraph &graph, const UserSchedule &user, Schedule &schedule);

class UserLoops {
public:
  using Loops = llvm::SmallVector<StageLoop>;

  UserLoops(const UserSchedule &user, const LiftedAxes &lifted) : lifted(lifted), user(user) {}

  /// A name in a directive.
  struct Mention {
    const UserDirective *directive = nullptr;
    unsigned name = 0;
    explicit operator bool() const { return directive != nullptr; }
    llvm::StringRef word() const { return directive->names[name]; }
  };
  llvm::SmallVector<Mention> mentions(llvm::StringRef verb) const;
  /// The first by which a directive of this verb means the loop.
  Mention mentionOf(llvm::StringRef verb, Stage &stage, const StageLoop &loop) const;
  /// A user wants its terms divided among threads that add to its elements.
  static bool isAtomic(Stage &stage);
  /// Somebody speaks of a loop of the stage.
  bool isSpokenOf(Stage &stage) const;
  mlir::LogicalResult refuse(Mention at, llvm::StringRef kind, const llvm::Twine &reason,
                             const llvm::Twine &help);

  /// All loops of a stage, outermost first: those that the user orders in the places that they have
  /// together in the default order. Reductions that are summed into a register stand last.
  mlir::FailureOr<Loops> orderOf(Stage &stage);
  /// The reductions of the loops run inside all others: they are summed into a register.
  static bool isRegister(llvm::ArrayRef<StageLoop> loops);
  static unsigned leadingFree(llvm::ArrayRef<StageLoop> loops);
  /// Something was refused.
  bool failed() const { return broken; }

  const LiftedAxes &lifted;

private:
  mlir::LogicalResult arrange(Stage &stage, Loops &loops);
  mlir::LogicalResult checkReductions(Stage &stage, llvm::ArrayRef<StageLoop> loops);
  mlir::LogicalResult refuseOrder(Stage &stage, const StageLoop &loop, const StageLoop &other,
                                  const std::string &reason, const std::string &help);

  const UserSchedule &user;
  bool broken = false;
};

} // namespace moac

#endif
