// Verifiers, custom syntax and folds of the moa operations. Each constraint id ([psi_c2] ...) is a section of Semantics.md.
#include "ir/Moa.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
ParseResult parseFnName(OpAsmParser &parser, StringAttr &fn) {
  std::string word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeywordOrString(&word))
    return failure();
  if (!scalarFnFromName(word))
    return parser.emitError(loc, "unknown scalar function '") << word << "'";
  fn = StringAttr::get(parser.getContext(), word);
  return success();
}
void printFnName(OpAsmPrinter &printer, Operation *, StringAttr fn) { printer << fn.getValue(); }
} // namespace

#define GET_OP_CLASSES
#include "ir/MoaOps.cpp.inc"

// ---- kernel -----------------------------------------------------------------------------------------------------

StringRef KernelOp::argName(unsigned i) {
  for (ArrayAttr names : {getSymbols(), getScalars(), getInputs()}) {
    if (i < names.size())
      return cast<StringAttr>(names[i]).getValue();
    i -= names.size();
  }
  return "";
}

void KernelOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printSymbolName(getSymName());
  p << '(';
  for (unsigned i = 0; i < entry().getNumArguments(); ++i) {
    p << (i ? ", " : "");
    if (i < numSymbols())
      p << "symbol ";
    else if (i < numSymbols() + numScalars())
      p << "scalar ";
    p.printString(argName(i));
    p << ' ';
    p.printRegionArgument(entry().getArgument(i));
  }
  p << ") -> (";
  for (unsigned i = 0; i < getResults().size(); ++i) {
    p << (i ? ", " : "");
    p.printString(cast<StringAttr>(getResults()[i]).getValue());
    p << " : " << getResultTypes()[i];
  }
  p << ')';
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                     {"sym_name", "symbols", "scalars", "inputs", "results", "result_types"});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr name;
  SmallVector<Attribute> groups[3], results, resultTypes;
  SmallVector<OpAsmParser::Argument> args;
  Builder &b = parser.getBuilder();
  if (parser.parseSymbolName(name, "sym_name", state.attributes))
    return failure();
  auto parseParameter = [&]() -> ParseResult {
    int group = succeeded(parser.parseOptionalKeyword("symbol")) ? 0
                : succeeded(parser.parseOptionalKeyword("scalar")) ? 1
                                                                   : 2;
    std::string word;
    if (parser.parseString(&word) || parser.parseArgument(args.emplace_back(), /*allowType=*/true))
      return failure();
    groups[group].push_back(b.getStringAttr(word));
    return success();
  };
  auto parseResult = [&]() -> ParseResult {
    std::string word;
    Type type;
    if (parser.parseString(&word) || parser.parseColonType(type))
      return failure();
    results.push_back(b.getStringAttr(word));
    resultTypes.push_back(TypeAttr::get(type));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseParameter) || parser.parseArrow() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseResult) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  state.addAttribute("symbols", b.getArrayAttr(groups[0]));
  state.addAttribute("scalars", b.getArrayAttr(groups[1]));
  state.addAttribute("inputs", b.getArrayAttr(groups[2]));
  state.addAttribute("results", b.getArrayAttr(results));
  state.addAttribute("result_types", b.getArrayAttr(resultTypes));
  return parser.parseRegion(*state.addRegion(), args);
}

LogicalResult KernelOp::verify() {
  unsigned count = numSymbols() + numScalars() + getInputs().size();
  if (entry().getNumArguments() != count)
    return emitOpError() << "has " << entry().getNumArguments() << " block arguments for " << count
                         << " parameters [kernel_c1]";
  for (unsigned i = 0; i < count; ++i) {
    Type type = entry().getArgument(i).getType();
    bool array = isa<ArrayType>(type);
    if (array != (i >= numSymbols() + numScalars()) || (i < numSymbols() && !type.isIndex()))
      return emitOpError() << "parameter '" << argName(i) << "' has type " << type
                           << "; the order is symbols, scalars, arrays [kernel_c2]";
  }
  auto weak = [](Type type) { return isa<ArrayType>(type) && cast<ArrayType>(type).getElementType().isIndex(); };
  if (llvm::any_of(entry().getArgumentTypes(), weak) || llvm::any_of(getResultTypes().getAsValueRange<TypeAttr>(), weak))
    return emitOpError("has an array of weak integers in its interface [kernel_c5]");
  if (getResults().size() != getResultTypes().size())
    return emitOpError("needs one type for each result [kernel_c3]");
  auto ret = dyn_cast<ReturnOp>(entry().back());
  if (!ret || ret.getValues().getTypes() != SmallVector<Type>(getResultTypes().getAsValueRange<TypeAttr>()))
    return emitOpError("must return values of its result types [kernel_c4]");
  return success();
}

// ---- arrays -----------------------------------------------------------------------------------------------------

