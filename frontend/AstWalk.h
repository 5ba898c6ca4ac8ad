// Walking over syntax trees without naming every kind of node at each place that needs only "all
// names in here".
#ifndef MOAC_FRONTEND_ASTWALK_H
#define MOAC_FRONTEND_ASTWALK_H

#include "frontend/Ast.h"

#include <functional>

namespace moac::ast {

/// Calls `visit` for each direct part of `expr` that is an expression, in source order. Missing
/// parts are left out.
void forEachPart(const Expr &expr, const std::function<void(const Expr &)> &visit);

/// Calls `visit` for `expr` and everything in it, outermost first.
void forEachExpr(const Expr &expr, const std::function<void(const Expr &)> &visit);

/// Calls `visit` for every expression of a block's statements, outermost first.
void forEachExpr(const Block &block, const std::function<void(const Expr &)> &visit);

} // namespace moac::ast

#endif
