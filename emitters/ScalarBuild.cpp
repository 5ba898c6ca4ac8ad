// Expressions of single operations, and the arithmetic of index values.
#include "emitters/ScalarTree.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <limits>

using namespace mlir;

namespace moac::emit {
using namespace tree;

Elem elemOf(Type type) {
  if (type.isIndex())
    return Elem::Index;
  if (type.isBF16())
    return Elem::BF16;
  if (type.isF16())
    return Elem::F16;
  if (isa<FloatType>(type))
    return type.isF32() ? Elem::F32 : Elem::F64;
  const unsigned width = type.getIntOrFloatBitWidth();
  if (width == 1)
    return Elem::Bool;
  const Elem first = type.isUnsignedInteger() ? Elem::U8 : Elem::I8;
  const unsigned step = width == 8 ? 0 : width == 16 ? 1 : width == 32 ? 2 : 3;
  return static_cast<Elem>(static_cast<unsigned>(first) + step);
}

Op updateOp(StringRef kind) {
  return llvm::StringSwitch<Op>(kind)
      .Case("mul", Op::mul_)
      .Case("max", Op::max_)
      .Case("min", Op::min_)
      .Case("any", Op::or_)
      .Case("all", Op::and_)
      .Default(Op::add_);
}

Op opOf(moa::ScalarOp op) {
  const Op fn = *opFromName(std::string_view(op.getFn().data(), op.getFn().size()));
  if (!op->hasAttr("nonpositive") || (fn != Op::exp_ && fn != Op::exp2_))
    return fn;
  return fn == Op::exp_ ? Op::exp_down_ : Op::exp2_down_;
}

namespace {

/// Constants and products may use this many of the 63 bits; array sizes take the rest.
constexpr unsigned mostBits = 32;

/// A `where` with more repeated nodes than this becomes an if statement.
constexpr unsigned largestWhere = 60;

unsigned bitsOf(int64_t value) {
  unsigned bits = 0;
  for (uint64_t left = value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
       left > 1; left = (left + 1) / 2)
    ++bits;
  return bits;
}

void addReads(SmallVector<Value, 2> &reads, ArrayRef<Value> more) {
  for (Value buffer : more)
    if (!llvm::is_contained(reads, buffer))
      reads.push_back(buffer);
}

bool sameExpr(const Expr &a, const Expr &b) {
  return a.kind == b.kind && a.type == b.type && a.op == b.op && a.text == b.text &&
         a.integer == b.integer && a.real == b.real && a.args.size() == b.args.size() &&
         std::equal(a.args.begin(), a.args.end(), b.args.begin(), sameExpr);
}

/// Comparisons that hold or fail for every value, of which compilers warn.
std::optional<bool> settled(Op fn, const Expr &a, const Expr &b) {
  const bool zero = b.kind == Expr::Kind::Integer && b.integer == 0;
  if (isUnsigned(a.type) && zero && (fn == Op::ge_ || fn == Op::lt_))
    return fn == Op::ge_;
  if (isFloat(a.type) || !sameExpr(a, b))
    return std::nullopt;
  return fn == Op::eq_ || fn == Op::le_ || fn == Op::ge_;
}

} // namespace

ScalarTree::Known ScalarTree::build(Operation *op) {
  return llvm::TypeSwitch<Operation *, Known>(op)
      .Case([&](moa::ScalarOp scalar) { return buildScalar(scalar); })
      .Case([&](moa::CastOp cast) { return buildCast(cast); })
      .Case([&](onf::LoadOp load) { return buildLoad(load); })
      .Case([&](onf::NamedOp named) { return known.find(named.getValue())->second; })
      .Case([&](onf::TunedOp tuned) {
        Known out{tree::name(tuned.getName().str()), {}, {}};
        out.facts.bounded = out.facts.nonNegative = true;
        out.facts.bits = bitsOf(64); // of the largest block
        return out;
      })
      .Default([&](Operation *other) {
        auto constant = cast<moa::ConstantOp>(other);
        const Elem type = elemOf(constant.getResult().getType());
        if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
          return Known{real(number.getValueAsDouble(), type), {}, {}};
        const APInt bits = cast<IntegerAttr>(constant.getValue()).getValue();
        const int64_t value =
            type == Elem::Bool || isUnsigned(type) ? bits.getZExtValue() : bits.getSExtValue();
        Known known{integer(value, type), {}, {}};
        known.facts.bits = bitsOf(value);
        known.facts.bounded = known.facts.bits <= mostBits;
        known.facts.nonNegative = value >= 0;
        return known;
      });
}

ScalarTree::Known ScalarTree::buildScalar(moa::ScalarOp op) {
  const Op fn = opOf(op);
  std::vector<Expr> args;
  Known out;
  for (Value operand : op.getOperands()) {
    const Known &part = known.find(operand)->second;
    args.push_back(part.expr);
    addReads(out.reads, part.reads);
  }
  const Elem type = elemOf(op.getResult().getType());
  if (type == Elem::Index) {
    Known index = indexArithmetic(op, fn, std::move(args));
    out.expr = std::move(index.expr);
    out.facts = std::move(index.facts);
    return out;
  }
  if (fn >= Op::eq_ && fn <= Op::ge_)
    if (auto answer = settled(fn, args[0], args[1])) {
      out.expr = integer(*answer, Elem::Bool);
      return out;
    }
  out.expr = apply(fn, type, std::move(args));
  return out;
}

IndexFacts ScalarTree::factsOf(Op fn, ArrayRef<IndexFacts> operands) {
  IndexFacts out;
  out.bounded = out.nonNegative = true;
  bool apart = true; // no loop variable is in two operands
  for (const IndexFacts &operand : operands) {
    out.bounded &= operand.bounded;
    out.nonNegative &= operand.nonNegative;
    out.bits = fn == Op::mul_ ? out.bits + operand.bits : std::max(out.bits, operand.bits);
    for (Value loop : operand.loops) {
      apart &= !llvm::is_contained(out.loops, loop);
      if (!llvm::is_contained(out.loops, loop))
        out.loops.push_back(loop);
    }
  }
  out.bits += fn == Op::add_ || fn == Op::sub_;
  out.bounded &= out.bits <= mostBits && (fn != Op::mul_ || apart);
  if (fn == Op::abs_ || fn == Op::max_)
    out.nonNegative = fn == Op::abs_ || llvm::any_of(operands, [](const IndexFacts &operand) {
                        return operand.nonNegative;
                      });
  else if (fn == Op::sub_ || fn == Op::neg_)
    out.nonNegative = false;
  else if (fn == Op::mod_) { // no larger than its divisor
    out.bounded = operands[1].bounded;
    out.bits = operands[1].bits;
    out.nonNegative = operands[1].nonNegative;
  }
  return out;
}

/// `hi - i` inside the loop over i: what is left of it.
static bool isRestOfLoop(moa::ScalarOp difference) {
  auto index = dyn_cast<BlockArgument>(difference.getOperands()[1]);
  auto loop = index ? dyn_cast<onf::ForOp>(index.getOwner()->getParentOp()) : onf::ForOp();
  return loop && loop.getHi() == difference.getOperands()[0];
}

ScalarTree::Known ScalarTree::indexArithmetic(moa::ScalarOp op, Op fn, std::vector<Expr> args) {
  SmallVector<IndexFacts, 2> parts;
  for (Value operand : op.getOperands())
    parts.push_back(known.find(operand)->second.facts);
  Known out;
  out.facts = factsOf(fn, parts);
  out.facts.nonNegative |= fn == Op::sub_ && isRestOfLoop(op);
  const bool divides = fn == Op::floordiv_ || fn == Op::mod_;
  if (divides && !op.getChecked() && parts[0].nonNegative && parts[1].nonNegative)
    out.expr = apply(fn == Op::mod_ ? Op::remainder_ : Op::quotient_, std::move(args));
  else if (out.facts.bounded || fn == Op::min_ || fn == Op::max_ || divides)
    out.expr = apply(fn, Elem::Index, std::move(args));
  else {
    for (Expr &arg : args)
      arg = cast(Elem::I64, std::move(arg));
    out.expr = cast(Elem::Index, apply(fn, Elem::I64, std::move(args)));
  }
  return out;
}

ScalarTree::Known ScalarTree::buildCast(moa::CastOp op) {
  Known out = known.find(op.getValue())->second;
  const Elem from = out.expr.type, to = elemOf(op.getResult().getType());
  const bool small = from != Elem::I64 && from != Elem::U64 && !isFloat(from);
  if (to != Elem::Index || !small)
    out.facts = {};
  if (to == Elem::Index && small) { // at most 32 bits
    out.facts.bounded = true;
    out.facts.bits = mostBits;
    out.facts.nonNegative = isUnsigned(from) || from == Elem::Bool;
  }
  out.expr = cast(to, std::move(out.expr));
  return out;
}

Expr ScalarTree::read(Value buffer, Value offset) {
  const Buffer &facts = this->buffer(buffer);
  const Elem type =
      elemOf(moa::valueType(cast<onf::BufferType>(buffer.getType()).getElementType()));
  if (facts.scalar)
    return cast(type, tree::name(facts.name, facts.storage));
  return cast(type, load(facts.name, facts.storage, this->offset(offset)));
}

ScalarTree::Known ScalarTree::buildLoad(onf::LoadOp op) {
  Known out;
  out.expr = read(op.getBuffer(), op.getOffset());
  if (op.getOffset())
    addReads(out.reads, known.find(op.getOffset())->second.reads);
  if (!buffer(op.getBuffer()).readOnly)
    addReads(out.reads, op.getBuffer());
  return out;
}

/// An offset is inside its array, so its sums and products are plain. A subscript that is compared
/// with its extent has been computed for that and keeps its own arithmetic.
Expr ScalarTree::offset(Value value) {
  if (!value)
    return integer(0);
  auto op = value.getDefiningOp<moa::ScalarOp>();
  const Known &digested = known.find(value)->second;
  if (!op || digested.expr.kind == Expr::Kind::Name || (op.getFn() != "add" && op.getFn() != "mul"))
    return digested.expr;
  const bool compared = llvm::any_of(value.getUsers(), [&](Operation *user) {
    auto scalar = dyn_cast<moa::ScalarOp>(user);
    return scalar && isLive(user) && scalar.getResult().getType().isInteger(1);
  });
  if (compared)
    return digested.expr;
  return apply(op.getFn() == "add" ? Op::add_ : Op::mul_,
               {offset(op.getOperands()[0]), offset(op.getOperands()[1])});
}

std::optional<ScalarTree::Known> ScalarTree::buildWhere(moa::WhereOp op) {
  unsigned budget = allInline ? std::numeric_limits<unsigned>::max() : largestWhere;

  Known out;
  addReads(out.reads, known.find(op.getCondition())->second.reads);
  std::vector<Expr> sides;
  out.facts.bounded = out.facts.nonNegative = true;
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
    if (!defineInside(region->front(), budget))
      return std::nullopt;
    const Known &side = known.find(region->front().getTerminator()->getOperand(0))->second;
    sides.push_back(side.expr);
    addReads(out.reads, side.reads);
    out.facts.bounded &= side.facts.bounded;
    out.facts.nonNegative &= side.facts.nonNegative;
    out.facts.bits = std::max(out.facts.bits, side.facts.bits);
    for (Value loop : side.facts.loops)
      if (!llvm::is_contained(out.facts.loops, loop))
        out.facts.loops.push_back(loop);
  }
  const Expr condition = known.find(op.getCondition())->second.expr;
  const auto isBool = [](const Expr &e, bool value) {
    return e.type == Elem::Bool && e.kind == Expr::Kind::Integer && (e.integer != 0) == value;
  };
  if (isBool(sides[1], false))
    out.expr = apply(Op::and_, {condition, sides[0]});
  else if (isBool(sides[0], true))
    out.expr = apply(Op::or_, {condition, sides[1]});
  else
    out.expr = apply(Op::select_, {condition, sides[0], sides[1]}), out.expr.type = sides[1].type;
  return out;
}

} // namespace moac::emit
