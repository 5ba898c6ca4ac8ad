// Text to syntax tree.
//
// One function; it never fails to return. What could not be read is reported and left out of the
// tree, so that one run shows every mistake of a file. Semantic analysis may run on the rest, but
// nothing may be emitted once the diagnostics hold an error.
#ifndef MOAC_FRONTEND_PARSER_H
#define MOAC_FRONTEND_PARSER_H

#include "frontend/Ast.h"
#include "frontend/Diagnostics.h"
#include "frontend/Source.h"

namespace moac {

/// Parses file `file` of `sources`; linear in its size. Every problem goes to `diagnostics`.
ast::File parse(const SourceManager &sources, FileId file, Diagnostics &diagnostics);

} // namespace moac

#endif
