// Random kernels in the whole language: both forms, all element types, calls, constraints, layouts.
//
//     fn mixed(a, b) = a - 2*b
//     kernel k7(A: f32[M, N + 1], B: bf16[N] layout col) -> (O0: f32[N, M], O1: i64) where N >= 1 {
//       T0[i, j: N] = sum[k < i + 1](A[i, j]) - (reverse B)[j]
//       O0 = ⍉ T0 (max omega<1 1>) (<N> take f32(iota (N + 2)))
//       ...
//
// An exact program computes with integers that every float type of it holds, so all stages must
// agree bit for bit; the others contain functions that round.
#ifndef MOAC_TESTS_PROPERTY_ALGEBRA_H
#define MOAC_TESTS_PROPERTY_ALGEBRA_H

#include "frontend/CheckCases.h"
#include "tests/property/Term.h"

#include <functional>
#include <optional>

namespace moac::property {

struct Parameter {
  std::string name;
  ElementType type; ///< as stored
  Extents shape;    ///< empty: a scalar
  bool columnMajor = false;
  std::optional<shape::Expr> below; ///< its elements index an axis of this extent
};

struct Statement {
  std::string name;
  std::vector<std::string> indices; ///< empty: operator form
  Extents shape;
  TermRef value;
  ElementType type; ///< as stored, of a result
  bool result = false;
  bool columnMajor = false;
  std::string left() const;
};

/// One kernel of a program.
struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<std::string> symbols;
  std::vector<Statement> statements;
  std::vector<std::string> constraints;
  bool exact = true;

  /// Symbols that occur and that no parameter binds: they become i64 parameters, the first ones.
  std::vector<std::string> unbound() const;
  std::string text() const;
  size_t size() const;

private:
  std::string text(const std::vector<std::string> &scalars) const;
};

struct AlgebraProgram {
  uint64_t seed = 0;
  std::string functions; ///< the fns, as text
  std::vector<Kernel> helpers;
  Kernel kernel;

  std::string text() const;
};

/// The program of a seed; `suffix` makes the names of its items unique in a file.
AlgebraProgram algebraProgram(uint64_t seed, const std::string &suffix);

/// Smaller legal programs: statements that nobody reads dropped, terms replaced by operands or by
/// leaves of the same type and shape; most drastic first.
std::vector<AlgebraProgram> shrunk(const AlgebraProgram &program);

} // namespace moac::property

#endif
