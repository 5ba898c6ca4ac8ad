// The onf dialect: how a kernel runs. Structured loops over flat memory, with every decision explicit.
#ifndef MOAC_IR_ONFOPS_TD
#define MOAC_IR_ONFOPS_TD

include "ir/MoaDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Onf_Dialect : Dialect {
  let name = "onf";
  let cppNamespace = "::moac::onf";
  let summary = "Operational Normal Form: loops, buffers, flat 64-bit offsets";
  let description = [{
    Built from a DNF and a schedule by gamma-construct; never transformed back. Scalar expressions are the moa scalar
    operations (constant, scalar, cast, where). Offsets are in elements and have type index (64-bit).
  }];
  let dependentDialects = ["::moac::moa::MoaDialect"];
  let useDefaultTypePrinterParser = 1;
}

def Onf_BufferType : TypeDef<Onf_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "flat memory of one element type in one space";
  let description = [{
    Spaces: `argument` (the caller's), `shared` (one for the kernel, heap), `thread` (one a thread, heap), `register`
    (a scalar variable, or a small array of constant size), `symmetric` (one for the kernel on each processing element, which
    the others reach at the same place).
  }];
  let parameters = (ins "::mlir::Type":$elementType, StringRefParameter<>:$space);
  let assemblyFormat = "`<` $elementType `,` $space `>`";
}

class Onf_Op<string mnemonic, list<Trait> traits = []> : Op<Onf_Dialect, mnemonic, traits>;

def Onf_FuncOp : Onf_Op<"func", [IsolatedFromAbove, Symbol, SingleBlock, NoTerminator]> {
  let summary = "a kernel as it runs";
  let description = [{
    Block arguments: symbols (index), scalars, inputs then outputs as `argument` buffers. `input_types` and
    `result_types` keep the arrays' shapes, `origin` the formula. First come `onf.require`s, then the nests.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$symbols, StrArrayAttr:$scalars, StrArrayAttr:$inputs,
                       StrArrayAttr:$results, TypeArrayAttr:$input_types, TypeArrayAttr:$result_types,
                       OptionalAttr<StrAttr>:$origin);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `symbols` $symbols `scalars` $scalars `inputs` $inputs $input_types `results` $results $result_types
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block &entry() { return getBody().front(); }
    unsigned firstInput() { return getSymbols().size() + getScalars().size(); }
    unsigned firstOutput() { return firstInput() + getInputs().size(); }
    /// Name of block argument `i`, as the user wrote it.
    ::llvm::StringRef argName(unsigned i);
  }];
}

def Onf_RequireOp : Onf_Op<"require", []> {
  let summary = "return a status at entry unless a condition holds";
  let arguments = (ins I1:$condition, StrAttr:$status, StrAttr:$text);
  let assemblyFormat = "$condition `,` $status `,` $text attr-dict";
}

def Onf_NoteOp : Onf_Op<"note", []> {
  let summary = "a comment for the reader of the emitted source";
  let arguments = (ins StrAttr:$text);
  let assemblyFormat = "$text attr-dict";
}

def Onf_TunedOp : Onf_Op<"tuned", []> {
  let summary = "a constant that the emitted file chooses by the machine it is compiled for";
  let description = [{`name` is an entry of ir/Tuned.def: the sizes of register blocks.}];
  let arguments = (ins StrAttr:$name);
  let results = (outs Index:$result);
  let assemblyFormat = "$name attr-dict";
  let hasVerifier = 1;
}

def Onf_NamedOp : Onf_Op<"named", []> {
  let summary = "a value that has a name in the emitted source";
  let arguments = (ins Index:$value, StrAttr:$name);
  let results = (outs Index:$result);
  let assemblyFormat = "$name $value attr-dict";
}

def Onf_AllocOp : Onf_Op<"alloc", []> {
  let summary = "scratch memory, uninitialised";
  let description = [{
    `size` counts elements. `shared` buffers stand at the top of the function, `thread` buffers directly inside an
    onf.parallel region (or, when nothing runs in parallel, at the top too), `register` buffers anywhere: they are a
    mutable scalar when the size is 1. The size of a register array is a product of constants and tuned constants. `name` is the stage the buffer holds.
    A `refilled` buffer holds copies for a while and is written again: panels of operands.
  }];
  let arguments = (ins Index:$size, StrAttr:$name, UnitAttr:$refilled);
  let results = (outs Onf_BufferType:$buffer);
  let assemblyFormat = "$name `[` $size `]` attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Onf_ParallelOp : Onf_Op<"parallel", [SingleBlock, NoTerminator]> {
  let summary = "a team of threads";
  let description = [{
    The region holds `thread` allocations and one or more loops with role parallel, whose iterations are divided among
    the team. `work` estimates the innermost iterations (a float: it cannot overflow); small work runs on one thread.
  }];
  let arguments = (ins F64:$work);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`work` $work attr-dict-with-keyword $body";
}

