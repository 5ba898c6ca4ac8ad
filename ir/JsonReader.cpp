// Checked reading of JSON; see JsonReader.h.
#include "ir/JsonReader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <cmath>

using namespace moac;
namespace json = llvm::json;

std::optional<json::Value> JsonReader::parse(std::string_view text) {
  llvm::Expected<json::Value> value = json::parse(llvm::StringRef(text.data(), text.size()));
  if (value)
    return std::move(*value);
  complain("", "not JSON: " + llvm::toString(value.takeError()));
  return std::nullopt;
}

void JsonReader::complain(const std::string &path, const std::string &what) {
  errors += fmt::format("{}: {}{}{}\n", where, path, path.empty() ? "" : ": ", what);
}

void JsonReader::expected(const std::string &path, const char *what, const Value &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  if (text.size() > 40)
    text = text.substr(0, 37) + "...";
  complain(path, fmt::format("expected {}, found {}", what, text));
}

void JsonReader::read(const Value &value, const std::string &path, std::string &to) {
  if (auto text = value.getAsString(); text && !text->empty())
    to = text->str();
  else
    expected(path, "a non-empty string", value);
}

void JsonReader::read(const Value &value, const std::string &path, int64_t &to) {
  if (auto number = value.getAsInteger(); number && *number > 0)
    to = *number;
  else
    expected(path, "a positive integer", value);
}

void JsonReader::read(const Value &value, const std::string &path, double &to) {
  if (auto number = value.getAsNumber(); number && *number >= 0 && std::isfinite(*number))
    to = *number;
  else
    expected(path, "a number that is not negative", value);
}

void JsonReader::read(const Value &value, const std::string &path, std::map<std::string, double> &to) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return expected(path, "an object of numbers", value);
  for (const auto &[key, entry] : *object)
    read(entry, path + "." + key.str(), to[key.str()]);
}

void JsonReader::members(const Value &value, const std::string &path, const std::vector<Key> &keys,
                         llvm::function_ref<void(llvm::StringRef, const Value &, const std::string &)> visit) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return expected(path, "an object", value);
  auto at = [&](llvm::StringRef key) { return path.empty() ? key.str() : path + "." + key.str(); };
  std::string known;
  for (const Key &key : keys) {
    known += (known.empty() ? "" : ", ") + key.name.str();
    if (const Value *member = object->get(key.name))
      visit(key.name, *member, at(key.name));
    else if (key.needed)
      complain(at(key.name), "missing");
  }
  for (const auto &[key, entry] : *object) {
    llvm::StringRef name = key;
    if (llvm::none_of(keys, [&](const Key &k) { return k.name == name; }))
      complain(at(name), "unknown key; known here: " + known);
  }
}

void JsonReader::elements(const Value &value, const std::string &path,
                          llvm::function_ref<void(const Value &, const std::string &)> visit) {
  const json::Array *array = value.getAsArray();
  if (!array || array->empty())
    return expected(path, "a non-empty array", value);
  for (size_t i = 0; i < array->size(); ++i)
    visit((*array)[i], fmt::format("{}[{}]", path, i));
}
