// Values of expressions while they are translated, and the rules by which their types meet.
//
// A value is a weak integer (type index), a weak float (computed in f64), a typed scalar or an
// array. Weak values take the type of what they meet, once. Every rule that refuses a pair of
// types, with its message, is in here.
#ifndef MOAC_FRONTEND_TYPING_H
#define MOAC_FRONTEND_TYPING_H

#include "frontend/Ast.h"
#include "frontend/Diagnostics.h"
#include "ir/IndexExpr.h"

#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace moac::sema {

/// `1 argument`, `2 arguments`; for messages.
std::string countText(size_t count, std::string_view noun);

struct Val {
  enum class Kind {
    Poison, ///< after an error: gives no further messages
    WeakInt,
    WeakFloat,
    Typed,
    Array,
  };
  Kind kind = Kind::Poison;
  mlir::Value ir;
  /// Typed: the storage type whose values this one is known to be (`i8(x)`); else null.
  mlir::Type narrow;
  /// WeakInt made of literals only: its least and greatest value.
  std::optional<std::pair<int64_t, int64_t>> literal;
  SourceRange range;
  /// Array: a vector of weak integers known one by one (`<2 N>`, `shape A`); null for others.
  std::shared_ptr<const std::vector<Val>> elements = nullptr;
  bool weakFloats = false; ///< Array: of weak floats, stored as f64

  bool poison() const { return kind == Kind::Poison; }
  bool weak() const { return kind == Kind::WeakInt || kind == Kind::WeakFloat; }
  bool isArray() const { return kind == Kind::Array; }
  bool isScalar() const { return weak() || kind == Kind::Typed; }
  bool isBool() const { return kind == Kind::Typed && ir.getType().isInteger(1); }
  moa::ArrayType arrayType() const { return llvm::cast<moa::ArrayType>(ir.getType()); }
  std::vector<shape::Expr> extents() const {
    return isArray() ? arrayType().extents() : std::vector<shape::Expr>();
  }
  size_t rank() const { return isArray() ? static_cast<size_t>(arrayType().rank()) : 0; }
  /// Value type of the scalar, or of an array's elements; index for weak integers, f64 for weak
  /// floats.
  mlir::Type scalarType() const;
};

/// What several scalars have in common: where they meet.
struct Meeting {
  Val::Kind kind = Val::Kind::Poison;
  mlir::Type type; ///< index, f64, or the value type

  explicit operator bool() const { return kind != Val::Kind::Poison; }
};

/// Builds scalar operations with locations and applies the typing rules. One for each kernel.
class Emit {
public:
  Emit(mlir::MLIRContext *context, Diagnostics &diags);

  mlir::OpBuilder b;
  Diagnostics &diags;

  mlir::Location loc(SourceRange range);
  std::string text(SourceRange range) const;
  /// The source of an expression without parentheses around all of it; for help.
  std::string code(SourceRange range) const;

  mlir::Type type(ElementType type);

  Val weakInt(int64_t value, SourceRange range);
  Val weakFloat(double value, SourceRange range);
  Val boolean(bool value, SourceRange range);
  /// A scalar SSA value of a value type, or index: of the kind its type says.
  Val scalarOf(mlir::Value value, SourceRange range);
  /// The scalar that an element of `array` is, given as `value`.
  Val elementOf(const Val &array, mlir::Value value, SourceRange range);
  Val make(const Meeting &meeting, mlir::Value value, SourceRange range);

  /// Where the scalars meet for the operation spelled `what`; reports when they do not. Numeric is
  /// demanded unless `allowBool`.
  Meeting meet(std::span<const Val> values, SourceRange at, std::string_view what,
               bool allowBool = false);
  /// `value` as the meeting's type.
  mlir::Value coerce(const Val &value, const Meeting &meeting);
  /// `value` as a value of value type `type`, the rule for storing into a declared result; null
  /// after a report.
  mlir::Value store(const Val &value, mlir::Type elementType, SourceRange at,
                    std::string_view name);
  /// The type a named value gets when nothing declares one: i64, f64 for weak values.
  mlir::Type defaultElementType(const Val &value);
  /// An integer for a subscript or bound as type index; null after a report.
  mlir::Value index(const Val &value, std::string_view what);
  /// The explicit conversion `type(x)`.
  Val cast(const Val &value, mlir::Type type, SourceRange at);

  /// One scalar operation; weak integers are folded.
  mlir::Value op(moa::ScalarFn fn, llvm::ArrayRef<mlir::Value> operands, SourceRange at);
  mlir::Value constant(mlir::Type type, double value, SourceRange at);
  mlir::Value intConstant(mlir::Type type, int64_t value, SourceRange at);
  mlir::Value convert(mlir::Value value, mlir::Type type, SourceRange at);

  /// `weak integer`, `f32`, `array of f32 <N M>`; for messages.
  std::string describe(const Val &value);

private:
  bool literalFits(const Val &value, mlir::Type type);
  Meeting meetPair(const Meeting &a, const Val &value);
  void reportMismatch(std::span<const Val> values, const Val &culprit, const Meeting &met,
                      SourceRange at, std::string_view what);
};

} // namespace moac::sema

#endif
