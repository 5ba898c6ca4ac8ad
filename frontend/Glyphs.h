// Characters beyond ASCII that mean something: the glyphs of MoA, and look-alikes of ASCII signs.
#ifndef MOAC_FRONTEND_GLYPHS_H
#define MOAC_FRONTEND_GLYPHS_H

#include <string_view>

namespace moac {

struct Glyph {
  std::string_view glyph; ///< UTF-8
  std::string_view word;  ///< the ASCII spelling of the same token; empty for a blank
};

/// The glyph at the front of `text`, or null.
const Glyph *findGlyph(std::string_view text);
/// The glyph that spells `word`, or `word` itself when there is none.
std::string_view glyphFor(std::string_view word);
/// A character at the front of `text` that is often typed or pasted for the ASCII text `word`, or
/// null.
const Glyph *findLookAlike(std::string_view text);

} // namespace moac

#endif
