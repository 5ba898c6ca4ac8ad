// Costs for a reader and for programs.
#include "ir/Cost.h"
#include "ir/TextTable.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace moac;
using namespace moac::cost;

namespace {
std::string grouped(int64_t value) {
  std::string digits = std::to_string(value), out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0 && digits[i - 1] != '-')
      out += ' ';
    out += digits[i];
  }
  return out;
}

std::string bytesText(double bytes) {
  const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
  size_t unit = 0;
  for (; bytes >= 9999.5 && unit < 4; ++unit)
    bytes /= 1000;
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

/// A formula that a line holds; JSON has all of it.
std::string shortened(const std::string &formula) { return formula.size() <= 110 ? formula : formula.substr(0, 104) + " ..."; }

class Writer {
public:
  explicit Writer(const CostReport &report) : report(report), cost(report.cost), at(complete(report.sizes, cost.definitions)), numbers(!report.sizes.empty()) {}

  std::string text() const {
    std::string out = "kernel " + cost.kernel;
    for (const auto &[name, value] : report.sizes)
      out += fmt::format("{}{}={}", out.find('=') == out.npos ? " at " : ", ", name, value);
    out += "\n\noperations\n" + operations();
    for (const Definition &definition : cost.definitions)
      out += "  with " + definition.str() + "\n";
    out += "\narrays (elements)\n" + arrays();
    out += communication();
    out += levels();
    out += "\nscratch\n" + scratch();
    out += cost.notes.empty() ? "\nevery count is exact\n" : "\nupper bounds\n";
    for (const std::string &note : cost.notes)
      out += "  " + note + "\n";
    return out;
  }

private:
  std::string number(const Count &count) const {
    std::optional<int64_t> value = numbers ? count.evaluate(at) : std::nullopt;
    return value ? grouped(*value) : numbers ? "?" : "";
  }

  std::string operations() const {
    TextTable table;
    for (unsigned k = 0; k < kindCount; ++k)
      if (Count count = cost.byKind(static_cast<Kind>(k)); !count.isZero())
        table.row({kindWord(static_cast<Kind>(k)), number(count), shortened(count.str())});
    if (!cost.fusable.isZero())
      table.row({"  multiplies that can fuse", number(cost.fusable), shortened(cost.fusable.str())});
    table.row({"flops", number(cost.flops()), shortened(cost.flops().str())});
    if (!cost.atomics.isZero())
      table.row({"atomics", number(cost.atomics), cost.atomics.str()});
    return table.text();
  }

  std::string arrays() const {
    TextTable table;
    for (const ArrayCost &a : cost.arrays) {
      std::vector<std::string> what;
      for (auto [word, count] : {std::pair("loads", &a.loads), std::pair("stores", &a.stores), std::pair("updates", &a.updates)})
        if (!count->isZero())
          table.row({what.empty() ? a.array.name : "", a.array.type, word, number(*count), shortened(count->str())}), what.push_back(word);
      if (a.array.place == Place::Input || a.array.place == Place::Output)
        table.row({"", "", "bytes at least", number(Count(a.compulsoryBytes)), a.compulsoryBytes.str()});
    }
    return table.text();
  }

  /// What one processing element gives to the others.
  std::string communication() const {
    if (cost.processingElements.empty())
      return "";
    TextTable table;
    SentCost all;
    auto row = [&](const SentCost &sent) {
      table.row({sent.array, "messages", number(sent.messages), shortened(sent.messages.str())});
      table.row({"", "bytes", number(sent.bytes), shortened(sent.bytes.str())});
      table.row({"", "bytes by all", number(sent.bytesOfAll), shortened(sent.bytesOfAll.str())});
    };
    for (const SentCost &sent : cost.sent) {
      row(sent);
      all.messages = all.messages + sent.messages, all.bytes = all.bytes + sent.bytes, all.bytesOfAll = all.bytesOfAll + sent.bytesOfAll;
    }
    all.array = "together";
    if (cost.sent.size() != 1)
      row(all);
    table.row({"symmetric memory", "", number(Count(cost.symmetricBytes)), cost.symmetricBytes.str() + " B"});
    return "\nsent to the other processing elements by pe of " + cost.processingElements + "\n" + table.text();
  }

  std::string levels() const {
    if (!report.traffic)
      return "";
    std::string out = fmt::format("\nbytes between memory levels, model of {}\n", report.machine);
    TextTable table;
    for (const LevelTraffic &level : *report.traffic) {
      table.row({level.level + " and beyond", bytesText(level.total())});
      for (const LevelTraffic::OfArray &a : level.arrays)
        table.row({"  " + a.array, bytesText(a.bytes), shortened(a.formula)});
    }
    return out + table.text();
  }

  std::string scratch() const {
    TextTable table;
    for (auto [word, bytes] : {std::pair("one for the call", &cost.sharedBytes), std::pair("each thread, heap", &cost.threadBytes),
                               std::pair("each thread, stack", &cost.stackBytes)})
      table.row({word, number(Count(*bytes)), bytes->str() + " B"});
    return table.text();
  }

  const CostReport &report;
  const Cost &cost;
  const Sizes at;
  bool numbers;
};
} // namespace

