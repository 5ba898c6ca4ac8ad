// What a program says, with the spelling taken away: the common form in which the second reader
// compares emitted C with the analysis it was printed from.
//
// A term is a word and its parts. Both sides are written with the same words, so that two programs
// that say the same are equal terms:
//
//     for (int64_t j = 0; j < D; ++j)        for j up(directives, 0, D, block(
//       sum += A[j] * x;                       =(sum, add f64(sum, mul f64([] A(j), x)))))
//
// CReading.h makes terms of C text, TreeTerms.h of the loop tree. Here they are compared: loop by
// loop, first what each level does (how many loads of which array, which arithmetic), then word for
// word.
#ifndef MOAC_EMITTERS_TERM_H
#define MOAC_EMITTERS_TERM_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace moac::reading {

struct Term {
  std::string head;
  std::vector<Term> args;
  unsigned line = 0; ///< in the C text; 0: not from there

  bool is(std::string_view word) const { return head == word; }
  /// True for `for i up`, `[] A` and the like.
  bool begins(std::string_view word) const { return head.compare(0, word.size(), word) == 0; }
};

/// `head(part, part)`, on one line, cut after `most` characters.
std::string text(const Term &term, size_t most = 160);
/// Equality of everything but lines.
bool same(const Term &a, const Term &b);

/// Loops are `for NAME up` or `for NAME down` with the parts directives, first bound, second bound,
/// block; teams are `region` with directives, block. A directive is a word; its clauses are its
/// parts.
bool isLoop(const Term &term);
bool isRegion(const Term &term);

/// The clause for so many lanes: a name, or a product of names and numbers whose type does not matter.
Term lanesTerm(const Term &count);

/// How often a level does each thing: `load A`, `store C`, `mul f64`, `address add i64`. Loops
/// inside are levels of their own; an `if` belongs to the level it stands in.
using Counts = std::map<std::string, int64_t>;
Counts countsOf(const Term &block);

/// A number for a size estimate, the same for all ways to write it: names are given values.
Term estimate(const Term &value);

/// Differences between statements, `i/k: 2 of load A printed, 1 analysed`; empty: none.
std::vector<std::string> compare(const Term &analysed, const Term &printed);

} // namespace moac::reading

#endif
