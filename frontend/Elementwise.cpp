// Arrays made element by element: a scalar function on whole arrays is a moa.map, which
// psi-reduction removes, so that nothing is stored that the user did not name. A gen is made where
// a name is given, where one value is read several times, and where a choice must not read the
// other side. See Analyzer.h.
#include "frontend/Analyzer.h"

#include "ir/MaterializeExpr.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace moac::sema {

using Kind = Val::Kind;

/// A name for a value the user did not name: derived from the one being defined, and from `part`,
/// what it is of that.
std::string Analyzer::freshName(const std::string &part) {
  std::string base = (defining.empty() ? info.name() : defining) + "_" + part;
  while (true) {
    unsigned count = ++temporaries[base];
    std::string name = part.empty() || count > 1 ? base + std::to_string(count) : base;
    if (!names.find(name) && !definitions.count(name) && !resultNamed(name))
      return name;
  }
}

/// `wanted`, or `wanted` with a number if the kernel uses that name.
std::string Analyzer::freshIndex(std::string wanted) {
  auto taken = [&](const std::string &name) {
    return scope->find(name) || names.find(name) || definitions.count(name) || resultNamed(name);
  };
  std::string name = wanted;
  for (unsigned n = 2; taken(name); ++n)
    name = wanted + std::to_string(n);
  return name;
}

Value Analyzer::extentValue(const shape::Expr &extent, SourceRange at) {
  return moa::materialize(extent, emit.b, emit.loc(at),
                          [&](const std::string &name) { return exprs->valueOf(name); });
}

bool Analyzer::same(const shape::Expr &a, const shape::Expr &b) {
  return a == b || ranges->entry.proveEqual(a, b);
}

void Analyzer::helpEqual(DiagnosticBuilder &report, const shape::Expr &a, const shape::Expr &b) {
  if (!(a - b).constant())
    report.help("if they are equal, say so: `where " + a.str() + " == " + b.str() + "`");
}

/// What the user may have meant by `a f b` when one operand is a part of the other's shape.
std::string Analyzer::omegaHelp(const Val &a, const Val &b, std::string_view fn) {
  const Val &large = a.rank() > b.rank() ? a : b, &small = a.rank() > b.rank() ? b : a;
  std::vector<shape::Expr> outer = large.extents(), inner = small.extents();
  size_t rest = outer.size() - inner.size();
  bool leading = true, trailing = true;
  for (size_t k = 0; k < inner.size(); ++k) {
    leading &= same(outer[k], inner[k]);
    trailing &= same(outer[rest + k], inner[k]);
  }
  if (fn.empty() || (!leading && !trailing))
    return "";
  auto name = [&](const Val &value, const char *otherwise) {
    std::string text = emit.text(value.range);
    return text.size() <= 24 ? text : otherwise;
  };
  std::string largeRank = std::to_string(trailing ? inner.size() : rest),
              smallRank = std::to_string(trailing ? inner.size() : 0);
  bool first = &large == &a;
  return "the rank operator repeats along an axis: `" + name(a, "A") + " (" + std::string(fn) +
         " omega<" + (first ? largeRank : smallRank) + " " + (first ? smallRank : largeRank) +
         ">) " + name(b, "B") + "`" +
         (leading && trailing ? ", or the other way round with " + std::string("`omega<") +
                                    std::to_string(first ? rest : 0) + " " +
                                    std::to_string(first ? 0 : rest) + ">`"
                              : "");
}

/// The shape all arrays among `args` have; scalars extend to it.
std::optional<std::vector<shape::Expr>> Analyzer::commonShape(const Vals &args, SourceRange at,
                                                              std::string_view fn) {
  const Val *first = nullptr;
  for (const Val &arg : args) {
    if (!arg.isArray())
      continue;
    if (!first) {
      first = &arg;
      continue;
    }
    std::vector<shape::Expr> a = first->extents(), b = arg.extents();
    bool equal = a.size() == b.size();
    unsigned axis = 0;
    while (equal && axis < a.size() && (equal = same(a[axis], b[axis])))
      ++axis;
    if (equal)
      continue;
    auto report = diags.report(diag::shapesDiffer, at, shapeText(a), shapeText(b));
    report.note(first->range, "this has shape " + shapeText(a))
        .note(arg.range, "this has shape " + shapeText(b));
    std::string only = "only scalars extend to the shape of an array";
    if (a.size() == b.size())
      report.help(a[axis].constant() && b[axis].constant()
                      ? only
                      : "if they are equal, say so: `where " + a[axis].str() +
                            " == " + b[axis].str() + "`");
    else if (std::string omega = omegaHelp(*first, arg, fn); !omega.empty())
      report.help(only + "; " + omega);
    else
      report.help(only + "; the index form repeats along an axis: `Z[i, j] = A[i, j] + b[j]`");
    return std::nullopt;
  }
  return first->extents();
}

Val Analyzer::makeGen(const std::string &name, const std::vector<std::string> &indices,
                      moa::ArrayType type, std::unique_ptr<Block> body, SourceRange at) {
  SmallVector<Attribute> indexAttrs;
  for (const std::string &index : indices)
    indexAttrs.push_back(emit.b.getStringAttr(index));

  auto op = moa::GenOp::create(emit.b, emit.loc(at), type, emit.b.getStringAttr(name),
                               emit.b.getArrayAttr(indexAttrs));
  op.getBody().push_back(body.release());
  return {Kind::Array, op.getResult(), {}, {}, at};
}

