// Expressions in which Fortran may evaluate too much, and literals without a kind.
#ifndef MOAC_EMITTERS_FORTRANLAZY_H
#define MOAC_EMITTERS_FORTRANLAZY_H

#include "emitters/LoopTree.h"

#include <functional>

namespace moac::emit {

/// Makes a name that the kernel does not use, from a word.
using FreshName = std::function<std::string(const std::string &)>;

/// Rewrites the expressions of `body` and its inner bodies; statements for choices are inserted
/// before those that want them.
void separateChoices(tree::Body &body, const FreshName &fresh);
/// The same for one expression: statements are appended to `before`.
void separateChoices(tree::Expr &e, const FreshName &fresh, tree::Body &before);

} // namespace moac::emit

#endif
