// The passes of moac, in pipeline order: meaning (moa) first, then schedule, then realisation (gamma, onf).
#ifndef MOAC_PASSES_TD
#define MOAC_PASSES_TD

include "mlir/Pass/PassBase.td"

def InlineCalls : Pass<"moa-inline-calls", "::mlir::ModuleOp"> {
  let summary = "Replace kernel calls by the callee's definitions";
  let description = [{
    Pre-condition: no recursion. Post-condition: no moa.call. The callee's symbols are replaced by the caller's
    expressions in every type, and its values are named after the call: `Z = rms(X)` brings `Z_r`.
  }];
  let dependentDialects = ["::moac::moa::MoaDialect"];
}

def BindSymbols : Pass<"moa-bind-symbols", "::moac::moa::KernelOp"> {
  let summary = "Replace symbols by constants";
  let description = [{
    `bindings=D=64`: every use of D becomes 64, in types as well; D stays a parameter, and D == 64 is required at entry
    (status extent). Symbols that a kernel does not have are ignored.
  }];
  let options = [ListOption<"bindings", "bindings", "std::string", "symbols and their values, NAME=VALUE">];
  let dependentDialects = ["::moac::moa::MoaDialect"];
}

def PsiReduce : Pass<"moa-psi-reduce", "::moac::moa::KernelOp"> {
  let summary = "Rewrite reads by the laws of the algebra until only parameters and stages are read";
  let description = [{
    Pre-condition: no moa.call. Post-condition: every psi is full and reads a parameter or a gen; no operation of the operator
    form is left; each result is a gen of its own. The laws are those of passes/PsiLaws.h, each a remark of category psi when it
    fires: `i psi (reverse A)` becomes `(n - 1 - i) psi A`. Values without a name disappear, except those that are computed and
    read more than once, which become gens. Index arithmetic is canonical afterwards; stored weak integers are i64.
  }];
  let dependentDialects = ["::moac::moa::MoaDialect"];
}

def LiftArrays : Pass<"moa-lift-arrays", "::moac::moa::KernelOp"> {
  let summary = "Give arrays defined inside a gen the gen's indices as leading axes";
  let description = [{
    A gen nested in another gen's region becomes a stage of the kernel, indexed by what it depends on; where its frame is
    not a box it is read by substitution instead: `i psi (gen e)` is `e` at i.
  }];
  let dependentDialects = ["::moac::moa::MoaDialect"];
}

def SplitStages : Pass<"moa-split-stages", "::moac::moa::KernelOp"> {
  let summary = "Make each reduction a stage of its own and mark the kernel as DNF";
  let description = [{
    A reduction inside an expression becomes a gen over the indices it depends on, so that no work is done twice:
    `O[b,i,p] = sum[k](P*V) / sum[k](P)` brings `O_sum[b,i,p]` and `O_sum2[b,i]`. A reduction under a condition keeps it as a
    guard on its domain, unless its reads are in range without. A reduction whose frame is not a box (it runs over a
    data-dependent domain of another) stays where it is.
  }];
  let dependentDialects = ["::moac::moa::MoaDialect"];
}

def GammaPartition : Pass<"gamma-partition", "::mlir::ModuleOp"> {
  let summary = "Make the phases of kernels whose work is divided among processing elements";
  let description = [{
    A kernel X with `partition k over pe` in its schedule gets X.part and, if k is reduced, X.whole beside it (`Partition.h`), which
    later passes treat like any kernel; X keeps an attribute that says how gamma-construct composes its function of theirs. What
    else the schedule says is said of X.part.
  }];
  let dependentDialects = ["::moac::moa::MoaDialect"];
}

def GammaLift : Pass<"gamma-lift", "::moac::moa::KernelOp"> {
  let summary = "Find out what a user's schedule speaks of";
  let description = [{
    Writes on every axis how a schedule may call it (attribute `loops`: `i` for an output's axis and what is mapped to it
    one to one, `S.i` for the axis of S alone). The user's directives, those with an empty stage, are checked against these
    names, against the values and against what lifting allows; `place` becomes a directive on stages, and stages whose
    reductions are spoken of are kept from being inlined. What is refused names values and axes.
  }];
  let dependentDialects = ["::moac::moa::MoaDialect"];
}

def GammaAtomicRemoval : Pass<"gamma-atomic-removal", "::moac::moa::KernelOp"> {
  let summary = "Decide who adds the terms of the reductions that a schedule speaks of";
  let description = [{
    Pre-condition: axes have their names (gamma-lift). For each `reduce` of the user, adds `reduce S [k] "owner"`, `"private"`, `"atomic"` or
    `"recompute"` for every stage that it speaks of, and for the last `place P inline` for the values that the terms are made of
    along k. Refuses what names no reduction, says two things of one, or asks to compute again where there is nothing to compute.
  }];
  let dependentDialects = ["::moac::moa::MoaDialect"];
}

