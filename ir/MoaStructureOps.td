// Operations of the operator form: the algebra on whole arrays. ψ-reduction removes every one of them; ir/Semantics.md states
// each by its index law, i psi (op A) = ..., which is also what the interpreter evaluates.
#ifndef MOAC_IR_MOASTRUCTUREOPS_TD
#define MOAC_IR_MOASTRUCTUREOPS_TD

class Moa_StructureOp<string mnemonic, list<Trait> traits = []> : Moa_Op<mnemonic, !listconcat([Pure], traits)> {
  let results = (outs Moa_ArrayType:$result);
  code arrayTypeCode = [{
    ArrayType arrayType() { return ::llvm::cast<ArrayType>(getResult().getType()); }
  }];
  let extraClassDeclaration = arrayTypeCode;
}

// ---- sources --------------------------------------------------------------------------------------------------

def Moa_IotaOp : Moa_StructureOp<"iota"> {
  let summary = "iota n: the vector of indices; iota s: the array of index vectors";
  let description = [{Of rank 1: <i> psi = i. Else, for a shape of k axes, rank k + 1 and (i ++ <j>) psi = i[j]. Elements are weak integers.}];
  let arguments = (ins);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Moa_VectorOp : Moa_StructureOp<"vector"> {
  let summary = "the vector of these scalars: <i> psi = the i-th operand";
  let arguments = (ins Variadic<Moa_Scalar>:$elements);
  let assemblyFormat = "(`(` $elements^ `:` type($elements) `)`)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

// ---- structure ------------------------------------------------------------------------------------------------

def Moa_TakeOp : Moa_StructureOp<"take"> {
  let summary = "keep the first or last m of each leading axis";
  let description = [{
    `last` has one entry for each leading axis taken from: keep the last m there instead of the first; m is the result's extent, n
    the operand's. (<i> ++ r) psi = (<i> ++ r) psi A, or (<n - m + i> ++ r) psi A where `last` is set. m <= n holds or is required.
  }];
  let arguments = (ins Moa_ArrayType:$array, DenseBoolArrayAttr:$last);
  let assemblyFormat = "$array `last` $last attr-dict `:` type($array) `->` type($result)";
  let hasVerifier = 1;
}

def Moa_DropOp : Moa_StructureOp<"drop"> {
  let summary = "drop the first or last of each leading axis";
  let description = [{
    `last` has one entry for each leading axis: drop at the end there instead of the front. With m the result's extent and n the
    operand's: (<i> ++ r) psi = (<n - m + i> ++ r) psi A, or (<i> ++ r) psi A where `last` is set. m >= 0 holds or is required.
  }];
  let arguments = (ins Moa_ArrayType:$array, DenseBoolArrayAttr:$last);
  let assemblyFormat = "$array `last` $last attr-dict `:` type($array) `->` type($result)";
  let hasVerifier = 1;
}

def Moa_SliceOp : Moa_StructureOp<"slice"> {
  let summary = "A[lo:hi:step, j, ...] on leading axes";
  let description = [{
    One start and one step for each leading axis of the operand. A step of 0 fixes the axis at its start and removes it; another keeps
    it: subscript i becomes start + step * i. An axis in `checked` (of the operand) is not proved to be in range at every index
    that is read: reads are checked there.
  }];
  let arguments = (ins Moa_ArrayType:$array, Variadic<Index>:$starts, DenseI64ArrayAttr:$steps,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$checked);
  let assemblyFormat = "$array `[` $starts `]` `step` $steps attr-dict `:` type($array) `->` type($result)";
  let hasVerifier = 1;
}

def Moa_ReverseOp : Moa_StructureOp<"reverse", [AllTypesMatch<["array", "result"]>]> {
  let summary = "(<i> ++ r) psi (reverse A) = (<n - 1 - i> ++ r) psi A";
  let arguments = (ins Moa_ArrayType:$array);
  let assemblyFormat = "$array attr-dict `:` type($array)";
  let hasVerifier = 1;
}

def Moa_RotateOp : Moa_StructureOp<"rotate", [AllTypesMatch<["array", "result"]>]> {
  let summary = "(<i> ++ r) psi (s rotate A) = (<(i + s) mod n> ++ r) psi A on leading axes";
  let arguments = (ins Moa_ArrayType:$array, Variadic<Index>:$amounts);
  let assemblyFormat = "$array `by` `[` $amounts `]` attr-dict `:` type($array)";
  let hasVerifier = 1;
}

def Moa_TransposeOp : Moa_StructureOp<"transpose"> {
  let summary = "axis k of A becomes axis v[k]: i psi (v transpose A) = i[v] psi A";
  let description = [{`transpose A` without a vector reverses the axes. `permutation` lists v[k].}];
  let arguments = (ins Moa_ArrayType:$array, DenseI64ArrayAttr:$permutation);
  let assemblyFormat = "$array `to` $permutation attr-dict `:` type($array) `->` type($result)";
  let hasVerifier = 1;
}

def Moa_CatOp : Moa_StructureOp<"cat"> {
  let summary = "L ++ R along the leading axis";
  let description = [{(<i> ++ r) psi = (<i> ++ r) psi L where i < n, the extent of L; else (<i - n> ++ r) psi R.}];
  let arguments = (ins Moa_ArrayType:$left, Moa_ArrayType:$right);
  let assemblyFormat = "$left `,` $right attr-dict `:` type($left) `,` type($right) `->` type($result)";
  let hasVerifier = 1;
}

def Moa_ReshapeOp : Moa_StructureOp<"reshape"> {
  let summary = "the same elements in row-major order under another shape of equal total";
  let description = [{i psi (s reshape A) = gamma'(gamma(i; s); rho A) psi A. Equal totals are proved or required. `ravel A` is the reshape to one axis.}];
  let arguments = (ins Moa_ArrayType:$array);
  let assemblyFormat = "$array attr-dict `:` type($array) `->` type($result)";
}

// ---- scalar functions, products, reductions ---------------------------------------------------------------------

def Moa_MapOp : Moa_StructureOp<"map", [SingleBlock]> {
  let summary = "a scalar function element by element: i psi (A f B) = (i psi A) f (i psi B)";
  let description = [{The region takes the elements of the operands, which have one shape, and yields the element. Scalars extend: the region uses them.}];
  let arguments = (ins Variadic<Moa_ArrayType>:$arrays);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$arrays attr-dict `:` type($arrays) `->` type($result) $body";
  let hasVerifier = 1;
  let extraClassDeclaration = arrayTypeCode # [{
    ::mlir::Block &entry() { return getBody().front(); }
  }];
}

def Moa_OuterOp : Moa_StructureOp<"outer", [SingleBlock]> {
  let summary = "(i ++ j) psi (A (outer f) B) = (i psi A) f (j psi B)";
  let arguments = (ins Moa_ArrayType:$left, Moa_ArrayType:$right);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$left `,` $right attr-dict `:` type($left) `,` type($right) `->` type($result) $body";
  let hasVerifier = 1;
  let extraClassDeclaration = arrayTypeCode # [{
    ::mlir::Block &entry() { return getBody().front(); }
  }];
}

