// Descriptions of scenarios, read and checked; see Scenario.h.
#include "ir/JsonReader.h"
#include "ir/Scenario.h"

#include <fmt/format.h>

using namespace moac;
using namespace moac::scenario;
using llvm::StringRef;
namespace json = llvm::json;

namespace {
using Value = json::Value;

class ScenarioReader {
public:
  explicit ScenarioReader(JsonReader &reader) : reader(reader) {}

  void read(const Value &value, Scenario &to) {
    reader.members(value, "",
                   {{"name", true}, {"part", false}, {"whole", false}, {"unit", false}, {"decimals", false}, {"baseline", true},
                    {"before", false}, {"candidates", true}, {"gates", false}, {"end_to_end", false}},
                   [&](StringRef key, const Value &v, const std::string &at) {
                     key == "name"         ? reader.read(v, at, to.name)
                     : key == "part"       ? reader.read(v, at, to.part)
                     : key == "whole"      ? reader.read(v, at, to.whole)
                     : key == "unit"       ? reader.read(v, at, to.unit)
                     : key == "decimals"   ? decimals(v, at, to.decimals)
                     : key == "baseline"   ? read(v, at, to.baseline)
                     : key == "before"     ? read(v, at, to.before.emplace())
                     : key == "candidates" ? list(v, at, to.candidates)
                     : key == "gates"      ? list(v, at, to.gates)
                                           : read(v, at, to.endToEnd.emplace());
                   });
  }

private:
  template <class T> void list(const Value &value, const std::string &path, std::vector<T> &to) {
    reader.elements(value, path, [&](const Value &v, const std::string &at) { read(v, at, to.emplace_back()); });
  }

  void decimals(const Value &value, const std::string &path, int64_t &to) {
    if (auto number = value.getAsInteger(); number && *number >= 0 && *number <= 9)
      to = *number;
    else
      reader.expected(path, "an integer from 0 to 9", value);
  }

  /// A number, or [low, high].
  void read(const Value &value, const std::string &path, Range &to) {
    const json::Array *ends = value.getAsArray();
    if (ends && ends->size() == 2) {
      reader.read((*ends)[0], path + "[0]", to.low), reader.read((*ends)[1], path + "[1]", to.high);
      if (to.low > to.high)
        reader.expected(path, "the lower end first", value);
    } else if (value.getAsNumber()) {
      reader.read(value, path, to.low), to.high = to.low;
    } else {
      reader.expected(path, "a number, or [low, high]", value);
    }
  }

  void share(const Value &value, const std::string &path, Range &to) {
    read(value, path, to);
    if (to.high > 1)
      reader.expected(path, "a share from 0 to 1", value);
  }

  void read(const Value &value, const std::string &path, Claims &to) {
    const json::Object *object = value.getAsObject();
    if (!object)
      return reader.expected(path, "an object of texts", value);
    for (const auto &[key, text] : *object)
      reader.read(text, path + "." + key.str(), to[key.str()]);
  }

  void read(const Value &value, const std::string &path, std::pair<std::string, double> &to) {
    reader.members(value, path, {{"name", true}, {"value", true}}, [&](StringRef key, const Value &v, const std::string &at) {
      key == "name" ? reader.read(v, at, to.first) : reader.read(v, at, to.second);
    });
  }

  void read(const Value &value, const std::string &path, Resources &to) {
    reader.members(value, path, {{"threads", true}, {"registers", false}, {"registers_per_thread", false}, {"shared", true}},
                   [&](StringRef key, const Value &v, const std::string &at) {
                     if (key == "threads")
                       return reader.read(v, at, to.threads);
                     if (key == "registers_per_thread")
                       to.perThread = true;
                     read(v, at, key == "shared" ? to.shared : to.registers);
                   });
    if (const json::Object *object = value.getAsObject(); object && !object->get("registers") == !object->get("registers_per_thread"))
      reader.complain(path, "one of registers (of a block) and registers_per_thread is needed");
  }

  void read(const Value &value, const std::string &path, Baseline &to) {
    reader.members(value, path, {{"time", true}, {"idle", true}, {"resources", false}, {"measured", false}, {"claims", false}},
                   [&](StringRef key, const Value &v, const std::string &at) {
                     Range idle;
                     key == "time"        ? reader.read(v, at, to.time)
                     : key == "idle"      ? share(v, at, idle)
                     : key == "resources" ? read(v, at, to.resources.emplace())
                     : key == "measured"  ? list(v, at, to.measured)
                                          : read(v, at, to.claims);
                     if (key == "idle")
                       to.idle = idle.low;
                   });
  }

