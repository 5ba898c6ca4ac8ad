// The one traversal that turns a loop tree into text.
//
// It takes no decision: what stands where is in the tree, how it is spelled is in the language's
// table. It adds parentheses exactly where the table's precedence numbers ask for them and breaks
// lines that are too long. While printing it collects the words of every pattern it used, so that a
// language's prologue can define just the support functions that the file needs.
#ifndef MOAC_EMITTERS_PRINTER_H
#define MOAC_EMITTERS_PRINTER_H

#include "emitters/LangTraits.h"
#include "emitters/Layout.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace moac::emit {

class Printer {
public:
  explicit Printer(const LangTraits &lang) : lang(lang) {}
  const LangTraits &language() const { return lang; }

  /// Prints statements at the current depth.
  void body(const tree::Body &statements);
  /// One line of text (marks allowed) at the current depth; when it is broken, the rest stands
  /// `hang` columns further in, or by the table's rule.
  void line(std::string_view text, std::optional<size_t> hang = std::nullopt);
  /// Several lines: `text` is split at its line feeds.
  void lines(std::string_view text);
  void blank();
  void comment(std::string_view text, size_t hang = 0);
  void indent() { ++depth; }
  void outdent() { --depth; }

  /// An expression with marks, parenthesised if it binds looser than `binds`.
  std::string expression(const tree::Expr &e, int binds = 0);
  std::string typeName(Elem type);
  std::string statusName(tree::Status status);
  /// Size of an array in bytes.
  std::string arrayBytes(Elem type, const std::vector<tree::Expr> &extents);
  std::string scratchBytes(const tree::Scratch &scratch);
  /// A source position as a comment that ends a line; empty when there is none.
  std::string place(const std::string &where);
  /// `scale` times an Index or F64 expression in floating-point arithmetic, which cannot overflow.
  std::string realValue(double scale, const tree::Expr &e);
  /// Declares the variables of `statements`, if the language wants them first.
  void declarations(const tree::Body &statements);
  /// The pattern's text with its words noted; a problem and no text if it is unsupported.
  std::string use(const Text &text);

  /// What has been printed since the last take.
  std::string take();
  /// Identifiers that occur in used patterns.
  const std::set<std::string> &words() const { return used; }
  void addWords(std::string_view text);
  /// What the language cannot say, each reason once, in order of appearance.
  const std::vector<std::string> &problems() const { return reasons; }

private:
  struct Spelled {
    std::string text;
    int precedence;
  };
  Spelled spell(const tree::Expr &e);
  Spelled spellInteger(const tree::Expr &e);
  Spelled spellReal(const tree::Expr &e);
  Spelled spellApply(const tree::Expr &e);
  Spelled spellCast(const tree::Expr &e, int binds);
  Spelled literal(Elem type, std::string digits, const Text &text, bool negative);

  void print(const tree::Note &note);
  void print(const tree::Let &let);
  void print(const tree::Variable &variable);
  void print(const tree::LocalArray &array);
  void print(const tree::Assign &assign);
  void print(const tree::Store &store);
  void print(const tree::Update &update);
  void print(const tree::Prefetch &prefetch);
  void print(const tree::Gather &gather);
  void print(const tree::Meet &meet);
  void print(const tree::Fail &fail);
  void print(const tree::Call &call);
  void print(const tree::If &branch);
  void print(const tree::Loop &loop);
  void print(const tree::Parallel &parallel);
  void print(const tree::Device &device);

  void block(const tree::Body &statements);
  void assignment(const std::string &target, const tree::Expr &value);
  std::string clauses(const tree::Loop &loop);
  std::string levels(const tree::Loop &loop);
  std::string pieces(const std::vector<tree::Piece> &list);
  std::string privateClause(const tree::Body &body);
  void problem(const std::string &reason);
  std::string factors(const std::vector<const tree::Expr *> &list);

  const LangTraits &lang;
  std::string out;
  int depth = 0;
  std::set<std::string> used;
  std::vector<std::string> reasons;
};

/// Digits of a finite number, the fewest that read back as the same value, always with a point or
/// an exponent; of the magnitude, without a sign.
std::string realDigits(double value, Elem type);

} // namespace moac::emit

#endif