// The kinds, identity and combine region are those of moa.red.
class Moa_Reducing<string mnemonic> : Moa_StructureOp<mnemonic> {
  let extraClassDeclaration = arrayTypeCode # [{
    bool isFold() { return getKind() == "fold"; }
    bool isArg() { return getKind() == "argmax" || getKind() == "argmin"; }
  }];
}

def Moa_InnerOp : Moa_Reducing<"inner"> {
  let summary = "(i ++ j) psi (A f.g B) = red f over p of ((i ++ <p>) psi A) g ((<p> ++ j) psi B)";
  let description = [{
    The term region is g; for the kind `fold` the combine region takes term and accumulator. A vector's axis is contracted: A of shape
    <n> and B of shape <n> give rank 0.
  }];
  let arguments = (ins StrAttr:$kind, Moa_ArrayType:$left, Moa_ArrayType:$right, OptionalAttr<TypedAttrInterface>:$identity);
  let regions = (region SizedRegion<1>:$term, AnyRegion:$combine);
  let assemblyFormat = "$kind $left `,` $right attr-dict `:` type($left) `,` type($right) `->` type($result) $term (`combine` $combine^)?";
  let hasVerifier = 1;
}

def Moa_ReduceOp : Moa_Reducing<"reduce"> {
  let summary = "r psi (f red A) = red f over p of (<p> ++ r) psi A: along the leading axis, right to left";
  let arguments = (ins StrAttr:$kind, Moa_ArrayType:$array, OptionalAttr<TypedAttrInterface>:$identity);
  let regions = (region AnyRegion:$combine);
  let assemblyFormat = "$kind $array attr-dict `:` type($array) `->` type($result) (`combine` $combine^)?";
  let hasVerifier = 1;
}

def Moa_ScanOp : Moa_Reducing<"scan"> {
  let summary = "(<i> ++ r) psi (f scan A) = r psi (f red ((i + 1) take A))";
  let arguments = (ins StrAttr:$kind, Moa_ArrayType:$array, OptionalAttr<TypedAttrInterface>:$identity);
  let regions = (region AnyRegion:$combine);
  let assemblyFormat = "$kind $array attr-dict `:` type($array) `->` type($result) (`combine` $combine^)?";
  let hasVerifier = 1;
}

// ---- rank -----------------------------------------------------------------------------------------------------

def Moa_OmegaOp : Moa_StructureOp<"omega", [SingleBlock]> {
  let summary = "f omega<r> A, or A (f omega<l r>) B: f on cells, by the frame rule";
  let description = [{
    One rank for each of the one or two operands. The region takes a cell of each (a scalar where the rank is 0) and yields an array or a
    scalar. One operand: k psi = f(k psi A) for k in its frame. Two: trailing axes of the frames are paired, m the shorter frame's
    length; (i ++ j ++ k ++ c) psi = c psi (((i ++ k) psi A) f ((j ++ k) psi B)), with i, j the unpaired leading axes.
  }];
  let arguments = (ins Variadic<Moa_ArrayType>:$arrays, DenseI64ArrayAttr:$ranks);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$ranks $arrays attr-dict `:` type($arrays) `->` type($result) $body";
  let hasVerifier = 1;
  let extraClassDeclaration = arrayTypeCode # [{
    ::mlir::Block &entry() { return getBody().front(); }
    ::mlir::Value yielded() { return entry().getTerminator()->getOperand(0); }
    /// Number of frame axes of operand `i`.
    unsigned frameRank(unsigned i) {
      return ::llvm::cast<ArrayType>(getArrays()[i].getType()).rank() - getRanks()[i];
    }
    /// Number of paired trailing frame axes (0 with one operand).
    unsigned paired() { return getArrays().size() < 2 ? 0 : std::min(frameRank(0), frameRank(1)); }
    /// Axes of the result before those of the cell.
    unsigned frameRank() { return getArrays().size() < 2 ? frameRank(0) : frameRank(0) + frameRank(1) - paired(); }
    /// The subscripts of operand `i` in a frame index of the result.
    ::llvm::SmallVector<::mlir::Value> frameIndex(unsigned i, ::mlir::ValueRange result);
  }];
}

#endif
