// Every word of the algebra on arrays that fit it; see RandomStructure.h.
//
// An extent is known twice: as an expression for the type and as a number for this call. Words are chosen by the numbers, so
// that takes fit and totals agree, and what a frontend would have had to require simply holds.
#include "RandomStructure.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace moac {
namespace {
struct Extent {
  shape::Expr expr;
  int64_t size;
};
using Extents = std::vector<Extent>;

struct Array {
  Value value;
  Extents shape;
  size_t rank() const { return shape.size(); }
};

std::vector<shape::Expr> exprs(const Extents &shape) {
  std::vector<shape::Expr> out;
  for (const Extent &e : shape)
    out.push_back(e.expr);
  return out;
}

int64_t total(const Extents &shape) {
  int64_t product = 1;
  for (const Extent &e : shape)
    product *= e.size;
  return product;
}

constexpr int64_t mostElements = 600;

class Maker {
public:
  Maker(MLIRContext &context, unsigned seed) : b(&context), random(seed), loc(FileLineColLoc::get(&context, "random.moa", 1, 1)) {}

  RandomKernel make(unsigned words) {
    RandomKernel out;
    out.module = ModuleOp::create(loc);
    b.setInsertionPointToEnd(out.module->getBody());
    signature(out.arguments);
    Array result = array(words);
    while (result.rank() > 3)
      result = reduce(result);
    result = asFloats(result);
    moa::ReturnOp::create(b, loc, ValueRange{result.value});
    kernel.setResultTypesAttr(b.getTypeArrayAttr({result.value.getType()}));
    return out;
  }

private:
  unsigned below(unsigned n) { return random() % n; }
  bool flip() { return below(2); }
  Value index(int64_t value) { return moa::ConstantOp::create(b, loc, b.getIndexAttr(value)); }
  Type f64() { return b.getF64Type(); }
  Type elementOf(const Array &a) { return cast<moa::ArrayType>(a.value.getType()).getElementType(); }
  moa::ArrayType typeOf(const Extents &shape, Type element) { return moa::ArrayType::get(b.getContext(), exprs(shape), element); }

  void signature(Arguments &arguments) {
    static const int64_t sizes[] = {0, 1, 2, 3, 3, 4, 5, 17};
    for (const char *name : {"M", "N", "K"}) {
      symbols.push_back({shape::Expr::name(name), sizes[below(std::size(sizes))]});
      arguments.symbols.push_back(symbols.back().size);
    }
    std::vector<Extents> shapes = {{symbols[0], symbols[1]}, {symbols[1]}, {symbols[2], symbols[0], symbols[1]}, {{2, 2}, {6, 6}}};
    auto names = [&](std::initializer_list<StringRef> list) { return b.getStrArrayAttr(ArrayRef(list.begin(), list.size())); };
    kernel = moa::KernelOp::create(b, loc, b.getStringAttr("random"), names({"M", "N", "K"}), names({}), names({"a", "b", "c", "d"}),
                                   names({"z"}), b.getTypeArrayAttr({}), UnitAttr(), ArrayAttr(), StringAttr());
    Block *entry = b.createBlock(&kernel.getBody());
    for (size_t i = 0; i < symbols.size(); ++i)
      entry->addArgument(b.getIndexType(), loc);
    for (const Extents &shape : shapes) {
      leaves.push_back({entry->addArgument(typeOf(shape, f64()), loc), shape});
      std::vector<int64_t> extents;
      for (const Extent &e : shape)
        extents.push_back(e.size);
      Tensor data = Tensor::zeros(Element::F64, extents);
      for (int64_t i = 0; i < data.count(); ++i)
        data.setReal(i, static_cast<int>(below(7)) - 3);
      arguments.inputs.push_back(std::move(data));
    }
  }

