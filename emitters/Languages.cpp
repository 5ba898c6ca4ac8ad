// The list of target languages.
#include "emitters/Languages.h"
#include "emitters/Acc.h"
#include "emitters/C.h"
#include "emitters/Fortran.h"
#include "emitters/FortranFile.h"

namespace moac::emit {

const std::vector<Language> &languages() {
  static const std::vector<Language> all = {
#define LANGUAGE(target, extension, device, table, source, headerTable, header)                    \
  {target, extension, device, table, source, headerTable, header},
#include "emitters/Languages.def"
  };
  return all;
}

const Language *findLanguage(std::string_view target) {
  for (const Language &entry : languages())
    if (entry.target == target)
      return &entry;
  return nullptr;
}

} // namespace moac::emit
