// Substitution: of a gen's body for its reads (β-reduction: i psi (gen e) is e at i), and of values for symbols in types.
#ifndef MOAC_PASSES_SUBSTITUTE_H
#define MOAC_PASSES_SUBSTITUTE_H

#include "ir/Moa.h"

namespace moac {

/// Replaces every read of `gen` by its body at the subscripts and erases it. Precondition: all users are full reads. The
/// checks of a read become a condition around its element.
void substituteReads(moa::GenOp gen);

using SymbolValues = std::map<std::string, shape::Expr>;

/// The type with symbols replaced in its extents.
mlir::Type substituteSymbols(mlir::Type type, const SymbolValues &symbols);
/// The same for every result and block argument in `root`.
void substituteSymbols(mlir::Operation *root, const SymbolValues &symbols);

} // namespace moac

#endif
