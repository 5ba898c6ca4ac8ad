// The generator of random kernels: one class, its parts by concern in files of their own.
//
// Every make* function gets the type and shape that are wanted and gives a term that has them, or
// nothing when it does not apply; the caller then tries another and in the end takes a leaf.
#ifndef MOAC_TESTS_PROPERTY_ALGEBRAGENERATOR_H
#define MOAC_TESTS_PROPERTY_ALGEBRAGENERATOR_H

#include "tests/property/Algebra.h"

namespace moac::property {

/// An index that may be used, with 0 <= name < extent.
struct Index {
  std::string name;
  shape::Expr extent;
};
using Scope = std::vector<Index>;

struct Goal {
  ElementType type;
  Extents shape;
  int depth;
  Goal deeper() const { return {type, shape, depth - 1}; }
  Goal deeper(Extents other) const { return {type, std::move(other), depth - 1}; }
  Goal deeper(ElementType other) const { return {other, shape, depth - 1}; }
};

/// What stands in the parentheses of a section, and the operands that it needs for its result.
struct Section {
  std::string text;
  ElementType left = ElementType::f64_, right = ElementType::f64_; ///< types of the operands
  Extents leftCell, rightCell;
  std::function<double(double, double)> grow; ///< bound of the result from those of the operands
  bool infinite = false;                      ///< an extreme that may have no terms
};

class AlgebraGenerator {
public:
  AlgebraGenerator(Kernel &kernel, const std::vector<Kernel> &helpers, const std::string &suffix,
                   Random &random)
      : kernel(kernel), helpers(helpers), suffix(suffix), random(random) {}

  void helper(bool twoArguments);
  void program();

private:
  // Choices (AlgebraGenerator.cpp).
  bool chance(int percent) { return random.below(100) < percent; }
  template <class T> const T &pick(const std::vector<T> &from) {
    return from[static_cast<size_t>(random.below(static_cast<int64_t>(from.size())))];
  }
  std::string word(const char *plain, const char *glyph) { return chance(15) ? glyph : plain; }
  shape::Expr extent();
  Extents anyShape(size_t most);
  ElementType anyType();
  TermRef make(const Goal &goal, const Scope &scope);
  TermRef build(std::vector<std::string> pieces, std::vector<Slot> slots, Level level,
                const Goal &goal, double bound);
  Slot slot(TermRef term, Level loosest) {
    return {std::move(term), chance(25) ? Level::Atom : loosest};
  }
  TermRef clamped(TermRef term);

  // Leaves (AlgebraLeaves.cpp).
  TermRef leaf(const Goal &goal, const Scope &scope);
  TermRef literal(ElementType type);
  TermRef parameter(const Goal &goal);
  TermRef known(const Goal &goal, const Scope &scope);
  TermRef weakScalar(const Scope &scope);
  TermRef weakArray(const Extents &shape);
  TermRef cast(TermRef term, ElementType type);
  Parameter &fresh(ElementType stored, const Extents &shape);
  ElementType storage(ElementType computes);

  // Structure words (AlgebraStructure.cpp).
  TermRef makeStructure(const Goal &goal, const Scope &scope);
  TermRef moved(const Goal &goal, const Scope &scope, std::vector<std::string> pieces, Extents from,
                Level level);
  TermRef makeReverse(const Goal &goal, const Scope &scope);
  TermRef makeRotate(const Goal &goal, const Scope &scope);
  TermRef makeTranspose(const Goal &goal, const Scope &scope);
  TermRef makeTake(const Goal &goal, const Scope &scope);
  TermRef makeDrop(const Goal &goal, const Scope &scope);
  TermRef makeCat(const Goal &goal, const Scope &scope);
  TermRef makeReshape(const Goal &goal, const Scope &scope);
  TermRef makePsi(const Goal &goal, const Scope &scope);
  TermRef makeSlice(const Goal &goal, const Scope &scope);
  bool neverNegative(const shape::Expr &count) const;
  std::string shapeText(const Extents &shape);
  std::optional<Extents> refactored(const Extents &shape);

  // Scalar operations on arrays (AlgebraElementwise.cpp).
  TermRef makeElementwise(const Goal &goal, const Scope &scope);
  TermRef makeArithmetic(const Goal &goal, const Scope &scope);
  TermRef makeUnary(const Goal &goal, const Scope &scope);
  TermRef makeTruth(const Goal &goal, const Scope &scope);
  TermRef makeChoice(const Goal &goal, const Scope &scope);
  TermRef inexact(TermRef term);
  TermRef makeQuotient(const Goal &goal, const Scope &scope);
  TermRef makeConversion(const Goal &goal, const Scope &scope);

  // Operators (AlgebraOperators.cpp, AlgebraCalls.cpp).
  struct Fold {
    std::string text;
    std::function<double(double)> grow;
    bool infinite;
  };
  TermRef makeReduction(const Goal &goal, const Scope &scope);
  TermRef makeScan(const Goal &goal, const Scope &scope);
  TermRef makeArgument(const Goal &goal, const Scope &scope);
  TermRef makeSection(const Goal &goal, const Scope &scope);
  TermRef makeCells(const Goal &goal, const Scope &scope);
  TermRef makeWordOmega(const Goal &goal, const Scope &scope);
  TermRef makeCall(const Goal &goal, const Scope &scope);
  std::optional<Section> section(const Goal &goal, int depth);
  Fold fold(ElementType type, const shape::Expr &extent);
  TermRef applied(const Goal &goal, const Scope &scope, const Section &op, const std::string &text,
                  Extents left, Extents right);

  // Index form (AlgebraIndexForm.cpp).
  TermRef makeIndexed(const Goal &goal, const Scope &scope);
  TermRef makeRead(const Goal &goal, const Scope &scope);
  TermRef makeSum(const Goal &goal, const Scope &scope);
  TermRef makeGuarded(const Goal &goal, const Scope &scope);
  std::string subscript(const Scope &scope, shape::Expr &extent, std::string &guard);
  std::string condition(const Scope &scope);
  std::string bounds(const Scope &scope, Index &index);

  void statement(const std::string &name, bool result);

  Kernel &kernel;
  const std::vector<Kernel> &helpers;
  std::string suffix;
  Random &random;
  ElementType mainType = ElementType::f64_;
  bool plainParameters = false; ///< no storage types and layouts, which a call would have to match
  bool neverEqual = false; ///< something is taken that is not there at M == N
  unsigned counter = 0;
};

} // namespace moac::property

#endif
