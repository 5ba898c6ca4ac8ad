// Conversions between the driver's types and the compiler's; see CompilerData.h.
#include "frontend/CompilerData.h"
#include "ir/IndexExpr.h"

#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace moac;

namespace {
ElementType elementTypeOf(Type type) {
  if (type.isIndex())
    return ElementType::i64_;
  return *findElementType(moa::typeName(type));
}

ArraySignature arraySignature(llvm::StringRef name, moa::ArrayType type) {
  ArraySignature result{name.str(), elementTypeOf(type.getElementType()), type.extents()};
  result.columnMajor = type.getColumnMajor();
  return result;
}

std::map<std::string, int64_t> sizesOf(moa::KernelOp kernel, const std::vector<int64_t> &symbols) {
  std::map<std::string, int64_t> sizes;
  for (unsigned i = 0; i < kernel.numSymbols() && i < symbols.size(); ++i)
    sizes[kernel.argName(i).str()] = symbols[i];
  return sizes;
}

/// The truth of a condition where integers decide it.
std::optional<bool> evaluate(Value condition, moa::IndexExprs &exprs,
                             const std::map<std::string, int64_t> &sizes) {
  if (auto where = condition.getDefiningOp<moa::WhereOp>()) {
    auto decided = evaluate(where.getCondition(), exprs, sizes);
    return decided ? evaluate(*decided ? where.thenValue() : where.elseValue(), exprs, sizes)
                   : std::nullopt;
  }
  if (auto constant = condition.getDefiningOp<moa::ConstantOp>())
    return !cast<IntegerAttr>(constant.getValue()).getValue().isZero();
  auto op = condition.getDefiningOp<moa::ScalarOp>();
  if (!op)
    return std::nullopt;
  if (op.getOperand(0).getType().isInteger(1)) {
    std::vector<std::optional<bool>> values;
    for (Value operand : op.getOperands())
      values.push_back(evaluate(operand, exprs, sizes));
    if (llvm::is_contained(values, std::nullopt))
      return std::nullopt;
    switch (op.kind()) {
    case moa::ScalarFn::not_:
      return !*values[0];
    case moa::ScalarFn::and_:
      return *values[0] && *values[1];
    case moa::ScalarFn::or_:
      return *values[0] || *values[1];
    default:
      return std::nullopt;
    }
  }
  if (!op.getOperand(0).getType().isIndex() || op.getNumOperands() != 2)
    return std::nullopt;
  auto a = exprs.toExpr(op.getOperand(0)).evaluate(sizes),
       b = exprs.toExpr(op.getOperand(1)).evaluate(sizes);
  if (!a || !b)
    return std::nullopt;
  switch (op.kind()) {
  case moa::ScalarFn::eq_:
    return *a == *b;
  case moa::ScalarFn::ne_:
    return *a != *b;
  case moa::ScalarFn::lt_:
    return *a < *b;
  case moa::ScalarFn::le_:
    return *a <= *b;
  case moa::ScalarFn::gt_:
    return *a > *b;
  case moa::ScalarFn::ge_:
    return *a >= *b;
  default:
    return std::nullopt;
  }
}
} // namespace

KernelSignature moac::signatureOf(moa::KernelOp kernel) {
  KernelSignature result;
  result.name = result.cName = kernel.getSymName().str();
  for (unsigned i = 0; i < kernel.numSymbols(); ++i)
    result.symbols.push_back(kernel.argName(i).str());
  for (unsigned i = 0; i < kernel.numScalars(); ++i) {
    BlockArgument scalar = kernel.scalarArg(i);
    result.scalars.push_back(
        {kernel.argName(scalar.getArgNumber()).str(), elementTypeOf(scalar.getType())});
  }
  for (unsigned i = 0; i < kernel.getInputs().size(); ++i) {
    BlockArgument input = kernel.inputArg(i);
    result.inputs.push_back(arraySignature(kernel.argName(input.getArgNumber()),
                                           cast<moa::ArrayType>(input.getType())));
  }
  for (unsigned i = 0; i < kernel.getResults().size(); ++i)
    result.outputs.push_back(
        arraySignature(cast<StringAttr>(kernel.getResults()[i]).getValue(), kernel.resultType(i)));
  return result;
}

Tensor moac::toTensor(const HostArray &array) {
  Tensor tensor = Tensor::zeros(*elementFromName(spelling(array.type())), array.shape());
  std::memcpy(tensor.bytes.data(), array.bytes().data(),
              std::min(tensor.bytes.size(), array.bytes().size()));
  return tensor;
}

OracleArray moac::toOracle(const Tensor &tensor) {
  OracleArray result;
  result.type = *findElementType(elementName(tensor.type));
  result.shape = tensor.extents;
  for (int64_t i = 0; i < tensor.count(); ++i) {
    result.values.push_back(tensor.real(i));
    // A result below the normal range may be off by the spacing of numbers there.
    result.bounds.push_back(
        tensor.bound(i) +
        (isFloat(tensor.type) ? static_cast<double>(smallestPositive(tensor.type)) : 0));
  }
  return result;
}

Arguments moac::toArguments(const CallArguments &arguments) {
  Arguments result;
  result.symbols = arguments.symbols;
  for (const HostArray &scalar : arguments.scalars)
    result.scalars.push_back(toTensor(scalar));
  for (const HostArray &input : arguments.inputs)
    result.inputs.push_back(toTensor(input));
  return result;
}