def GammaFactor : Pass<"gamma-factor", "::moac::moa::KernelOp"> {
  let summary = "Bring sums into the form that one pass over an axis needs";
  let description = [{
    Exponents that are below their maximum are marked (`Signs.h`). Factors free of a sum's index move out of it where they are
    reductions over the same range (`FactorSums.h`); a reduction of a whole array becomes one of its rows' reductions (`RowSums.h`).
    Neither happens where a user's schedule speaks of loops. Index names of a stage are distinct afterwards.
  }];
  let dependentDialects = ["::moac::moa::MoaDialect"];
}

def GammaCoalesce : Pass<"gamma-coalesce", "::moac::moa::KernelOp"> {
  let summary = "Choose the axis along which each stage walks memory";
  let description = [{
    Pre-condition: index names of a stage are distinct. Post-condition: every stage with axes has `coalesce NAME [p, k]`: the axes
    that may run innermost, best first, by the steps of what it reads and writes (0: costs nothing, 1: a unit, else eight). Mode
    "across" where a long reduction would jump over the memory that the first axis walks. Passes that order loops read it
    (`AxisChoice.h`); what they may choose from differs, so that all axes are ranked. Runs again once stages are placed: then
    other reads stand in them. Remarks name the arrays and their steps.
  }];
  let dependentDialects = ["::moac::moa::MoaDialect"];
}

def GammaOnline : Pass<"gamma-online", "::moac::moa::KernelOp"> {
  let summary = "Find reductions over one axis that can be folded in one pass over it";
  let description = [{
    Stages that a pass in tiles needs as arrays of a tile get `keep`: sums of products along the axis, and what is summed in
    blocks. Nothing happens where a user's schedule speaks.
  }];
  let dependentDialects = ["::moac::moa::MoaDialect"];
}

def GammaInline : Pass<"gamma-inline", "::moac::moa::KernelOp"> {
  let summary = "Decide which stages are recomputed where they are read";
  let description = [{
    Adds `place NAME inline` to the schedule for every stage whose recomputation costs less than a store and the loads: the
    rule is `reads * cost(body) <= elements * (cost(body) + store) + reads * load`, with all symbols at a sample size. A stage
    that is one reduction is inlined when each element is read once. Figures are remarks. What the schedule says of a
    stage's place stands.
  }];
  let dependentDialects = ["::moac::moa::MoaDialect"];
}

def GammaPlace : Pass<"gamma-place", "::moac::moa::KernelOp"> {
  let summary = "Substitute the stages that the schedule places inline";
  let description = [{`i psi (gen e)` becomes `e` at i for every stage with `place NAME inline`; the gen disappears.}];
  let dependentDialects = ["::moac::moa::MoaDialect"];
}

def GammaNest : Pass<"gamma-nest", "::moac::moa::KernelOp"> {
  let summary = "Choose nests, placement and loop order of the stages";
  let description = [{
    Pre-condition: no stage is placed inline any more. Follows the user's lifts, orders, placements, parallel loops, lanes and
    unrolled loops, and refuses what is impossible; the rest is by default. Adds `nest`, `parallel`, `place` (at the nest of the only reader, or
    store), `order` and `lanes`. The innermost loop is the one that gamma-coalesce chose; if it is a free axis, the
    reduction runs outside it and accumulates in the stage's row.
  }];
  let dependentDialects = ["::moac::moa::MoaDialect"];
}

def GammaSplit : Pass<"gamma-split", "::moac::moa::KernelOp"> {
  let summary = "Choose where loops are cut so that no test is left inside";
  let description = [{
    Adds `split NAME: i at N` for the boundaries at which conditions on i, and in innermost loops the quotients of moduli
    and the arguments of minima, change: a concatenation becomes two loops, a stencil its interior and its edges, a
    rotation two ranges without a modulo, a causal mask a bound of the reduction. The pieces are bounded in number and
    size; where they would be too many the outer axes stay whole. Remarks say what was cut and what was not.
    Adds `lift NAME: j along (i*N + j)//M` where an innermost loop would divide for each element at no boundary that could be
    named, and the divisions do not cancel in the flat offset.
  }];
  let dependentDialects = ["::moac::moa::MoaDialect"];
}

def GammaConstruct : Pass<"gamma-construct", "::mlir::ModuleOp"> {
  let summary = "Build the ONF of every kernel from its DNF and schedule";
  let description = [{
    One onf.func for each moa.kernel with a schedule: nests in order, each with its parallel loops, the stages placed inside
    and their loops, reductions initialised and finished where all their free axes are fixed. The kernels are removed.
  }];
  let dependentDialects = ["::moac::moa::MoaDialect", "::moac::onf::OnfDialect"];
}

#endif
