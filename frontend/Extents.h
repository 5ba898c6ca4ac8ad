// Extents as the user writes them, read into the shape algebra.
//
// An extent is an integer expression over symbols: `N - W + 1`, `N//32`, `N/32` (exact). What must
// hold for it to make sense at run time (a divisor is not zero, a division leaves no rest) is
// collected for the kernel's entry.
#ifndef MOAC_FRONTEND_EXTENTS_H
#define MOAC_FRONTEND_EXTENTS_H

#include "frontend/Ast.h"
#include "frontend/Diagnostics.h"
#include "ir/Shape.h"

#include <functional>
#include <optional>

namespace moac::sema {

/// A shape in MoA's notation, `<N 4>`; for messages.
std::string shapeText(const std::vector<shape::Expr> &extents);

/// What an extent's expression needs at entry.
struct ExtentNeed {
  enum class Kind {
    Divisor, ///< value != 0
    Exact,   ///< value == 0, value being a modulus
  };
  Kind kind;
  shape::Expr value;
  SourceRange range;
  std::string text; ///< for the status message, `N % 32 == 0`
};

class ExtentReader {
public:
  /// Finds what a name stands for; reports and returns nothing when it may not stand in an extent.
  using Lookup = std::function<std::optional<shape::Expr>(const ast::NameUse &)>;

  ExtentReader(Lookup lookup, Diagnostics &diags) : lookup(std::move(lookup)), diags(diags) {}

  /// The extent's value; nothing after an error was reported.
  std::optional<shape::Expr> read(const ast::Expr &expr);

  /// Collected by all reads so far.
  std::vector<ExtentNeed> needs;

private:
  std::optional<shape::Expr> binary(const ast::Binary &expr);
  std::optional<shape::Expr> divide(const ast::Binary &expr, const shape::Expr &a,
                                    const shape::Expr &b);
  std::optional<shape::Expr> call(const ast::Call &expr);

  Lookup lookup;
  Diagnostics &diags;
};

} // namespace moac::sema

#endif
