// Beginning and end of a kernel: block arguments, conditions at entry, results. See Analyzer.h.
#include "frontend/Analyzer.h"

using namespace mlir;

namespace moac::sema {

using Kind = Val::Kind;
using moa::ScalarFn;

namespace {
/// Nodes translated for one kernel at most, expansions of fns included.
constexpr unsigned maxNodes = 400000;
} // namespace

Analyzer::Analyzer(const Items &items, const KernelInfo &info, Demands &demands, Diagnostics &diags,
                   ModuleOp module)
    : items(items), info(info), demands(demands), diags(diags), module(module),
      emit(module.getContext(), diags), names(diags), budget(maxNodes) {}

Analyzer::~Analyzer() {
  for (auto &block : discarded) {
    block->dropAllReferences();
    block->dropAllDefinedValueUses();
  }
}

void Analyzer::run() {
  size_t errorsBefore = diags.errorCount();
  createKernel();
  addConstraints();
  for (const ParamInfo &param : info.params)
    if (param.isArray())
      names.declare(param.ast->name, {Entity::Kind::Input,
                                      param.ast->range,
                                      {Kind::Array, argument(param), {}, {}, param.ast->range},
                                      nullptr,
                                      true});
  for (const ast::StmtPtr &stmt : info.ast->body) {
    if (auto *define = llvm::dyn_cast<ast::Define>(stmt.get()))
      definitions.try_emplace(define->target.text, define->target.range);
    if (auto *many = llvm::dyn_cast<ast::DefineMany>(stmt.get()))
      for (const ast::Name &target : many->targets)
        definitions.try_emplace(target.text, target.range);
  }
  for (const ast::StmtPtr &stmt : info.ast->body)
    define(*stmt);
  finish();
  // After an error not every reader of a value is known.
  if (diags.errorCount() == errorsBefore)
    warnUnread();
}

/// The operation, its arguments in ABI order, and the names of symbols and scalars.
void Analyzer::createKernel() {
  std::vector<const ParamInfo *> scalars, inputs;
  for (const ParamInfo &param : info.params)
    if (!param.isSymbol)
      (param.isArray() ? inputs : scalars).push_back(&param);
  auto strings = [&](const auto &list, auto name) {
    SmallVector<Attribute> attrs;
    for (const auto &entry : list)
      attrs.push_back(emit.b.getStringAttr(name(entry)));
    return emit.b.getArrayAttr(attrs);
  };
  auto paramName = [](const ParamInfo *param) { return param->name(); };
  SmallVector<Attribute> resultTypes;
  for (const ParamInfo &result : info.results)
    resultTypes.push_back(TypeAttr::get(arrayType(result)));
  emit.b.setInsertionPointToEnd(module.getBody());
  kernel = moa::KernelOp::create(
      emit.b, emit.loc(info.ast->headRange), emit.b.getStringAttr(info.name()),
      strings(info.symbols, [](const SymbolInfo &symbol) { return symbol.name; }),
      strings(scalars, paramName), strings(inputs, paramName),
      strings(info.results, [](const ParamInfo &result) { return result.name(); }),
      emit.b.getArrayAttr(resultTypes), /*dnf=*/UnitAttr(), /*schedule=*/ArrayAttr(),
      /*origin=*/StringAttr());
  Block &block = kernel.getBody().emplaceBlock();
  for (const SymbolInfo &symbol : info.symbols)
    block.addArgument(emit.b.getIndexType(), emit.loc(symbol.range));
  for (const ParamInfo *scalar : scalars) {
    mlir::Type type = emit.type(scalar->ast->type.type);
    block.addArgument(type.isSignlessInteger(64) ? emit.b.getIndexType() : type,
                      emit.loc(scalar->ast->range));
  }
  for (const ParamInfo *input : inputs)
    block.addArgument(arrayType(*input), emit.loc(input->ast->range));
  emit.b.setInsertionPointToEnd(&block);
  exprs = std::make_unique<moa::IndexExprs>(kernel);
  ranges = std::make_unique<Ranges>(emit, *exprs);
  ranges->requireNonEmpty = [this](const shape::Expr &extent,
                                   const std::vector<shape::Expr> &others, SourceRange range) {
    demand({ScalarFn::gt_, extent, "constraint", others}, extent.str() + " >= 1", range);
  };
  for (const SymbolInfo &symbol : info.symbols)
    names.declare({symbol.name, symbol.range},
                  {Entity::Kind::Symbol, symbol.range,
                   emit.scalarOf(argumentNamed(symbol.name), symbol.range), nullptr, true});
  for (const ParamInfo *scalar : scalars) {
    Val value = emit.scalarOf(argumentNamed(scalar->name()), scalar->ast->range);
    if (mlir::Type storage = value.ir.getType();
        !storage.isIndex() && moa::valueType(storage) != storage) {
      value.ir = emit.convert(value.ir, moa::valueType(storage), scalar->ast->range);
      value.narrow = storage;
    }
    names.declare(scalar->ast->name,
                  {Entity::Kind::Scalar, scalar->ast->range, value, nullptr, true});
  }
  // Conversions of scalars stand before the conditions that may use them.
  if (!kernel.entry().empty())
    lastEntryOp = &kernel.entry().back();
}

moa::ArrayType Analyzer::arrayType(const ParamInfo &param) {
  return arrayType(param, param.extents);
}

/// The parameter's type with other extents.
moa::ArrayType Analyzer::arrayType(const ParamInfo &param,
                                   const std::vector<shape::Expr> &extents) {
  bool columnMajor = param.ast->layout && param.ast->layout->text == "col";
  return moa::ArrayType::get(emit.b.getContext(), extents, emit.type(param.ast->type.type),
                             columnMajor);
}

Value Analyzer::argumentNamed(std::string_view name) {
  for (BlockArgument argument : kernel.entry().getArguments())
    if (kernel.argName(argument.getArgNumber()) == llvm::StringRef(name))
      return argument;
  return {};
}

Value Analyzer::argument(const ParamInfo &param) { return argumentNamed(param.name()); }

/// Builds at the end of the conditions at entry, wherever the translation stands.
void Analyzer::atEntry(const std::function<void()> &build) {
  OpBuilder::InsertionGuard keep(emit.b);
  if (lastEntryOp)
    emit.b.setInsertionPointAfter(lastEntryOp);
  else
    emit.b.setInsertionPointToStart(&kernel.entry());
  build();
}

void Analyzer::require(Value condition, std::string_view status, const std::string &text,
                       SourceRange at) {
  lastEntryOp =
      moa::RequireOp::create(emit.b, emit.loc(at), condition, llvm::StringRef(status), text);
}

bool Analyzer::holds(const Demand &demand) {
  const shape::Facts &facts = ranges->entry;
  switch (demand.fn) {
  case ScalarFn::ge_:
    return facts.proveNonNegative(demand.value);
  case ScalarFn::gt_:
    return facts.provePositive(demand.value);
  case ScalarFn::eq_:
    return facts.proveEqual(demand.value, shape::Expr(0));
  default:
    return ranges->provesNonZero(demand.value, facts);
  }
}

Value Analyzer::conditionOf(const Demand &demand, SourceRange at) {
  auto compare = [&](ScalarFn fn, const shape::Expr &value) {
    Value zero = emit.intConstant(emit.b.getIndexType(), 0, at);
    return emit.op(fn, {extentValue(value, at), zero}, at);
  };
  Value condition = compare(demand.fn, demand.value);
  for (const shape::Expr &other : demand.others)
    condition = emit.op(ScalarFn::or_, {condition, compare(ScalarFn::le_, other)}, at);
  return condition;
}

/// Requires a condition at entry unless it is proved; it is a fact from here on, for callers too.
void Analyzer::demand(const Demand &demand, const std::string &text, SourceRange at) {
  if (holds(demand))
    return;
  demands[info.name()].push_back(demand);
  // Every kernel checks its symbols before anything else.
  bool symbol =
      demand.fn == ScalarFn::ge_ && demand.value.asName() && info.symbol(*demand.value.asName());
  if (!symbol)
    atEntry([&] { require(conditionOf(demand, at), demand.status, text, at); });
  if (demand.fn == ScalarFn::ne_)
    ranges->nonZero.push_back(demand.value);
  else if (demand.fn == ScalarFn::eq_)
    ranges->entry.equal(demand.value, shape::Expr(0));
  else if (demand.others.empty())
    ranges->entry.nonNegative(demand.fn == ScalarFn::gt_ ? demand.value - shape::Expr(1)
                                                         : demand.value);
}

/// Symbols that are extents are not negative; then the constraints in the user's order, then what
/// the extents of the head need; each may rely on those before.
void Analyzer::addConstraints() {
  auto forExtents = [&](bool bare) {
    for (auto *list : {&info.params, &info.results})
      for (const ParamInfo &param : *list)
        for (unsigned axis = 0; axis < param.extents.size(); ++axis)
          if (SourceRange at = param.ast->extents[axis]->range;
              bare == param.extents[axis].asName().has_value())
            requireExtent(param.extents[axis], at, emit.text(at));
  };
  forExtents(/*bare=*/true);
  for (const ast::ExprPtr &constraint : info.ast->constraints) {
    atEntry([&] {
      Val value = visit(*constraint);
      if (!isBool(value, "a constraint"))
        return ranges->forget();
      ranges->settle();
      require(value.ir, "constraint", emit.text(constraint->range), constraint->range);
      ranges->assumeEntry(value.ir);
    });
  }
  addNeeds(info.needs);
  forExtents(/*bare=*/false);
}

void Analyzer::addNeeds(const std::vector<ExtentNeed> &needs) {
  for (const ExtentNeed &need : needs) {
    bool divisor = need.kind == ExtentNeed::Kind::Divisor;
    demand({divisor ? ScalarFn::ne_ : ScalarFn::eq_,
            need.value,
            divisor ? "division" : "constraint",
            {}},
           need.text, need.range);
  }
}

/// An extent is not negative.
void Analyzer::requireExtent(const shape::Expr &extent, SourceRange at, const std::string &text) {
  demand({ScalarFn::ge_, extent, "extent", {}}, text + " >= 0", at);
}

/// An extent written in the body: symbols only, since it becomes part of an array's type.
std::optional<shape::Expr> Analyzer::extent(const ast::Expr &expr) {
  auto lookup = [&](const ast::NameUse &use) -> std::optional<shape::Expr> {
    Entity *entity = names.find(use.name);
    if (entity && entity->kind == Entity::Kind::Symbol)
      return shape::Expr::name(use.name);
    if (!entity) {
      unknownName(use.name, use.range);
      return std::nullopt;
    }
    diags.report(diag::notASymbol, use.range, use.name)
        .note(entity->declared,
              "the " + std::string(kindName(entity->kind)) + " '" + use.name + "' is declared here")
        .help("extents are built from symbols");
    return std::nullopt;
  };
  ExtentReader reader(lookup, diags);
  std::optional<shape::Expr> value = reader.read(expr);
  if (value && value->poisoned()) {
    diags.report(diag::extentTooLarge, expr.range);
    return std::nullopt;
  }
  if (value && value->constant() && *value->constant() < 0) {
    diags.report(diag::negativeExtent, expr.range, value->str());
    return std::nullopt;
  }
  if (value)
    addNeeds(reader.needs);
  return value;
}

/// A result without definition: perhaps a value nearly of that name was meant to be it.
void Analyzer::reportUndefined(const ParamInfo &result) {
  std::vector<std::string> values;
  for (auto &[name, entity] : names.all())
    if (entity.kind == Entity::Kind::Value && !entity.read)
      values.push_back(name);
  auto report = diags.report(diag::resultUndefined, result.ast->range, result.name());
  std::string near(nearest(result.name(), values));
  if (near.empty())
    return void(report.help("define it in the body: `" + result.name() + " = ..`"));
  report.note(names.find(near)->declared, "'" + near + "' is defined here")
      .help("did you mean '" + result.name() + "' there?");
}

void Analyzer::finish() {
  SmallVector<Value> values;
  for (const ParamInfo &result : info.results) {
    auto it = resultValues.find(result.name());
    if (it == resultValues.end())
      reportUndefined(result);
    else if (it->second)
      values.push_back(it->second);
  }
  moa::ReturnOp::create(emit.b, emit.loc(info.ast->headRange), values);
}

void Analyzer::warnUnread() {
  for (auto &[name, entity] : names.all())
    if (entity.kind == Entity::Kind::Value && !entity.read)
      diags.report(diag::unreadValue, entity.declared, name)
          .help("a kernel computes what its results need");
}

} // namespace moac::sema