/// A nameless array whose element at an index is what `body` makes of the index.
Val Analyzer::generate(const std::vector<shape::Expr> &extents, SourceRange at,
                       const std::function<Val(ArrayRef<Value>)> &body, const std::string &part) {
  auto block = std::make_unique<Block>();
  std::vector<std::string> indices;
  for (unsigned i = 0; i < extents.size(); ++i) {
    // An axis is called by its extent's symbol and its position.
    std::string name = extents[i].asName().value_or("a");
    for (char &c : name)
      c = static_cast<char>(tolower(static_cast<unsigned char>(c)));
    indices.push_back(freshIndex(name + std::to_string(i)));
    exprs->claim(indices.back(), block->addArgument(emit.b.getIndexType(), emit.loc(at)));
  }
  Val value;
  mlir::Type elementType;
  {
    OpBuilder::InsertionGuard keep(emit.b);
    emit.b.setInsertionPointToEnd(block.get());
    value = body(SmallVector<Value>(block->getArguments()));
    if (!value.poison()) {
      elementType = elementTypeOf(value);
      Value stored = emit.convert(value.ir, moa::valueType(elementType), at);
      moa::YieldOp::create(emit.b, emit.loc(at), stored);
    }
  }
  if (value.poison()) {
    discard(std::move(block));
    return poison();
  }
  auto type = moa::ArrayType::get(emit.b.getContext(), extents, elementType);
  Val array = makeGen(freshName(part), indices, type, std::move(block), at);
  array.ir.getDefiningOp()->setAttr("anonymous", emit.b.getUnitAttr());
  return array;
}

mlir::Type Analyzer::elementTypeOf(const Val &scalar) {
  return scalar.kind == Kind::WeakInt ? scalar.ir.getType() : emit.defaultElementType(scalar);
}

Val Analyzer::mapArrays(const Vals &args, SourceRange at,
                        const std::function<Val(const Elements &)> &body, std::string_view fn) {
  std::optional<std::vector<shape::Expr>> extents = commonShape(args, at, fn);
  if (!extents)
    return poison();
  std::shared_ptr<Vals> known = knownElements(args, body);
  bool weak = llvm::all_of(
      args, [](const Val &arg) { return !arg.isArray() || arg.scalarType().isIndex(); });
  if (known && weak)
    return vectorOf(*known, at);
  Val result = mapOp(args, *extents, at, body);
  result.elements = known;
  return result;
}

/// The same as a gen whose body reads the operands, where and if it needs them.
Val Analyzer::genArrays(const Vals &args, SourceRange at,
                        const std::function<Val(const Elements &)> &body) {
  std::optional<std::vector<shape::Expr>> extents = commonShape(args, at, "");
  if (!extents)
    return poison();
  return generate(*extents, at, [&](ArrayRef<Value> index) {
    return body([&](unsigned i) {
      return args[i].isArray() ? element(args[i], index, args[i].range) : args[i];
    });
  });
}

namespace {
/// `value` computed anew at the builder's place where that is arithmetic that cannot fail: a scalar
/// operand of whole arrays is written where the index form writes it, beside the element.
Value copyOfScalar(Value value, OpBuilder &b, IRMapping &copies) {
  Operation *op = value.getDefiningOp();
  if (Value copied = copies.lookupOrNull(value))
    return copied;
  auto scalar = dyn_cast_or_null<moa::ScalarOp>(op);
  bool divides =
      scalar && (scalar.kind() == moa::ScalarFn::floordiv_ || scalar.kind() == moa::ScalarFn::mod_);
  if (divides || !isa_and_nonnull<moa::ScalarOp, moa::CastOp, moa::ConstantOp>(op))
    return value;
  for (Value operand : op->getOperands())
    copies.map(operand, copyOfScalar(operand, b, copies));
  return b.clone(*op, copies)->getResult(0);
}
} // namespace

/// The function as a region on one element of each array.
Val Analyzer::mapOp(const Vals &args, const std::vector<shape::Expr> &extents, SourceRange at,
                    const std::function<Val(const Elements &)> &body) {
  auto block = std::make_unique<Block>();
  SmallVector<Value> arrays;
  Vals elements;
  for (const Val &arg : args) {
    elements.push_back(arg.isArray() ? regionElement(*block, arg) : arg);
    if (arg.isArray())
      arrays.push_back(arg.ir);
  }
  Val value = inRegion(*block, {}, [&] {
    IRMapping copies;
    for (Val &element : elements)
      if (element.isScalar() && !isa<BlockArgument>(element.ir))
        element.ir = copyOfScalar(element.ir, emit.b, copies);
    return body([&](unsigned i) { return elements[i]; });
  });
  if (value.poison()) {
    discard(std::move(block));
    return poison();
  }
  auto type = moa::ArrayType::get(emit.b.getContext(), extents, elementTypeOf(value));
  auto op = moa::MapOp::create(emit.b, emit.loc(at), type, arrays);
  op.getBody().push_back(block.release());
  return made(op, at, value.kind == Kind::WeakFloat);
}

} // namespace moac::sema
