// Directives only where they are true.
// RUN: moa-emit --split-input-file %s | FileCheck %s

// A lane loop may add up a register, or take the largest, in floats; it may not fail, nor write one element from several lanes.
// CHECK-LABEL: int lanes(
// CHECK: #pragma omp simd reduction(+ : s)
// CHECK-NEXT: for (int64_t a = 0;
// CHECK: double m
// CHECK: #pragma omp simd reduction(moac_largest_f64 : m)
// CHECK-NEXT: for (int64_t b = 0;
// CHECK-NOT: #pragma
// CHECK: for (int64_t c = 0;
// CHECK-NOT: #pragma
// CHECK: for (int64_t d = 0;
onf.func @lanes symbols ["N"] scalars [] inputs ["x"] [!moa.array<[N], f64>] results ["y"] [!moa.array<[N], f64>] {
^bb0(%N: index, %x: !onf.buffer<f64, "argument">, %y: !onf.buffer<f64, "argument">):
  %zero = moa.constant 0 : index
  %one = moa.constant 1 : index
  %f = moa.constant 0.0 : f64
  %s = onf.alloc "s"[%one] : !onf.buffer<f64, "register">
  onf.store %f, %s : f64, <f64, "register">
  onf.for "a" "lanes" from %zero to %N {
  ^bb0(%i: index):
    %v = onf.load %x[%i] : <f64, "argument"> -> f64
    onf.update "add" %v, %s : f64, <f64, "register">
  }
  %m = onf.alloc "m"[%one] : !onf.buffer<f64, "register">
  onf.store %f, %m : f64, <f64, "register">
  onf.for "b" "lanes" from %zero to %N {
  ^bb0(%i: index):
    %v = onf.load %x[%i] : <f64, "argument"> -> f64
    onf.update "max" %v, %m : f64, <f64, "register">
  }
  onf.for "c" "lanes" from %zero to %N {
  ^bb0(%i: index):
    %v = onf.load %x[%i] : <f64, "argument"> -> f64
    onf.update "add" %v, %y[%zero] : f64, <f64, "argument">
  }
  onf.for "d" "lanes" from %zero to %N {
  ^bb0(%i: index):
    onf.fail "index"
  }
  %sv = onf.load %s : <f64, "register"> -> f64
  %mv = onf.load %m : <f64, "register"> -> f64
  %t = moa.scalar add(%sv, %mv) : f64, f64 -> f64
  onf.store %t, %y[%zero] : f64, <f64, "argument">
}

// -----

// Only perfectly nested loops with independent bounds are collapsed; a failing loop combines the status.
// CHECK-LABEL: int triangle(
// CHECK: int status = MOAC_OK;
// CHECK: #pragma omp parallel for num_threads(moac_threads(2.0 * N * N)) reduction(min : status)
// CHECK-NEXT: schedule(static)
// CHECK-NEXT: for (int64_t i = 0; i < N; ++i) {
// CHECK-NEXT: for (int64_t j = 0; j < i; ++j) {
// CHECK: status = status < MOAC_INDEX ? status : MOAC_INDEX;
// CHECK: return status;
onf.func @triangle symbols ["N"] scalars [] inputs [] [] results ["y"] [!moa.array<[N, N], f64>] {
^bb0(%N: index, %y: !onf.buffer<f64, "argument">):
  %two = moa.constant 2.0 : f64
  %n = moa.cast %N : index to f64
  %w0 = moa.scalar mul(%two, %n) : f64, f64 -> f64
  %w = moa.scalar mul(%w0, %n) : f64, f64 -> f64
  onf.parallel work %w {
    %zero = moa.constant 0 : index
    onf.for "i" "parallel" from %zero to %N attributes {collapse = 2 : i64} {
    ^bb0(%i: index):
      onf.for "j" "parallel" from %zero to %i {
      ^bb0(%j: index):
        %c = moa.scalar lt(%i, %j) : index, index -> i1
        onf.if %c {
          onf.fail "index"
        }
      }
    }
  }
}

// -----

// A team with buffers: each thread takes a slice, and the team is never larger than the slices.
// CHECK-LABEL: static int tiles_run(
// CHECK: const size_t thread_bytes = moac_round64(sizeof(double) * 64);
// CHECK-NEXT: int team = moac_threads(1.0 * N);
// CHECK: const size_t shared_bytes = 64 + moac_round64(sizeof(float) * N);
// CHECK: ws = moac_scratch_acquire(shared_bytes + (size_t)team * thread_bytes);
// CHECK: char *top = moac_align64(ws);
// CHECK-NEXT: float *restrict whole = moac_take(&top, sizeof(float) * N);
// CHECK-NEXT: char *const threads = top;
// CHECK: int64_t slots = 0;
// CHECK-NEXT: #pragma omp parallel num_threads(team)
// CHECK-NEXT: {
// CHECK-NEXT: int64_t slot;
// CHECK-NEXT: #pragma omp atomic capture
// CHECK-NEXT: slot = slots++;
// CHECK-NEXT: char *slice = threads + (size_t)slot * thread_bytes;
// CHECK-NEXT: double *restrict tile = moac_take(&slice, sizeof(double) * 64);
// CHECK-NEXT: #pragma omp for schedule(static)
// CHECK: size_t tiles_ws_size(int64_t N)
// CHECK: int tiles(int64_t N, double *restrict y)
// CHECK: int tiles_ws(int64_t N, double *restrict y, void *ws, size_t ws_bytes)
onf.func @tiles symbols ["N"] scalars [] inputs [] [] results ["y"] [!moa.array<[N], f64>] {
^bb0(%N: index, %y: !onf.buffer<f64, "argument">):
  %w = moa.cast %N : index to f64
  %whole = onf.alloc "whole"[%N] : !onf.buffer<f32, "shared">
  onf.parallel work %w {
    %zero = moa.constant 0 : index
    %size = moa.constant 64 : index
    %tile = onf.alloc "tile"[%size] : !onf.buffer<f64, "thread">
    onf.for "i" "parallel" from %zero to %N attributes {collapse = 1 : i64} {
    ^bb0(%i: index):
      %f = moa.constant 1.0 : f64
      onf.store %f, %tile[%zero] : f64, <f64, "thread">
      %v = onf.load %tile[%zero] : <f64, "thread"> -> f64
      %u = onf.load %whole[%i] : <f32, "shared"> -> f32
      %d = moa.cast %u : f32 to f64
      %s = moa.scalar add(%v, %d) : f64, f64 -> f64
      onf.store %s, %y[%i] : f64, <f64, "argument">
    }
  }
}
