// Finds the section of an id in the pages that hold them.
#include "frontend/ExplainId.h"

#include "frontend/Diagnostics.h"
#include "frontend/EmbeddedTexts.h"
#include "passes/Laws.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace moac {
namespace {

std::vector<std::string> linesOf(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

/// Number of '#' at the front of a heading; 0 for other lines.
size_t headingLevel(const std::string &line) {
  const size_t level = std::min(line.find_first_not_of('#'), line.size());
  return level < line.size() && line[level] == ' ' ? level : 0;
}

std::string headingText(const std::string &line) { return line.substr(headingLevel(line) + 1); }

/// The constraint that a line of Semantics.md states, `psi_c2`; empty for other lines.
std::string constraintOf(const std::string &line) {
  const size_t open = line.find("* `"), close = line.find("`:");
  if (open == line.npos || close == line.npos || line.find_first_not_of(' ') != open)
    return "";
  const std::string id = line.substr(open + 3, close - open - 3);
  const size_t mark = id.rfind("_c");
  const bool number = mark != id.npos && mark + 2 < id.size() &&
                      std::all_of(id.begin() + static_cast<std::ptrdiff_t>(mark) + 2, id.end(),
                                  [](unsigned char c) { return std::isdigit(c); });
  return number ? id : "";
}

/// A section for a terminal: fences are left out, what they hold is indented.
std::string readable(const std::vector<std::string> &lines, size_t begin) {
  const size_t level = headingLevel(lines[begin]);
  std::string text = headingText(lines[begin]) + "\n\n";
  bool fenced = false;
  for (size_t i = begin + 1; i < lines.size(); ++i) {
    const std::string &line = lines[i];
    const size_t other = fenced ? 0 : headingLevel(line);
    if (other != 0 && other <= level)
      break;
    if (line.compare(0, 3, "```") == 0) {
      fenced = !fenced;
      const size_t word = line.rfind(' ');
      if (fenced)
        text += word == line.npos ? "\n" : "\n  " + line.substr(word + 1) + "\n";
      continue;
    }
    text += (fenced && !line.empty() ? "    " : "") + line + "\n";
  }
  return text.substr(0, text.find_last_not_of('\n') + 1) + "\n";
}

// ---- the sources of ids

std::vector<std::string> messageIds() {
  std::vector<std::string> ids;
  for (size_t i = 0; i < allDiagInfos().size(); ++i)
    ids.push_back(diagName(DiagId(i)));
  return ids;
}

std::optional<std::string> messagePage(const std::string &id) {
  const std::vector<std::string> lines = linesOf(messagesPage());
  for (size_t i = 0; i < lines.size(); ++i)
    if (headingLevel(lines[i]) == 3 && headingText(lines[i]) == id)
      return readable(lines, i);
  return std::nullopt;
}

bool isOperation(const std::string &line) {
  return headingLevel(line) == 2 && headingText(line).find('.') != std::string::npos;
}

std::vector<std::string> semanticsIds() {
  std::vector<std::string> ids;
  for (const std::string &line : linesOf(semanticsPage()))
    if (isOperation(line))
      ids.push_back(headingText(line));
    else if (std::string id = constraintOf(line); !id.empty())
      ids.push_back(id);
  return ids;
}

std::optional<std::string> semanticsSection(const std::string &id) {
  const std::vector<std::string> lines = linesOf(semanticsPage());
  size_t section = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (headingLevel(lines[i]) != 0)
      section = i;
    if ((isOperation(lines[i]) && headingText(lines[i]) == id) || constraintOf(lines[i]) == id)
      return readable(lines, section);
  }
  return std::nullopt;
}

std::vector<std::string> lawIds() {
  std::vector<std::string> ids;
  for (const LawText *law : lawTexts())
    ids.emplace_back(law->id);
  return ids;
}

std::optional<std::string> lawSection(const std::string &id) {
  const LawText *law = lawText(id);
  return law ? std::optional(lawPage(*law)) : std::nullopt;
}

struct Source {
  std::vector<std::string> (*ids)();
  std::optional<std::string> (*page)(const std::string &id);
};
constexpr Source idSources[] = {
    {messageIds, messagePage}, {semanticsIds, semanticsSection}, {lawIds, lawSection}};

} // namespace

std::optional<std::string> explainId(std::string_view id) {
  std::string bare(id);
  std::erase_if(bare, [](char c) { return c == '[' || c == ']'; }); // as a message shows it
  if (bare.empty())
    return std::nullopt;
  for (const Source &source : idSources)
    if (std::optional<std::string> page = source.page(bare))
      return page;
  return std::nullopt;
}

std::vector<std::string> explainableIds() {
  std::vector<std::string> ids;
  for (const Source &source : idSources)
    for (std::string &id : source.ids())
      ids.push_back(std::move(id));
  return ids;
}

} // namespace moac
