// Which support functions and headers a C file needs.
#include "emitters/CSupport.h"
#include "ir/Tuned.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>

namespace moac::emit {

const std::vector<Support> &cSupport() {
  static const std::vector<Support> all = {
#define SUPPORT(name, text) {#name, false, text},
#define SUPPORT_STANDALONE(name, text) {#name, true, text},
#include "emitters/CSupport.def"
  };
  return all;
}

namespace {

/// The standard header that declares a word which emitted code may use.
const std::map<std::string_view, std::string_view> &headerOf() {
  static const std::map<std::string_view, std::string_view> headers = [] {
    std::map<std::string_view, std::string_view> out;
    for (std::string_view word :
         {"int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
          "uintptr_t", "INT32_MIN", "INT32_MAX", "INT64_MIN", "INT64_MAX", "UINT32_MAX",
          "UINT64_MAX", "INT64_C", "UINT64_C", "SIZE_MAX", "PTRDIFF_MAX"})
      out.emplace(word, "<stdint.h>");
    for (std::string_view word : {"bool", "true", "false"})
      out.emplace(word, "<stdbool.h>");
    for (std::string_view word : {"size_t", "NULL"})
      out.emplace(word, "<stddef.h>");
    for (std::string_view word : {"malloc", "free"})
      out.emplace(word, "<stdlib.h>");
    out.emplace("memcpy", "<string.h>");
    for (std::string_view word : {"moac_shmem_n_pes", "moac_shmem_barrier", "moac_shmem_align"})
      out.emplace(word, "\"moac_shmem.h\"");
    for (std::string_view word :
         {"INFINITY", "NAN",   "fabs", "fabsf", "floor", "floorf", "ceil", "ceilf",
          "rint",     "rintf", "exp",  "expf",  "exp2",  "exp2f",  "log",  "logf",
          "log2",     "log2f", "sqrt", "sqrtf", "tanh",  "tanhf",  "erf",  "erff",
          "sin",      "sinf",  "cos",  "cosf",  "pow",  "powf",  "fma",  "fmaf",
          "copysign", "copysignf"})
      out.emplace(word, "<math.h>");
    return out;
  }();
  return headers;
}

} // namespace

std::set<std::string> cWords(std::string_view text) {
  const auto isWord = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  std::set<std::string> words;
  for (size_t i = 0; i < text.size();) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    size_t end = i;
    while (end < text.size() && isWord(text[end]))
      ++end;
    if (end > i)
      words.emplace(text.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  return words;
}

namespace {

/// One #if for all of the tuned constants that a file mentions.
std::string tunedText(const std::set<std::string> &words) {
  std::vector<Tuned> used;
  for (const Tuned &tuned : tunedConstants)
    if (words.count(std::string(tuned.name)))
      used.push_back(tuned);
  if (used.empty())
    return "";
  std::string text = "\n";
  for (const Tuned &tuned : used)
    text += fmt::format("// {}: {}.\n", tuned.name, tuned.what);
  constexpr const char *conditions[] = {"#else", "#elif defined(__AVX__)",
                                        "#elif defined(__AVX512F__)",
                                        "#if defined(__AVX512F__) && defined(__GNUC__)"};
  for (size_t width = 4; width-- > 0;) {
    text += std::string(conditions[width]) + "\nenum { ";
    for (const Tuned &tuned : used)
      text += fmt::format("{}{} = {}", tuned.name == used[0].name ? "" : ", ", tuned.name,
                          tuned.values[width]);
    text += " };\n";
  }
  return text + "#endif\n";
}

} // namespace

Prologue cPrologue(const std::set<std::string> &words, bool standalone) {
  std::set<std::string> needed = words;
  const std::vector<Support> &all = cSupport();
  std::vector<bool> taken(all.size(), false);
  for (size_t i = all.size(); i-- > 0;) { // users stand after what they use
    if (!needed.count(std::string(all[i].name)) || (all[i].standalone && !standalone))
      continue;
    taken[i] = true;
    needed.merge(cWords(all[i].text));
  }
  Prologue prologue;
  prologue.tuned = tunedText(words);
  std::set<std::string> headers;
  for (const std::string &word : needed)
    if (auto found = headerOf().find(word); found != headerOf().end())
      headers.emplace(found->second);
  prologue.headers.assign(headers.begin(), headers.end());
  for (size_t i = 0; i < all.size(); ++i)
    if (taken[i])
      prologue.definitions.push_back(all[i].text);
  return prologue;
}

} // namespace moac::emit
