// Semantic analysis: from syntax trees to the moa dialect.
//
//     std::vector<ast::File> files = loadFiles("attention.moa", folders, sources, diags);
//     mlir::OwningOpRef<mlir::ModuleOp> module = buildModule(files, diags, context);
//
// Names, types, extents, ranges and calls are checked completely here; a module that is returned
// has no user error left in it.
#ifndef MOAC_FRONTEND_ASTTOMOA_H
#define MOAC_FRONTEND_ASTTOMOA_H

#include "frontend/Ast.h"
#include "frontend/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace moac {

/// Translates all kernels of `files`; the first file is the main one, kernels of the others carry
/// the attribute `imported`. Null when `diags` holds an error, one of the parser's included; the
/// rest of the program is checked all the same. The moa dialect is loaded into `context`.
mlir::OwningOpRef<mlir::ModuleOp> buildModule(const std::vector<ast::File> &files,
                                              Diagnostics &diags, mlir::MLIRContext &context);

} // namespace moac

#endif
