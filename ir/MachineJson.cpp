// Machine descriptions as JSON. LLVM's library parses; what is checked here is meaning: every key is known, every value
// has its type and range, nothing needed is missing. All complaints of a file are given, each with its key path:
//
//     zen4.json: memories[1].line: expected a positive integer, found "64 B"
#include "ir/JsonReader.h"
#include "ir/Machine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace moac;
namespace json = llvm::json;

namespace {
void read(JsonReader &reader, const json::Value &value, const std::string &path, MachineAxis &to) {
  reader.members(value, path, {{"name", true}, {"extent", true}}, [&](llvm::StringRef key, const json::Value &v, const std::string &at) {
    key == "name" ? reader.read(v, at, to.name) : reader.read(v, at, to.extent);
  });
}

void read(JsonReader &reader, const json::Value &value, const std::string &path, MachineMemory &to) {
  reader.members(value, path,
                 {{"name", true}, {"bytes", true}, {"line", false}, {"shared_by", false}, {"unit", false}, {"reserved", false}, {"bytes_per_second", false}},
                 [&](llvm::StringRef key, const json::Value &v, const std::string &at) {
                   key == "name"        ? reader.read(v, at, to.name)
                   : key == "bytes"     ? reader.read(v, at, to.bytes)
                   : key == "line"      ? reader.read(v, at, to.line)
                   : key == "shared_by" ? reader.read(v, at, to.sharedBy)
                   : key == "unit"      ? reader.read(v, at, to.unit)
                   : key == "reserved"  ? reader.read(v, at, to.reserved)
                                        : reader.read(v, at, to.bytesPerSecond);
                 });
}

void read(JsonReader &reader, const json::Value &value, const std::string &path, MachineVector &to) {
  reader.members(value, path, {{"bytes", true}, {"registers", true}, {"ports", false}, {"latency", false}, {"isa", false}},
                 [&](llvm::StringRef key, const json::Value &v, const std::string &at) {
                   key == "bytes"       ? reader.read(v, at, to.bytes)
                   : key == "registers" ? reader.read(v, at, to.registers)
                   : key == "ports"     ? reader.read(v, at, to.ports)
                   : key == "latency"   ? reader.read(v, at, to.latency)
                                        : reader.read(v, at, to.isa);
                 });
}

template <class T> void readList(JsonReader &reader, const json::Value &value, const std::string &path, std::vector<T> &to) {
  reader.elements(value, path, [&](const json::Value &v, const std::string &at) { read(reader, v, at, to.emplace_back()); });
}

void readMachine(JsonReader &reader, const json::Value &value, Machine &m) {
  reader.members(value, "",
                 {{"name", true}, {"kind", true}, {"axes", true}, {"vector", true}, {"memories", true}, {"rates", false}, {"costs", false}},
                 [&](llvm::StringRef key, const json::Value &v, const std::string &at) {
                   key == "name"       ? reader.read(v, at, m.name)
                   : key == "kind"     ? reader.read(v, at, m.kind)
                   : key == "axes"     ? readList(reader, v, at, m.axes)
                   : key == "vector"   ? read(reader, v, at, m.vector)
                   : key == "memories" ? readList(reader, v, at, m.memories)
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
  JsonReader reader(where);
  Machine machine;
  if (std::optional<json::Value> value = reader.parse(text))
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
          if (level.unit > 1)
            j.attribute("unit", level.unit);
          if (level.reserved > 0)
            j.attribute("reserved", level.reserved);
          if (level.bytesPerSecond > 0)
            j.attribute("bytes_per_second", level.bytesPerSecond);
        });
    });
    numbers("rates", m.rates);
    numbers("costs", m.costs);
  });
  return out + "\n";
}
