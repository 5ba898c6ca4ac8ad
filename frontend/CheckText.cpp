// Whether a file is text that moac reads: of bounded length, UTF-8, without control characters.
//
// Checked before and apart from the lexer, because it concerns comments and strings too: characters
// that are not seen, or that change the direction of the text around them, would show a reader
// another program than the one that is compiled.
#include "frontend/CheckText.h"

#include "llvm/Support/ConvertUTF.h"

#include <cstdio>

namespace moac {
namespace {

/// So many bad bytes or characters mean that the file is no text at all.
constexpr unsigned maxProblems = 10;

bool isForbidden(uint32_t c) {
  bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
  bool direction =
      c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  bool invisible = c == 0x200B || c == 0x2028 || c == 0x2029 || c == 0xFEFF;
  return control || direction || invisible;
}

std::string codePointName(uint32_t c) {
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, "U+%04X", unsigned(c));
  return buffer;
}

/// Decodes the character at `at` and moves past it; false (one byte consumed) when it is malformed.
bool decode(std::string_view text, uint32_t &at, uint32_t &character) {
  auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  const llvm::UTF8 *next = begin + at;
  llvm::UTF32 result = 0;
  if (llvm::convertUTF8Sequence(&next, begin + text.size(), &result, llvm::strictConversion) !=
      llvm::conversionOK) {
    ++at;
    return false;
  }
  at = uint32_t(next - begin);
  character = result;
  return true;
}

} // namespace

bool checkText(std::string_view text, FileId file, Diagnostics &diagnostics, std::string &cleaned) {
  if (text.size() > maxFileBytes) {
    diagnostics.report(diag::fileTooLarge, {file, 0, 0}, maxFileBytes >> 20)
        .help("move parts of it to other files and 'import' them");
    return false;
  }
  unsigned problems = 0;
  uint32_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; // a byte order mark is no content
  while (at < text.size()) {
    unsigned char first = text[at];
    bool lineEnd = first == '\r' && at + 1 < text.size() && text[at + 1] == '\n';
    if ((first >= 0x20 && first < 0x7F) || first == '\n' || first == '\t' || lineEnd) {
      ++at;
      continue;
    }
    uint32_t begin = at, character = 0;
    if (!decode(text, at, character))
      diagnostics.report(diag::invalidUtf8, {file, begin, at}, begin);
    else if (isForbidden(character))
      diagnostics.report(diag::forbiddenCharacter, {file, begin, at}, codePointName(character));
    else
      continue;
    if (cleaned.empty())
      cleaned = text;
    cleaned.replace(begin, at - begin, at - begin, ' ');
    if (++problems == maxProblems) {
      diagnostics.report(diag::notText, {file, begin, at});
      return false;
    }
  }
  return true;
}

} // namespace moac
