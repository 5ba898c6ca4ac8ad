// The onf dialect: registration and verifiers.
#include "ir/Onf.h"
#include "ir/Tuned.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace moac;
using namespace moac::onf;

#include "ir/OnfDialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/OnfTypes.cpp.inc"
#define GET_OP_CLASSES
#include "ir/OnfOps.cpp.inc"

void OnfDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/OnfTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/OnfOps.cpp.inc"
      >();
}

StringRef FuncOp::argName(unsigned i) {
  for (ArrayAttr names : {getSymbols(), getScalars(), getInputs(), getResults()}) {
    if (i < names.size())
      return cast<StringAttr>(names[i]).getValue();
    i -= names.size();
  }
  return "";
}

LogicalResult FuncOp::verify() {
  if (entry().getNumArguments() != firstOutput() + getResults().size())
    return emitOpError("needs one block argument for each symbol, scalar, input and result [func_c1]");
  for (unsigned i = firstInput(); i < entry().getNumArguments(); ++i)
    if (auto type = dyn_cast<BufferType>(entry().getArgument(i).getType()); !type || type.getSpace() != "argument")
      return emitOpError() << "array '" << argName(i) << "' must be an argument buffer [func_c2]";
  if (getInputTypes().size() != getInputs().size() || getResultTypes().size() != getResults().size())
    return emitOpError("needs one array type for each input and result [func_c3]");
  return success();
}

LogicalResult AllocOp::verify() {
  StringRef space = cast<BufferType>(getBuffer().getType()).getSpace();
  if (space != "shared" && space != "thread" && space != "register" && space != "symmetric")
    return emitOpError() << "unknown space '" << space << "' [alloc_c1]";
  return success();
}

LogicalResult ForOp::verify() {
  if (entry().getNumArguments() != 1 || !entry().getArgument(0).getType().isIndex())
    return emitOpError("needs one block argument of type index [for_c1]");
  if (!llvm::StringSwitch<bool>(getRole()).Cases({"sequential", "parallel", "lanes", "unroll"}, true).Default(false))
    return emitOpError() << "unknown role '" << getRole() << "' [for_c2]";
  if (getStep() && getReverse())
    return emitOpError("has a step and runs backwards [for_c3]");
  return success();
}

LogicalResult TunedOp::verify() {
  if (!findTuned(std::string_view(getName().data(), getName().size())))
    return emitOpError() << "unknown constant '" << getName() << "' [tuned_c1]";
  return success();
}

LogicalResult WorldOp::verify() {
  if (getWhat() != "pe" && getWhat() != "pes")
    return emitOpError() << "'" << getWhat() << "' is neither pe nor pes [world_c1]";
  return success();
}

LogicalResult GatherOp::verify() {
  if (cast<BufferType>(getBuffer().getType()).getSpace() != "symmetric")
    return emitOpError("needs a symmetric buffer [gather_c1]");
  return success();
}

LogicalResult LoadOp::verify() {
  auto buffer = cast<BufferType>(getBuffer().getType());
  if (getResult().getType() != moa::valueType(buffer.getElementType()))
    return emitOpError() << "must give " << moa::typeName(moa::valueType(buffer.getElementType())) << " [load_c1]";
  return success();
}