def Onf_ForOp : Onf_Op<"for", [SingleBlock, NoTerminator]> {
  let summary = "a counted loop, lo <= i < hi";
  let description = [{
    With a `step` (a positive number or tuned constant) i takes every step-th value from lo on: the first indices of blocks.
    `role`: sequential, parallel (the first of `collapse` perfectly nested loops whose iterations are independent), lanes
    (independent iterations meant for vector lanes), unroll. The inner loops of a collapsed nest have role parallel and
    collapse 0. `reverse` runs from hi - 1 down to lo. `stage` says for which stage, `axis` its axis name.
  }];
  let arguments = (ins Index:$lo, Index:$hi, Optional<Index>:$step, StrAttr:$name, StrAttr:$role,
                       DefaultValuedAttr<I64Attr, "0">:$collapse, UnitAttr:$reverse);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name $role `from` $lo `to` $hi (`by` $step^)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block &entry() { return getBody().front(); }
    ::mlir::Value iv() { return entry().getArgument(0); }
  }];
}

def Onf_IfOp : Onf_Op<"if", [NoTerminator]> {
  let summary = "statements under a condition";
  let arguments = (ins I1:$condition);
  let regions = (region SizedRegion<1>:$thenRegion, MaxSizedRegion<1>:$elseRegion);
  let assemblyFormat = "$condition attr-dict-with-keyword $thenRegion (`else` $elseRegion^)?";
}

def Onf_LoadOp : Onf_Op<"load", []> {
  let summary = "an element of a buffer, widened to its value type";
  let description = [{No offset: a scalar `register` buffer.}];
  let arguments = (ins Onf_BufferType:$buffer, Optional<Index>:$offset);
  let results = (outs Moa_Scalar:$result);
  let assemblyFormat = "$buffer (`[` $offset^ `]`)? attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def Onf_StoreOp : Onf_Op<"store", []> {
  let summary = "write an element, rounded to the storage type";
  let description = [{
    `finishes` marks the store that gives an element of a stage its final value; `opens` the one that starts an element which
    updates then complete in place. Each element of a stored stage has exactly one store of either kind.
  }];
  let arguments = (ins Moa_Scalar:$value, Onf_BufferType:$buffer, Optional<Index>:$offset, UnitAttr:$finishes, UnitAttr:$opens);
  let assemblyFormat = "$value `,` $buffer (`[` $offset^ `]`)? attr-dict `:` type($value) `,` type($buffer)";
}

def Onf_UpdateOp : Onf_Op<"update", []> {
  let summary = "combine an element with a value: buf[off] = buf[off] op v";
  let description = [{
    `kind`: add mul max min any all. One execution visits one point of a reduction; in a `block` it may be padding, or the
    sum of many points. An `atomic` one (add only) is not disturbed by those of other threads to the same element.
  }];
  let arguments = (ins StrAttr:$kind, Moa_Scalar:$value, Onf_BufferType:$buffer, Optional<Index>:$offset, UnitAttr:$block,
                       UnitAttr:$atomic);
  let assemblyFormat = "$kind $value `,` $buffer (`[` $offset^ `]`)? attr-dict `:` type($value) `,` type($buffer)";
}

def Onf_PrefetchOp : Onf_Op<"prefetch", []> {
  let summary = "an element will be written soon, or read: bring its cache line";
  let arguments = (ins Onf_BufferType:$buffer, Index:$offset, UnitAttr:$reads);
  let assemblyFormat = "$buffer `[` $offset `]` (`reads` $reads^)? attr-dict `:` type($buffer)";
}

def Onf_WorldOp : Onf_Op<"world", []> {
  let summary = "who this processing element is, or how many there are";
  let description = [{
    `what` is pe (0 <= pe < pes) or pes. A function that asks is called by all PEs with the same sizes. The interpreter is PE 0 of 1.
  }];
  let arguments = (ins StrAttr:$what);
  let results = (outs Index:$result);
  let assemblyFormat = "$what attr-dict";
  let hasVerifier = 1;
}

def Onf_GatherOp : Onf_Op<"gather", []> {
  let summary = "give a block of a symmetric buffer to all other processing elements";
  let description = [{
    Puts `count` elements from `first` on to the same place of each other PE: pes - 1 messages. They have arrived, and what the
    others gave has, after the next onf.meet.
  }];
  let arguments = (ins Onf_BufferType:$buffer, Index:$first, Index:$count);
  let assemblyFormat = "$buffer `[` $first `,` $count `]` attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Onf_MeetOp : Onf_Op<"meet", []> {
  let summary = "wait until every processing element is here and all that was given has arrived";
  let assemblyFormat = "attr-dict";
}

def Onf_FailOp : Onf_Op<"fail", []> {
  let summary = "record a status; the kernel goes on without what was guarded and returns it";
  let arguments = (ins StrAttr:$status);
  let assemblyFormat = "$status attr-dict";
}

#endif
