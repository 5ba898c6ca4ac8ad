// Random kernels in the language's index form, as small trees that can be printed and shrunk.
//
// A program has a few definitions over symbols M and N; later ones read earlier ones, at plain, shifted, reversed, wrapped,
// rotated, reshaped, guarded and indirect subscripts, under conditions that are affine in the indices, under reductions with
// full, dependent, windowed and masked bounds. An exact program uses only
// operations that are exact on small integers, so every order of evaluation must give the same bits.
#ifndef MOAC_TESTS_PROPERTY_RANDOMPROGRAM_H
#define MOAC_TESTS_PROPERTY_RANDOMPROGRAM_H

#include "frontend/CheckCases.h"

#include <memory>
#include <string>
#include <vector>

namespace moac::property {

/// A node of an expression: text pieces around operands. `pieces` has one element more than `operands`.
struct Node {
  std::vector<std::string> pieces;
  std::vector<std::shared_ptr<Node>> operands;
  std::string text() const;
  size_t size() const;
};
using NodeRef = std::shared_ptr<Node>;

struct Definition {
  std::string left; ///< `T1[i, j]`
  NodeRef value;
};

struct RandomProgram {
  std::string name;
  std::string type;   ///< element type of every array
  std::string result; ///< parameter text of the result, `O: f64[M, N]`
  std::vector<Definition> definitions;
  bool exact = true;

  std::string text() const;
  size_t size() const;
};

RandomProgram randomProgram(const std::string &name, Random &random);

/// Smaller variants: a node replaced by one of its operands or by a literal, most drastic first.
std::vector<RandomProgram> shrunk(const RandomProgram &program);

} // namespace moac::property

#endif
