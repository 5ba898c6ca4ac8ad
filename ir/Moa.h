// The moa dialect for C++ readers: types, attributes, operations and the few questions everyone asks of them.
#ifndef MOAC_IR_MOA_H
#define MOAC_IR_MOA_H

#include "ir/Shape.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/MoaDialect.h.inc"

namespace moac::moa {

/// Scalar functions, in the order of ScalarFunctions.def.
enum class ScalarFn {
#define SCALAR_FN(kind, arity, klass) kind##_,
#include "ir/ScalarFunctions.def"
};
enum class ScalarClass { Arith, Compare, Logic, Float };

std::optional<ScalarFn> scalarFnFromName(llvm::StringRef name);
llvm::StringRef scalarFnName(ScalarFn fn);
unsigned scalarFnArity(ScalarFn fn);
ScalarClass scalarFnClass(ScalarFn fn);

/// An element type of the language, or `index` (a weak integer).
bool isScalarType(mlir::Type type);
/// f16 bf16 -> f32, i8 i16 ui8 ui16 -> i32, others unchanged: the type of a value read from such an element.
mlir::Type valueType(mlir::Type elementType);
/// The language's name of a scalar type: f64, u8, bool; `integer` for index.
std::string typeName(mlir::Type type);
/// The type of that name; null when there is none.
mlir::Type typeFromName(mlir::MLIRContext *context, llvm::StringRef name);

} // namespace moac::moa

#define GET_TYPEDEF_CLASSES
#include "ir/MoaTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/MoaAttrs.h.inc"
#define GET_OP_CLASSES
#include "ir/MoaOps.h.inc"

namespace moac::moa {

/// Evaluating `op` itself, without its regions, may fail: a read or division that is checked, or a moa.fail.
bool isChecked(mlir::Operation *op);

} // namespace moac::moa

#endif