std::string moac::cost::costText(const CostReport &report) { return Writer(report).text(); }

std::string moac::cost::costJson(const CostReport &report) {
  const Cost &cost = report.cost;
  std::string out;
  llvm::raw_string_ostream stream(out);
  llvm::json::OStream j(stream, 2);
  const Sizes at = complete(report.sizes, cost.definitions);
  auto count = [&](llvm::StringRef key, const Count &c) {
    j.attributeObject(key, [&] {
      j.attribute("formula", c.str());
      if (std::optional<int64_t> value = report.sizes.empty() ? std::nullopt : c.evaluate(at))
        j.attribute("value", *value);
    });
  };
  j.object([&] {
    j.attribute("kernel", cost.kernel);
    j.attribute("exact", cost.notes.empty());
    j.attributeArray("notes", [&] {
      for (const std::string &note : cost.notes)
        j.value(note);
    });
    j.attributeObject("sizes", [&] {
      for (const auto &[name, value] : report.sizes)
        j.attribute(name, value);
    });
    j.attributeObject("operations", [&] {
      for (const auto &[name, c] : cost.operations)
        count(name, c);
    });
    j.attributeObject("kinds", [&] {
      for (unsigned k = 0; k < kindCount; ++k)
        count(kindWord(static_cast<Kind>(k)), cost.byKind(static_cast<Kind>(k)));
    });
    count("fusable", cost.fusable), count("flops", cost.flops()), count("atomics", cost.atomics);
    j.attributeArray("arrays", [&] {
      for (const ArrayCost &a : cost.arrays)
        j.object([&] {
          j.attribute("name", a.array.name), j.attribute("type", a.array.type);
          count("loads", a.loads), count("stores", a.stores), count("updates", a.updates);
          count("compulsory_bytes", Count(a.compulsoryBytes));
        });
    });
    count("compulsory_bytes", Count(cost.compulsoryBytes()));
    j.attributeObject("scratch", [&] {
      count("call", Count(cost.sharedBytes)), count("thread", Count(cost.threadBytes)), count("stack", Count(cost.stackBytes));
    });
    if (!cost.processingElements.empty())
      j.attributeObject("sent", [&] {
        for (const SentCost &sent : cost.sent)
          j.attributeObject(sent.array, [&] {
            count("messages", sent.messages), count("bytes", sent.bytes), count("bytes_of_all", sent.bytesOfAll);
          });
        count("symmetric_bytes", Count(cost.symmetricBytes));
      });
    if (!report.traffic)
      return;
    j.attribute("machine", report.machine);
    j.attributeArray("levels", [&] {
      for (const LevelTraffic &level : *report.traffic)
        j.object([&] {
          j.attribute("level", level.level), j.attribute("bytes", level.total());
          j.attributeObject("arrays", [&] {
            for (const LevelTraffic::OfArray &a : level.arrays)
              j.attributeObject(a.array, [&] { j.attribute("bytes", a.bytes), j.attribute("formula", a.formula); });
          });
        });
    });
  });
  return out + "\n";
}