LogicalResult GenOp::verify() {
  if (getIndices().size() != static_cast<size_t>(arrayType().rank()) ||
      entry().getNumArguments() != getIndices().size())
    return emitOpError() << "has " << getIndices().size() << " indices for shape " << arrayType().shapeText()
                         << " [gen_c1]";
  if (llvm::any_of(entry().getArgumentTypes(), [](Type t) { return !t.isIndex(); }))
    return emitOpError("indices must have type index [gen_c2]");
  auto yield = dyn_cast<YieldOp>(entry().back());
  if (!yield || yield.getNumOperands() != 1 ||
      yield.getOperand(0).getType() != valueType(arrayType().getElementType()))
    return emitOpError() << "must yield one " << typeName(valueType(arrayType().getElementType())) << " [gen_c3]";
  return success();
}

LogicalResult PsiOp::verify() {
  auto array = cast<ArrayType>(getArray().getType());
  int64_t given = getSubscripts().size();
  if (given > array.rank())
    return emitOpError() << "index of length " << given << " into shape " << array.shapeText() << " [psi_c1]";
  for (int64_t axis : getChecked())
    if (axis < 0 || axis >= given)
      return emitOpError() << "checked axis " << axis << " has no subscript [psi_c2]";
  if (given == array.rank()) {
    if (getResult().getType() != valueType(array.getElementType()))
      return emitOpError() << "full index must give " << typeName(valueType(array.getElementType())) << " [psi_c3]";
    return success();
  }
  auto result = dyn_cast<ArrayType>(getResult().getType());
  if (!result || result.getElementType() != array.getElementType() ||
      result.getExtentTexts() != array.getExtentTexts().drop_front(given))
    return emitOpError() << "index of length " << given << " into shape " << array.shapeText()
                         << " must give the remaining axes [psi_c4]";
  return success();
}

void RedOp::print(OpAsmPrinter &p) {
  p << ' ' << getKind() << ' ';
  if (getIdentityAttr())
    p << "identity(" << getIdentityAttr() << ") ";
  for (unsigned i = 0; i < rank(); ++i) {
    p.printString(indexName(i));
    p << " in ";
    p.printRegion(getParts()[i]);
    p << ' ';
  }
  p << "term ";
  p.printRegion(getParts()[rank()]);
  if (isFold()) {
    p << " combine ";
    p.printRegion(getParts()[rank() + 1]);
  }
  p.printOptionalAttrDict((*this)->getAttrs(), {"kind", "indices", "identity"});
  p << " : " << getResult().getType();
}

ParseResult RedOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &b = parser.getBuilder();
  StringRef kind;
  std::string word;
  SmallVector<Attribute> names;
  if (parser.parseKeyword(&kind))
    return failure();
  state.addAttribute("kind", b.getStringAttr(kind));
  if (succeeded(parser.parseOptionalKeyword("identity"))) {
    TypedAttr identity;
    if (parser.parseLParen() || parser.parseAttribute(identity, "identity", state.attributes) || parser.parseRParen())
      return failure();
  }
  while (succeeded(parser.parseOptionalString(&word))) {
    names.push_back(b.getStringAttr(word));
    if (parser.parseKeyword("in") || parser.parseRegion(*state.addRegion()))
      return failure();
  }
  state.addAttribute("indices", b.getArrayAttr(names));
  if (parser.parseKeyword("term") || parser.parseRegion(*state.addRegion()))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("combine")) && parser.parseRegion(*state.addRegion()))
    return failure();
  Type type;
  if (parser.parseOptionalAttrDict(state.attributes) || parser.parseColonType(type))
    return failure();
  state.addTypes(type);
  return success();
}

static bool yields(Block &block, unsigned arguments, TypeRange types) {
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  return yield && block.getNumArguments() == arguments && yield.getOperandTypes() == types;
}

LogicalResult RedOp::verify() {
  bool known = llvm::StringSwitch<bool>(getKind())
                   .Cases({"add", "mul", "max", "min", "any", "all", "argmax", "argmin", "fold"}, true)
                   .Default(false);
  if (!known)
    return emitOpError() << "unknown kind '" << getKind() << "' [red_c1]";
  if (rank() == 0 || getParts().size() != rank() + (isFold() ? 2 : 1))
    return emitOpError("needs a domain for each index, a term, and a combine region for fold only [red_c2]");
  Type index = IndexType::get(getContext());
  for (unsigned i = 0; i < rank(); ++i)
    if (!yields(domain(i), i, {index, index}))
      return emitOpError() << "domain of '" << indexName(i) << "' must take " << i
                           << " earlier indices and yield its two bounds [red_c3]";
  auto yield = term().empty() ? YieldOp() : dyn_cast<YieldOp>(term().back());
  if (!yield || yield.getNumOperands() != 1 || term().getNumArguments() != rank())
    return emitOpError("term must take every index and yield one scalar [red_c4]");
  Type type = getResult().getType();
  if (isArg() ? !type.isIndex() : termValue().getType() != type)
    return emitOpError() << "result type " << type << " does not fit the term [red_c5]";
  if (isFold() && !yields(combine(), 2, {type}))
    return emitOpError("combine must take term and accumulator and yield one value [red_c6]");
  if ((getKind() == "any" || getKind() == "all") && !type.isInteger(1))
    return emitOpError("any and all reduce bool [red_c7]");
  return success();
}

