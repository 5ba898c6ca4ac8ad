// Operators in parentheses: what they are applied to, and the rank operator. See Analyzer.h.
//
// `A (f omega<l r>) B` applies f to cells of rank l of A and rank r of B. Leading axes are frames;
// of two frames the trailing axes are paired, as many as the shorter has, and the rest come first.
// f is translated once, in a region whose arguments are the cells, so anything that can be applied
// to whole arrays can be applied to cells.
#include "frontend/Analyzer.h"

#include "frontend/AstPrinter.h"

using namespace mlir;

namespace moac::sema {

using Kind = Val::Kind;

Val Analyzer::section(const ast::Section &expr) {
  Vals args;
  if (expr.lhs)
    args.push_back(visit(*expr.lhs));
  args.push_back(visit(*expr.rhs));
  for (const Val &arg : args)
    if (arg.poison())
      return poison();
  return applyOperator(*expr.op, args, expr.op->range, expr.range);
}

/// Whether an operator stands as it must: between two operands, or before one.
bool Analyzer::checkOperands(const ast::Operator &op, size_t found, size_t wanted,
                             SourceRange opRange) {
  if (found == wanted)
    return true;
  const std::string text = print(op);
  diags
      .report(diag::operandCount, opRange, text,
              wanted == 2 ? "stands between two operands" : "stands before one operand",
              found == 2 ? "two are" : "one is")
      .help(wanted == 2 ? "write `A " + text + " B`" : "write `" + text + " A`");
  return false;
}

Val Analyzer::applyOperator(const ast::Operator &op, const Vals &args, SourceRange opRange,
                            SourceRange at) {
  using OpKind = ast::Operator::Kind;
  switch (op.kind) {
  case OpKind::Fn:
    return applyFn(op, args, opRange, at);
  case OpKind::Product:
    return checkOperands(op, args.size(), 2, opRange) ? inner(op.f, op.g, args[0], args[1], at)
                                                      : poison();
  case OpKind::Outer:
    return checkOperands(op, args.size(), 2, opRange) ? outer(op.f, args[0], args[1], at)
                                                      : poison();
  case OpKind::Red:
  case OpKind::Scan:
    return checkOperands(op, args.size(), 1, opRange)
               ? reduceBy(op.f, op.kind == OpKind::Scan, args[0], at)
               : poison();
  case OpKind::Omega:
    return omega(op, args, opRange, at);
  }
  return poison();
}

/// A function or word as an operator: `(- omega<1 0>)`, `(transpose omega<2>)`, `(norm omega<1>)`.
Val Analyzer::applyFn(const ast::Operator &op, const Vals &args, SourceRange opRange,
                      SourceRange at) {
  using FnKind = ast::FnRef::Kind;
  const ast::FnRef &fn = op.f;
  switch (fn.kind) {
  case FnKind::Symbol:
    if (args.size() == 1 && fn.op == ast::Op::Sub)
      return negate(args[0], at);
    if (args.size() == 2 && fn.op == ast::Op::Cat)
      return cat(args[0], args[1], at);
    return checkOperands(op, args.size(), 2, opRange) ? apply(fn, args, at) : poison();
  case FnKind::WordName:
    return applyWord(op, args, opRange, at);
  case FnKind::UserName:
    if (auto kernel = items.kernels.find(fn.name); kernel != items.kernels.end())
      return oneResult({&kernel->second, fn.range, at}, args);
    if (!items.fns.count(fn.name)) {
      unknownFunction(fn.name, fn.range, items.callables());
      return poison();
    }
    break;
  case FnKind::FuncName:
  case FnKind::Cast:
    break;
  }
  return checkArity(fn, args.size(), at) ? apply(fn, args, at) : poison();
}

Val Analyzer::applyWord(const ast::Operator &op, const Vals &args, SourceRange opRange,
                        SourceRange at) {
  Word word = op.f.word;
  if (args.size() == 1) {
    if (!checkOperands(op, 1, isPrefix(word) ? 1 : 2, opRange))
      return poison();
    return isReduction(word) ? reduceWord(word, args[0], at) : structureWord(word, args[0], at);
  }
  if (word == Word::Max || word == Word::Min)
    return apply(op.f, args, at);
  return checkOperands(op, 2, isInfix(word) ? 2 : 1, opRange) ? infix(word, args[0], args[1], at)
                                                              : poison();
}

/// The ranks of omega, one constant for each operand; nothing after a report.
std::optional<std::vector<int64_t>> Analyzer::ranksOf(const ast::Operator &op, const Vals &args) {
  if (op.ranks.size() != args.size()) {
    diags.report(diag::rankCount, op.ranksRange, countText(op.ranks.size(), "rank"),
                 countText(args.size(), "operand"));
    return std::nullopt;
  }
  std::vector<int64_t> ranks;
  ExtentReader reader([](const ast::NameUse &) { return shape::Expr::name("?"); }, diags);
  for (unsigned i = 0; i < args.size(); ++i) {
    std::optional<shape::Expr> rank = reader.read(*op.ranks[i]);
    if (!rank)
      return std::nullopt;
    if (!rank->constant() || *rank->constant() < 0) {
      diags.report(diag::rankNotConstant, op.ranks[i]->range, emit.text(op.ranks[i]->range));
      return std::nullopt;
    }
    if (*rank->constant() > static_cast<int64_t>(args[i].rank())) {
      auto report = diags.report(diag::rankTooLarge, op.ranks[i]->range, *rank->constant(),
                                 args[i].isArray() ? originOf(args[i]).text() : "this scalar",
                                 shapeText(args[i].extents()));
      noteDeclared(report, args[i]);
      return std::nullopt;
    }
    ranks.push_back(*rank->constant());
  }
  return ranks;
}

namespace {
using Extents = std::vector<shape::Expr>;

Extents frameOf(const Val &array, int64_t rank) {
  Extents frame = array.extents();
  frame.resize(frame.size() - static_cast<size_t>(rank));
  return frame;
}
} // namespace

/// The frame of the result: unpaired axes of the left, of the right, then the paired ones. Nothing
/// after a report that paired axes differ.
std::optional<Extents> Analyzer::frameOfPair(const Vals &args, const std::vector<int64_t> &ranks,
                                             SourceRange opRange) {
  Extents left = frameOf(args[0], ranks[0]);
  if (args.size() == 1)
    return left;
  Extents right = frameOf(args[1], ranks[1]);
  size_t paired = std::min(left.size(), right.size()), u = left.size() - paired,
         v = right.size() - paired;
  for (size_t k = 0; k < paired; ++k) {
    if (same(left[u + k], right[v + k]))
      continue;
    auto report = diags.report(diag::framesDiffer, opRange, shapeText(left), shapeText(right));
    for (unsigned i = 0; i < 2; ++i)
      report.note(args[i].range, "this has shape " + shapeText(args[i].extents()) +
                                     ", in cells of rank " + std::to_string(ranks[i]));
    helpEqual(report, left[u + k], right[v + k]);
    return std::nullopt;
  }
  Extents frame(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(u));
  frame.insert(frame.end(), right.begin(), right.begin() + static_cast<std::ptrdiff_t>(v));
  frame.insert(frame.end(), left.begin() + static_cast<std::ptrdiff_t>(u), left.end());
  return frame;
}

Val Analyzer::omega(const ast::Operator &op, const Vals &args, SourceRange opRange,
                    SourceRange at) {
  std::optional<std::vector<int64_t>> ranks = ranksOf(op, args);
  std::optional<Extents> frame;
  if (ranks)
    frame = frameOfPair(args, *ranks, opRange);
  if (!frame)
    return poison();
  if (frame->empty())
    return applyOperator(*op.operand, args, opRange, at);
  auto body = std::make_unique<Block>();
  SmallVector<Value> arrays;
  SmallVector<int64_t> cellRanks;
  Vals cells;
  for (unsigned i = 0; i < args.size(); ++i) {
    cells.push_back(args[i]);
    // A scalar is its own only cell; so is a vector without a frame, whose elements a word may have
    // to know.
    if (!args[i].isArray() ||
        (args[i].elements && (*ranks)[i] == static_cast<int64_t>(args[i].rank())))
      continue;
    arrays.push_back(args[i].ir);
    cellRanks.push_back((*ranks)[i]);
    cells.back() = cellOf(args[i], (*ranks)[i], *body);
  }
  Val value =
      inRegion(*body, *frame, [&] { return applyOperator(*op.operand, cells, opRange, at); });
  if (value.poison() || !checkRank(frame->size() + value.rank(), at)) {
    discard(std::move(body));
    return poison();
  }
  Extents extents = *frame, cell = value.extents();
  extents.insert(extents.end(), cell.begin(), cell.end());
  mlir::Type elementType =
      value.isArray() ? value.arrayType().getElementType() : elementTypeOf(value);
  auto type = moa::ArrayType::get(emit.b.getContext(), extents, elementType);
  auto omega = moa::OmegaOp::create(emit.b, emit.loc(at), type, arrays, cellRanks);
  omega.getBody().push_back(body.release());
  return made(omega, at, value.isArray() ? value.weakFloats : value.kind == Kind::WeakFloat);
}

/// A cell of `array` as an argument of omega's region.
Val Analyzer::cellOf(const Val &array, int64_t rank, Block &body) {
  if (rank == 0)
    return regionElement(body, array);
  Extents extents = array.extents();
  extents.erase(extents.begin(), extents.end() - rank);
  Value cell = body.addArgument(typeLike(array, extents), emit.loc(array.range));
  return made(cell, array.range, array.weakFloats);
}

/// Fills omega's region with what `fill` makes and yields it.
Val Analyzer::inRegion(Block &body, const Extents &frame, const std::function<Val()> &fill) {
  OpBuilder::InsertionGuard keep(emit.b);
  emit.b.setInsertionPointToEnd(&body);
  size_t outer = frames.size();
  frames.insert(frames.end(), frame.begin(), frame.end());
  Val value = fill();
  frames.resize(outer);
  if (!value.poison())
    moa::YieldOp::create(emit.b, emit.loc(value.range), value.ir);
  return value;
}

} // namespace moac::sema
