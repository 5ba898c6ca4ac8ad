// Values used once stand where they are used, unless what they read is written in between or the use is in a loop.
// RUN: moa-emit --split-input-file %s | FileCheck %s

// CHECK-LABEL: int swap(
// CHECK: const double a_value = a[0];
// CHECK-NEXT: a[0] = b[0];
// CHECK-NEXT: b[0] = a_value;
onf.func @swap symbols [] scalars [] inputs [] [] results ["a", "b"] [!moa.array<[], f64>, !moa.array<[], f64>] {
^bb0(%a: !onf.buffer<f64, "argument">, %b: !onf.buffer<f64, "argument">):
  %zero = moa.constant 0 : index
  %x = onf.load %a[%zero] : <f64, "argument"> -> f64
  %y = onf.load %b[%zero] : <f64, "argument"> -> f64
  onf.store %y, %a[%zero] : f64, <f64, "argument">
  onf.store %x, %b[%zero] : f64, <f64, "argument">
}

// -----

// A value computed outside a loop is not computed again inside it; a name or short index arithmetic is.
// CHECK-LABEL: int row(
// CHECK: for (int64_t i = 0; i < N; ++i) {
// CHECK-NEXT: const double value = moac_exp_f64(x[i]);
// CHECK-NEXT: for (int64_t j = 0; j < M; ++j) {
// CHECK-NEXT: y[i*M + j] = value;
onf.func @row symbols ["N", "M"] scalars [] inputs ["x"] [!moa.array<[N], f64>] results ["y"] [!moa.array<[N, M], f64>] {
^bb0(%N: index, %M: index, %x: !onf.buffer<f64, "argument">, %y: !onf.buffer<f64, "argument">):
  %zero = moa.constant 0 : index
  onf.for "i" "sequential" from %zero to %N {
  ^bb0(%i: index):
    %v = onf.load %x[%i] : <f64, "argument"> -> f64
    %e = moa.scalar exp(%v) : f64 -> f64
    %r = moa.scalar mul(%i, %M) : index, index -> index
    onf.for "j" "sequential" from %zero to %M {
    ^bb0(%j: index):
      %o = moa.scalar add(%r, %j) : index, index -> index
      onf.store %e, %y[%o] : f64, <f64, "argument">
    }
  }
}

// -----

// A register is declared by its first store; a value of it that is read before a store keeps the old value.
// A register that nobody reads disappears with its stores.
// CHECK-LABEL: int registers(
// CHECK-NOT: unread
// CHECK: double best = 0.0;
// CHECK-NEXT: double best_value = best;
// CHECK-NEXT: best = x[0];
// CHECK-NEXT: y[0] = best_value + best;
onf.func @registers symbols ["N"] scalars [] inputs ["x"] [!moa.array<[N], f64>] results ["y"] [!moa.array<[], f64>] {
^bb0(%N: index, %x: !onf.buffer<f64, "argument">, %y: !onf.buffer<f64, "argument">):
  %zero = moa.constant 0 : index
  %one = moa.constant 1 : index
  %f = moa.constant 0.0 : f64
  %best = onf.alloc "best"[%one] : !onf.buffer<f64, "register">
  %unread = onf.alloc "unread"[%one] : !onf.buffer<f64, "register">
  onf.store %f, %best : f64, <f64, "register">
  onf.store %f, %unread : f64, <f64, "register">
  %old = onf.load %best : <f64, "register"> -> f64
  %v = onf.load %x[%zero] : <f64, "argument"> -> f64
  onf.store %v, %best : f64, <f64, "register">
  %new = onf.load %best : <f64, "register"> -> f64
  %s = moa.scalar add(%old, %new) : f64, f64 -> f64
  onf.store %s, %y[%zero] : f64, <f64, "argument">
}

// -----

// The bound of a loop is evaluated in every iteration: one that reads what the loop writes is fixed before it.
// CHECK-LABEL: int bound(
// CHECK: const int64_t at = (int64_t)y[0];
// CHECK-NEXT: for (int64_t k = 0; k < at; ++k) {
// CHECK-NEXT: y[k] = y[k] + 1u;
onf.func @bound symbols ["N"] scalars [] inputs [] [] results ["y"] [!moa.array<[N], ui32>] {
^bb0(%N: index, %y: !onf.buffer<ui32, "argument">):
  %zero = moa.constant 0 : index
  %n = onf.load %y[%zero] : <ui32, "argument"> -> ui32
  %hi = moa.cast %n : ui32 to index
  onf.for "k" "sequential" from %zero to %hi {
  ^bb0(%k: index):
    %old = onf.load %y[%k] : <ui32, "argument"> -> ui32
    %one = moa.constant 1 : ui32
    %new = moa.scalar add(%old, %one) : ui32, ui32 -> ui32
    onf.store %new, %y[%k] : ui32, <ui32, "argument">
  }
}
