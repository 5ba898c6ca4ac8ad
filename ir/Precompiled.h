// The headers that every MLIR file of ours includes, compiled once: 6 s of front end become 1 to 2 s a file.
// Libraries reuse it with `target_precompile_headers(NAME REUSE_FROM moac-ir)`; files still include what they use.
#include "ir/Onf.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>
#include <set>
#include <string>
#include <vector>