  Array array(unsigned words) {
    if (words == 0)
      return leaf();
    Array a = array(words - 1);
    switch (below(20)) {
    case 0: return take(a);
    case 1: return drop(a);
    case 2: return slice(a);
    case 3: return a.rank() ? Array{moa::ReverseOp::create(b, loc, a.value.getType(), a.value), a.shape} : a;
    case 4: return rotate(a);
    case 5: return transpose(a);
    case 6: return cat(a, words);
    case 7: return reshape(a);
    case 8: return split(a);
    case 9: return map(a, a);
    case 10: return a.rank() ? map(a, {moa::ReverseOp::create(b, loc, a.value.getType(), a.value), a.shape}) : map(a, a);
    case 11: return outer(a);
    case 12: return inner(a);
    case 13: return reduce(a);
    case 14: return scan(a);
    case 15: return omega(a);
    case 16: return omegaPair(a);
    case 17: return row(a);
    case 18: return named(a);
    default: return normalised(a);
    }
  }

  Array leaf() {
    unsigned which = below(leaves.size() + 2);
    if (which < leaves.size())
      return leaves[which];
    if (which == leaves.size())
      return {moa::IotaOp::create(b, loc, typeOf({symbols[1]}, b.getIndexType())), {symbols[1]}};
    Extents shape = {symbols[0], symbols[1], {2, 2}};
    return {moa::IotaOp::create(b, loc, typeOf(shape, b.getIndexType())), shape};
  }

  /// An extent of `size` at most that of `e`, spelled as a number or relative to it.
  Extent shorter(const Extent &e, int64_t size) {
    return flip() ? Extent{shape::Expr(size), size} : Extent{e.expr - shape::Expr(e.size - size), size};
  }

  template <class OpT> Array part(const Array &a) {
    Extents shape = a.shape;
    SmallVector<bool> last;
    for (size_t axis = 0, n = below(a.rank() + 1); axis < n; ++axis) {
      shape[axis] = shorter(a.shape[axis], a.shape[axis].size - below(a.shape[axis].size + 1) / 2);
      last.push_back(flip());
    }
    return {OpT::create(b, loc, typeOf(shape, elementOf(a)), a.value, last), shape};
  }
  Array take(const Array &a) { return part<moa::TakeOp>(a); }
  Array drop(const Array &a) { return part<moa::DropOp>(a); }

  Array slice(const Array &a) {
    Extents shape;
    SmallVector<Value> starts;
    SmallVector<int64_t> steps, checked;
    size_t n = below(a.rank() + 1);
    for (size_t axis = 0; axis < n; ++axis) {
      int64_t size = a.shape[axis].size, start = size ? below(size) : 0, step = size ? below(4) : 1;
      starts.push_back(index(start));
      steps.push_back(step);
      if (step) {
        int64_t kept = (size - start + step - 1) / step;
        shape.push_back({kept, kept});
      }
      if (below(3) == 0)
        checked.push_back(static_cast<int64_t>(axis));
    }
    shape.insert(shape.end(), a.shape.begin() + n, a.shape.end());
    return {moa::SliceOp::create(b, loc, typeOf(shape, elementOf(a)), a.value, starts, steps, checked), shape};
  }

  Array rotate(const Array &a) {
    SmallVector<Value> amounts;
    for (size_t axis = 0, n = below(a.rank() + 1); axis < n; ++axis)
      amounts.push_back(flip() ? index(static_cast<int>(below(40)) - 20) : Value(kernel.symbolArg(below(3))));
    return {moa::RotateOp::create(b, loc, a.value.getType(), a.value, amounts), a.shape};
  }

