// Reading a kernel's head; see Signature.h.
#include "frontend/Signature.h"
#include "frontend/AstWalk.h"

#include "llvm/Support/Casting.h"

namespace moac::sema {

namespace {
/// Arrays of a higher rank are refused: loops, types and messages grow with it.
constexpr size_t maxRank = 16;

struct HeadReader {
  KernelInfo &kernel;
  const std::set<std::string> &extra;
  Diagnostics &diags;

  void read();
  void readParam(const ast::Param &param, std::vector<ParamInfo> &into);
  void addSymbol(const std::string &name, SourceRange range);
  void collectSymbols();
  void bindSymbols();
  void reportUnbound(const SymbolInfo &symbol);
  void readExtents(ParamInfo &param);
  bool checkLayout(const ast::Param &param);
  std::optional<shape::Expr> lookup(const ast::NameUse &use);
  void fail() { kernel.valid = false; }
};

void HeadReader::readParam(const ast::Param &param, std::vector<ParamInfo> &into) {
  for (auto *list : {&kernel.params, &kernel.results})
    for (const ParamInfo &other : *list)
      if (other.name() == param.name.text) {
        diags.report(diag::duplicateName, param.name.range, param.name.text)
            .note(other.ast->name.range, "first declared here");
        return fail();
      }
  into.push_back({&param, {}, false});
  if (param.extents.size() > maxRank) {
    diags.report(diag::rankTooHigh, param.shapeRange, param.extents.size(), maxRank);
    fail();
  }
  if (!checkLayout(param))
    fail();
}

bool HeadReader::checkLayout(const ast::Param &param) {
  if (!param.layout || param.layout->text == "row" || param.layout->text == "col")
    return true;
  static const std::string layouts[] = {"row", "col", "strided"};
  std::string near = didYouMean(param.layout->text, layouts);
  if (param.layout->text == "strided")
    diags.report(diag::notYet, param.layout->range, "layout strided");
  else
    diags.report(diag::unknownLayout, param.layout->range, param.layout->text)
        .help(near.empty() ? "the layouts are row, col and strided" : near);
  return false;
}

void HeadReader::addSymbol(const std::string &name, SourceRange range) {
  if (!kernel.symbol(name))
    kernel.symbols.push_back({name, range, 0, std::nullopt});
}

/// The names of an extent, in order; none of what cannot stand in one.
void extentNames(const ast::Expr &expr, const std::function<void(const ast::NameUse &)> &visit) {
  using Kind = ast::Expr::Kind;
  if (auto *use = llvm::dyn_cast<ast::NameUse>(&expr))
    visit(*use);
  else if (expr.kind == Kind::Unary || expr.kind == Kind::Binary || expr.kind == Kind::Call)
    ast::forEachPart(expr, [&](const ast::Expr &part) { extentNames(part, visit); });
}

/// Symbols in order of first appearance: a scalar that is one counts where it is declared.
void HeadReader::collectSymbols() {
  std::set<std::string> used = extra;
  auto forNames = [&](const ParamInfo &param, auto &&visit) {
    for (const ast::ExprPtr &extent : param.ast->extents)
      extentNames(*extent, visit);
  };
  for (auto *list : {&kernel.params, &kernel.results})
    for (const ParamInfo &param : *list)
      forNames(param, [&](const ast::NameUse &use) { used.insert(use.name); });
  for (ParamInfo &param : kernel.params) {
    bool integer = !param.isArray() && param.ast->type.type == ElementType::i64_;
    param.isSymbol = integer && used.count(param.name());
    if (param.isSymbol)
      addSymbol(param.name(), param.ast->name.range);
    forNames(param, [&](const ast::NameUse &use) { addSymbol(use.name, use.range); });
  }
  for (const ParamInfo &result : kernel.results)
    forNames(result, [&](const ast::NameUse &use) { addSymbol(use.name, use.range); });
}

/// Finds what gives each symbol its value; a parameter of another kind cannot be one.
void HeadReader::bindSymbols() {
  for (SymbolInfo &symbol : kernel.symbols) {
    bool bound = false, reported = false;
    for (auto *list : {&kernel.params, &kernel.results})
      for (const ParamInfo &param : *list)
        if (param.name() == symbol.name && !param.isSymbol) {
          diags.report(diag::notASymbol, symbol.range, symbol.name)
              .note(param.ast->name.range, "'" + symbol.name + "' is declared here")
              .help("a scalar parameter that is used in extents has type i64");
          reported = true;
        }
    for (unsigned i = 0; i < kernel.params.size() && !bound && !reported; ++i)
      if (kernel.params[i].isSymbol && kernel.params[i].name() == symbol.name) {
        symbol.param = i;
        bound = true;
      }
    for (unsigned i = 0; i < kernel.params.size() && !bound && !reported; ++i)
      for (unsigned axis = 0; axis < kernel.params[i].ast->extents.size() && !bound; ++axis)
        if (auto *use = llvm::dyn_cast<ast::NameUse>(kernel.params[i].ast->extents[axis].get());
            use && use->name == symbol.name) {
          symbol.param = i;
          symbol.axis = axis;
          bound = true;
        }
    if (!bound && !reported)
      reportUnbound(symbol);
    if (!bound)
      fail();
  }
}

/// Nothing gives a symbol its value: a slip, or a size that the caller has to pass.
void HeadReader::reportUnbound(const SymbolInfo &symbol) {
  std::vector<std::string> bound;
  for (const ParamInfo &param : kernel.params) {
    if (param.isSymbol)
      bound.push_back(param.name());
    for (const ast::ExprPtr &extent : param.ast->extents)
      if (auto *use = llvm::dyn_cast<ast::NameUse>(extent.get()))
        bound.push_back(use->name);
  }
  std::string near = didYouMean(symbol.name, bound);
  diags.report(diag::unboundSymbol, symbol.range, symbol.name)
      .help((near.empty() ? "" : near + " else ") + "add the parameter '" + symbol.name +
            ": i64', or an array with the extent " + symbol.name + " alone");
}

std::optional<shape::Expr> HeadReader::lookup(const ast::NameUse &use) {
  if (kernel.symbol(use.name))
    return shape::Expr::name(use.name);
  return std::nullopt;
}

void HeadReader::readExtents(ParamInfo &param) {
  ExtentReader reader([&](const ast::NameUse &use) { return lookup(use); }, diags);
  for (const ast::ExprPtr &extent : param.ast->extents) {
    auto value = reader.read(*extent);
    if (value && value->constant() && *value->constant() < 0) {
      diags.report(diag::negativeExtent, extent->range, value->str());
      value.reset();
    }
    if (value && value->poisoned()) {
      diags.report(diag::extentTooLarge, extent->range);
      value.reset();
    }
    if (!value)
      fail();
    param.extents.push_back(value.value_or(shape::Expr(0)));
  }
  kernel.needs.insert(kernel.needs.end(), reader.needs.begin(), reader.needs.end());
}

void HeadReader::read() {
  for (const ast::Param &param : kernel.ast->params)
    readParam(param, kernel.params);
  for (const ast::Param &result : kernel.ast->results)
    readParam(result, kernel.results);
  collectSymbols();
  bindSymbols();
  for (auto *list : {&kernel.params, &kernel.results})
    for (ParamInfo &param : *list)
      readExtents(param);
  for (const ast::Inplace &inplace : kernel.ast->inplace) {
    diags.report(diag::notYet, inplace.range, "inplace");
    fail();
  }
}
} // namespace

const SymbolInfo *KernelInfo::symbol(std::string_view name) const {
  for (const SymbolInfo &symbol : symbols)
    if (symbol.name == name)
      return &symbol;
  return nullptr;
}

const ParamInfo *KernelInfo::param(std::string_view name) const {
  for (const ParamInfo &param : params)
    if (param.name() == name)
      return &param;
  return nullptr;
}

void readSignature(KernelInfo &kernel, const std::set<std::string> &extra, Diagnostics &diags) {
  HeadReader{kernel, extra, diags}.read();
}

} // namespace moac::sema
