// Argument checks, in the words of a language's table.
//
// Sizes are checked in double arithmetic, which cannot overflow: an array of more than
// MOAC_MAX_BYTES (a quarter of the address space) is refused, and every product that the kernel
// forms later is smaller than that. Byte counts themselves are products of 64 bits, which are exact
// for every size that passed, also when one extent is 0 and the others are absurd.
#include "emitters/Checks.h"

#include <algorithm>
#include <fmt/format.h>

namespace moac::emit {
using namespace tree;

void printCheck(Printer &printer, const std::vector<std::string> &conditions,
                std::string_view result) {
  const LangTraits &lang = printer.language();
  if (conditions.empty())
    return;
  const std::string any = join(conditions, printer.use(lang.checks.either));
  printer.line(fill(printer.use(lang.ifOpen), {{"condition", any}}));
  printer.indent();
  printer.lines(fill(printer.use(lang.checks.giveUp), {{"status", std::string(result)}}));
  printer.outdent();
  printer.line(printer.use(lang.ifClose));
}

std::vector<const Array *> arrays(const Kernel &kernel) {
  std::vector<const Array *> out;
  for (const Array &array : kernel.inputs)
    out.push_back(&array);
  for (const Array &array : kernel.outputs)
    out.push_back(&array);
  return out;
}

namespace {

bool isConstant(const Expr &e) { return e.kind == Expr::Kind::Integer; }
bool isPlain(const Expr &e) { return isConstant(e) || e.kind == Expr::Kind::Name; }
/// Sums and products of symbols and positive constants. Named extents are plain and checked by
/// name.
bool neverNegative(const Expr &e) {
  if (isPlain(e))
    return !isConstant(e) || e.integer >= 0;
  return e.kind == Expr::Kind::Apply && (e.op == Op::add_ || e.op == Op::mul_) &&
         std::all_of(e.args.begin(), e.args.end(), neverNegative);
}
} // namespace

bool fixedSize(const Array &array) {
  return std::all_of(array.extents.begin(), array.extents.end(),
                     [](const Expr &e) { return isConstant(e) && e.integer > 0; });
}

std::vector<const Array *> arraysWithSize(const Kernel &kernel) {
  std::vector<const Array *> all = arrays(kernel);
  if (all.size() == 1 && fixedSize(*all[0]))
    all.clear();
  return all;
}

namespace {

void addOnce(std::vector<std::string> &list, std::string item) {
  if (std::find(list.begin(), list.end(), item) == list.end())
    list.push_back(std::move(item));
}

bool isIndex(const Expr &e) { return e.type == Elem::Index || e.type == Elem::I64; }

/// An upper bound for |e| and for every sum and difference inside it, in double arithmetic.
/// Products that a later factor 0 could hide are appended to `bounds`.
Expr magnitude(const Kernel &kernel, const Expr &e, std::vector<Expr> &bounds) {
  if (isConstant(e))
    return real(e.integer < 0 ? -static_cast<double>(e.integer) : static_cast<double>(e.integer));
  if (e.kind == Expr::Kind::Cast && isIndex(e.args[0]))
    return magnitude(kernel, e.args[0], bounds);
  if (e.kind != Expr::Kind::Apply) {
    const bool symbol =
        std::find(kernel.symbols.begin(), kernel.symbols.end(), e.text) != kernel.symbols.end();
    return symbol ? cast(Elem::F64, e) : apply(Op::abs_, {cast(Elem::F64, e)});
  }
  std::vector<Expr> parts;
  for (const Expr &arg : e.args)
    parts.push_back(magnitude(kernel, arg, bounds));
  if (e.op == Op::mul_)
    for (size_t i = 0; i < 2; ++i)
      if (e.args[i].kind == Expr::Kind::Apply)
        bounds.push_back(parts[i]);
  Expr sum = parts[0];
  for (size_t i = 1; i < parts.size(); ++i)
    sum = apply(e.op == Op::mul_ ? Op::mul_ : Op::add_, {sum, parts[i]});
  return sum;
}

std::string tooLarge(Printer &printer, const std::string &bytes) {
  return fill(printer.use(printer.language().checks.tooLarge), {{"bytes", bytes}});
}

std::string negativeValue(Printer &printer, const std::string &value) {
  return fill(printer.use(printer.language().checks.negative), {{"value", value}});
}

/// Conditions under which evaluating `e` overflows.
void addBounds(Printer &printer, const Kernel &kernel, const Expr &e,
               std::vector<std::string> &conditions) {
  if (isPlain(e))
    return;
  std::vector<Expr> bounds;
  bounds.push_back(magnitude(kernel, e, bounds));
  for (const Expr &bound : bounds)
    addOnce(conditions, tooLarge(printer, printer.realValue(1, bound)));
}

/// The same for every index computation inside a condition.
void addInnerBounds(Printer &printer, const Kernel &kernel, const Expr &e,
                    std::vector<std::string> &conditions) {
  if (isIndex(e) && e.kind != Expr::Kind::Load)
    return addBounds(printer, kernel, e, conditions);
  for (const Expr &arg : e.args)
    addInnerBounds(printer, kernel, arg, conditions);
}

void printRequirements(Printer &printer, const Kernel &kernel) {
  for (const Requirement &requirement : kernel.requirements) {
    if (!requirement.text.empty())
      printer.comment("requires " + requirement.text);
    std::vector<std::string> bounds;
    addInnerBounds(printer, kernel, requirement.condition, bounds);
    printCheck(printer, bounds, printer.statusName(Status::Overflow));
    printer.body(requirement.before);
    printCheck(printer, {printer.expression(apply(Op::not_, {requirement.condition}))},
               printer.statusName(requirement.status));
  }
}

void printSizes(Printer &printer, const Kernel &kernel) {
  std::vector<std::string> conditions;
  for (const Array *array : arrays(kernel))
    if (!fixedSize(*array))
      addOnce(conditions, tooLarge(printer, realBytes(printer, array->type, array->extents)));
  printCheck(printer, conditions, printer.statusName(Status::Overflow));
  for (const Array *array : arraysWithSize(kernel))
    printer.line(
        fill(printer.use(printer.language().checks.size),
             {{"name", array->bytes}, {"value", printer.arrayBytes(array->type, array->extents)}}));
}

void printNothing(Printer &printer, const Kernel &kernel) {
  const LangTraits &lang = printer.language();
  std::vector<std::string> empty;
  for (const Array &array : kernel.outputs)
    empty.push_back(fill(printer.use(lang.checks.empty), {{"bytes", array.bytes}}));
  if (std::any_of(kernel.outputs.begin(), kernel.outputs.end(), fixedSize))
    return;
  const std::string all = join(empty, printer.use(lang.checks.both));
  printer.line(fill(printer.use(lang.ifOpen), {{"condition", all}}));
  printer.indent();
  printer.lines(
      fill(printer.use(lang.checks.nothing), {{"status", printer.statusName(Status::Ok)}}));
  printer.outdent();
  printer.line(printer.use(lang.ifClose));
}

void printPointers(Printer &printer, const Kernel &kernel) {
  const CheckTexts &texts = printer.language().checks;
  printNothing(printer, kernel);
  std::vector<std::string> null, overlap;
  const std::vector<const Array *> all = arrays(kernel);
  for (const Array *array : all)
    null.push_back(fill(printer.use(fixedSize(*array) ? texts.missing : texts.missingUnlessEmpty),
                        {{"name", array->name}, {"bytes", array->bytes}}));
  printCheck(printer, null, printer.statusName(Status::NullPointer));
  for (size_t out = kernel.inputs.size(); out < all.size(); ++out)
    for (size_t other = 0; other < out; ++other)
      overlap.push_back(fill(printer.use(texts.overlap), {{"a", all[out]->name},
                                                          {"aBytes", all[out]->bytes},
                                                          {"b", all[other]->name},
                                                          {"bBytes", all[other]->bytes}}));
  printCheck(printer, overlap, printer.statusName(Status::Aliasing));
}

} // namespace

std::string realBytes(Printer &printer, Elem type, const std::vector<Expr> &extents) {
  const double bytes = static_cast<double>(elemBytes(type));
  if (extents.empty())
    return printer.expression(real(bytes));
  Expr product = extents[0];
  for (size_t i = 1; i < extents.size(); ++i)
    product = apply(Op::mul_, {product, extents[i]});
  return printer.realValue(bytes, product);
}

std::string roundedSum(Printer &printer, const std::vector<Scratch> &buffers) {
  std::vector<std::string> terms;
  for (const Scratch &scratch : buffers)
    terms.push_back("moac_round64(" + printer.scratchBytes(scratch) + ")");
  return join(terms, " +");
}

std::string realSum(Printer &printer, const std::vector<Scratch> &buffers) {
  std::vector<std::string> terms;
  for (const Scratch &scratch : buffers)
    terms.push_back(realBytes(printer, scratch.type, {scratch.count}));
  return join(terms, " +");
}

void printExtentChecks(Printer &printer, const Kernel &kernel, std::string_view negative,
                       std::string_view tooLarge) {
  std::vector<std::string> symbols, bounds, computed;
  for (const std::string &symbol : kernel.symbols)
    symbols.push_back(negativeValue(printer, symbol));
  for (const Let &extent : kernel.extents) {
    addBounds(printer, kernel, extent.value, bounds);
    computed.push_back(negativeValue(printer, extent.name));
  }
  for (const Array *array : arrays(kernel))
    for (const Expr &extent : array->extents) {
      addBounds(printer, kernel, extent, bounds);
      if (!neverNegative(extent))
        addOnce(computed, negativeValue(printer, printer.expression(extent, 12)));
    }
  printCheck(printer, symbols, negative);
  printCheck(printer, bounds, tooLarge);
  std::vector<Stmt> named;
  for (const Let &extent : kernel.extents)
    named.push_back({extent});
  printer.body(named);
  printCheck(printer, computed, negative);
}

void printChecks(Printer &printer, const Kernel &kernel) {
  printExtentChecks(printer, kernel, printer.statusName(Status::Extent),
                    printer.statusName(Status::Overflow));
  printRequirements(printer, kernel);
  printSizes(printer, kernel);
  printPointers(printer, kernel);
}

} // namespace moac::emit
