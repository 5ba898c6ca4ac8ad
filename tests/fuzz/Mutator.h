// Random changes to .moa texts that mostly leave programs.
//
// Bytes changed at random die in the lexer. Here the compiler's own lexer cuts a text into tokens;
// changes exchange tokens of one kind, bracketed parts and statements, and put words and operators
// of the algebra around operands, so that many mutants reach analysis, the laws and the emitter.
#ifndef MOAC_TESTS_FUZZMUTATOR_H
#define MOAC_TESTS_FUZZMUTATOR_H

#include "frontend/Lexer.h"

#include <map>
#include <random>
#include <string>
#include <vector>

namespace moac::fuzz {

/// Words, glyphs and signs of the language, from its tables.
std::vector<std::string> vocabulary();

/// A token with the blanks before it.
struct Piece {
  Tok kind;
  std::string text;
  size_t match = 0; ///< of an opening bracket: the piece that closes it
};
using Pieces = std::vector<Piece>;

class Mutator {
public:
  explicit Mutator(uint64_t seed);
  /// A text that can be chosen from, and from which tokens are taken.
  void add(const std::string &text);
  /// One of the texts after a few changes.
  std::string next();
  /// `text` after a few changes.
  std::string mutate(const std::string &text);
  /// `text` with a part of `other` in it.
  std::string cross(const std::string &text, const std::string &other);

private:
  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); }
  std::string changed(Pieces pieces);
  void change(Pieces &pieces);
  void exchange(Pieces &pieces);
  void moveBracket(Pieces &pieces);
  void wrap(Pieces &pieces);
  void moveStatement(Pieces &pieces);
  void shuffle(Pieces &pieces);

  std::mt19937_64 random;
  std::vector<Pieces> texts;
  std::map<int, std::vector<std::string>> pool; ///< spellings by class of token
  std::vector<std::string> all;
};

} // namespace moac::fuzz

#endif
