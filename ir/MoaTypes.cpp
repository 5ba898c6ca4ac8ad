// Types of the moa dialect: how symbolic extents are stored, parsed and printed.
//
// An extent is kept as the canonical text of its shape::Expr, so that MLIR's uniquing of types is equality of shapes.
// MLIR's lexer takes `//` for a comment, so in a type floor division is spelled `floordiv` and modulus `mod`.
#include "ir/Moa.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

#define GET_TYPEDEF_CLASSES
#include "ir/MoaTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/MoaAttrs.cpp.inc"
#include "ir/MoaDialect.cpp.inc"

void MoaDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/MoaTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/MoaAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/MoaOps.cpp.inc"
      >();
}

Operation *MoaDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto typed = dyn_cast<TypedAttr>(value);
  return typed && typed.getType() == type ? ConstantOp::create(builder, loc, type, typed) : nullptr;
}

namespace {
struct ScalarRow {
  const char *name;
  Type (*make)(MLIRContext *);
};
template <unsigned Width> Type signedInt(MLIRContext *c) { return IntegerType::get(c, Width); }
template <unsigned Width> Type unsignedInt(MLIRContext *c) {
  return IntegerType::get(c, Width, IntegerType::Unsigned);
}
template <class T> Type floating(MLIRContext *c) { return T::get(c); }

/// The element types, by their names in the language: a new type is one line here.
const ScalarRow scalarRows[] = {
    {"f16", floating<Float16Type>}, {"bf16", floating<BFloat16Type>}, {"f32", floating<Float32Type>},
    {"f64", floating<Float64Type>}, {"i8", signedInt<8>},             {"i16", signedInt<16>},
    {"i32", signedInt<32>},         {"i64", signedInt<64>},           {"u8", unsignedInt<8>},
    {"u16", unsignedInt<16>},       {"u32", unsignedInt<32>},         {"u64", unsignedInt<64>},
    {"bool", signedInt<1>}};
} // namespace

Type moa::typeFromName(MLIRContext *context, llvm::StringRef name) {
  for (const ScalarRow &row : scalarRows)
    if (name == row.name)
      return row.make(context);
  return nullptr;
}

std::string moa::typeName(Type type) {
  for (const ScalarRow &row : scalarRows)
    if (type == row.make(type.getContext()))
      return row.name;
  return type.isIndex() ? "integer" : "array";
}

bool moa::isScalarType(Type type) { return type.isIndex() || typeName(type) != "array"; }

Type moa::valueType(Type type) {
  if (type.isF16() || type.isBF16())
    return Float32Type::get(type.getContext());
  auto integer = dyn_cast<IntegerType>(type);
  if (integer && (integer.getWidth() == 8 || integer.getWidth() == 16))
    return IntegerType::get(type.getContext(), 32);
  return type;
}

namespace {
struct FnRow {
  const char *name;
  unsigned arity;
  ScalarClass klass;
};
const FnRow fnRows[] = {
#define SCALAR_FN(kind, arity, klass) {#kind, arity, ScalarClass::klass},
#include "ir/ScalarFunctions.def"
};
} // namespace

std::optional<ScalarFn> moa::scalarFnFromName(llvm::StringRef name) {
  for (unsigned i = 0; i < std::size(fnRows); ++i)
    if (name == fnRows[i].name)
      return static_cast<ScalarFn>(i);
  return std::nullopt;
}
llvm::StringRef moa::scalarFnName(ScalarFn fn) { return fnRows[static_cast<unsigned>(fn)].name; }
unsigned moa::scalarFnArity(ScalarFn fn) { return fnRows[static_cast<unsigned>(fn)].arity; }
ScalarClass moa::scalarFnClass(ScalarFn fn) { return fnRows[static_cast<unsigned>(fn)].klass; }

ArrayType ArrayType::get(MLIRContext *context, const std::vector<shape::Expr> &extents, Type elementType,
                         bool columnMajor) {
  SmallVector<StringAttr> texts;
  for (const shape::Expr &e : extents)
    texts.push_back(StringAttr::get(context, e.str()));
  return get(context, texts, elementType, columnMajor);
}

