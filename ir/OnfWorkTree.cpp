// Reading ONF for its counts. A new operation is one line in `Reader::operation`; the interpreter's line for it in
// ir/InterpreterLowerOnf.cpp is what the counts are compared with.
#include "ir/OnfWorkTree.h"

#include "ir/IndexExpr.h"
#include "ir/KernelFacts.h"
#include "ir/Tuned.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace moac;
using namespace moac::cost;
using moa::ScalarFn;

namespace {
std::string elementWord(Type type) { return type.isIndex() ? "i64" : moa::typeName(type); }

bool isFloat(Type type) { return isa<FloatType>(type); }

/// Statements that end in a status whatever they do before.
bool onlyFails(Region &region) {
  return !region.empty() && llvm::any_of(region.front(), llvm::IsaPred<onf::FailOp>);
}

class Reader {
public:
  Reader(onf::FuncOp function, const Sizes &trips, unsigned tuned)
      : function(function), exprs(function), trips(trips), tuned(tuned) {}

  WorkTree read() {
    tree.name = function.getSymName().str();
    for (unsigned i = 0; i < function.firstInput(); ++i) {
      BlockArgument argument = function.entry().getArgument(i);
      if (!argument.getType().isIndex())
        continue;
      known.insert(exprs.nameOf(argument));
      tree.symbols.push_back(exprs.nameOf(argument));
      if (i < function.getSymbols().size())
        tree.facts.nonNegative(Expr::name(exprs.nameOf(argument)));
    }
    arguments(function.getInputs(), function.getInputTypes(), function.firstInput(), Place::Input);
    arguments(function.getResults(), function.getResultTypes(), function.firstOutput(), Place::Output);
    for (auto require : function.entry().getOps<onf::RequireOp>())
      moa::assume(tree.facts, require.getCondition(), true, exprs);
    block(function.entry(), tree.body);
    return std::move(tree);
  }

private:
  void arguments(ArrayAttr names, ArrayAttr types, unsigned first, Place place) {
    for (unsigned i = 0; i < names.size(); ++i) {
      auto type = cast<moa::ArrayType>(cast<TypeAttr>(types[i]).getValue());
      Expr size(1);
      for (const Expr &extent : type.extents()) {
        size = size * extent;
        tree.facts.nonNegative(extent);
      }
      addArray(function.entry().getArgument(first + i), cast<StringAttr>(names[i]).getValue(), place, size);
    }
  }

  void addArray(Value buffer, StringRef name, Place place, Expr size) {
    Type element = cast<onf::BufferType>(buffer.getType()).getElementType();
    const unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    arrays[buffer] = static_cast<unsigned>(tree.arrays.size());
    tree.arrays.push_back({name.str(), elementWord(element), std::max<int64_t>(1, bits / 8), place, std::move(size)});
  }

  /// An index as algebra over sizes and loop variables: names, tuned constants and steps replaced by what they mean.
  Expr expr(Value value) { return exprs.toExpr(value).substitute(meanings); }
  void means(Value value, Expr meaning) { meanings.insert_or_assign(exprs.nameOf(value), std::move(meaning)); }

  void block(Block &from, WorkBlock &to) {
    for (Operation &op : from)
      operation(&op, to);
  }

