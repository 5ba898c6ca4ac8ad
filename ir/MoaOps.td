// Operations of the moa dialect, in the order of ir/Semantics.md, which states meaning and the numbered constraints.
#ifndef MOAC_IR_MOAOPS_TD
#define MOAC_IR_MOAOPS_TD

include "ir/MoaDialect.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Moa_Op<string mnemonic, list<Trait> traits = []> : Op<Moa_Dialect, mnemonic, traits>;

// ---- kernels --------------------------------------------------------------------------------------------------

def Moa_KernelOp : Moa_Op<"kernel", [IsolatedFromAbove, Symbol, SingleBlock]> {
  let summary = "a kernel: symbols, scalars and arrays to arrays";
  let description = [{
    Block arguments in ABI order: one `index` for each symbol, then the scalar parameters that are not symbols (an
    i64 one is weak and has type `index`), then the input arrays. Constraints are `moa.require` operations at the
    start; `moa.return` ends it. `dnf` marks a kernel in Denotational Normal Form; `schedule` is a list of
    directives, `origin` the kernel's formula as text.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$symbols, StrArrayAttr:$scalars,
                       StrArrayAttr:$inputs, StrArrayAttr:$results, TypeArrayAttr:$result_types,
                       UnitAttr:$dnf, OptionalAttr<ArrayAttr>:$schedule, OptionalAttr<StrAttr>:$origin);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    unsigned numSymbols() { return getSymbols().size(); }
    unsigned numScalars() { return getScalars().size(); }
    ::mlir::Block &entry() { return getBody().front(); }
    ::mlir::BlockArgument symbolArg(unsigned i) { return entry().getArgument(i); }
    ::mlir::BlockArgument scalarArg(unsigned i) { return entry().getArgument(numSymbols() + i); }
    ::mlir::BlockArgument inputArg(unsigned i) { return entry().getArgument(numSymbols() + numScalars() + i); }
    ArrayType resultType(unsigned i) { return ::llvm::cast<ArrayType>(::llvm::cast<::mlir::TypeAttr>(getResultTypes()[i]).getValue()); }
    /// Name of block argument `i`, as the user wrote it.
    ::llvm::StringRef argName(unsigned i);
  }];
}

