// Which definitions a Fortran module needs, in the order of the registry.
#include "emitters/FortranSupport.h"
#include "ir/Tuned.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace moac::emit {
namespace {

enum class Use { Always, WithRuntime, Standalone };

struct Definition {
  std::string_view name;
  std::string text;
  bool procedure;
  Use use;
};

std::vector<Definition> allDefinitions() {
  std::vector<Definition> all = {
#define DECLARATION(name, text) {#name, text, false, Use::Always},
#define PROCEDURE(name, text) {#name, text, true, Use::Always},
#define RUNTIME(name, text) {#name, text, false, Use::WithRuntime},
#define STANDALONE(name, text) {#name, text, false, Use::Standalone},
#include "emitters/FortranSupport.def"
  };
  struct Lane {
    std::string_view name, text;
  };
  static constexpr Lane lanes[] = {
#define SUPPORT(name, text) {#name, text},
#include "emitters/CLanes.def"
#undef SUPPORT
  };
  const size_t written = all.size();
  const auto known = [&](std::string_view name) {
    return std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(written),
                       [&](const Definition &one) { return one.name == name; });
  };
  for (const Lane &lane : lanes)
    if (isLaneFunction(lane.text) && !known(lane.name))
      all.push_back({lane.name, fortranFromLane(lane.text).value_or(""), true, Use::Always});
  return all;
}

const std::vector<Definition> &definitions() {
  static const std::vector<Definition> all = allDefinitions();
  return all;
}

std::string import(std::string_view module, const std::set<std::string> &names) {
  if (names.empty())
    return "";
  std::string text = fmt::format("  use, intrinsic :: {}, only:", module);
  size_t column = text.size();
  for (const std::string &name : names) {
    const bool first = text.back() == ':';
    if (column + name.size() > 96) {
      text += first ? " &\n    " : ", &\n    ";
      column = 4;
    } else {
      text += first ? " " : ", ";
      column += 2;
    }
    text += name;
    column += name.size();
  }
  return text + '\n';
}

/// The constants of ir/Tuned.def that a module mentions. What a compiler was told of its machine is
/// in compiler_options(); gfortran spells -march=native out.
std::string tunedText(const std::set<std::string> &words) {
  std::string text;
  for (const Tuned &tuned : tunedConstants)
    if (words.count(std::string(tuned.name)))
      text +=
          fmt::format("  ! {}.\n  integer(i64), parameter :: {} = &\n"
                      "    merge({}_i64, merge({}_i64, merge({}_i64, {}_i64, moac_avx), moac_avx512), moac_wide)\n",
                      tuned.what, tuned.name, tuned.values[3], tuned.values[2], tuned.values[1],
                      tuned.values[0]);
  if (text.empty())
    return "";
  return R"(  ! Sizes of register blocks for the vectors that the compiler was told of: -march=native and options
  ! like -mavx2 are seen. A compiler that keeps its options to itself gets the sizes for short vectors;
  ! for AVX set moac_avx, for AVX-512 moac_avx512 to .true. here. gfortran keeps to 256 of AVX-512's 512 bits without
  ! -mprefer-vector-width=512.
  logical, parameter :: moac_avx512 = index(compiler_options(), '-mavx512f') > 0 &
    .or. index(compiler_options(), '-march=x86-64-v4') > 0
  logical, parameter :: moac_avx = moac_avx512 .or. index(compiler_options(), '-mavx') > 0 &
    .or. index(compiler_options(), '-march=x86-64-v3') > 0
  logical, parameter :: moac_wide = moac_avx512 .and. index(compiler_options(), '-mprefer-vector-width=512') > 0
)" + text;
}

/// The words of `text` and of every definition that they bring along.
std::vector<bool> closure(std::set<std::string> &words, bool standalone) {
  const std::vector<Definition> &all = definitions();
  std::vector<bool> taken(all.size(), false);
  for (bool grew = true; grew;) {
    grew = false;
    for (size_t i = 0; i < all.size(); ++i) {
      const bool here = all[i].use == Use::Always || (all[i].use == Use::Standalone) == standalone;
      if (taken[i] || !here || !words.count(std::string(all[i].name)))
        continue;
      taken[i] = grew = true;
      words.merge(fortranWords(all[i].text));
    }
  }
  return taken;
}

} // namespace

std::set<std::string> fortranWords(std::string_view text) {
  const auto isWord = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  std::set<std::string> words;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '!' && text.substr(i, 2) != "!$") {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    size_t end = i;
    while (end < text.size() && isWord(text[end]))
      ++end;
    // The kind of a literal is a word too: 1.0_f32, .true._bool.
    const bool literal =
        end > i && (text[i] == '_' || std::isdigit(static_cast<unsigned char>(text[i])));
    const size_t from = literal ? std::min(text.find('_', i), end) + 1 : i;
    if (from < end)
      words.emplace(text.substr(from, end - from));
    i = std::max(end, i + 1);
  }
  return words;
}

FortranPrologue fortranPrologue(const std::set<std::string> &words, bool standalone,
                                std::string (*write)(const std::string &definition)) {
  FortranPrologue prologue;
  const std::string tuned = tunedText(words);
  std::set<std::string> needed = words;
  needed.merge(fortranWords(tuned));
  const std::vector<bool> taken = closure(needed, standalone);
  const std::vector<Definition> &all = definitions();
  for (size_t i = 0; i < all.size(); ++i)
    if (taken[i])
      (all[i].procedure ? prologue.procedures : prologue.declarations) +=
          (all[i].procedure && !prologue.procedures.empty() ? "\n" : "") +
          write(all[i].text.substr(all[i].text[0] == '\n'));
  prologue.declarations += tuned;
  std::set<std::string> binding;
  for (const std::string_view word :
       {"c_associated", "c_bool", "c_double", "c_f_pointer", "c_float", "c_int", "c_int16_t",
        "c_int32_t", "c_int64_t", "c_int8_t", "c_intptr_t", "c_loc", "c_null_ptr", "c_ptr",
        "c_size_t"})
    if (needed.count(std::string(word)))
      binding.emplace(word);
  prologue.imports = import("iso_c_binding", binding);
  if (needed.count("compiler_options"))
    prologue.imports += import("iso_fortran_env", {"compiler_options"});
  return prologue;
}

} // namespace moac::emit
