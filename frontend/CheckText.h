// The check that comes before lexing: is this file text that the language allows?
#ifndef MOAC_FRONTEND_CHECKTEXT_H
#define MOAC_FRONTEND_CHECKTEXT_H

#include "frontend/Diagnostics.h"

namespace moac {

/// Reports bytes that are not UTF-8 and characters that may not stand in a source file, even in
/// comments. False when the file is too long, or so full of them that reading it makes no sense.
/// Otherwise, if there were any, `cleaned` becomes the text with blanks in their place, so that
/// offsets still hold.
bool checkText(std::string_view text, FileId file, Diagnostics &diagnostics, std::string &cleaned);

} // namespace moac

#endif
