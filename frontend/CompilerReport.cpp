// Reading .su files and assembly; see CompilerReport.h.
#include "frontend/CompilerReport.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <vector>

using namespace moac;
using llvm::StringRef;

namespace {
/// "kernels.c:12:5:matmul<TAB>704<TAB>dynamic,bounded"
void readStack(StringRef text, CompilerReport &report) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    llvm::SmallVector<StringRef> columns;
    line.split(columns, '\t');
    int64_t bytes = 0;
    if (columns.size() < 3 || columns[1].trim().getAsInteger(10, bytes))
      continue;
    report.dynamicStack |= columns[2].starts_with("dynamic") && !columns[2].contains("bounded");
    if (bytes >= report.stackBytes)
      report.stackBytes = bytes, report.function = columns[0].rsplit(':').second.str();
  }
}

struct Line {
  StringRef mnemonic, operands;
};

/// Of a loop that is worth looking at: others copy.
constexpr int64_t leastOperations = 2;

bool isVector(StringRef operands) { return operands.contains("%xmm") || operands.contains("%ymm") || operands.contains("%zmm"); }
/// Products: loops without any are those that move sums to where they belong.
bool isProduct(StringRef mnemonic) { return mnemonic.contains("mul") || mnemonic.contains("madd") || mnemonic.contains("msub"); }
bool onStack(StringRef operands) { return operands.contains("(%rsp") || operands.contains("(%rbp"); }

/// Loops that hold no other: from a label to the last jump back to it.
class Loops {
public:
  explicit Loops(StringRef assembly) {
    llvm::StringMap<size_t> labels;
    while (!assembly.empty()) {
      auto [line, rest] = assembly.split('\n');
      assembly = rest;
      line = line.split('#').first.trim();
      if (line.ends_with(":")) {
        labels[line.drop_back()] = lines.size();
        continue;
      }
      if (line.empty() || line.starts_with("."))
        continue;
      auto [mnemonic, operands] = line.split('\t');
      if (operands.empty())
        std::tie(mnemonic, operands) = line.split(' ');
      lines.push_back({mnemonic.trim(), operands.trim()});
      auto target = labels.find(lines.back().operands);
      if (mnemonic.starts_with("j") && target != labels.end())
        note(target->second, lines.size());
    }
  }

  template <class Visit> void eachInnermost(Visit visit) const {
    for (auto [begin, end] : loops)
      if (std::ranges::none_of(loops, [&](const auto &other) { return other != std::pair(begin, end) && other.first >= begin && other.second <= end; }))
        visit(llvm::ArrayRef(lines).slice(begin, end - begin));
  }

private:
  void note(size_t begin, size_t end) {
    auto same = std::ranges::find(loops, begin, &std::pair<size_t, size_t>::first);
    if (same == loops.end())
      loops.emplace_back(begin, end);
    else
      same->second = end;
  }

  std::vector<Line> lines;
  std::vector<std::pair<size_t, size_t>> loops;
};

void readLoops(StringRef assembly, CompilerReport &report) {
  if (!assembly.contains("%rsp"))
    return;
  report.spills = 0;
  Loops(assembly).eachInnermost([&](llvm::ArrayRef<Line> loop) {
    int64_t spills = 0, operations = 0;
    for (const Line &line : loop)
      if (isVector(line.operands)) {
        spills += line.mnemonic.contains("mov") && onStack(line.operands);
        operations += isProduct(line.mnemonic);
      }
    if (operations >= leastOperations && spills >= *report.spills)
      report.spills = spills, report.vectorOperations = operations;
  });
}
} // namespace

CompilerReport moac::readCompilerReport(std::string_view stackUsage, std::string_view assembly) {
  CompilerReport report;
  readStack({stackUsage.data(), stackUsage.size()}, report);
  readLoops({assembly.data(), assembly.size()}, report);
  return report;
}
