// Arrays made element by element: every one is a moa.gen. See Analyzer.h.
//
// An operation on whole arrays makes a gen of its own that reads its operands; psi-reduction
// composes them later, so nothing is stored that the user did not name.
#include "frontend/Analyzer.h"

#include "ir/MaterializeExpr.h"

using namespace mlir;

namespace moac::sema {

using Kind = Val::Kind;

/// A name for a value the user did not name: derived from the one being defined.
std::string Analyzer::freshName() {
  while (true) {
    std::string name =
        (defining.empty() ? info.name() : defining) + "_" + std::to_string(++temporaries);
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

/// The shape all arrays among `args` have; scalars extend to it.
std::optional<std::vector<shape::Expr>> Analyzer::commonShape(const Vals &args, SourceRange at) {
  const Val *first = nullptr;
  for (const Val &arg : args) {
    if (!arg.isArray())
      continue;
    if (!first) {
      first = &arg;
      continue;
    }
    std::vector<shape::Expr> a = first->arrayType().extents(), b = arg.arrayType().extents();
    bool equal = a.size() == b.size();
    for (unsigned i = 0; equal && i < a.size(); ++i)
      equal = a[i] == b[i] || ranges->entry.proveEqual(a[i], b[i]);
    if (equal)
      continue;
    auto report = diags.report(diag::shapesDiffer, at, shapeText(a), shapeText(b));
    report.note(first->range, "this has shape " + shapeText(a))
        .note(arg.range, "this has shape " + shapeText(b));
    if (a.size() == b.size()) {
      for (unsigned i = 0; i < a.size(); ++i)
        if (!(a[i] == b[i])) {
          report.help(a[i].constant() && b[i].constant()
                          ? "only scalars extend to the shape of an array"
                          : "if they are equal, say so: `where " + a[i].str() +
                                " == " + b[i].str() + "`");
          break;
        }
    } else {
      report.help("only scalars extend to the shape of an array; the index form repeats along an "
                  "axis: `Z[i, j] = A[i, j] + b[j]`");
    }
    return std::nullopt;
  }
  return first->arrayType().extents();
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
                       const std::function<Val(ArrayRef<Value>)> &body) {
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
      elementType = emit.defaultElementType(value);
      Value stored = emit.convert(value.ir, moa::valueType(elementType), at);
      moa::YieldOp::create(emit.b, emit.loc(at), stored);
    }
  }
  if (value.poison()) {
    discard(std::move(block));
    return poison();
  }
  auto type = moa::ArrayType::get(emit.b.getContext(), extents, elementType);
  return makeGen(freshName(), indices, type, std::move(block), at);
}

Val Analyzer::mapArrays(const Vals &args, SourceRange at,
                        const std::function<Val(const Elements &)> &body) {
  std::optional<std::vector<shape::Expr>> extents = commonShape(args, at);
  if (!extents)
    return poison();
  return generate(*extents, at, [&](ArrayRef<Value> index) {
    return body([&](unsigned i) {
      return args[i].isArray() ? element(args[i], index, args[i].range) : args[i];
    });
  });
}

} // namespace moac::sema
