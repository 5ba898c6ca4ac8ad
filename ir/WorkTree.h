// What an ONF function does, as far as counting needs it: a tree of loops and branches whose blocks say which scalar
// operations and accesses stand in them. No MLIR: ir/OnfWorkTree.cpp makes one, ir/Cost*.cpp count it.
#ifndef MOAC_IR_WORKTREE_H
#define MOAC_IR_WORKTREE_H

#include "ir/Count.h"

namespace moac::cost {

/// When a branch is taken: Σ sign * [every condition of the list is >= 0]. Where the truth depends on data, the sum is
/// an upper bound.
struct Indicator {
  struct Term {
    int64_t sign = 1;
    std::vector<Expr> conditions;
  };
  std::vector<Term> terms;
  bool exact = true;

  static Indicator always(bool exact = true) { return {{{1, {}}}, exact}; }
  static Indicator never() { return {{}, true}; }
  static Indicator when(Expr nonNegative) { return {{{1, {std::move(nonNegative)}}}, true}; }
  Indicator operator&(const Indicator &other) const;
  Indicator operator|(const Indicator &other) const;
  /// Of an exact one.
  Indicator operator!() const;
};

enum class AccessKind : uint8_t { Load, Store, Update };

struct Access {
  unsigned array = 0; ///< index in WorkTree::arrays
  AccessKind kind = AccessKind::Load;
  std::optional<Expr> offset; ///< in elements; nothing when it depends on data
};

/// A block that goes to every other processing element.
struct Sent {
  unsigned array = 0;
  Expr count; ///< elements
};

struct WorkBlock;

struct WorkLoop {
  std::string axis; ///< as the user names it
  LoopRange range;
  std::string role;
  bool exact = true;
  std::string bounds; ///< what it runs through, for a reader, when not exact
  std::unique_ptr<WorkBlock> body;
};

struct WorkBranch {
  Indicator taken;
  std::unique_ptr<WorkBlock> body;
};

/// Statements that run as often as each other, then what is inside of them in order.
struct WorkBlock {
  std::map<std::string, int64_t> operations; ///< "add.f64"
  int64_t fused = 0;                         ///< multiplications whose product only an addition of floats uses
  int64_t atomics = 0;
  std::vector<Access> accesses;
  std::vector<Sent> sent;
  struct Child {
    std::optional<WorkLoop> loop; ///< else a branch
    std::optional<WorkBranch> branch;
  };
  std::vector<Child> children;
};

enum class Place : uint8_t { Input, Output, Shared, Thread, Register, Symmetric };

struct WorkArray {
  std::string name;
  std::string type;
  int64_t bytesEach = 8;
  Place place = Place::Input;
  Expr size; ///< elements
};

/// A number chosen before the loops, as `M == 0 ? 0 : s % M`: formulas use its name.
struct Definition {
  std::string name;
  Indicator when;
  Expr yes, no;
  std::string str() const;
};
/// The sizes, and every definition that they give a value.
Sizes complete(Sizes sizes, const std::vector<Definition> &definitions);

struct WorkTree {
  std::string name;
  std::vector<std::string> symbols; ///< names a size may be given to: symbols, then integer scalars
  std::vector<WorkArray> arrays;
  std::vector<Definition> definitions; ///< later ones may use earlier ones
  WorkBlock body;
  std::string processingElements; ///< the name of their number in formulas; empty: the kernel runs on one machine
  shape::Facts facts;
  std::vector<std::string> notes; ///< why counts are upper bounds
};

} // namespace moac::cost

#endif
