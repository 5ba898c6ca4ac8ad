// A reduction whose operand is contiguous along a free axis accumulates in the result's row, the reduction outside.
// RUN: moa-opt %s --moa-dnf --gamma | FileCheck %s
// CHECK-LABEL: onf.func @largest
// CHECK: onf.parallel work
// CHECK: onf.for "i" "parallel" {{.*}}collapse = 1
// CHECK: onf.for "j" "lanes"
// CHECK: onf.store {{.*}} {opens}
// CHECK: onf.for "k" "sequential"
// CHECK: onf.for "j" "lanes"
// CHECK: onf.update "max"
moa.kernel @largest(symbol "M" %M: index, symbol "K" %K: index, symbol "N" %N: index, "A" %A: !moa.array<[M, K], f64>, "B" %B: !moa.array<[K, N], f64>) -> ("C" : !moa.array<[M, N], f64>) {
  %C = moa.gen "C" ["i", "j"] : !moa.array<[M, N], f64> {
  ^bb0(%i: index, %j: index):
    %s = moa.red max "k" in {
      %lo = moa.constant 0 : index
      moa.yield %lo, %K : index, index
    } term {
    ^bb0(%k: index):
      %a = moa.psi %A[%i, %k] : !moa.array<[M, K], f64> -> f64
      %b = moa.psi %B[%k, %j] : !moa.array<[K, N], f64> -> f64
      %p = moa.scalar mul(%a, %b) : f64, f64 -> f64
      moa.yield %p : f64
    } : f64
    moa.yield %s : f64
  }
  moa.return %C : !moa.array<[M, N], f64>
}
