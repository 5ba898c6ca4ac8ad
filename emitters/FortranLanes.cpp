// The functions of CLanes.def in Fortran, so that both languages take the same steps.
//
// Those functions are straight-line code in a small C: declarations, assignments, one choice with
// `?:` in each, bits by memcpy and a shift, a return. Each line has one Fortran line; numbers are printed
// again in decimal, with the kind of their suffix. A line of another form is refused, which a test
// notices before a user does. Fortran has no word for inlining: `declare simd` keeps the loops that
// call such a function on vector lanes where a compiler finds it too long to be inlined.
#include "emitters/FortranSupport.h"
#include "emitters/Printer.h"

#include <cctype>
#include <cstdlib>
#include <map>
#include <regex>

namespace moac::emit {
namespace {

std::string fortranType(const std::string &type) {
  static const std::map<std::string, std::string> types = {
      {"float", "real(f32)"},       {"double", "real(f64)"},     {"int32_t", "integer(i32)"},
      {"uint32_t", "integer(i32)"}, {"int64_t", "integer(i64)"}, {"uint64_t", "integer(i64)"}};
  const auto found = types.find(type);
  return found == types.end() ? "" : found->second;
}

class LaneTranslator {
public:
  std::optional<std::string> translate(std::string_view text) {
    std::string line;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      if (!statements(std::string(text.substr(at, end - at))))
        return std::nullopt;
      at = end + 1;
    }
    if (!known)
      return std::nullopt;
    return comments + head + declarations + body + "  end function\n";
  }

private:
  /// A line; a function on one line is its head, its statement and its end.
  bool statements(const std::string &line) {
    static const std::regex oneLine(R"((.*\{) (.*;) \})");
    std::smatch parts;
    if (std::regex_match(line, parts, oneLine))
      return statement(parts[1]) && statement(parts[2]) && statement("}");
    return statement(line);
  }

  bool statement(const std::string &line) {
    static const std::regex comment(R"(\s*// (.*))"),
        opening(R"(static inline (\w+) (\w+)\((.*)\) \{)"),
        copy(R"(\s*memcpy\(&(\w+), &(\w+), sizeof \w+\);)"), shift(R"(\s*(\w+) <<= (\d+);)"),
        answer(R"(\s*return (.*);)"),
        empty(R"(\s*(\w+) (\w+);)"), declared(R"(\s*(?:const )?(\w+) (\w+) = (.*);)"),
        assigned(R"(\s*(\w+) = (.*);)");
    std::smatch parts;
    const auto is = [&](const std::regex &form) { return std::regex_match(line, parts, form); };
    if (line.empty() || line == "}")
      return true;
    if (is(comment))
      comments += "  ! " + parts[1].str() + "\n";
    else if (is(opening))
      return function(parts[1], parts[2], parts[3]);
    else if (is(copy))
      add(parts[1], "transfer(" + parts[2].str() + ", " + parts[1].str() + ")");
    else if (is(shift))
      add(parts[1], "shiftl(" + parts[1].str() + ", " + parts[2].str() + ")");
    else if (is(answer))
      add("answer", value(parts[1]));
    else if (is(empty))
      return declare(parts[1], parts[2]);
    else if (is(declared))
      return declare(parts[1], parts[2]) && (add(parts[2], value(parts[3])), known);
    else if (is(assigned))
      add(parts[1], value(parts[2]));
    else
      return false;
    return known;
  }

  bool function(const std::string &type, const std::string &name, const std::string &parameters) {
    static const std::regex parameter(R"((\w+) (\w+)(, )?)");
    std::string names, types;
    for (std::sregex_iterator it(parameters.begin(), parameters.end(), parameter), end; it != end;
         ++it) {
      names += (names.empty() ? "" : ", ") + (*it)[2].str();
      types += "    " + fortranType((*it)[1]) + ", value :: " + (*it)[2].str() + "\n";
      known &= !fortranType((*it)[1]).empty();
    }
    head = "  pure " + fortranType(type) + " function " + name + "(" + names +
           ") result(answer)\n    !$omp declare simd\n" + types;
    return known;
  }

  bool declare(const std::string &type, const std::string &name) {
    declarations += "    " + fortranType(type) + " :: " + name + "\n";
    known &= !fortranType(type).empty();
    return known;
  }

  void add(const std::string &target, const std::string &value) {
    body += "    " + target + " = " + value + "\n";
  }

  /// An expression, or one choice between two.
  std::string value(const std::string &text) {
    static const std::regex choice(R"((.*) \? (.*) : (.*))");
    std::smatch parts;
    if (!std::regex_match(text, parts, choice))
      return expression(text);
    return "merge(" + expression(parts[2]) + ", " + expression(parts[3]) + ", " +
           expression(parts[1]) + ")";
  }

  static std::string spelled(const std::string &word) {
    static const std::map<std::string, std::string> intrinsics = {
        {"fabs", "abs"}, {"fabsf", "abs"}, {"copysign", "sign"}, {"copysignf", "sign"}};
    const auto found = intrinsics.find(word);
    return found == intrinsics.end() ? word : found->second;
  }

  /// Numbers get a kind; operators, names and calls are the same in both languages.
  std::string expression(const std::string &text) {
    std::string out;
    for (size_t i = 0; i < text.size();) {
      const unsigned char c = static_cast<unsigned char>(text[i]);
      if (std::isdigit(c)) {
        out += number(text, i);
        continue;
      }
      const bool word = std::isalnum(c) || c == '_';
      known &= word || std::string_view(" +-*/()<>,").find(text[i]) != std::string_view::npos;
      size_t end = i + 1;
      while (word && end < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
        ++end;
      out += spelled(text.substr(i, end - i));
      i = end;
    }
    return out;
  }

  /// A floating-point literal, decimal or hexadecimal; moves `at` behind it.
  std::string number(const std::string &text, size_t &at) {
    char *end = nullptr;
    const double value = std::strtod(text.c_str() + at, &end);
    const size_t stop = static_cast<size_t>(end - text.c_str());
    const bool single = stop < text.size() && text[stop] == 'f';
    known &= text.substr(at, stop - at).find_first_of(".px") != std::string::npos;
    at = stop + (single ? 1 : 0);
    return realDigits(value, single ? Elem::F32 : Elem::F64) + (single ? "_f32" : "_f64");
  }

  std::string comments, head, declarations, body;
  bool known = true;
};

} // namespace

bool isLaneFunction(std::string_view text) {
  return text.find("static inline") != std::string_view::npos;
}

std::optional<std::string> fortranFromLane(std::string_view text) {
  return LaneTranslator().translate(text);
}

} // namespace moac::emit
