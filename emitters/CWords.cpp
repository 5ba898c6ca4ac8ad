// Tables from C's spelling to the words of terms.
#include "emitters/CWords.h"

#include <cctype>
#include <cmath>
#include <fmt/format.h>

namespace moac::reading {

std::string operatorWord(const std::string &spelling, const std::string &type) {
  static const std::map<std::string, std::string> typed = {
      {"+", "add "}, {"-", "sub "}, {"*", "mul "}};
  static const std::map<std::string, std::string> plain = {
      {"=", "="},   {"<", "lt"},  {"<=", "le"},  {">", "gt"},        {">=", "ge"},
      {"==", "eq"}, {"!=", "ne"}, {"&&", "and"}, {"%", "remainder"}, {"||", "or"}};
  if (const auto found = typed.find(spelling); found != typed.end())
    return found->second + type;
  if (spelling == "/")
    return type[0] == 'f' ? "div " + type : "quotient";
  const auto found = plain.find(spelling);
  return found == plain.end() ? "unknown operator " + spelling : found->second;
}

std::string calledWord(const std::string &name) {
  static const std::map<std::string, std::string> math = {
      {"fabs", "abs"},  {"rint", "round"}, {"exp", "exp"},   {"exp2", "exp2"},   {"log", "log"},
      {"log2", "log2"}, {"sqrt", "sqrt"},  {"tanh", "tanh"}, {"erf", "erf"},     {"sin", "sin"},
      {"cos", "cos"},   {"pow", "pow"},    {"fma", "fma"},   {"floor", "floor"}, {"ceil", "ceil"}};
  if (const auto found = math.find(name); found != math.end())
    return found->second + " f64";
  if (const auto found = math.find(name.substr(0, name.size() - 1));
      found != math.end() && name.back() == 'f')
    return found->second + " f32";
  const std::string_view prefix = "moac_";
  const size_t split = name.rfind('_');
  if (name.compare(0, prefix.size(), prefix) != 0 || split < prefix.size())
    return "call " + name;
  const std::string word = name.substr(prefix.size(), split - prefix.size());
  const std::string type = name.substr(split + 1);
  for (const char *known : {"add", "sub", "mul", "neg"})
    if (word == known)
      return word + " " + type + " wrapping";
  for (const char *known : {"abs", "floordiv", "mod", "div", "min", "max", "exp", "exp2", "exp_down",
                            "exp2_down", "sigmoid", "tanh", "rsqrt"})
    if (word == known)
      return word + " " + type;
  return "call " + name;
}

std::string realWord(double value, bool isFloat) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  return fmt::format("{:a}{}", value, isFloat ? "f" : "");
}

bool isNumber(const Term &term) {
  const size_t sign = term.begins("-") ? 1 : 0;
  return term.args.empty() && term.head.size() > sign &&
         std::isdigit(static_cast<unsigned char>(term.head[sign]));
}

} // namespace moac::reading
