// A reader for lines of cases; see CaseFile.h.
#include "tests/cases/CaseFile.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace moac;
using namespace moac::property;

namespace {
std::vector<std::string> split(const std::string &text, const std::string &separator) {
  std::vector<std::string> parts;
  size_t start = 0;
  for (size_t at; (at = text.find(separator, start)) != std::string::npos;
       start = at + separator.size())
    parts.push_back(text.substr(start, at - start));
  parts.push_back(text.substr(start));
  return parts;
}

std::vector<std::string> words(const std::string &text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;)
    result.push_back(word);
  return result;
}

std::optional<long double> number(const std::string &text) {
  char *end = nullptr;
  const long double value = std::strtold(text.c_str(), &end);
  return text.empty() || *end ? std::nullopt : std::optional(value);
}

Case parse(const std::string &text, unsigned line) {
  Case made;
  made.line = line;
  const std::vector<std::string> fields = split(text + " ", " : ");
  const std::vector<std::string> head = words(fields[0]);
  for (size_t i = 1; i < head.size(); ++i) {
    const std::vector<std::string> size = split(head[i], "=");
    if (size.size() != 2 || !number(size[1]))
      return made;
    made.sizes[size[0]] = static_cast<int64_t>(*number(size[1]));
  }
  for (size_t i = 1; i < fields.size(); ++i) {
    const size_t sign = fields[i].find_first_of("=~");
    const std::vector<std::string> name = words(fields[i].substr(0, sign));
    if (sign == std::string::npos || name.size() != 1)
      return made;
    made.fields[name[0]] = {fields[i].substr(sign + 1), fields[i][sign] == '~'};
  }
  if (!head.empty())
    made.kernel = head[0];
  return made;
}
} // namespace

bool Case::exact() const {
  return std::ranges::none_of(fields, [](const auto &field) {
    return field.second.approximate || field.second.text.find("gauss") != std::string::npos;
  });
}

std::vector<Case> moac::property::readCases(const std::string &path) {
  std::ifstream file(path);
  std::vector<Case> cases;
  unsigned number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.starts_with("#>"))
      cases.push_back(parse(line.substr(2), number));
  }
  return cases;
}

std::optional<HostArray> moac::property::valuesOf(const CaseField &field, ElementType type,
                                                  const HostShape &shape) {
  const std::vector<std::string> given = words(field.text);
  HostArray array(type, shape);
  const std::string how = given.empty() ? "" : given[0];
  if (how == "gauss") {
    Random random(static_cast<uint64_t>(array.size()) + 1);
    return randomArray(type, shape, DataKind::Gaussian, random);
  }
  const bool listed = how != "iota" && how != "fill" && how != "mod";
  if (listed && static_cast<int64_t>(given.size()) != array.size())
    return std::nullopt;
  for (int64_t i = 0; i < array.size(); ++i) {
    const std::optional<long double> value =
        how == "iota" ? static_cast<long double>(i)
                      : number(given[listed ? static_cast<size_t>(i) : 1]);
    if (!value)
      return std::nullopt;
    array.set(i,
              how == "mod" ? static_cast<long double>(i % static_cast<int64_t>(*value)) : *value);
  }
  return array;
}
