// The laws of ψ-reduction as text: what `moac explain` prints when one fires and `moac --explain P7` prints about it.
//
// Each law is one struct of the Laws*.cpp files, whose text stands in it; this is how others find them. No MLIR here.
#ifndef MOAC_PASSES_LAWS_H
#define MOAC_PASSES_LAWS_H

#include <string>
#include <string_view>
#include <vector>

namespace moac {

/// A law `left == right`.
struct LawText {
  std::string_view id;        ///< "P7"
  std::string_view word;      ///< "psi-drop"
  std::string_view equation;  ///< in index form, ASCII
  std::string_view condition; ///< when it applies, and what must have been proved or required
  std::string_view meaning;   ///< a sentence or two for a reader
  std::string_view direction = "left to right";
  /// What becomes less each time, so that rewriting ends: `readHeight` of PsiLaws.h for every rewrite of a read.
  std::string_view measure = "the height of the read, twice the operations between it and the arrays that stay";
};

/// All laws, in the order of their ids.
const std::vector<const LawText *> &lawTexts();
/// The law with this id or word (`P7`, `p7`, `psi-drop`); null when there is none.
const LawText *lawText(std::string_view idOrWord);
/// The page that `moac --explain` prints for a law.
std::string lawPage(const LawText &law);

} // namespace moac

#endif
