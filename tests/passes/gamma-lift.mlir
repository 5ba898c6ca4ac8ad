// Names of loops, and what a user's schedule becomes, stage by stage.
// RUN: moa-opt %s --pass-pipeline='builtin.module(moa-dnf,moa.kernel(gamma-lift,gamma-coalesce,gamma-inline,gamma-place,cse,gamma-coalesce,gamma-nest))' | FileCheck %s
// RUN: moa-opt %s --moa-dnf --gamma | FileCheck %s --check-prefix=ONF

// The reduction stays a stage: the schedule speaks of k, which S's second axis is mapped to.
// CHECK: #moa.directive<"keep", "O", [], "">
// CHECK-SAME: #moa.directive<"lift", "S", ["k", "kt", "kk"], "8">
// CHECK-SAME: #moa.directive<"lift", "O", ["k", "kt", "kk"], "8">
// CHECK-SAME: #moa.directive<"nest", "O", ["i"], "">
// CHECK-SAME: #moa.directive<"parallel", "O", ["i"], "">
// CHECK-SAME: #moa.directive<"place", "S", ["O"], "at">
// CHECK-SAME: #moa.directive<"order", "S", ["kt", "kk"], "">
// CHECK: moa.gen "S" ["i", "k"] {loops = ["i,S.i", "k,S.k"]}
// ONF: onf.for "i" "parallel"
// ONF: onf.for "kt" "sequential"
// ONF: onf.for "k" "lanes"
// ONF: onf.for "kt" "sequential"
// ONF: onf.for "k" "lanes"
moa.kernel @sums(symbol "N" %N: index, symbol "M" %M: index, "A" %A: !moa.array<[N, M], f64>) -> ("O" : !moa.array<[N], f64>)
    attributes {schedule = [#moa.directive<"lift", "", ["k", "kt", "kk"], "8">, #moa.directive<"place", "", ["S", "i"], "at">]} {
  %S = moa.gen "S" ["i", "k"] : !moa.array<[N, M], f64> {
  ^bb0(%i: index, %k: index):
    %a = moa.psi %A[%i, %k] : !moa.array<[N, M], f64> -> f64
    %e = moa.scalar exp(%a) : f64 -> f64
    moa.yield %e : f64
  }
  %O = moa.gen "O" ["i"] : !moa.array<[N], f64> {
  ^bb0(%i: index):
    %s = moa.red add "k" in {
      %lo = moa.constant 0 : index
      moa.yield %lo, %M : index, index
    } term {
    ^bb0(%k: index):
      %a = moa.psi %S[%i, %k] : !moa.array<[N, M], f64> -> f64
      moa.yield %a : f64
    } : f64
    moa.yield %s : f64
  }
  moa.return %O : !moa.array<[N], f64>
}
