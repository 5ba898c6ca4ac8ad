// A `where` is lazy: ?:, && and ||, or an if statement when a side needs names.
// RUN: moa-emit --split-input-file %s | FileCheck %s

// CHECK-LABEL: int guarded(
// CHECK: y[i] = i >= 1 && x[i - 1] > 0.0 ? x[i - 1] : 0.0;
onf.func @guarded symbols ["N"] scalars [] inputs ["x"] [!moa.array<[N], f64>] results ["y"] [!moa.array<[N], f64>] {
^bb0(%N: index, %x: !onf.buffer<f64, "argument">, %y: !onf.buffer<f64, "argument">):
  %zero = moa.constant 0 : index
  onf.for "i" "sequential" from %zero to %N {
  ^bb0(%i: index):
    %one = moa.constant 1 : index
    %no = moa.constant false
    %f = moa.constant 0.0 : f64
    %inside = moa.scalar ge(%i, %one) : index, index -> i1
    %before = moa.scalar sub(%i, %one) : index, index -> index
    %both = moa.where %inside : i1 {
      %v = onf.load %x[%before] : <f64, "argument"> -> f64
      %p = moa.scalar gt(%v, %f) : f64, f64 -> i1
      moa.yield %p : i1
    } else {
      moa.yield %no : i1
    }
    %c = moa.where %both : f64 {
      %v = onf.load %x[%before] : <f64, "argument"> -> f64
      moa.yield %v : f64
    } else {
      moa.yield %f : f64
    }
    onf.store %c, %y[%i] : f64, <f64, "argument">
  }
}

// -----

// CHECK-LABEL: int branching(
// CHECK: double choice;
// CHECK-NEXT: if (a > 0.0) {
// CHECK-NEXT: const double value = moac_exp_f64(a);
// CHECK-NEXT: const double value_1 = value * value + value;
// CHECK: choice = {{.*}};
// CHECK-NEXT: } else {
// CHECK-NEXT: choice = a;
// CHECK-NEXT: }
// CHECK-NEXT: y[0] = choice;
onf.func @branching symbols [] scalars ["a"] inputs [] [] results ["y"] [!moa.array<[], f64>] {
^bb0(%a: f64, %y: !onf.buffer<f64, "argument">):
  %zero = moa.constant 0 : index
  %f = moa.constant 0.0 : f64
  %positive = moa.scalar gt(%a, %f) : f64, f64 -> i1
  %c = moa.where %positive : f64 {
    %e = moa.scalar exp(%a) : f64 -> f64
    %e2 = moa.scalar mul(%e, %e) : f64, f64 -> f64
    %e3 = moa.scalar add(%e2, %e) : f64, f64 -> f64
    %e4 = moa.scalar mul(%e3, %e3) : f64, f64 -> f64
    %e5 = moa.scalar add(%e4, %e3) : f64, f64 -> f64
    %e6 = moa.scalar mul(%e5, %e5) : f64, f64 -> f64
    %e7 = moa.scalar add(%e6, %e5) : f64, f64 -> f64
    %e8 = moa.scalar mul(%e7, %e7) : f64, f64 -> f64
    moa.yield %e8 : f64
  } else {
    moa.yield %a : f64
  }
  onf.store %c, %y[%zero] : f64, <f64, "argument">
}
