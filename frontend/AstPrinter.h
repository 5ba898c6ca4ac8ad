// Syntax tree to source text.
//
// The text parses back to the same tree (ranges apart), in the form in which it was written: index
// form stays index form. It has only the parentheses that the grammar needs. Used by `explain`, by
// messages that show a rewritten expression, and by tests.
#ifndef MOAC_FRONTEND_ASTPRINTER_H
#define MOAC_FRONTEND_ASTPRINTER_H

#include "frontend/Ast.h"

#include <string>

namespace moac {

enum class Notation {
  Words, ///< ASCII: `transpose A`, `A (+.* omega<2 2>) B`
  Moa,   ///< the glyphs of MoA where there are any: `⍉ A`
};

std::string print(const ast::Expr &expr, Notation notation = Notation::Words);
std::string print(const ast::Operator &op, Notation notation = Notation::Words);
/// One statement without a line end; the body of `iterate` is indented by two blanks.
std::string print(const ast::Stmt &stmt, Notation notation = Notation::Words);
std::string print(const ast::Param &param, Notation notation = Notation::Words);
/// Items end with a line end.
std::string print(const ast::Kernel &kernel, Notation notation = Notation::Words);
std::string print(const ast::Schedule &schedule, Notation notation = Notation::Words);
/// All items in source order.
std::string print(const ast::File &file, Notation notation = Notation::Words);

} // namespace moac

#endif
