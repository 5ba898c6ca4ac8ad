// Reading a file and everything it imports.
#ifndef MOAC_FRONTEND_IMPORTS_H
#define MOAC_FRONTEND_IMPORTS_H

#include "frontend/Ast.h"
#include "frontend/Diagnostics.h"
#include "frontend/Source.h"

#include <span>
#include <string>
#include <vector>

namespace moac {

/// Parses `path` and, each once, the files it imports, directly or not: the main file first, then
/// in order of import. An import is looked for beside the importing file, then in `folders`. What
/// cannot be read is reported and left out; when the main file cannot, the result is empty.
std::vector<ast::File> loadFiles(const std::string &path, std::span<const std::string> folders,
                                 SourceManager &sources, Diagnostics &diags);

} // namespace moac

#endif
