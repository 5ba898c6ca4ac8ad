// Statements and items as text; expressions are printed by AstPrinter.cpp.
#include "frontend/AstPrinter.h"

#include "llvm/Support/Casting.h"

#include <algorithm>
#include <functional>

namespace moac {

using namespace ast;

namespace {

template <typename T, typename Print>
std::string commas(const std::vector<T> &parts, const Print &print) {
  std::string result;
  for (const T &part : parts)
    result += (result.empty() ? "" : ", ") + print(part);
  return result;
}

std::string names(const std::vector<Name> &list) {
  return commas(list, [](const Name &name) { return name.text; });
}

std::string exprs(const std::vector<ExprPtr> &list, Notation notation) {
  return commas(list, [&](const ExprPtr &expr) { return print(*expr, notation); });
}

std::string blockText(const Block &block, const std::string &indent, Notation notation);

std::string stmtText(const Stmt &stmt, const std::string &indent, Notation notation) {
  if (auto *define = llvm::dyn_cast<Define>(&stmt)) {
    auto index = [&](const LhsIndex &i) {
      return i.name.text + (i.extent ? ": " + print(*i.extent, notation) : "");
    };
    std::string indices = define->indexed ? "[" + commas(define->indices, index) + "]" : "";
    return indent + define->target.text + indices + " = " + print(*define->value, notation);
  }
  if (auto *many = llvm::dyn_cast<DefineMany>(&stmt))
    return indent + "(" + names(many->targets) + ") = " + many->callee.text + "(" +
           exprs(many->args, notation) + ")";
  auto &iterate = llvm::cast<Iterate>(stmt);
  auto carry = [&](const Carry &c) { return c.name.text + " = " + print(*c.init, notation); };
  return indent + "iterate " + iterate.index.text + " in " + print(*iterate.lo, notation) + ".." +
         print(*iterate.hi, notation) + " carry " + commas(iterate.carries, carry) + " " +
         blockText(iterate.body, indent, notation);
}

std::string blockText(const Block &block, const std::string &indent, Notation notation) {
  std::string result = "{\n";
  for (const StmtPtr &stmt : block)
    result += stmtText(*stmt, indent + "  ", notation) + "\n";
  return result + indent + "}";
}

std::string text(const Fn &fn, Notation notation) {
  return "fn " + fn.name.text + "(" + names(fn.params) + ") = " + print(*fn.body, notation) + "\n";
}

std::string text(const Derive &derive) {
  std::string result = "derive " + derive.name.text + " = ";
  if (derive.kind == Derive::Kind::Join)
    return result + "join " + names(derive.parts) + "\n";
  result += "grad " + derive.kernel.text + " wrt " + names(derive.wrt);
  auto seed = [](const Seed &s) { return s.output.text + " <- " + s.cotangent.text; };
  if (!derive.seeds.empty())
    result += " seed " + commas(derive.seeds, seed);
  return result + (derive.save.empty() ? "" : " save " + names(derive.save)) + "\n";
}

std::string text(const Directive &d, Notation notation) {
  using Kind = Directive::Kind;
  static constexpr const char *words[] = {"lift",  "order", "online", "parallel", "lanes",
                                          "place", "pack",  "unroll", "reduce",   "tile",
                                          "partition"};
  std::string result = std::string(words[int(d.kind)]) + " " + names(d.names);
  std::string at = d.at ? " at " + d.at->text : "";
  std::string amount = d.amount ? " by " + print(*d.amount, notation) : "";
  switch (d.kind) {
  case Kind::Lift:
    return result + amount + (d.cyclic ? " cyclic" : "") + " as " + d.outer.text + ", " +
           d.inner.text;
  case Kind::Place:
    return result + (d.placement == Directive::Placement::At       ? at
                     : d.placement == Directive::Placement::Inline ? " inline"
                                                                   : " store");
  case Kind::Pack:
    return result + at + " as [" + names(d.axes) + "]";
  case Kind::Unroll:
  case Kind::Tile:
    return result + amount;
  case Kind::Reduce:
    return result + ": " + d.strategy.text;
  case Kind::Partition:
    return result + " over " + d.strategy.text + amount;
  default:
    return result;
  }
}

} // namespace

std::string print(const Stmt &stmt, Notation notation) { return stmtText(stmt, "", notation); }

std::string print(const Param &param, Notation notation) {
  std::string shape = param.extents.empty() ? "" : "[" + exprs(param.extents, notation) + "]";
  return param.name.text + ": " + std::string(spelling(param.type.type)) + shape +
         (param.layout ? " layout " + param.layout->text : "");
}

std::string print(const Kernel &kernel, Notation notation) {
  auto param = [&](const Param &p) { return print(p, notation); };
  std::string results = commas(kernel.results, param);
  std::string head = "kernel " + kernel.name.text + "(" + commas(kernel.params, param) + ") -> " +
                     (kernel.results.size() == 1 ? results : "(" + results + ")");
  if (!kernel.constraints.empty())
    head += " where " + exprs(kernel.constraints, notation);
  for (const Inplace &pair : kernel.inplace)
    head += " inplace(" + pair.output.text + " = " + pair.input.text + ")";
  return head + " " + blockText(kernel.body, "", notation) + "\n";
}

std::string print(const Schedule &schedule, Notation notation) {
  std::string result =
      "schedule " + schedule.kernel.text + " for " + schedule.machine.text + " {\n";
  for (const Directive &directive : schedule.directives)
    result += "  " + text(directive, notation) + "\n";
  return result + "}\n";
}

std::string print(const File &file, Notation notation) {
  std::vector<std::pair<uint32_t, std::string>> items;
  for (const Import &item : file.imports)
    items.emplace_back(item.range.begin, "import \"" + item.path + "\"\n");
  for (const Fn &item : file.fns)
    items.emplace_back(item.range.begin, text(item, notation));
  for (const Kernel &item : file.kernels)
    items.emplace_back(item.range.begin, print(item, notation));
  for (const Derive &item : file.derives)
    items.emplace_back(item.range.begin, text(item));
  for (const Schedule &item : file.schedules)
    items.emplace_back(item.range.begin, print(item, notation));
  std::ranges::sort(items);
  std::string result;
  for (auto &[begin, item] : items)
    result += item;
  return result;
}

} // namespace moac
