// Texts of the source tree that are part of the program; CMake writes the definitions.
#ifndef MOAC_FRONTEND_EMBEDDEDTEXTS_H
#define MOAC_FRONTEND_EMBEDDEDTEXTS_H

#include <string_view>

namespace moac {

std::string_view runtimeHeader(); ///< runtime/moac.h, which emitted files include
std::string_view bundleDriver();  ///< frontend/BundleDriver.c
std::string_view messagesPage();  ///< frontend/Messages.md
std::string_view semanticsPage(); ///< ir/Semantics.md

} // namespace moac

#endif
