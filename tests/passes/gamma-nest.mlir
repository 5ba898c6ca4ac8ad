// Stages of a chain that is no online group share the row loops; the denominator is free of p and is computed once a row.
// RUN: moa-opt %s --moa-dnf | FileCheck %s --check-prefix=DNF
// RUN: moa-opt %s --pass-pipeline='builtin.module(moa-dnf,moa.kernel(gamma-coalesce,gamma-inline,gamma-place,cse,gamma-coalesce,gamma-nest))' | FileCheck %s
// DNF: moa.gen "S_sum" ["b", "i", "k"]
// DNF: moa.gen "S" ["b", "i", "k"]
// DNF: moa.gen "m" ["b", "i"]
// DNF: moa.gen "P" ["b", "i", "k"]
// DNF: moa.gen "O_sum" ["b", "i", "p"]
// DNF: moa.gen "O_sum2" ["b", "i"]
// DNF: moa.gen "O" ["b", "i", "p"]
// CHECK: #moa.directive<"place", "S_sum", [], "inline">
// CHECK-SAME: #moa.directive<"nest", "O", ["b", "i"], "">
// CHECK-SAME: #moa.directive<"place", "S", ["O"], "at">
// CHECK-SAME: #moa.directive<"place", "m", ["O"], "at">
// CHECK-SAME: #moa.directive<"place", "P", ["O"], "at">
// CHECK-SAME: #moa.directive<"order", "O_sum", ["k", "p"], "">
// CHECK-SAME: #moa.directive<"lanes", "O_sum", ["p"], "">
moa.kernel @attention(symbol "B" %B: index, symbol "N" %N: index, symbol "D" %D: index, symbol "M" %M: index, symbol "E" %E: index, "Q" %Q: !moa.array<[B, N, D], f64>, "K" %K: !moa.array<[B, M, D], f64>, "V" %V: !moa.array<[B, M, E], f64>) -> ("O" : !moa.array<[B, N, E], f64>) {
  %S = moa.gen "S" ["b", "i", "k"] : !moa.array<[B, N, M], f64> {
  ^bb0(%b: index, %i: index, %k: index):
    %s = moa.red add "j" in {
      %lo = moa.constant 0 : index
      moa.yield %lo, %D : index, index
    } term {
    ^bb0(%j: index):
      %a = moa.psi %Q[%b, %i, %j] : !moa.array<[B, N, D], f64> -> f64
      %bb = moa.psi %K[%b, %k, %j] : !moa.array<[B, M, D], f64> -> f64
      %p = moa.scalar mul(%a, %bb) : f64, f64 -> f64
      moa.yield %p : f64
    } : f64
    %df = moa.cast %D : index to f64
    %sq = moa.scalar sqrt(%df) : f64 -> f64
    %r = moa.scalar div(%s, %sq) : f64, f64 -> f64
    moa.yield %r : f64
  }
  %m = moa.gen "m" ["b", "i"] : !moa.array<[B, N], f64> {
  ^bb0(%b: index, %i: index):
    %s = moa.red max "k" in {
      %lo = moa.constant 0 : index
      moa.yield %lo, %M : index, index
    } term {
    ^bb0(%k: index):
      %a = moa.psi %S[%b, %i, %k] : !moa.array<[B, N, M], f64> -> f64
      moa.yield %a : f64
    } : f64
    moa.yield %s : f64
  }
  %P = moa.gen "P" ["b", "i", "k"] : !moa.array<[B, N, M], f64> {
  ^bb0(%b: index, %i: index, %k: index):
    %s = moa.psi %S[%b, %i, %k] : !moa.array<[B, N, M], f64> -> f64
    %mm = moa.psi %m[%b, %i] : !moa.array<[B, N], f64> -> f64
    %d = moa.scalar sub(%s, %mm) : f64, f64 -> f64
    %e = moa.scalar abs(%d) : f64 -> f64
    moa.yield %e : f64
  }
  %O = moa.gen "O" ["b", "i", "p"] : !moa.array<[B, N, E], f64> {
  ^bb0(%b: index, %i: index, %p: index):
    %s = moa.red add "k" in {
      %lo = moa.constant 0 : index
      moa.yield %lo, %M : index, index
    } term {
    ^bb0(%k: index):
      %a = moa.psi %P[%b, %i, %k] : !moa.array<[B, N, M], f64> -> f64
      %v = moa.psi %V[%b, %k, %p] : !moa.array<[B, M, E], f64> -> f64
      %q = moa.scalar mul(%a, %v) : f64, f64 -> f64
      moa.yield %q : f64
    } : f64
    %l = moa.red add "k" in {
      %lo = moa.constant 0 : index
      moa.yield %lo, %M : index, index
    } term {
    ^bb0(%k: index):
      %a = moa.psi %P[%b, %i, %k] : !moa.array<[B, N, M], f64> -> f64
      moa.yield %a : f64
    } : f64
    %r = moa.scalar div(%s, %l) : f64, f64 -> f64
    moa.yield %r : f64
  }
  moa.return %O : !moa.array<[B, N, E], f64>
}
