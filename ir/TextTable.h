// A table in text for reports: columns are as wide as what they hold, the last one is not padded.
#ifndef MOAC_IR_TEXTTABLE_H
#define MOAC_IR_TEXTTABLE_H

#include <algorithm>
#include <string>
#include <vector>

namespace moac {

class TextTable {
public:
  void row(std::vector<std::string> cells) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], cells[i].size());
    rows.push_back(std::move(cells));
  }
  /// A line for each row, two blanks before it.
  std::string text() const {
    std::string out;
    for (const auto &cells : rows) {
      out += "  ";
      for (size_t i = 0; i < cells.size(); ++i)
        out += cells[i] + std::string(i + 1 == cells.size() ? 0 : widths[i] - cells[i].size() + 2, ' ');
      out.erase(out.find_last_not_of(' ') + 1);
      out += "\n";
    }
    return out;
  }

private:
  std::vector<std::vector<std::string>> rows;
  std::vector<size_t> widths;
};

} // namespace moac

#endif