  Array transpose(const Array &a) {
    SmallVector<int64_t> to = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(a.rank())));
    std::shuffle(to.begin(), to.end(), random);
    Extents shape(a.rank());
    for (size_t k = 0; k < to.size(); ++k)
      shape[to[k]] = a.shape[k];
    return {moa::TransposeOp::create(b, loc, typeOf(shape, elementOf(a)), a.value, to), shape};
  }

  Array cat(const Array &a, unsigned words) {
    if (a.rank() == 0 || total(a.shape) * 2 > mostElements)
      return a;
    Array other = a;
    other.shape[0] = shorter(a.shape[0], a.shape[0].size / 2);
    other.value = moa::DropOp::create(b, loc, typeOf(other.shape, elementOf(a)), a.value, SmallVector<bool>{flip()});
    if (words % 2)
      other = map(other, other);
    if (elementOf(other) != elementOf(a))
      return other;
    Extents shape = a.shape;
    shape[0] = {a.shape[0].expr + other.shape[0].expr, a.shape[0].size + other.shape[0].size};
    return {moa::CatOp::create(b, loc, typeOf(shape, elementOf(a)), a.value, other.value), shape};
  }

  Array reshaped(const Array &a, Extents shape) {
    return {moa::ReshapeOp::create(b, loc, typeOf(shape, elementOf(a)), a.value), shape};
  }
  /// Neighbouring axes joined, or all elements under another shape of numbers.
  Array reshape(const Array &a) {
    int64_t size = total(a.shape);
    if (below(3) == 0 || a.rank() < 2) {
      Extents shape;
      for (int64_t f : {2, 3})
        if (size && size % f == 0)
          shape.push_back({f, f}), size /= f;
      shape.insert(shape.begin() + below(shape.size() + 1), {size, size});
      return reshaped(a, shape);
    }
    Extents shape = a.shape;
    size_t at = below(a.rank() - 1);
    shape[at] = {shape[at].expr * shape[at + 1].expr, shape[at].size * shape[at + 1].size};
    shape.erase(shape.begin() + at + 1);
    return reshaped(a, shape);
  }
  /// Axes of 1 put in, or a product taken apart.
  Array split(const Array &a) {
    Extents shape;
    for (const Extent &e : a.shape) {
      std::optional<shape::Expr> whole = shape::exactQuotient(e.expr, symbols[0].expr);
      if (whole && symbols[0].size) {
        shape.push_back(symbols[0]);
        shape.push_back({*whole, e.size / symbols[0].size});
      } else {
        shape.push_back(e);
      }
      if (below(3) == 0)
        shape.push_back({1, 1});
    }
    return shape.size() > 4 ? a : reshaped(a, shape);
  }

  Block *block(Region &region, TypeRange types) {
    return b.createBlock(&region, {}, types, SmallVector<Location>(types.size(), loc));
  }
  Value scalar(StringRef fn, ValueRange operands) {
    return moa::ScalarOp::create(b, loc, operands[0].getType(), b.getStringAttr(fn), operands, UnitAttr());
  }
  Value asFloat(Value v) { return v.getType() == f64() ? v : Value(moa::CastOp::create(b, loc, f64(), v)); }
  StringRef function() {
    static const StringRef functions[] = {"add", "sub", "max", "min", "mul"};
    return functions[below(std::size(functions))];
  }

  Array map(const Array &x, const Array &y) {
    auto op = moa::MapOp::create(b, loc, typeOf(x.shape, f64()), x.value == y.value ? ValueRange{x.value} : ValueRange{x.value, y.value});
    OpBuilder::InsertionGuard keep(b);
    SmallVector<Type> types(op.getArrays().size(), elementOf(x));
    Block *body = block(op.getBody(), types);
    Value left = asFloat(body->getArgument(0)), right = asFloat(body->getArguments().back());
    moa::YieldOp::create(b, loc, scalar(function(), {left, right}));
    return {op, x.shape};
  }
  Array asFloats(const Array &a) { return elementOf(a) == f64() ? a : map(a, a); }

  Array outer(const Array &a) {
    Array y = leaf();
    if (a.rank() + y.rank() > 4 || total(a.shape) * total(y.shape) > mostElements)
      return a;
    Extents shape = a.shape;
    shape.insert(shape.end(), y.shape.begin(), y.shape.end());
    auto op = moa::OuterOp::create(b, loc, typeOf(shape, f64()), a.value, y.value);
    OpBuilder::InsertionGuard keep(b);
    Block *body = block(op.getBody(), {elementOf(a), elementOf(y)});
    moa::YieldOp::create(b, loc, scalar(function(), {asFloat(body->getArgument(0)), asFloat(body->getArgument(1))}));
    return {op, shape};
  }

  struct Kind {
    std::string kind;
    TypedAttr identity;
  };
  Kind kind() {
    static const char *kinds[] = {"add", "max", "min", "fold"};
    std::string word = kinds[below(4)];
    return {word, word == "fold" ? TypedAttr(b.getF64FloatAttr(1.0)) : TypedAttr()};
  }
  void fillCombine(Region &region, const Kind &k) {
    if (k.kind != "fold")
      return;
    OpBuilder::InsertionGuard keep(b);
    Block *body = block(region, {f64(), f64()});
    moa::YieldOp::create(b, loc, scalar("sub", {body->getArgument(0), body->getArgument(1)}));
  }

  /// A with its own mirror image, so that the contracted extents agree whatever they are.
  Array inner(Array a) {
    if (a.rank() == 0 || a.rank() > 2)
      return a;
    SmallVector<int64_t> to;
    for (size_t k = a.rank(); k-- > 0;)
      to.push_back(static_cast<int64_t>(k));
    Extents turned(a.shape.rbegin(), a.shape.rend());
    Value right = moa::TransposeOp::create(b, loc, typeOf(turned, elementOf(a)), a.value, to);
    Extents shape(a.shape.begin(), a.shape.end() - 1);
    shape.insert(shape.end(), turned.begin() + 1, turned.end());
    if (total(shape) > mostElements)
      return a;
    Kind k = kind();
    auto op = moa::InnerOp::create(b, loc, typeOf(shape, f64()), k.kind, a.value, right, k.identity);
    {
      OpBuilder::InsertionGuard keep(b);
      Block *body = block(op.getTerm(), {elementOf(a), elementOf(a)});
      moa::YieldOp::create(b, loc, scalar(function(), {asFloat(body->getArgument(0)), asFloat(body->getArgument(1))}));
    }
    fillCombine(op.getCombine(), k);
    return {op, shape};
  }

  Array reduce(Array a) {
    if (a.rank() == 0)
      return a;
    Extents shape(a.shape.begin() + 1, a.shape.end());
    if (below(4) == 0)
      return {moa::ReduceOp::create(b, loc, typeOf(shape, b.getIndexType()), flip() ? "argmax" : "argmin", a.value, TypedAttr()), shape};
    a = asFloats(a);
    Kind k = kind();
    auto op = moa::ReduceOp::create(b, loc, typeOf(shape, f64()), k.kind, a.value, k.identity);
    fillCombine(op.getCombine(), k);
    return {op, shape};
  }

  Array scan(Array a) {
    if (a.rank() == 0)
      return a;
    a = asFloats(a);
    Kind k = kind();
    auto op = moa::ScanOp::create(b, loc, typeOf(a.shape, f64()), k.kind, a.value, k.identity);
    fillCombine(op.getCombine(), k);
    return {op, a.shape};
  }

  /// A word, or another omega, on the trailing cells.
  Array omega(const Array &a) {
    if (a.rank() == 0)
      return a;
    size_t r = 1 + below(a.rank());
    Extents frame(a.shape.begin(), a.shape.end() - r), cell(a.shape.end() - r, a.shape.end());
    Region body;
    Array y;
    {
      OpBuilder::InsertionGuard keep(b);
      Block *entry = block(body, {typeOf(cell, elementOf(a))});
      Array c{entry->getArgument(0), cell};
      switch (below(6)) {
      case 0: y = reduce(c); break;
      case 1: y = scan(c); break;
      case 2: y = transpose(rotate(c)); break;
      case 3: y = omega(c); break;
      case 4: y = normalised(c); break;
      default: y = named(map(c, c)); break;
      }
      moa::YieldOp::create(b, loc, y.value);
    }
    Extents shape = frame;
    shape.insert(shape.end(), y.shape.begin(), y.shape.end());
    auto op = moa::OmegaOp::create(b, loc, typeOf(shape, elementOf(y)), a.value, b.getDenseI64ArrayAttr(static_cast<int64_t>(r)));
    op.getBody().takeBody(body);
    return {op, shape};
  }

  /// A's cells of rank r with those of a part of A that has fewer axes in its frame.
  Array omegaPair(const Array &a) {
    if (a.rank() == 0)
      return a;
    Array y = a;
    if (a.shape[0].size > 0 && flip())
      y = row(a);
    size_t r = below(y.rank() + 1);
    Extents frame(a.shape.begin(), a.shape.end() - r), cell(a.shape.end() - r, a.shape.end());
    moa::ArrayType cellType = typeOf(cell, elementOf(a));
    Type own = r ? Type(cellType) : elementOf(a);
    Region body;
    Array z;
    {
      OpBuilder::InsertionGuard keep(b);
      Block *entry = block(body, {own, own});
      if (r == 0) {
        Value sum = scalar("add", {asFloat(entry->getArgument(0)), asFloat(entry->getArgument(1))});
        moa::YieldOp::create(b, loc, sum);
      } else {
        z = map({entry->getArgument(0), cell}, {entry->getArgument(1), cell});
        if (flip())
          z = reduce(z);
        moa::YieldOp::create(b, loc, z.value);
      }
    }
    Extents shape = frame;
    shape.insert(shape.end(), z.shape.begin(), z.shape.end());
    auto rank = static_cast<int64_t>(r);
    auto op = moa::OmegaOp::create(b, loc, typeOf(shape, r ? elementOf(z) : f64()), ValueRange{a.value, y.value},
                                   b.getDenseI64ArrayAttr({rank, rank}));
    op.getBody().takeBody(body);
    return {op, shape};
  }

  Array row(const Array &a) {
    if (a.rank() == 0 || a.shape[0].size == 0)
      return a;
    Extents shape(a.shape.begin() + 1, a.shape.end());
    Value at = index(below(a.shape[0].size));
    SmallVector<int64_t> checked(flip() ? 1 : 0, 0);
    if (shape.empty())
      return a;
    return {moa::PsiOp::create(b, loc, typeOf(shape, elementOf(a)), a.value, at, checked), shape};
  }

  Array named(const Array &a) {
    SmallVector<Attribute> names;
    for (size_t k = 0; k < a.rank(); ++k)
      names.push_back(b.getStringAttr("i" + std::to_string(k)));
    auto gen = moa::GenOp::create(b, loc, typeOf(a.shape, elementOf(a)), b.getStringAttr("t" + std::to_string(gens++)), b.getArrayAttr(names));
    if (flip())
      gen->setAttr("anonymous", b.getUnitAttr());
    OpBuilder::InsertionGuard keep(b);
    Block *body = block(gen.getBody(), SmallVector<Type>(a.rank(), b.getIndexType()));
    Value element = moa::PsiOp::create(b, loc, elementOf(a), a.value, body->getArguments(), ArrayRef<int64_t>{});
    moa::YieldOp::create(b, loc, element);
    return {gen, a.shape};
  }

  /// A less the largest of its elements: a scalar of data outside of any region, and a shared operand.
  Array normalised(Array a) {
    a = asFloats(a);
    Array flat = reshaped(a, {Extent{shape::Expr(total(a.shape)), total(a.shape)}});
    auto most = moa::ReduceOp::create(b, loc, typeOf({}, f64()), "max", flat.value, TypedAttr());
    Value top = moa::PsiOp::create(b, loc, f64(), most, ValueRange{}, ArrayRef<int64_t>{});
    auto op = moa::MapOp::create(b, loc, typeOf(a.shape, f64()), ValueRange{a.value});
    OpBuilder::InsertionGuard keep(b);
    Block *body = block(op.getBody(), {f64()});
    moa::YieldOp::create(b, loc, scalar("sub", {body->getArgument(0), top}));
    return {op, a.shape};
  }

  OpBuilder b;
  std::mt19937 random;
  Location loc;
  moa::KernelOp kernel;
  Extents symbols;
  std::vector<Array> leaves;
  unsigned gens = 0;
};
} // namespace

RandomKernel randomStructure(MLIRContext &context, unsigned seed, unsigned words) { return Maker(context, seed).make(words); }
} // namespace moac
