// Filling patterns and breaking lines. A mark is the byte 1 and a byte for its depth.
#include "emitters/Layout.h"

#include <algorithm>
#include <cctype>

namespace moac::emit {
namespace {

constexpr char markByte = '\x01';
constexpr int deepest = 90; // a printable byte with the blank added

std::string markOf(int depth) {
  return {markByte, static_cast<char>(' ' + std::min(depth, deepest))};
}

std::string sunk(std::string_view text) {
  std::string out(text);
  for (size_t i = 0; i + 1 < out.size(); ++i)
    if (out[i] == markByte)
      out[i + 1] = static_cast<char>(std::min(out[i + 1] + 1, ' ' + deepest)), ++i;
  return out;
}

/// Length of the hole that begins at `at`, braces included; 0 when there is none.
size_t holeLength(std::string_view pattern, size_t at) {
  if (pattern[at] != '{')
    return 0;
  size_t end = at + 1;
  while (end < pattern.size() && std::isalnum(static_cast<unsigned char>(pattern[end])))
    ++end;
  return end < pattern.size() && pattern[end] == '}' && end > at + 1 ? end + 1 - at : 0;
}

template <class Values> const std::string *valueOf(const Values &values, std::string_view name) {
  for (const Fill &value : values)
    if (value.first == name)
      return &value.second;
  return nullptr;
}

bool breaksHere(std::string_view pattern, size_t at) {
  if (pattern[at] != ' ' || at == 0 || at + 1 == pattern.size())
    return false;
  return pattern[at - 1] == ',' || (pattern[at - 1] == '}' && pattern[at + 1] != '{');
}

template <class Values>
std::string fillPattern(std::string_view pattern, const Values &values, bool row) {
  const bool sinks = row || pattern.find('\t') != std::string_view::npos;
  std::string out;
  for (size_t i = 0; i < pattern.size();) {
    const size_t length = holeLength(pattern, i);
    const std::string *value =
        length ? valueOf(values, pattern.substr(i + 1, length - 2)) : nullptr;
    if (value) {
      out += sinks ? sunk(*value) : *value;
      i += length;
    } else {
      const bool breaks = pattern[i] == '\t' || (row && breaksHere(pattern, i));
      out += breaks ? markOf(0) : std::string(1, pattern[i]);
      ++i;
    }
  }
  return out;
}

struct Marked {
  std::string text;                           // marks as blanks
  std::vector<std::pair<size_t, int>> breaks; // position of the blank, depth
};

Marked parseMarks(std::string_view text) {
  Marked out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == markByte && i + 1 < text.size()) {
      out.breaks.emplace_back(out.text.size(), text[++i] - ' ');
      out.text += ' ';
    } else {
      out.text += text[i];
    }
  }
  return out;
}

/// The break to take for a line that starts at `start` and may reach `reach`: of least depth, the
/// last such; if none fits, the first one after. npos when there is no break at all.
size_t chooseBreak(const Marked &marked, size_t start, size_t reach) {
  size_t chosen = std::string::npos;
  int depth = 0;
  for (auto [at, d] : marked.breaks) {
    if (at <= start)
      continue;
    if (at > reach)
      return chosen == std::string::npos ? at : chosen;
    if (chosen == std::string::npos || d <= depth)
      chosen = at, depth = d;
  }
  return chosen;
}

} // namespace

std::string fill(std::string_view pattern, std::initializer_list<Fill> values) {
  return fillPattern(pattern, values, false);
}

std::string fillRow(std::string_view pattern, const std::vector<Fill> &values) {
  return fillPattern(pattern, values, true);
}

std::string join(const std::vector<std::string> &items, std::string_view separator) {
  std::string out;
  for (const std::string &item : items) {
    if (!out.empty())
      out += std::string(separator) + markOf(0);
    out += sunk(item);
  }
  return out;
}

std::string breakMark() { return markOf(0); }

std::string lastBreaks(std::string_view text) {
  std::string out(text);
  for (size_t i = 0; i + 1 < out.size(); ++i)
    if (out[i] == markByte)
      out[++i] = static_cast<char>(' ' + deepest);
  return out;
}

std::string withoutMarks(std::string_view text) { return parseMarks(text).text; }

std::vector<std::string> breakLines(std::string_view text, std::string_view first,
                                    std::string_view rest, std::string_view tail, size_t limit) {
  const Marked marked = parseMarks(text);
  std::vector<std::string> lines;
  size_t start = 0;
  std::string_view lead = first;
  while (lead.size() + marked.text.size() - start > limit) {
    const size_t room = limit > lead.size() + tail.size() ? limit - lead.size() - tail.size() : 1;
    const size_t at = chooseBreak(marked, start, start + room);
    if (at == std::string::npos)
      break;
    lines.push_back(std::string(lead) + marked.text.substr(start, at - start) + std::string(tail));
    start = at + 1;
    lead = rest;
  }
  lines.push_back(std::string(lead) + marked.text.substr(start));
  return lines;
}

std::string safeForComment(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (c >= 0x80) { // one mark for each code point
      if ((c & 0xC0) != 0x80)
        out += '_';
    } else if (c < ' ' || c == 127 || c == '\\') {
      out += ' ';
    } else {
      out += static_cast<char>(c);
      const bool delimiter = (c == '*' && next == '/') || (c == '/' && next == '*');
      if (delimiter || (c == '?' && next == '?'))
        out += ' ';
    }
  }
  return out;
}

std::vector<std::string> commentLines(std::string_view text, std::string_view prefix, size_t limit,
                                      size_t hang) {
  const std::string safe = safeForComment(text);
  std::string marked;
  const size_t indent = std::min(safe.find_first_not_of(' '), safe.size());
  for (size_t i = 0; i < safe.size(); ++i)
    marked += safe[i] == ' ' && i >= indent ? markOf(0) : std::string(1, safe[i]);
  const std::string lead = std::string(prefix) + ' ';
  std::vector<std::string> lines =
      breakLines(marked, lead, lead + std::string(indent + hang, ' '), "", limit);
  for (std::string &line : lines)
    line.erase(line.find_last_not_of(' ') + 1);
  return lines;
}

} // namespace moac::emit
