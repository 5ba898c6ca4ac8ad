// C text as a compiler reads it: the second reader of what moac prints.
//
// Clang parses the text in memory, with OpenMP and all warnings; what it understood comes back as
// terms. This header names no type of clang, and only ClangReader.cpp includes clang's headers.
// That file is a library of its own, which the driver loads when `--verify` asks for it, so that
// other runs do not pay for loading clang.
#ifndef MOAC_EMITTERS_CREADING_H
#define MOAC_EMITTERS_CREADING_H

#include "emitters/Term.h"

namespace moac::reading {

/// A text and the name under which others include it.
struct SourceText {
  std::string name;
  std::string text;
};

struct ReadFunction {
  std::string name;
  unsigned line = 0;
  Term block;
};

/// Everything that a file itself (not its headers) defines.
struct CReading {
  std::vector<std::string> problems; ///< diagnostics of the compiler; nothing else counts then
  std::vector<ReadFunction> functions;
  std::map<std::string, int64_t> enumerators;
  std::vector<std::string> others; ///< definitions that emitted files never hold, described
};

/// Reads `source`, which may include `headers` and those of the system.
CReading readC(const SourceText &source, const std::vector<SourceText> &headers);

/// The type of `readC` for a reader that was loaded.
using CReader = CReading (*)(const SourceText &, const std::vector<SourceText> &);

} // namespace moac::reading

#endif
