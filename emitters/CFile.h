// Kernels as a C file and its header.
//
// The loops are the printer's work; this is what a C function has around them: signature, argument
// checks, scratch memory, the support functions in front. A kernel that needs scratch memory gets a
// second form `NAME_ws` that takes the caller's, and `NAME_ws_size` to ask how much.
#ifndef MOAC_EMITTERS_CFILE_H
#define MOAC_EMITTERS_CFILE_H

#include "emitters/LangTraits.h"
#include "emitters/LoopTree.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace moac::emit {

struct COptions {
  /// Inline what libmoac-runtime would give; the file then needs the C library only.
  bool standalone = false;
  /// Name of the emitted header, for its guard and to include it; empty: not included.
  std::string headerName;
};

struct Emitted {
  std::string text;
  /// What cannot be said in the language, for the user; the text is worthless unless empty.
  std::vector<std::string> problems;
};

/// Why kernels cannot have their names in C, in the user's words; `lang` is C's table.
std::vector<std::string> cNameProblems(const tree::File &file, const LangTraits &lang);

/// What a C file consists of besides what follows from its words.
struct CParts {
  std::string opening;             // comments
  const char *guard;               // pragmas about pragmas
  std::string kernels;             // functions
  std::set<std::string> words;     // what the kernels use
  std::function<std::string(std::string_view)> support; // how a support function is written
};
std::string cFileText(const CParts &parts, const COptions &options);

/// `lang` is C or a table derived from it (C with other directives).
Emitted printCFile(const tree::File &file, const COptions &options, const LangTraits &lang);
/// C99 and C++17.
Emitted printCHeader(const tree::File &file, const COptions &options, const LangTraits &lang);

} // namespace moac::emit

#endif
