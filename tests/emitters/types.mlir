// Storage types widen when read and round when stored; integers wrap; index arithmetic wraps where its size is unknown.
// RUN: moa-emit --split-input-file %s | FileCheck %s
// RUN: moa-emit --split-input-file --standalone %s | FileCheck %s

// CHECK-LABEL: int halves(int64_t N, const uint16_t *restrict x, const uint16_t *restrict b,
// CHECK: y[i] = moac_f32_to_f16(moac_f16_to_f32(x[i]) + moac_bf16_to_f32(b[i]));
// CHECK-NEXT: y[i] = moac_f32_to_f16(moac_f16_to_f32(y[i]) + 1.0f);
onf.func @halves symbols ["N"] scalars [] inputs ["x", "b"] [!moa.array<[N], f16>, !moa.array<[N], bf16>] results ["y"] [!moa.array<[N], f16>] {
^bb0(%N: index, %x: !onf.buffer<f16, "argument">, %b: !onf.buffer<bf16, "argument">, %y: !onf.buffer<f16, "argument">):
  %zero = moa.constant 0 : index
  onf.for "i" "sequential" from %zero to %N {
  ^bb0(%i: index):
    %u = onf.load %x[%i] : <f16, "argument"> -> f32
    %v = onf.load %b[%i] : <bf16, "argument"> -> f32
    %s = moa.scalar add(%u, %v) : f32, f32 -> f32
    onf.store %s, %y[%i] : f32, <f16, "argument">
    %one = moa.constant 1.0 : f32
    onf.update "add" %one, %y[%i] : f32, <f16, "argument">
  }
}

// -----

// CHECK-LABEL: int whole(
// CHECK: y[i] = (int8_t)moac_add_i32(x[i], u[i]);
// CHECK: z[i] = (uint64_t)x[i] * UINT64_C(3);
onf.func @whole symbols ["N"] scalars [] inputs ["x", "u"] [!moa.array<[N], i8>, !moa.array<[N], ui8>] results ["y", "z"] [!moa.array<[N], i8>, !moa.array<[N], ui64>] {
^bb0(%N: index, %x: !onf.buffer<i8, "argument">, %u: !onf.buffer<ui8, "argument">, %y: !onf.buffer<i8, "argument">, %z: !onf.buffer<ui64, "argument">):
  %zero = moa.constant 0 : index
  onf.for "i" "sequential" from %zero to %N {
  ^bb0(%i: index):
    %a = onf.load %x[%i] : <i8, "argument"> -> i32
    %b = onf.load %u[%i] : <ui8, "argument"> -> i32
    %s = moa.scalar add(%a, %b) : i32, i32 -> i32
    onf.store %s, %y[%i] : i32, <i8, "argument">
    %c = onf.load %x[%i] : <i8, "argument"> -> i32
    %d = moa.cast %c : i32 to ui64
    %three = moa.constant 3 : ui64
    %p = moa.scalar mul(%d, %three) : ui64, ui64 -> ui64
    onf.store %p, %z[%i] : ui64, <ui64, "argument">
  }
}

// -----

// Loop variables, symbols and small constants are plain; large constants and i64 scalars wrap; a checked subscript is
// computed as it was checked.
// CHECK-LABEL: int hash(
// CHECK: y[i] = (double)moac_mul_i64(i, INT64_C(6364136223846793005));
// CHECK-NEXT: y[i] = (double)(i/2 + i%3);
// CHECK-NEXT: y[i] = (double)moac_add_i64(i, seed);
// CHECK-NEXT: const int64_t at = moac_mul_i64(t[i], 2);
// CHECK-NEXT: if (0 <= at && at < N) {
// CHECK-NEXT: y[i] = x[at*N + i];
onf.func @hash symbols ["N"] scalars ["seed"] inputs ["x", "t"] [!moa.array<[N, N], f64>, !moa.array<[N], i64>] results ["y"] [!moa.array<[N], f64>] {
^bb0(%N: index, %seed: index, %x: !onf.buffer<f64, "argument">, %t: !onf.buffer<i64, "argument">, %y: !onf.buffer<f64, "argument">):
  %zero = moa.constant 0 : index
  onf.for "i" "sequential" from %zero to %N {
  ^bb0(%i: index):
    %k = moa.constant 6364136223846793005 : index
    %a = moa.scalar mul(%i, %k) : index, index -> index
    %af = moa.cast %a : index to f64
    onf.store %af, %y[%i] : f64, <f64, "argument">
    %two = moa.constant 2 : index
    %three = moa.constant 3 : index
    %q = moa.scalar floordiv(%i, %two) : index, index -> index
    %r = moa.scalar mod(%i, %three) : index, index -> index
    %b = moa.scalar add(%q, %r) : index, index -> index
    %bf = moa.cast %b : index to f64
    onf.store %bf, %y[%i] : f64, <f64, "argument">
    %c = moa.scalar add(%i, %seed) : index, index -> index
    %cf = moa.cast %c : index to f64
    onf.store %cf, %y[%i] : f64, <f64, "argument">
    %ti = onf.load %t[%i] : <i64, "argument"> -> i64
    %tx = moa.cast %ti : i64 to index
    %s = moa.scalar mul(%tx, %two) : index, index -> index
    %lo = moa.scalar le(%zero, %s) : index, index -> i1
    %hi = moa.scalar lt(%s, %N) : index, index -> i1
    %in = moa.scalar and(%lo, %hi) : i1, i1 -> i1
    onf.if %in {
      %row = moa.scalar mul(%s, %N) : index, index -> index
      %o = moa.scalar add(%row, %i) : index, index -> index
      %v = onf.load %x[%o] : <f64, "argument"> -> f64
      onf.store %v, %y[%i] : f64, <f64, "argument">
    }
  }
}

// -----

// Comparisons that compilers know the answer of are answered; sums of index values wrap.
// CHECK-LABEL: int settled(
// CHECK: y[0] = true;
// CHECK: int64_t n = 0;
// CHECK: n = moac_add_i64(n, i);
onf.func @settled symbols ["N"] scalars ["u"] inputs [] [] results ["y"] [!moa.array<[], i1>] {
^bb0(%N: index, %u: ui32, %y: !onf.buffer<i1, "argument">):
  %zero = moa.constant 0 : index
  %one = moa.constant 1 : index
  %none = moa.constant 0 : ui32
  %c = moa.scalar ge(%u, %none) : ui32, ui32 -> i1
  onf.store %c, %y[%zero] : i1, <i1, "argument">
  %n = onf.alloc "n"[%one] : !onf.buffer<index, "register">
  onf.store %zero, %n : index, <index, "register">
  onf.for "i" "sequential" from %zero to %N {
  ^bb0(%i: index):
    onf.update "add" %i, %n : index, <index, "register">
  }
  %nv = onf.load %n : <index, "register"> -> index
  %d = moa.scalar lt(%nv, %N) : index, index -> i1
  onf.store %d, %y[%zero] : i1, <i1, "argument">
}
