// Lists of words that C and C++ keep for themselves; see CNames.cpp.
#ifndef MOAC_EMITTERS_CNAMES_H
#define MOAC_EMITTERS_CNAMES_H

namespace moac::emit {

/// Separated by blanks and line feeds.
extern const char *const cKeywords;
extern const char *const cLibraryNames;

} // namespace moac::emit

#endif