  void read(const Value &value, const std::string &path, Before &to) {
    reader.members(value, path, {{"pieces", false}, {"time", true}, {"claims", false}},
                   [&](StringRef key, const Value &v, const std::string &at) {
                     key == "pieces" ? list(v, at, to.pieces) : key == "time" ? read(v, at, to.time) : read(v, at, to.claims);
                   });
  }

  void facts(const Value &value, const std::string &path, std::map<std::string, double> &to) {
    const json::Object *object = value.getAsObject();
    if (!object)
      return reader.expected(path, "an object of numbers, true and false", value);
    for (const auto &[key, entry] : *object) {
      double &fact = to[key.str()];
      if (auto truth = entry.getAsBoolean())
        fact = *truth ? 1 : 0;
      else
        reader.read(entry, path + "." + key.str(), fact);
    }
  }

  void read(const Value &value, const std::string &path, Candidate &to) {
    reader.members(value, path,
                   {{"name", true}, {"resources", true}, {"recovered", true}, {"overhead", true}, {"unverified", false}, {"facts", false}, {"claims", false}},
                   [&](StringRef key, const Value &v, const std::string &at) {
                     key == "name"         ? reader.read(v, at, to.name)
                     : key == "resources"  ? read(v, at, to.resources)
                     : key == "recovered"  ? share(v, at, to.recovered)
                     : key == "overhead"   ? read(v, at, to.overhead)
                     : key == "unverified" ? reader.read(v, at, to.unverified)
                     : key == "facts"      ? facts(v, at, to.facts)
                                           : read(v, at, to.claims);
                   });
  }

  void read(const Value &value, const std::string &path, Gate &to) {
    unsigned limits = 0;
    reader.members(value, path,
                   {{"name", true}, {"quantity", true}, {"below", false}, {"at_most", false}, {"at_least", false}, {"is", false}, {"at_most_of_baseline", false}},
                   [&](StringRef key, const Value &v, const std::string &at) {
                     if (key == "name" || key == "quantity")
                       return reader.read(v, at, key == "name" ? to.name : to.quantity);
                     ++limits;
                     to.shareOfBaseline = key == "at_most_of_baseline";
                     to.relation = key == "below"      ? Gate::Relation::Below
                                   : key == "at_least" ? Gate::Relation::AtLeast
                                   : key == "is"       ? Gate::Relation::Is
                                                       : Gate::Relation::AtMost;
                     if (key != "is")
                       reader.read(v, at, to.limit);
                     else if (auto truth = v.getAsBoolean())
                       to.limit = *truth ? 1 : 0;
                     else
                       reader.expected(at, "true or false", v);
                   });
    if (limits != 1 && value.getAsObject())
      reader.complain(path, "one of below, at_most, at_least, is and at_most_of_baseline is needed");
  }

  void read(const Value &value, const std::string &path, EndToEnd::Speedup &to) {
    reader.members(value, path, {{"name", true}, {"speedup", true}, {"claims", false}},
                   [&](StringRef key, const Value &v, const std::string &at) {
                     key == "name" ? reader.read(v, at, to.name) : key == "speedup" ? reader.read(v, at, to.speedup) : read(v, at, to.claims);
                     if (key == "speedup" && v.getAsNumber() && to.speedup == 0)
                       reader.expected(at, "a positive number", v);
                   });
  }

  void read(const Value &value, const std::string &path, EndToEnd &to) {
    reader.members(value, path,
                   {{"unit", false}, {"total", true}, {"share", true}, {"speedups", true}, {"reference", false}, {"claims", false}},
                   [&](StringRef key, const Value &v, const std::string &at) {
                     key == "unit"        ? reader.read(v, at, to.unit)
                     : key == "total"     ? reader.read(v, at, to.total)
                     : key == "share"     ? reader.read(v, at, to.share)
                     : key == "speedups"  ? list(v, at, to.speedups)
                     : key == "reference" ? reader.read(v, at, to.reference)
                                          : read(v, at, to.claims);
                   });
    if (to.share > to.total)
      reader.complain(path + ".share", fmt::format("{} is more than the total {}", to.share, to.total));
  }

  JsonReader &reader;
};
} // namespace

ScenarioAnswer scenario::parseScenario(std::string_view text, const std::string &where) {
  JsonReader reader(where);
  Scenario scenario;
  if (std::optional<Value> value = reader.parse(text))
    ScenarioReader(reader).read(*value, scenario);
  return reader.errors.empty() ? ScenarioAnswer{scenario, ""} : ScenarioAnswer{std::nullopt, reader.errors};
}
