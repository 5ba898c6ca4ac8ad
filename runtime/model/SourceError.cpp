// How errors in litmus files and traces are shown: position, message, the line and a caret.
#include "runtime/model/Program.h"

#include <algorithm>
#include <numeric>

namespace moac::model {

std::string SourceError::str() const {
  std::string text = file + ":" + std::to_string(line);
  if (column > 0)
    text += ":" + std::to_string(column);
  text += ": error: " + message;
  if (source.empty())
    return text;
  text += "\n  " + source;
  if (column <= 0)
    return text;
  text += "\n  ";
  for (size_t i = 1; i < static_cast<size_t>(column);
       ++i) // tabs stay, so that the caret stands right
    text += i <= source.size() && source[i - 1] == '\t' ? '\t' : ' ';
  return text + "^";
}

void quoteLine(SourceError &error, std::string_view text) {
  if (!error.source.empty())
    return;
  for (int line = 1; line < error.line && !text.empty(); ++line) {
    size_t end = text.find('\n');
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  error.source = text.substr(0, text.find('\r'));
}

namespace {

size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      size_t change = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

} // namespace

std::string suggestion(std::string_view name, const std::vector<std::string_view> &candidates) {
  std::string_view best;
  size_t limit = name.size() < 4 ? 2 : 3; // at most one slip in a short name, two in others
  for (std::string_view candidate : candidates)
    if (size_t distance = editDistance(name, candidate); distance < std::min(limit, name.size())) {
      limit = distance;
      best = candidate;
    }
  return best.empty() ? "" : " (did you mean '" + std::string(best) + "'?)";
}

} // namespace moac::model