  void operation(Operation *op, WorkBlock &to) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](moa::ScalarOp o) { scalar(o, to); })
        .Case([&](moa::CastOp o) { count("cast", o.getType(), to); })
        .Case([&](moa::WhereOp o) { where(o, to); })
        .Case([&](onf::AllocOp o) { alloc(o); })
        .Case([&](onf::LoadOp o) { access(o.getBuffer(), o.getOffset(), AccessKind::Load, to); })
        .Case([&](onf::StoreOp o) { access(o.getBuffer(), o.getOffset(), AccessKind::Store, to); })
        .Case([&](onf::UpdateOp o) { update(o, to); })
        .Case([&](onf::ForOp o) { loop(o, to); })
        .Case([&](onf::IfOp o) { condition(o, to); })
        .Case([&](onf::ParallelOp o) { block(o.getBody().front(), to); })
        .Case([&](onf::NamedOp o) { means(o.getResult(), expr(o.getValue())); })
        .Case([&](onf::TunedOp o) { means(o.getResult(), Expr(findTuned(std::string_view(o.getName().data(), o.getName().size()))->values[tuned])); })
        .Case([&](onf::WorldOp o) { world(o); })
        .Case([&](onf::GatherOp o) { to.sent.push_back({arrays.lookup(o.getBuffer()), expr(o.getCount())}); })
        .Case<onf::MeetOp, onf::RequireOp, onf::NoteOp, onf::PrefetchOp, onf::FailOp, moa::ConstantOp, moa::YieldOp>([](auto) {})
        .Default([&](Operation *o) { note("operation " + o->getName().getStringRef().str() + " is not counted"); });
  }

  /// Numbers that a run on several processing elements has, given like sizes.
  void world(onf::WorldOp op) {
    const std::string name = exprs.claim(op.getWhat(), op.getResult());
    if (known.insert(name).second)
      tree.symbols.push_back(name);
    if (op.getWhat() == "pes") {
      tree.facts.nonNegative(Expr::name(name) - Expr(1));
      tree.processingElements = name;
    } else {
      tree.facts.nonNegative(Expr::name(name));
    }
  }

  void note(std::string text) {
    if (!llvm::is_contained(tree.notes, text))
      tree.notes.push_back(std::move(text));
  }

  void count(StringRef fn, Type type, WorkBlock &to) { ++to.operations[(fn + "." + elementWord(type)).str()]; }

  void scalar(moa::ScalarOp op, WorkBlock &to) {
    count(op.getFn(), op.getOperand(0).getType(), to);
    to.fused += op.kind() == ScalarFn::mul_ && isFloat(op.getType()) && feedsAddition(op);
  }

  static bool feedsAddition(moa::ScalarOp product) {
    if (!product->hasOneUse())
      return false;
    Operation *user = *product->user_begin();
    if (auto update = dyn_cast<onf::UpdateOp>(user))
      return update.getKind() == "add";
    auto sum = dyn_cast<moa::ScalarOp>(user);
    return sum && (sum.kind() == ScalarFn::add_ || sum.kind() == ScalarFn::sub_);
  }

  void access(Value buffer, Value offset, AccessKind kind, WorkBlock &to) {
    Access access{arrays.lookup(buffer), kind, offset ? expr(offset) : Expr(0)};
    if (!dependsOnData(*access.offset).empty())
      access.offset.reset();
    to.accesses.push_back(std::move(access));
  }

  void update(onf::UpdateOp op, WorkBlock &to) {
    access(op.getBuffer(), op.getOffset(), AccessKind::Update, to);
    to.atomics += op.getAtomic();
    count(op.getKind(), cast<onf::BufferType>(op.getBuffer().getType()).getElementType(), to);
  }

  void alloc(onf::AllocOp op) {
    auto type = cast<onf::BufferType>(op.getBuffer().getType());
    const auto place = llvm::StringSwitch<Place>(type.getSpace()).Case("shared", Place::Shared).Case("symmetric", Place::Symmetric).Case("thread", Place::Thread).Default(Place::Register);
    Expr size = expr(op.getSize());
    if (!dependsOnData(size).empty())
      note("the size of " + op.getName().str() + " depends on data");
    addArray(op.getBuffer(), op.getName(), place, size);
  }

  void loop(onf::ForOp op, WorkBlock &to) {
    WorkLoop loop;
    loop.axis = op.getName().str();
    loop.role = op.getRole().str();
    Expr lo = expr(op.getLo()), hi = expr(op.getHi());
    loop.range = {exprs.nameOf(op.iv()), lo, hi};
    std::vector<std::string> data = dependsOnData(hi - lo);
    if (op.getStep()) { // i = lo + step * i_block
      const Expr step = expr(op.getStep());
      loop.range.variable += "_block";
      means(op.iv(), lo + step * Expr::name(loop.range.variable));
      loop.range.lo = Expr(0);
      loop.range.hi = floordiv(hi - lo + step - Expr(1), step);
    }
    known.insert(loop.range.variable);
    indices.insert(loop.range.variable);
    if (!data.empty() || !dependsOnData(lo).empty())
      bound(op, loop);
    loop.body = std::make_unique<WorkBlock>();
    block(op.entry(), *loop.body);
    to.children.push_back({std::move(loop), std::nullopt});
  }

  /// Gives a loop between values of data a range that is not shorter: as said by the user, else where its checks hold.
  void bound(onf::ForOp op, WorkLoop &loop) {
    loop.exact = false;
    const std::string through = loop.axis + " from " + moa::IndexExprs::display(loop.range.lo) + " to " + moa::IndexExprs::display(loop.range.hi);
    if (auto given = trips.find(loop.axis); given != trips.end()) {
      loop.range.lo = Expr(0), loop.range.hi = Expr(given->second);
      return note("loop " + through + ": taken to run " + std::to_string(given->second) + " times");
    }
    if (std::optional<LoopRange> checked = checkedRange(op, loop.range.variable)) {
      loop.range = *checked;
      return note("loop " + through + ": at most from " + checked->lo.str() + " to " + checked->hi.str());
    }
    const std::string name = "trips_" + loop.axis;
    known.insert(name);
    tree.symbols.push_back(name);
    loop.range.lo = Expr(0), loop.range.hi = Expr::name(name);
    tree.facts.nonNegative(loop.range.hi);
    note("loop " + through + ": how often it runs depends on data; give --trips " + loop.axis + "=N");
  }

  /// The values of a loop's index that pass the checks in its body.
  std::optional<LoopRange> checkedRange(onf::ForOp op, const std::string &variable) {
    std::optional<Expr> lo, hi;
    for (auto test : op.entry().getOps<onf::IfOp>()) {
      if (!onlyFails(test.getElseRegion()))
        continue;
      Indicator holds = indicator(test.getCondition(), true);
      if (holds.terms.size() != 1)
        continue;
      for (const Expr &condition : holds.terms[0].conditions) {
        const Expr index = Expr::name(variable);
        if (Expr rest = condition - index; !rest.mentions(variable))
          lo = lo ? max(*lo, -rest) : -rest;
        else if (Expr low = condition + index; !low.mentions(variable))
          hi = hi ? min(*hi, low + Expr(1)) : low + Expr(1);
      }
    }
    if (!lo || !hi)
      return std::nullopt;
    return LoopRange{variable, *lo, *hi};
  }

  void branch(Indicator taken, Region &region, WorkBlock &to) {
    if (region.empty() || taken.terms.empty())
      return;
    WorkBranch branch{std::move(taken), std::make_unique<WorkBlock>()};
    block(region.front(), *branch.body);
    to.children.push_back({std::nullopt, std::move(branch)});
  }

  void sides(Value condition, Region &yes, Region &no, WorkBlock &to) {
    const bool yesFails = onlyFails(yes), noFails = onlyFails(no);
    if (yesFails || noFails) {
      branch(yesFails ? Indicator::never() : Indicator::always(), yes, to);
      return branch(noFails ? Indicator::never() : Indicator::always(), no, to);
    }
    Indicator taken = indicator(condition, true), otherwise = indicator(condition, false);
    if (!taken.exact)
      note("a condition depends on data: both sides are counted as if always taken");
    branch(std::move(taken), yes, to);
    branch(std::move(otherwise), no, to);
  }

  void condition(onf::IfOp op, WorkBlock &to) { sides(op.getCondition(), op.getThenRegion(), op.getElseRegion(), to); }

  void where(moa::WhereOp op, WorkBlock &to) {
    count("where", op.getType(), to);
    sides(op.getCondition(), op.getThenRegion(), op.getElseRegion(), to);
    if (op.getType().isIndex())
      define(op);
  }

  /// Gives an index chosen by sizes alone a name that formulas may use.
  void define(moa::WhereOp op) {
    auto ofSizes = [&](const Expr &e) {
      return dependsOnData(e).empty() && llvm::none_of(e.names(), [&](const std::string &n) { return indices.contains(n); });
    };
    Indicator when = indicator(op.getCondition(), true);
    const Expr yes = expr(op.thenValue()), no = expr(op.elseValue());
    bool fixed = when.exact && ofSizes(yes) && ofSizes(no);
    for (const Indicator::Term &term : when.terms)
      fixed &= llvm::all_of(term.conditions, ofSizes);
    std::optional<std::string> name = exprs.toExpr(op.getResult()).asName();
    if (!fixed || !name)
      return;
    known.insert(*name);
    tree.definitions.push_back({*name, std::move(when), yes, no});
  }

  /// When `condition` has the value `wanted`; an upper bound where that depends on data.
  Indicator indicator(Value condition, bool wanted) {
    APInt constant;
    if (matchPattern(condition, m_ConstantInt(&constant)))
      return constant.getBoolValue() == wanted ? Indicator::always() : Indicator::never();
    if (auto where = condition.getDefiningOp<moa::WhereOp>()) {
      Indicator yes = indicator(where.getCondition(), true), no = indicator(where.getCondition(), false);
      return sum(yes & indicator(where.thenValue(), wanted), no & indicator(where.elseValue(), wanted));
    }
    auto op = condition.getDefiningOp<moa::ScalarOp>();
    if (!op)
      return Indicator::always(false);
    if (op.kind() == ScalarFn::not_)
      return indicator(op.getOperand(0), !wanted);
    if (op.kind() == ScalarFn::and_ || op.kind() == ScalarFn::or_) {
      Indicator a = indicator(op.getOperand(0), wanted), b = indicator(op.getOperand(1), wanted);
      return (op.kind() == ScalarFn::and_) == wanted ? a & b : a | b;
    }
    if (moa::scalarFnClass(op.kind()) != moa::ScalarClass::Compare)
      return Indicator::always(false);
    return comparison(op, wanted);
  }

  /// Of two that never hold together.
  static Indicator sum(Indicator a, const Indicator &b) {
    a.terms.insert(a.terms.end(), b.terms.begin(), b.terms.end());
    a.exact &= b.exact;
    return a.exact ? a : Indicator::always(false);
  }

  Indicator comparison(moa::ScalarOp op, bool wanted) {
    std::optional<Expr> a = exprs.toInteger(op.getOperand(0)), b = exprs.toInteger(op.getOperand(1));
    if (a && b)
      a = a->substitute(meanings), b = b->substitute(meanings);
    if (!a || !b || !dependsOnData(*a - *b).empty())
      return Indicator::always(false);
    const Expr one(1), rise = *b - *a;
    Indicator holds = Indicator::always(false);
    switch (op.kind()) {
    case ScalarFn::lt_: holds = Indicator::when(rise - one); break;
    case ScalarFn::le_: holds = Indicator::when(rise); break;
    case ScalarFn::gt_: holds = Indicator::when(-rise - one); break;
    case ScalarFn::ge_: holds = Indicator::when(-rise); break;
    case ScalarFn::eq_: holds = Indicator::when(rise) & Indicator::when(-rise); break;
    case ScalarFn::ne_: holds = sum(Indicator::when(rise - one), Indicator::when(-rise - one)); break;
    default: return holds;
    }
    return wanted ? holds : complement(op.kind(), rise);
  }

  static Indicator complement(ScalarFn fn, const Expr &rise) {
    const Expr one(1);
    switch (fn) {
    case ScalarFn::lt_: return Indicator::when(-rise);
    case ScalarFn::le_: return Indicator::when(-rise - one);
    case ScalarFn::gt_: return Indicator::when(rise);
    case ScalarFn::ge_: return Indicator::when(rise - one);
    case ScalarFn::eq_: return sum(Indicator::when(rise - one), Indicator::when(-rise - one));
    default: return Indicator::when(rise) & Indicator::when(-rise);
    }
  }

  /// Names in `e` that are neither sizes nor indices.
  std::vector<std::string> dependsOnData(const Expr &e) {
    std::vector<std::string> names;
    if (e.poisoned())
      return {"?"};
    for (const std::string &name : e.names())
      if (!known.contains(name))
        names.push_back(name);
    return names;
  }

  onf::FuncOp function;
  moa::IndexExprs exprs;
  const Sizes &trips;
  unsigned tuned;
  std::map<std::string, Expr> meanings;
  WorkTree tree;
  llvm::StringSet<> known;   ///< sizes, indices and what is defined by them
  llvm::StringSet<> indices; ///< of loops
  llvm::DenseMap<Value, unsigned> arrays;
};
} // namespace

WorkTree moac::cost::workTreeOf(onf::FuncOp function, const Sizes &trips, unsigned tuned) {
  return Reader(function, trips, tuned).read();
}
