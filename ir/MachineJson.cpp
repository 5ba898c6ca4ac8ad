// Machine descriptions as JSON. LLVM's library parses; what is checked here is meaning: every key is known, every value
// has its type and range, nothing needed is missing. All complaints of a file are given, each with its key path:
//
//     zen4.json: memories[1].line: expected a positive integer, found "64 B"
#include "ir/Machine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <cmath>

using namespace moac;
namespace json = llvm::json;

namespace {
std::string found(const json::Value &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text.size() > 40 ? text.substr(0, 37) + "..." : text;
}

/// Reads values and collects complaints.
class Reader {
public:
  explicit Reader(std::string where) : where(std::move(where)) {}

  void complain(const std::string &path, const std::string &what) {
    errors += fmt::format("{}: {}{}{}\n", where, path, path.empty() ? "" : ": ", what);
  }
  void expected(const std::string &path, const char *what, const json::Value &value) {
    complain(path, fmt::format("expected {}, found {}", what, found(value)));
  }

  void read(const json::Value &value, const std::string &path, std::string &to) {
    if (auto text = value.getAsString(); text && !text->empty())
      to = text->str();
    else
      expected(path, "a non-empty string", value);
  }
  void read(const json::Value &value, const std::string &path, int64_t &to) {
    if (auto number = value.getAsInteger(); number && *number > 0)
      to = *number;
    else
      expected(path, "a positive integer", value);
  }
  void read(const json::Value &value, const std::string &path, double &to) {
    if (auto number = value.getAsNumber(); number && *number >= 0 && std::isfinite(*number))
      to = *number;
    else
      expected(path, "a number that is not negative", value);
  }
  void read(const json::Value &value, const std::string &path, std::map<std::string, double> &to) {
    const json::Object *object = value.getAsObject();
    if (!object)
      return expected(path, "an object of numbers", value);
    for (const auto &[key, entry] : *object)
      read(entry, path + "." + key.str(), to[key.str()]);
  }
  void read(const json::Value &value, const std::string &path, MachineAxis &to) {
    members(value, path, {{"name", true}, {"extent", true}}, [&](llvm::StringRef key, const json::Value &v, const std::string &at) {
      key == "name" ? read(v, at, to.name) : read(v, at, to.extent);
    });
  }
  void read(const json::Value &value, const std::string &path, MachineMemory &to) {
    members(value, path,
            {{"name", true}, {"bytes", true}, {"line", false}, {"shared_by", false}, {"bytes_per_second", false}},
            [&](llvm::StringRef key, const json::Value &v, const std::string &at) {
              key == "name"        ? read(v, at, to.name)
              : key == "bytes"     ? read(v, at, to.bytes)
              : key == "line"      ? read(v, at, to.line)
              : key == "shared_by" ? read(v, at, to.sharedBy)
                                   : read(v, at, to.bytesPerSecond);
            });
  }
  void read(const json::Value &value, const std::string &path, MachineVector &to) {
    members(value, path,
            {{"bytes", true}, {"registers", true}, {"ports", false}, {"latency", false}, {"isa", false}},
            [&](llvm::StringRef key, const json::Value &v, const std::string &at) {
              key == "bytes"       ? read(v, at, to.bytes)
              : key == "registers" ? read(v, at, to.registers)
              : key == "ports"     ? read(v, at, to.ports)
              : key == "latency"   ? read(v, at, to.latency)
                                   : read(v, at, to.isa);
            });
  }
  template <class T> void read(const json::Value &value, const std::string &path, std::vector<T> &to) {
    const json::Array *array = value.getAsArray();
    if (!array || array->empty())
      return expected(path, "a non-empty array", value);
    for (size_t i = 0; i < array->size(); ++i)
      read((*array)[i], fmt::format("{}[{}]", path, i), to.emplace_back());
  }

  struct Key {
    llvm::StringRef name;
    bool needed;
  };
  /// Visits the members of an object in the order of `keys`; complains of others and of missing ones.
  template <class Visit> void members(const json::Value &value, const std::string &path, std::vector<Key> keys, Visit visit) {
    const json::Object *object = value.getAsObject();
    if (!object)
      return expected(path, "an object", value);
    auto at = [&](llvm::StringRef key) { return path.empty() ? key.str() : path + "." + key.str(); };
    for (const Key &key : keys) {
      if (const json::Value *member = object->get(key.name))
        visit(key.name, *member, at(key.name));
      else if (key.needed)
        complain(at(key.name), "missing");
    }
    for (const auto &[key, entry] : *object) {
      llvm::StringRef name = key;
      if (!llvm::is_contained(llvm::map_range(keys, [](const Key &k) { return k.name; }), name))
        complain(at(name), "unknown key; known here: " + known(keys));
    }
  }

