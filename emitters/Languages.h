// Target languages by name; the list is Languages.def.
#ifndef MOAC_EMITTERS_LANGUAGES_H
#define MOAC_EMITTERS_LANGUAGES_H

#include "emitters/CFile.h"

#include <string_view>
#include <vector>

namespace moac::emit {

struct Language {
  std::string_view target;    // "c-openmp"
  std::string_view extension; // ".c"
  bool device;                // for a device with memory of its own
  const LangTraits &(*traits)();
  Emitted (*source)(const tree::File &, const COptions &, const LangTraits &);
  const LangTraits &(*headerTraits)();
  Emitted (*header)(const tree::File &, const COptions &, const LangTraits &);
};

const std::vector<Language> &languages();
/// Null if there is none of that name.
const Language *findLanguage(std::string_view target);

} // namespace moac::emit

#endif
