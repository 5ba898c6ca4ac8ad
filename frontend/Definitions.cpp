// Statements of a kernel's body: definitions in index form and of whole arrays. See Analyzer.h.
#include "frontend/Analyzer.h"

using namespace mlir;
using llvm::cast;
using llvm::dyn_cast;

namespace moac::sema {

using Kind = Val::Kind;

namespace {
constexpr size_t maxRank = 16;
} // namespace

const ParamInfo *Analyzer::resultNamed(std::string_view name) const {
  for (const ParamInfo &result : info.results)
    if (result.name() == name)
      return &result;
  return nullptr;
}

/// Keeps what a failed definition built alive until the module is dropped: others may still point
/// into it.
void Analyzer::discard(std::unique_ptr<Block> block) {
  if (block)
    discarded.push_back(std::move(block));
}

void Analyzer::define(const ast::Stmt &stmt) {
  switch (stmt.kind) {
  case ast::Stmt::Kind::Define: {
    auto &define = cast<ast::Define>(stmt);
    defining = define.target.text;
    define.indexed ? defineIndexed(define) : defineWhole(define);
    break;
  }
  case ast::Stmt::Kind::DefineMany:
    defineMany(cast<ast::DefineMany>(stmt));
    break;
  case ast::Stmt::Kind::Iterate: {
    notYet(cast<ast::Iterate>(stmt).range, "iterate");
    for (const ast::Carry &carry : cast<ast::Iterate>(stmt).carries)
      declareValue(carry.name, poison());
    break;
  }
  }
  defining.clear();
}

/// Binds a name to what it was defined as; poison when that failed, so that uses stay silent.
void Analyzer::declareValue(const ast::Name &name, Val value) {
  bool fresh = names.declare(
      name, {Entity::Kind::Value, name.range, value, nullptr, resultNamed(name.text) != nullptr});
  if (fresh && resultNamed(name.text))
    resultValues[name.text] = value.ir;
}

namespace {
/// `T[i, j: extent]`: the left side with an extent for one index, for help.
std::string leftWithExtent(const ast::Define &define, const std::string &name) {
  std::string text;
  for (const ast::LhsIndex &index : define.indices)
    text +=
        (text.empty() ? "" : ", ") + index.name.text + (index.name.text == name ? ": extent" : "");
  return define.target.text + "[" + text + "]";
}

/// `i, j`: indices for an axis each, for help.
std::string exampleIndices(size_t rank) {
  std::string text;
  for (size_t i = 0; i < rank; ++i)
    text += (i ? ", " : "") + std::string(1, static_cast<char>('i' + i));
  return text;
}
} // namespace

void Analyzer::defineIndexed(const ast::Define &define) {
  auto block = std::make_unique<Block>();
  std::vector<IndexInfo *> indices;
  bool good = bindLeft(define, *block, indices);
  Val value;
  {
    OpBuilder::InsertionGuard keep(emit.b);
    emit.b.setInsertionPointToEnd(block.get());
    value = visit(*define.value);
  }
  for (unsigned i = indices.size(); i-- > 0;) {
    ranges->leave();
    names.release(indices[i]->name.text);
  }
  good &= !value.poison();
  if (good)
    for (IndexInfo *index : indices)
      good &= ranges->resolve(*index, "write `" + leftWithExtent(define, index->name.text) +
                                          "`, or let it stand alone as a subscript");
  if (good)
    return finishIndexed(define, indices, std::move(block), value);
  ranges->forget();
  discard(std::move(block));
  declareValue(define.target, poison());
}

/// Declares the left side's indices and gives them the extents that are stated.
bool Analyzer::bindLeft(const ast::Define &define, Block &block,
                        std::vector<IndexInfo *> &indices) {
  const ParamInfo *result = resultNamed(define.target.text);
  bool good = true;
  if (define.indices.size() > maxRank) {
    diags.report(diag::rankTooHigh, define.lhsRange, define.indices.size(), maxRank);
    good = false;
  }
  if (result && result->extents.size() != define.indices.size()) {
    diags
        .report(diag::leftRank, define.lhsRange,
                define.indices.size() == 1 ? "1 index"
                                           : std::to_string(define.indices.size()) + " indices",
                define.target.text, shapeText(result->extents))
        .note(result->ast->range,
              "'" + define.target.text + "' has shape " + shapeText(result->extents))
        .help(result->isArray() ? "write `" + define.target.text + "[" +
                                      exampleIndices(result->extents.size()) + "] = ..`"
                                : "a scalar has no indices: `" + define.target.text + " = ..`");
    good = false;
    result = nullptr;
  }
  for (unsigned axis = 0; axis < define.indices.size(); ++axis) {
    const ast::LhsIndex &lhs = define.indices[axis];
    Value arg = block.addArgument(emit.b.getIndexType(), emit.loc(lhs.name.range));
    IndexInfo &index = ranges->newIndex(lhs.name, arg);
    good &= giveExtent(lhs, index, result, axis);
    names.bindIndex(lhs.name, index);
    ranges->enterIndex(index);
    indices.push_back(&index);
  }
  return good;
}

bool Analyzer::giveExtent(const ast::LhsIndex &lhs, IndexInfo &index, const ParamInfo *result,
                          unsigned axis) {
  if (result) {
    index.source = IndexInfo::Source::Declared;
    index.lo = shape::Expr(0);
    index.hi = result->extents[axis];
  }
  if (!lhs.extent)
    return true;
  std::optional<shape::Expr> given = extent(*lhs.extent);
  if (!given) {
    index.tainted = true;
    return false;
  }
  if (result && !(*given == *index.hi) && !ranges->entry.proveEqual(*given, *index.hi)) {
    diags
        .report(diag::extentNotDeclared, lhs.extent->range, lhs.name.text, given->str(), axis,
                result->name(), shapeText(result->extents))
        .note(result->ast->range,
              "'" + result->name() + "' has shape " + shapeText(result->extents));
    return false;
  }
  if (result)
    return true;
  index.source = IndexInfo::Source::Explicit;
  index.lo = shape::Expr(0);
  index.hi = given;
  requireExtent(*given, lhs.extent->range, emit.text(lhs.extent->range));
  return true;
}

void Analyzer::finishIndexed(const ast::Define &define, const std::vector<IndexInfo *> &indices,
                             std::unique_ptr<Block> block, const Val &value) {
  const ParamInfo *result = resultNamed(define.target.text);
  std::vector<std::string> indexNames;
  std::vector<shape::Expr> extents;
  for (IndexInfo *index : indices) {
    indexNames.push_back(index->name.text);
    extents.push_back(*index->hi);
  }
  Value stored;
  mlir::Type elementType;
  if (value.isArray()) {
    diags.report(diag::arrayForScalar, value.range, value.arrayType().shapeText())
        .help("subscript every axis, or define the array without indices: `" + define.target.text +
              " = ...`");
  } else {
    OpBuilder::InsertionGuard keep(emit.b);
    emit.b.setInsertionPointToEnd(block.get());
    elementType = result ? emit.type(result->ast->type.type) : emit.defaultElementType(value);
    stored = emit.store(value, elementType, value.range, define.target.text);
    if (stored)
      moa::YieldOp::create(emit.b, emit.loc(value.range), stored);
  }
  ranges->settle();
  if (!stored) {
    discard(std::move(block));
    return declareValue(define.target, poison());
  }
  moa::ArrayType type =
      result ? arrayType(*result) : moa::ArrayType::get(emit.b.getContext(), extents, elementType);
  Val array = makeGen(define.target.text, indexNames, type, std::move(block), define.range);
  array.ir.getDefiningOp()->setAttr("source", emit.b.getStringAttr(emit.text(define.range)));
  declareValue(define.target, array);
}

/// `A = e` without indices: a scalar becomes an array of rank 0, an array gets the name.
void Analyzer::defineWhole(const ast::Define &define) {
  if (auto *call = dyn_cast<ast::Call>(define.value.get());
      call && call->callee.kind == ast::FnRef::Kind::UserName &&
      !items.fns.count(call->callee.name))
    if (auto kernel = items.kernels.find(call->callee.name); kernel != items.kernels.end())
      return defineByCall({define.target}, {&kernel->second, call->callee.range, call->range},
                          call->args, define.range);
  auto block = std::make_unique<Block>();
  Val value;
  {
    OpBuilder::InsertionGuard keep(emit.b);
    emit.b.setInsertionPointToEnd(block.get());
    value = visit(*define.value);
  }
  if (value.poison()) {
    ranges->forget();
    discard(std::move(block));
    return declareValue(define.target, poison());
  }
  ranges->settle();
  if (value.isScalar())
    return finishScalar(define, std::move(block), value);
  emit.b.getInsertionBlock()->getOperations().splice(emit.b.getInsertionPoint(),
                                                     block->getOperations());
  declareValue(define.target, nameArray(value, define.target, define.range));
}

void Analyzer::finishScalar(const ast::Define &define, std::unique_ptr<Block> block,
                            const Val &value) {
  const ParamInfo *result = resultNamed(define.target.text);
  Value stored;
  mlir::Type elementType;
  if (result && result->isArray()) {
    diags.report(diag::scalarForArray, value.range, result->name(), shapeText(result->extents))
        .note(result->ast->range,
              "'" + result->name() + "' has shape " + shapeText(result->extents))
        .help("give the value of each element: `" + result->name() + "[" +
              exampleIndices(result->extents.size()) + "] = ...`");
  } else {
    OpBuilder::InsertionGuard keep(emit.b);
    emit.b.setInsertionPointToEnd(block.get());
    elementType = result ? emit.type(result->ast->type.type) : emit.defaultElementType(value);
    stored = emit.store(value, elementType, value.range, define.target.text);
    if (stored)
      moa::YieldOp::create(emit.b, emit.loc(value.range), stored);
  }
  if (!stored) {
    discard(std::move(block));
    return declareValue(define.target, poison());
  }
  moa::ArrayType type =
      result ? arrayType(*result) : moa::ArrayType::get(emit.b.getContext(), {}, elementType);
  Val array = makeGen(define.target.text, {}, type, std::move(block), define.range);
  array.ir.getDefiningOp()->setAttr("source", emit.b.getStringAttr(emit.text(define.range)));
  declareValue(define.target, array);
}

namespace {
/// A result's declaration with other extents.
std::string declaration(const ParamInfo &result, const std::vector<shape::Expr> &extents) {
  std::string text = result.name() + ": " + std::string(spelling(result.ast->type.type));
  for (size_t axis = 0; axis < extents.size(); ++axis)
    text += (axis ? ", " : "[") + extents[axis].str();
  return text + (extents.empty() ? "" : "]");
}
} // namespace

/// Whether an array fits a declared result; reports both shapes when it does not.
bool Analyzer::sameShape(const Val &value, const ParamInfo &result, SourceRange at) {
  std::vector<shape::Expr> found = value.arrayType().extents();
  bool equal = found.size() == result.extents.size();
  for (unsigned i = 0; equal && i < found.size(); ++i)
    equal = found[i] == result.extents[i] || ranges->entry.proveEqual(found[i], result.extents[i]);
  if (equal)
    return true;
  auto report = diags.report(diag::resultShape, at, result.name(), shapeText(result.extents),
                             shapeText(found));
  report.note(result.ast->range, "'" + result.name() + "' is declared here");
  if (result.extents.size() == 2 && found.size() == 2 && same(result.extents[0], found[1]) &&
      same(result.extents[1], found[0]))
    report.help("transpose the value, or declare `" + declaration(result, found) + "`");
  else
    report.help("declare `" + declaration(result, found) + "`, or change the value");
  return false;
}

/// Gives an array a name: a nameless gen takes it, anything else becomes a gen that reads it.
Val Analyzer::nameArray(const Val &array, const ast::Name &name, SourceRange at) {
  const ParamInfo *result = resultNamed(name.text);
  if (result && !sameShape(array, *result, array.range))
    return poison();
  mlir::Type own = array.arrayType().getElementType(), type = own;
  if (own.isIndex())
    type = emit.b.getI64Type();
  moa::ArrayType wanted =
      result ? arrayType(*result) : moa::ArrayType::get(emit.b.getContext(), array.extents(), type);
  auto gen = array.ir.getDefiningOp<moa::GenOp>();
  bool nameless =
      gen && !gen->hasAttr("source") && gen->use_empty() && gen->getBlock() == &kernel.entry();
  Val named = array;
  if (nameless && own == wanted.getElementType()) {
    gen.setName(name.text);
    gen.getResult().setType(wanted);
  } else {
    named = copyArray(array, name.text, wanted, at);
  }
  if (named.poison())
    return named;
  named.ir.getDefiningOp()->setAttr("source", emit.b.getStringAttr(emit.text(at)));
  named.ir.getDefiningOp()->removeAttr("anonymous");
  named.weakFloats = false;
  named.elements = array.elements;
  return named;
}

Val Analyzer::copyArray(const Val &array, const std::string &name, moa::ArrayType type,
                        SourceRange at) {
  mlir::Type elementType = type.getElementType();
  Val copy = generate(type.extents(), at, [&](ArrayRef<Value> index) {
    Value stored = emit.store(element(array, index, array.range), elementType, at, name);
    if (!stored)
      return poison();
    Val value = emit.scalarOf(stored, at);
    value.narrow = elementType == moa::valueType(elementType) ? mlir::Type() : elementType;
    return value;
  });
  if (auto gen = copy.poison() ? moa::GenOp() : copy.ir.getDefiningOp<moa::GenOp>()) {
    gen.setName(name);
    gen->removeAttr("anonymous");
    gen.getResult().setType(type);
  }
  return copy;
}

} // namespace moac::sema