  std::string errors;

private:
  static std::string known(const std::vector<Key> &keys) {
    std::string names;
    for (const Key &key : keys)
      names += (names.empty() ? "" : ", ") + key.name.str();
    return names;
  }
  std::string where;
};

void readMachine(Reader &reader, const json::Value &value, Machine &m) {
  reader.members(value, "",
                 {{"name", true}, {"kind", true}, {"axes", true}, {"vector", true}, {"memories", true}, {"rates", false}, {"costs", false}},
                 [&](llvm::StringRef key, const json::Value &v, const std::string &at) {
                   key == "name"       ? reader.read(v, at, m.name)
                   : key == "kind"     ? reader.read(v, at, m.kind)
                   : key == "axes"     ? reader.read(v, at, m.axes)
                   : key == "vector"   ? reader.read(v, at, m.vector)
                   : key == "memories" ? reader.read(v, at, m.memories)
                   : key == "rates"    ? reader.read(v, at, m.rates)
                                       : reader.read(v, at, m.costs);
                 });
  if (!reader.errors.empty())
    return;
  if (m.kind != "cpu" && m.kind != "gpu")
    reader.complain("kind", fmt::format("expected \"cpu\" or \"gpu\", found \"{}\"", m.kind));
  else if (const char *unit = m.kind == "gpu" ? "sm" : "core"; llvm::none_of(m.axes, [&](const MachineAxis &a) { return a.name == unit; }))
    reader.complain("axes", fmt::format("a {} needs an axis \"{}\"", m.kind, unit));
  for (size_t i = 1; i < m.memories.size(); ++i)
    if (m.memories[i].bytes < m.memories[i - 1].bytes && m.kind == "cpu")
      reader.complain(fmt::format("memories[{}].bytes", i), "smaller than the level before; levels go from the nearest outwards");
}
} // namespace

MachineAnswer moac::parseMachine(std::string_view text, const std::string &where) {
  llvm::Expected<json::Value> value = json::parse(llvm::StringRef(text.data(), text.size()));
  if (!value)
    return {std::nullopt, fmt::format("{}: not JSON: {}\n", where, llvm::toString(value.takeError()))};
  Reader reader(where);
  Machine machine;
  readMachine(reader, *value, machine);
  if (!reader.errors.empty())
    return {std::nullopt, reader.errors};
  return {machine, ""};
}

MachineAnswer moac::loadMachine(const std::string &name, const std::vector<std::string> &folders) {
  std::vector<std::string> candidates = {name};
  if (!llvm::StringRef(name).contains('/'))
    for (const std::string &folder : folders)
      candidates.push_back(folder + "/" + name + ".json");
  for (const std::string &candidate : candidates) {
    if (llvm::sys::fs::is_directory(candidate))
      continue;
    if (auto buffer = llvm::MemoryBuffer::getFile(candidate))
      return parseMachine({(*buffer)->getBufferStart(), (*buffer)->getBufferSize()}, candidate);
  }
  std::string tried;
  for (const std::string &candidate : candidates)
    tried += (tried.empty() ? "" : ", ") + candidate;
  return {std::nullopt, fmt::format("no machine '{}' (tried {})\n", name, tried)};
}

std::string moac::machineJson(const Machine &m) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  json::OStream j(stream, 2);
  auto numbers = [&](const char *key, const std::map<std::string, double> &values) {
    if (!values.empty())
      j.attributeObject(key, [&] {
        for (const auto &[name, value] : values)
          j.attribute(name, value);
      });
  };
  j.object([&] {
    j.attribute("name", m.name), j.attribute("kind", m.kind);
    j.attributeArray("axes", [&] {
      for (const MachineAxis &axis : m.axes)
        j.object([&] { j.attribute("name", axis.name), j.attribute("extent", axis.extent); });
    });
    j.attributeObject("vector", [&] {
      j.attribute("bytes", m.vector.bytes), j.attribute("registers", m.vector.registers);
      j.attribute("ports", m.vector.ports), j.attribute("latency", m.vector.latency);
      if (!m.vector.isa.empty())
        j.attribute("isa", m.vector.isa);
    });
    j.attributeArray("memories", [&] {
      for (const MachineMemory &level : m.memories)
        j.object([&] {
          j.attribute("name", level.name), j.attribute("bytes", level.bytes);
          j.attribute("line", level.line), j.attribute("shared_by", level.sharedBy);
          if (level.bytesPerSecond > 0)
            j.attribute("bytes_per_second", level.bytesPerSecond);
        });
    });
    numbers("rates", m.rates);
    numbers("costs", m.costs);
  });
  return out + "\n";
}
