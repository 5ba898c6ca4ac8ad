// The moa dialect: what an array kernel means. Types and attributes; the operations are in MoaOps.td.
#ifndef MOAC_IR_MOADIALECT_TD
#define MOAC_IR_MOADIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def Moa_Dialect : Dialect {
  let name = "moa";
  let cppNamespace = "::moac::moa";
  let summary = "Mathematics of Arrays: kernels as algebra over symbolic shapes";
  let description = [{
    Arrays are pure values with symbolic shapes. `moa.gen` defines an array by the value at each index, `moa.psi`
    reads, `moa.red` reduces. A kernel in Denotational Normal Form (attribute `dnf`) holds only full reads of
    leaves and stages. Meaning, constraints and an example of each operation: ir/Semantics.md.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
}

class Moa_Type<string name, string typeMnemonic, list<Trait> traits = []> : TypeDef<Moa_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Moa_ArrayType : Moa_Type<"Array", "array"> {
  let summary = "array with symbolic extents";
  let description = [{
    `!moa.array<[B, N, 2*H + 1], f64>`: extents are integer expressions over the kernel's symbols in canonical form,
    so two types are equal exactly when the algebra can see that the shapes are. Floor division is spelled `floordiv`.
    Rank 0 is a scalar in array clothing. `layout` is the γ of storage: row (default) or col.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$extentTexts, "::mlir::Type":$elementType,
                        DefaultValuedParameter<"bool", "false">:$columnMajor);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Builds the type from canonical expressions.
    static ArrayType get(::mlir::MLIRContext *context, const std::vector<::moac::shape::Expr> &extents,
                         ::mlir::Type elementType, bool columnMajor = false);
    int64_t rank() const { return static_cast<int64_t>(getExtentTexts().size()); }
    /// Extents as algebra, one Expr an axis.
    std::vector<::moac::shape::Expr> extents() const;
    /// The shape in MoA notation: `<B N D>`.
    std::string shapeText() const;
  }];
}

/// Element types: storage types f16 bf16 i8 i16 ui8 ui16 and the value types.
def Moa_Scalar : Type<CPred<"::moac::moa::isScalarType($_self)">, "moa scalar (float, integer, bool or index)">;
def Moa_Value : AnyTypeOf<[Moa_Scalar, Moa_ArrayType]>;

def Moa_DirectiveAttr : AttrDef<Moa_Dialect, "Directive"> {
  let mnemonic = "directive";
  let summary = "one decision of a schedule";
  let description = [{
    `#moa.directive<"place", "S", ["i"], "at">`: a verb, the stage it speaks of, the axes (or loops) named, and a mode.
    Verbs: `nest` (root stage; axes = its outer loops), `place` (mode inline, at, store), `order` (all loops of the stage,
    outermost first), `parallel`, `lanes`. A schedule is an ordered list of directives on the kernel; passes/README.md
    lists what each verb may say.
  }];
  let parameters = (ins "::mlir::StringAttr":$verb, "::mlir::StringAttr":$stage,
                        "::mlir::ArrayAttr":$axes, "::mlir::StringAttr":$mode);
  let assemblyFormat = "`<` $verb `,` $stage `,` $axes `,` $mode `>`";
}

#endif