// ---- scalars ----------------------------------------------------------------------------------------------------

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValueAttr(); }

ScalarFn ScalarOp::kind() { return *scalarFnFromName(getFn()); }

LogicalResult ScalarOp::verify() {
  auto fn = scalarFnFromName(getFn());
  if (!fn || getNumOperands() != scalarFnArity(*fn))
    return emitOpError() << "'" << getFn() << "' does not take " << getNumOperands() << " operands [scalar_c1]";
  Type type = getOperand(0).getType();
  if (llvm::any_of(getOperandTypes(), [&](Type t) { return t != type; }) || valueType(type) != type)
    return emitOpError("operands must have one value type [scalar_c2]");
  bool boolean = type.isInteger(1), floating = isa<FloatType>(type);
  ScalarClass klass = scalarFnClass(*fn);
  Type expected = klass == ScalarClass::Compare ? IntegerType::get(getContext(), 1) : type;
  if (getResult().getType() != expected)
    return emitOpError() << "result must have type " << expected << " [scalar_c3]";
  if ((klass == ScalarClass::Logic) != boolean && !(klass == ScalarClass::Compare && boolean))
    return emitOpError() << "'" << getFn() << "' does not apply to " << typeName(type) << " [scalar_c4]";
  if (klass == ScalarClass::Float && !floating)
    return emitOpError() << "'" << getFn() << "' needs a float, found " << typeName(type) << " [scalar_c5]";
  return success();
}

/// Folds weak-integer arithmetic only: it is exact in 64 bits or left alone. Floats keep the user's operations.
OpFoldResult ScalarOp::fold(FoldAdaptor adaptor) {
  if (!getResult().getType().isIndex())
    return {};
  auto a = dyn_cast_or_null<IntegerAttr>(adaptor.getOperands()[0]);
  auto b = getNumOperands() == 2 ? dyn_cast_or_null<IntegerAttr>(adaptor.getOperands()[1]) : IntegerAttr();
  auto isConst = [](IntegerAttr x, int64_t v) { return x && x.getInt() == v; };
  ScalarFn fn = kind();
  if (getNumOperands() == 2 && !(a && b)) {
    if ((fn == ScalarFn::add_ || fn == ScalarFn::sub_) && isConst(b, 0))
      return getOperand(0);
    if ((fn == ScalarFn::add_ && isConst(a, 0)) || (fn == ScalarFn::mul_ && isConst(a, 1)))
      return getOperand(1);
    if ((fn == ScalarFn::mul_ || fn == ScalarFn::floordiv_) && isConst(b, 1))
      return getOperand(0);
    auto sum = getOperand(0).getDefiningOp<ScalarOp>();
    if (fn == ScalarFn::sub_ && sum && sum.kind() == ScalarFn::add_ && sum.getOperand(0) == getOperand(1))
      return sum.getOperand(1);
    if (fn == ScalarFn::mul_ && (isConst(a, 0) || isConst(b, 0)))
      return Builder(getContext()).getIndexAttr(0);
    return {};
  }
  if (!a)
    return {};
  shape::Expr x(a.getInt()), y(b ? b.getInt() : 0), value;
  switch (fn) {
  case ScalarFn::add_: value = x + y; break;
  case ScalarFn::sub_: value = x - y; break;
  case ScalarFn::mul_: value = x * y; break;
  case ScalarFn::floordiv_: value = shape::floordiv(x, y); break;
  case ScalarFn::mod_: value = shape::mod(x, y); break;
  case ScalarFn::min_: value = shape::min(x, y); break;
  case ScalarFn::max_: value = shape::max(x, y); break;
  case ScalarFn::neg_: value = -x; break;
  case ScalarFn::abs_: value = shape::abs(x); break;
  default: return {};
  }
  auto folded = value.constant();
  return folded ? OpFoldResult(Builder(getContext()).getIndexAttr(*folded)) : OpFoldResult();
}

/// A cast to the same type is nothing, nor is a weak integer through i64, which is how it is stored.
OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getValue().getType() == getResult().getType())
    return getValue();
  auto inner = getValue().getDefiningOp<CastOp>();
  bool back = inner && inner.getValue().getType() == getResult().getType();
  if (back && getResult().getType().isIndex() && getValue().getType().isInteger(64))
    return inner.getValue();
  return {};
}

LogicalResult FailOp::verify() {
  if (getStatus() != "index" && getStatus() != "division")
    return emitOpError() << "has no status '" << getStatus() << "' [fail_c1]";
  return success();
}

bool moac::moa::isChecked(Operation *op) {
  auto psi = dyn_cast<PsiOp>(op);
  auto scalar = dyn_cast<ScalarOp>(op);
  return (psi && !psi.getChecked().empty()) || (scalar && scalar.getChecked()) || isa<FailOp>(op);
}

LogicalResult WhereOp::verify() {
  Type type = getResult().getType();
  if (!yields(getThenRegion().front(), 0, {type}) || !yields(getElseRegion().front(), 0, {type}))
    return emitOpError() << "both sides must yield " << typeName(type) << " [where_c1]";
  return success();
}