std::vector<shape::Expr> ArrayType::extents() const {
  std::vector<shape::Expr> result;
  for (StringAttr text : getExtentTexts())
    result.push_back(shape::Expr::parse(text.getValue()).value_or(shape::Expr()));
  return result;
}

std::string ArrayType::shapeText() const {
  std::string text = "<";
  for (StringAttr extent : getExtentTexts())
    text += (text.size() > 1 ? " " : "") + extent.getValue().str();
  return text + ">";
}

LogicalResult ArrayType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                llvm::ArrayRef<StringAttr> extents, Type elementType, bool) {
  if (!isScalarType(elementType))
    return emitError() << "element type must be a scalar type, found " << elementType << " [array_c1]";
  for (StringAttr text : extents) {
    auto parsed = shape::Expr::parse(text.getValue());
    if (!parsed || parsed->str() != text.getValue())
      return emitError() << "extent '" << text.getValue() << "' is not in canonical form [array_c2]";
  }
  return success();
}

namespace {
/// Reads an extent (sums, products, `floordiv`, `mod`, min, max, parentheses) token by token into moac's own spelling.
ParseResult parseSum(AsmParser &parser, std::string &text);

ParseResult parseFactor(AsmParser &parser, std::string &text) {
  int64_t value;
  llvm::StringRef word;
  if (OptionalParseResult number = parser.parseOptionalInteger(value); number.has_value()) {
    text += std::to_string(value);
    return *number;
  }
  if (succeeded(parser.parseOptionalMinus())) {
    text += "-";
    return parseFactor(parser, text);
  }
  if (failed(parser.parseOptionalKeyword(&word)))
    word = "";
  text += word;
  if (succeeded(parser.parseOptionalLParen())) {
    text += "(";
    do {
      if (text.back() != '(')
        text += ", ";
      if (parseSum(parser, text))
        return failure();
    } while (succeeded(parser.parseOptionalComma()));
    text += ")";
    return parser.parseRParen();
  }
  return word.empty() ? parser.emitError(parser.getCurrentLocation(), "expected an extent") : success();
}

ParseResult parseProduct(AsmParser &parser, std::string &text) {
  if (parseFactor(parser, text))
    return failure();
  while (true) {
    if (succeeded(parser.parseOptionalStar()))
      text += "*";
    else if (succeeded(parser.parseOptionalKeyword("floordiv")))
      text += "//";
    else if (succeeded(parser.parseOptionalKeyword("mod")))
      text += "%";
    else
      return success();
    if (parseFactor(parser, text))
      return failure();
  }
}

ParseResult parseSum(AsmParser &parser, std::string &text) {
  if (parseProduct(parser, text))
    return failure();
  while (true) {
    if (succeeded(parser.parseOptionalPlus()))
      text += " + ";
    else if (succeeded(parser.parseOptionalMinus()))
      text += " - ";
    else
      return success();
    if (parseProduct(parser, text))
      return failure();
  }
}

std::string spellForMlir(llvm::StringRef text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("//")) {
      out += " floordiv ";
      ++i;
    } else if (text[i] == '%') {
      out += " mod ";
    } else {
      out += text[i];
    }
  }
  return out;
}
} // namespace

Type ArrayType::parse(AsmParser &parser) {
  MLIRContext *context = parser.getContext();
  SmallVector<StringAttr> texts;
  auto parseExtent = [&]() -> ParseResult {
    std::string text;
    SMLoc loc = parser.getCurrentLocation();
    if (parseSum(parser, text))
      return failure();
    auto expr = shape::Expr::parse(text);
    if (!expr)
      return parser.emitError(loc, "malformed extent '") << text << "'";
    texts.push_back(StringAttr::get(context, expr->str()));
    return success();
  };
  Type element;
  bool columnMajor = false;
  if (parser.parseLess() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseExtent) ||
      parser.parseComma() || parser.parseType(element))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("col"))
      return {};
    columnMajor = true;
  }
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, context, texts, element, columnMajor);
}

void ArrayType::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getExtentTexts(), printer, [&](StringAttr text) { printer << spellForMlir(text.getValue()); });
  printer << "], " << getElementType() << (getColumnMajor() ? ", col" : "") << ">";
}