def Moa_ReturnOp : Moa_Op<"return", [Terminator, HasParent<"KernelOp">]> {
  let summary = "the results of a kernel";
  let arguments = (ins Variadic<Moa_ArrayType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Moa_RequireOp : Moa_Op<"require", [HasParent<"KernelOp">]> {
  let summary = "a condition checked at entry";
  let description = [{
    `text` is the condition as the user wrote it; `status` is the name of the status returned when it fails:
    constraint, extent, index, overflow or division.
  }];
  let arguments = (ins I1:$condition, StrAttr:$status, StrAttr:$text);
  let assemblyFormat = "$condition `,` $status `,` $text attr-dict";
}

def Moa_CallOp : Moa_Op<"call", [Pure]> {
  let summary = "another kernel's results on these arguments";
  let description = [{
    Operands follow the callee's block arguments (symbols, scalars, inputs). Result types are the callee's with its
    symbols replaced by the operands' expressions. Inlined on the way to DNF; `prefix` names the inlined values.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands, StrAttr:$prefix);
  let results = (outs Variadic<Moa_ArrayType>:$results);
  let assemblyFormat = "$callee `(` $operands `)` `prefix` $prefix attr-dict `:` functional-type($operands, $results)";
}

// ---- arrays ---------------------------------------------------------------------------------------------------

def Moa_GenOp : Moa_Op<"gen", [Pure, SingleBlock]> {
  let summary = "the array whose element at each index is the region's value";
  let description = [{
    `A[i, j] = expr`: one block argument of type index for each axis, ranging over the extents of the result type.
    The yielded scalar has the value type of the element type (reads and results of storage types widen to f32 or
    i32; they are rounded to nearest even when stored). `name` is the user's word or derived from it.
  }];
  let arguments = (ins StrAttr:$name, StrArrayAttr:$indices);
  let results = (outs Moa_ArrayType:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name $indices attr-dict `:` type($result) $body";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block &entry() { return getBody().front(); }
    ::llvm::StringRef indexName(unsigned i) { return ::llvm::cast<::mlir::StringAttr>(getIndices()[i]).getValue(); }
    ArrayType arrayType() { return ::llvm::cast<ArrayType>(getResult().getType()); }
    /// The yielded scalar.
    ::mlir::Value yielded() { return entry().getTerminator()->getOperand(0); }
  }];
}

def Moa_PsiOp : Moa_Op<"psi", [Pure]> {
  let summary = "the element or sub-array at an index: i psi A";
  let description = [{
    A full index gives a scalar of the value type of the element type; a shorter one the array of the remaining axes.
    `checked` lists the axes whose subscript is not proved to lie in its axis: they are checked before the read, and a
    failure is the status "index out of range".
  }];
  let arguments = (ins Moa_ArrayType:$array, Variadic<Index>:$subscripts,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$checked);
  let results = (outs Moa_Value:$result);
  let assemblyFormat = "$array `[` $subscripts `]` attr-dict `:` type($array) `->` type($result)";
  let hasVerifier = 1;
}

def Moa_RedOp : Moa_Op<"red", [Pure]> {
  let summary = "a reduction over one or more bounded indices";
  let description = [{
    `kind`: add mul max min any all, argmax argmin (result index: the value of the index, over several indices the
    row-major position; ties the lowest; empty -1), or fold (right to left by the combine region). Each index has a
    domain region that yields its half-open bounds lo, hi and may use earlier indices; then the body region yields the
    term. With `fold`, a last region combines (term, accumulator) and `identity` is the value of an empty domain.
    Values accumulate in the result type (for argmax/argmin: in the type of the term).
  }];
  let arguments = (ins StrAttr:$kind, StrArrayAttr:$indices, OptionalAttr<TypedAttrInterface>:$identity);
  let results = (outs Moa_Scalar:$result);
  let regions = (region VariadicRegion<SizedRegion<1>>:$parts);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    unsigned rank() { return getIndices().size(); }
    ::llvm::StringRef indexName(unsigned i) { return ::llvm::cast<::mlir::StringAttr>(getIndices()[i]).getValue(); }
    ::mlir::Block &domain(unsigned i) { return getParts()[i].front(); }
    ::mlir::Block &term() { return getParts()[rank()].front(); }
    bool isFold() { return getKind() == "fold"; }
    bool isArg() { return getKind() == "argmax" || getKind() == "argmin"; }
    ::mlir::Block &combine() { return getParts()[rank() + 1].front(); }
    ::mlir::Value lower(unsigned i) { return domain(i).getTerminator()->getOperand(0); }
    ::mlir::Value upper(unsigned i) { return domain(i).getTerminator()->getOperand(1); }
    ::mlir::Value termValue() { return term().getTerminator()->getOperand(0); }
  }];
}

def Moa_YieldOp : Moa_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "the value of a region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

// ---- scalars --------------------------------------------------------------------------------------------------

def Moa_ConstantOp : Moa_Op<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a scalar constant";
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs Moa_Scalar:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Moa_ScalarOp : Moa_Op<"scalar", [Pure]> {
  let summary = "a scalar function of the language";
  let description = [{
    `moa.scalar add(%a, %b) : f64, f64 -> f64`. The functions are those of ir/ScalarFunctions.def. Integer arithmetic
    wraps; `floordiv` and `mod` floor; with `checked` their divisor is not proved nonzero and a zero gives the status
    "division by zero". `max` and `min` propagate NaN. `round` rounds half to even.
  }];
  let arguments = (ins StrAttr:$fn, Variadic<Moa_Scalar>:$operands, UnitAttr:$checked);
  let results = (outs Moa_Scalar:$result);
  let assemblyFormat = "custom<FnName>($fn) `(` $operands `)` attr-dict `:` type($operands) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{ ScalarFn kind(); }];
}

def Moa_CastOp : Moa_Op<"cast", [Pure]> {
  let summary = "a conversion between scalar types";
  let description = [{
    Float to integer saturates and NaN gives 0; integer to integer wraps; to bool is `!= 0`; to a narrower float rounds
    to nearest even.
  }];
  let arguments = (ins Moa_Scalar:$value);
  let results = (outs Moa_Scalar:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` type($result)";
  let hasFolder = 1;
}

def Moa_FailOp : Moa_Op<"fail", [Pure]> {
  let summary = "no value: where it is evaluated the kernel fails";
  let description = [{
    What stands on the other side of a check that has become a condition: `where(0 <= i and i < n, e, fail)` is `e` where
    the subscript i is inside its axis.
  }];
  let arguments = (ins StrAttr:$status);
  let results = (outs Moa_Scalar:$result);
  let assemblyFormat = "$status attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Moa_WhereOp : Moa_Op<"where", [Pure]> {
  let summary = "one of two values; the other is not evaluated";
  let arguments = (ins I1:$condition);
  let results = (outs Moa_Scalar:$result);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let assemblyFormat = "$condition attr-dict `:` type($result) $thenRegion `else` $elseRegion";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value thenValue() { return getThenRegion().front().getTerminator()->getOperand(0); }
    ::mlir::Value elseValue() { return getElseRegion().front().getTerminator()->getOperand(0); }
  }];
}

include "ir/MoaStructureOps.td"

#endif
