// Messages as text: position, source line, carets.
//
// The caret line repeats the source line's tabs and leaves as many blanks as the terminal columns
// of the characters before the range, so that carets stand under their text whatever precedes them.
// A very long line is shown as a window around the range.
#include "frontend/Diagnostics.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Unicode.h"

#include <algorithm>

namespace moac {
namespace {

/// Longest stretch of a source line that is printed, in bytes.
constexpr uint32_t maxLineBytes = 160;

bool isContinuation(char c) { return (c & 0xC0) == 0x80; }

/// One character of UTF-8 at the front of `text` (one byte when malformed).
std::string_view firstCharacter(std::string_view text) {
  size_t length = 1;
  while (length < text.size() && length < 4 && isContinuation(text[length]))
    ++length;
  return text.substr(0, length);
}

/// Terminal columns of a character; something that cannot be printed is shown as one '?'.
unsigned columns(std::string_view character) {
  int width = llvm::sys::unicode::columnWidthUTF8(llvm::StringRef(character));
  return width < 0 ? 1 : unsigned(width);
}

bool isPrintable(std::string_view character) {
  return character == "\t" || llvm::sys::unicode::columnWidthUTF8(llvm::StringRef(character)) >= 0;
}

/// The part of the line [begin, end) to print so that `focus` is in it, cut at characters.
SourceRange window(std::string_view file, SourceRange line, uint32_t focus) {
  if (line.end - line.begin <= maxLineBytes)
    return line;
  uint32_t begin = focus > line.begin + maxLineBytes / 2 ? focus - maxLineBytes / 2 : line.begin;
  uint32_t end = std::min(line.end, begin + maxLineBytes);
  while (begin > line.begin && isContinuation(file[begin]))
    --begin;
  while (end < line.end && isContinuation(file[end]))
    ++end;
  return {line.file, begin, end};
}

/// Prints the line of `range` and the carets under its part of the range.
void renderLine(std::string &out, const SourceManager &sources, SourceRange range) {
  std::string_view file = sources.text(range.file);
  uint32_t focus = std::min<uint32_t>(range.begin, uint32_t(file.size()));
  SourceRange whole = sources.line(range.file, focus);
  SourceRange shown = window(file, whole, focus);
  std::string text, carets;
  if (shown.begin > whole.begin) {
    text = "... ";
    carets = "    ";
  }
  for (uint32_t at = shown.begin; at < shown.end;) {
    std::string_view character = firstCharacter(file.substr(at, shown.end - at));
    bool tab = character == "\t";
    text += isPrintable(character) ? character : "?";
    char mark = at == range.begin ? '^' : at > range.begin && at < range.end ? '~' : ' ';
    if (tab)
      carets += mark == ' ' ? '\t' : mark;
    else if (unsigned width = columns(character))
      carets += mark + std::string(width - 1, mark == ' ' ? ' ' : '~');
    at += uint32_t(character.size());
  }
  if (focus >= shown.end) // at the end of the line: after its last character
    carets += '^';
  if (shown.end < whole.end)
    text += " ...";
  carets.erase(carets.find_last_not_of(" \t") + 1);
  out += text + '\n' + carets + '\n';
}

void renderMessage(std::string &out, const SourceManager &sources, SourceRange range,
                   std::string_view label, std::string_view message) {
  if (!range.valid()) {
    out.append("moac: ").append(label).append(": ").append(message) += '\n';
    return;
  }
  LineColumn position = sources.lineColumn(range.file, range.begin);
  out.append(sources.path(range.file)) +=
      ':' + std::to_string(position.line) + ':' + std::to_string(position.column) + ": ";
  out.append(label).append(": ").append(message) += '\n';
  renderLine(out, sources, range);
}

} // namespace

std::string Diagnostics::render() const {
  std::string out;
  std::vector<const Diagnostic *> messages = sorted();
  size_t shown = std::min(messages.size(), maxShown);
  for (const Diagnostic *message : std::span(messages).first(shown)) {
    std::string_view label = message->severity == Severity::Error ? "error" : "warning";
    renderMessage(out, sources, message->range, label,
                  message->message + " [" + diagName(message->id) + "]");
    for (const Diagnostic::Note &note : message->notes)
      renderMessage(out, sources, note.range, "note", note.text);
    if (!message->help.empty())
      out += "help: " + message->help + '\n';
  }
  if (size_t rest = messages.size() + dropped - shown)
    out += "moac: " + std::to_string(rest) + (rest == 1 ? " more message" : " more messages") +
           " not shown\n";
  return out;
}

} // namespace moac