bool moac::admitsSizes(moa::KernelOp kernel, const std::vector<int64_t> &symbols,
                       const std::vector<HostArray> &scalars) {
  moa::IndexExprs exprs(kernel);
  std::map<std::string, int64_t> sizes = sizesOf(kernel, symbols);
  for (unsigned i = 0; i < kernel.numScalars() && i < scalars.size(); ++i)
    if (kernel.scalarArg(i).getType().isIndex())
      sizes[kernel.argName(kernel.scalarArg(i).getArgNumber()).str()] =
          static_cast<int64_t>(scalars[i].get(0));
  // Requirements first: extents may divide by what they guarantee to be positive.
  for (auto require : kernel.entry().getOps<moa::RequireOp>())
    if (evaluate(require.getCondition(), exprs, sizes) == false)
      return false;
  auto possible = [&](Type type) {
    return llvm::all_of(cast<moa::ArrayType>(type).extents(), [&](const shape::Expr &extent) {
      auto value = extent.evaluate(sizes);
      return value && *value >= 0;
    });
  };
  for (unsigned i = 0; i < kernel.getInputs().size(); ++i)
    if (!possible(kernel.inputArg(i).getType()))
      return false;
  for (unsigned i = 0; i < kernel.getResults().size(); ++i)
    if (!possible(kernel.resultType(i)))
      return false;
  return true;
}

namespace {
bool mayFail(Operation *op);

/// Something in `op`, or in a kernel that it calls, is checked at run time.
bool mayFailInside(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return mayFail(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool mayFail(Operation *op) {
  if (auto call = dyn_cast<moa::CallOp>(op)) {
    Operation *callee = SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr());
    return !callee || mayFailInside(callee);
  }
  auto slice = dyn_cast<moa::SliceOp>(op);
  return moa::isChecked(op) || (slice && !slice.getChecked().empty());
}
} // namespace

bool moac::mayFailUnneeded(moa::KernelOp kernel) {
  SmallPtrSet<Operation *, 4> results;
  for (Value value : cast<moa::ReturnOp>(kernel.entry().back()).getValues())
    results.insert(value.getDefiningOp());
  bool found = false;
  for (Operation &stage : kernel.entry()) {
    if (!results.contains(&stage))
      found |= mayFailInside(&stage);
    else // what a called kernel computes has names there
      stage.walk([&](moa::CallOp call) { found |= mayFail(call); });
  }
  return found;
}

bool moac::mayFailAhead(moa::KernelOp kernel) {
  auto usedInside = [](Operation *op) {
    return llvm::none_of(op->getUsers(),
                         [op](Operation *user) { return user->getBlock() == op->getBlock(); });
  };
  // What a scalar is computed from fails with it: the chain of users, out of reductions and choices
  // too, ends inside another operation.
  std::function<bool(Operation *)> ahead = [&](Operation *op) {
    return usedInside(op) || llvm::any_of(op->getUsers(), [&](Operation *user) {
             if (user->getBlock() != op->getBlock())
               return false;
             if (isa<moa::YieldOp>(user) && isa<moa::RedOp, moa::WhereOp>(user->getParentOp()))
               return ahead(user->getParentOp());
             return isa<moa::ScalarOp, moa::CastOp, moa::PsiOp, moa::WhereOp>(user) && ahead(user);
           });
  };
  const bool fails = mayFailInside(kernel);
  // A read may fail like the value that it reads.
  auto found = kernel.walk([&](Operation *op) {
    return fails && !isa<moa::KernelOp>(op->getParentOp()) &&
                   (mayFail(op) || isa<moa::PsiOp>(op)) && ahead(op) ? WalkResult::interrupt()
                                                                          : WalkResult::advance();
  });
  return found.wasInterrupted();
}

void moac::dropIndexChecks(ModuleOp module) {
  module.walk([](moa::PsiOp psi) { psi.setChecked({}); });
  module.walk([](moa::WhereOp where) {
    auto fail = where.elseValue().getDefiningOp<moa::FailOp>();
    if (!fail || fail.getStatus() != "index")
      return;
    OpBuilder b(where);
    where.getConditionMutable().assign(
        moa::ConstantOp::create(b, where.getLoc(), b.getBoolAttr(true)).getResult());
  });
}

double moac::countIterations(moa::KernelOp kernel, const std::vector<int64_t> &symbols) {
  moa::IndexExprs exprs(kernel);
  std::map<std::string, int64_t> sizes = sizesOf(kernel, symbols);
  int64_t largest = 1;
  for (int64_t size : symbols)
    largest = std::max(largest, size);
  // An index inside a bound stands for its largest value.
  auto sample = [&](const shape::Expr &e) {
    std::map<std::string, int64_t> values = sizes;
    for (const std::string &name : e.names())
      values.try_emplace(name, largest);
    return static_cast<double>(e.evaluate(values).value_or(largest));
  };
  double total = 0;
  for (auto gen : kernel.entry().getOps<moa::GenOp>()) {
    double points = 1;
    for (const shape::Expr &extent : gen.arrayType().extents())
      points *= sample(extent);
    total += points;
    gen.getBody().walk([&](moa::RedOp red) {
      double inner = points;
      for (moa::RedOp outer = red; outer; outer = outer->getParentOfType<moa::RedOp>())
        for (unsigned i = 0; i < outer.rank(); ++i)
          inner *=
              std::max(0.0, sample(exprs.toExpr(outer.upper(i)) - exprs.toExpr(outer.lower(i))));
      total += inner;
    });
  }
  return total;
}

std::map<std::string, uint64_t> moac::flatCounts(const Counts &counts) {
  std::map<std::string, uint64_t> flat;
  auto put = [&](const std::string &name, uint64_t value) {
    if (value != 0)
      flat[name] = value;
  };
  for (const auto &[name, value] : counts.operations)
    put("op " + name, value);
  for (const auto &[name, traffic] : counts.buffers) {
    put("load " + name, traffic.loads);
    put("store " + name, traffic.stores);
    put("update " + name, traffic.updates);
  }
  return flat;
}
