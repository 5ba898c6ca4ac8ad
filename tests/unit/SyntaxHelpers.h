// What the tests of the frontend's syntax share: parsing text, dumping trees, the forty programs.
//
// dump() writes a tree as nested lists with every operator and bracket spelled out. It is written
// apart from the source printer, so that a parenthesis the printer forgets shows up as a different
// dump.
#ifndef MOAC_TESTS_UNIT_SYNTAXHELPERS_H
#define MOAC_TESTS_UNIT_SYNTAXHELPERS_H

#include "frontend/Parser.h"

#include <string>
#include <vector>

namespace moac::test {

/// `(+ a (* b c))`, `(call exp x)`, `(sum [k < n] ..)`.
std::string dump(const ast::Expr &expr);
std::string dump(const ast::File &file);

/// A parsed text with its messages as they are printed; the file is called `t.moa`.
struct Parsed {
  explicit Parsed(const std::string &text);

  SourceManager sources;
  Diagnostics diagnostics{sources};
  ast::File file;
  std::string messages;
};

/// The value of the only statement of a kernel, dumped; the messages when it does not parse.
std::string dumpExpr(const std::string &expr);

struct Program {
  std::string name, text;
};
/// The programs under tests/unit/programs, sorted by name.
const std::vector<Program> &programs();

} // namespace moac::test

#endif
