// See RandomExpr.h.
#include "tests/unit/RandomExpr.h"

namespace moac::test {

using namespace ast;

std::string RandomExpr::name() {
  static const char *names[] = {"a", "N", "x_1", "in", "order", "T", "iterate", "layout"};
  return names[below(8)];
}

std::vector<ExprPtr> RandomExpr::list(int least, int most, int depth) {
  std::vector<ExprPtr> result;
  for (int i = least + below(most - least + 1); i > 0; --i)
    result.push_back(expr(depth));
  return result;
}

Word RandomExpr::word(bool (*allowed)(Word)) {
  while (true) {
    Word word = Word(below(int(Word::Psi) + 1));
    if (allowed(word))
      return word;
  }
}

ExprPtr RandomExpr::leaf() {
  int kind = below(6);
  if (kind == 0) {
    auto node = std::make_unique<Constant>(SourceRange());
    node->value = Constant::Value(below(5));
    return node;
  }
  if (kind > 2) {
    auto node = std::make_unique<NameUse>(SourceRange());
    node->name = name();
    return node;
  }
  auto node = std::make_unique<Number>(SourceRange());
  node->isInteger = kind == 1;
  node->integer = below(100);
  node->decimal = node->integer + 0.5;
  node->text = std::to_string(node->integer) + (kind == 1 ? "" : ".5");
  return node;
}

FnRef RandomExpr::fn(bool userNames) {
  FnRef fn;
  fn.kind = FnRef::Kind(below(3));
  if (userNames && below(4) == 0)
    fn.kind = FnRef::Kind::UserName;
  do
    fn.op = Op(below(int(Op::Or) + 1));
  while (fn.op == Op::Cat);
  fn.word = Word(below(int(Word::Psi) + 1));
  fn.func = Func(below(int(Func::Fma) + 1));
  fn.name = "f";
  return fn;
}

OperatorPtr RandomExpr::op(int depth, bool inOmega) {
  auto op = std::make_unique<Operator>();
  op->kind = Operator::Kind(below(depth > 0 ? 6 : 5));
  if (op->kind == Operator::Kind::Omega) {
    op->operand = this->op(depth - 1, true);
    op->ranks = list(0, 2, 1);
    return op;
  }
  op->f = fn(op->kind != Operator::Kind::Fn || inOmega);
  op->g = fn(true);
  return op;
}

ExprPtr RandomExpr::section(int depth) {
  auto node = std::make_unique<Section>(SourceRange());
  node->op = op(2, false);
  if (coin())
    node->lhs = expr(depth);
  node->rhs = expr(depth);
  return node;
}

ExprPtr RandomExpr::call(int depth) {
  auto node = std::make_unique<Call>(SourceRange());
  int kind = below(4);
  node->callee.kind = kind == 0   ? FnRef::Kind::WordName
                      : kind == 1 ? FnRef::Kind::FuncName
                      : kind == 2 ? FnRef::Kind::Cast
                                  : FnRef::Kind::UserName;
  node->callee.word = coin() ? Word::Max : Word::Min;
  node->callee.func = Func(below(int(Func::Fma) + 1));
  node->callee.type = allElementTypes()[below(int(allElementTypes().size()))];
  node->callee.name = name();
  node->args = list(kind == 0 ? 2 : 0, 3, depth);
  return node;
}

ExprPtr RandomExpr::reduce(int depth) {
  auto node = std::make_unique<Reduce>(SourceRange());
  node->isRed = coin();
  node->fn = fn(true);
  if (!node->isRed) {
    node->fn.kind = FnRef::Kind::WordName;
    node->fn.word = word(isReduction);
  }
  for (int i = below(3); i >= 0; --i) {
    Bind &bind = node->binds.emplace_back();
    bind.name.text = name();
    if (coin())
      bind.hi = expr(depth);
    if (bind.hi && coin())
      bind.lo = expr(depth);
  }
  if (coin())
    node->accumulator.emplace().type = ElementType::f64_;
  node->body = expr(depth);
  return node;
}

ExprPtr RandomExpr::index(int depth) {
  auto node = std::make_unique<Index>(SourceRange());
  node->base = expr(depth);
  for (int i = below(3); i >= 0; --i) {
    Subscript &part = node->subscripts.emplace_back();
    part.isSlice = coin();
    if (!part.isSlice) {
      part.index = expr(depth);
      continue;
    }
    for (ExprPtr *bound : {&part.lo, &part.hi, &part.step})
      if (coin())
        *bound = expr(depth);
  }
  return node;
}

ExprPtr RandomExpr::compare(int depth) {
  auto node = std::make_unique<Compare>(SourceRange());
  node->operands = list(2, 3, depth);
  for (size_t i = 1; i < node->operands.size(); ++i)
    node->ops.push_back(Op(int(Op::Eq) + below(6)));
  return node;
}

ExprPtr RandomExpr::expr(int depth) {
  if (depth <= 1)
    return leaf();
  --depth;
  auto pair = [&](auto node, auto op) -> ExprPtr {
    node->lhs = expr(depth);
    node->rhs = expr(depth);
    op(*node);
    return node;
  };
  switch (below(13)) {
  case 0:
  case 1: {
    auto node = std::make_unique<Unary>(SourceRange());
    node->op = Unary::Op(below(2));
    node->operand = expr(depth);
    return node;
  }
  case 2:
  case 3:
    return pair(std::make_unique<Binary>(SourceRange()),
                [&](Binary &node) { node.op = Op(below(int(Op::Cat) + 1)); });
  case 4:
    return compare(depth);
  case 5:
    return pair(std::make_unique<Logical>(SourceRange()),
                [&](Logical &node) { node.op = coin() ? Op::And : Op::Or; });
  case 6:
    return call(depth);
  case 7:
    return reduce(depth);
  case 8:
    return index(depth);
  case 9: {
    auto node = std::make_unique<Vector>(SourceRange());
    node->elements = list(0, 3, depth);
    return node;
  }
  case 10: {
    auto node = std::make_unique<PrefixWord>(SourceRange());
    node->word = word(isPrefix);
    node->operand = expr(depth);
    return node;
  }
  case 11:
    return pair(std::make_unique<InfixWord>(SourceRange()),
                [&](InfixWord &node) { node.word = word(isInfix); });
  default:
    return section(depth);
  }
}

} // namespace moac::test
