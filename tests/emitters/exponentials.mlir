// Exponents that a pass has found not to be positive take the cheaper functions, of either base.
// RUN: moa-emit %s | FileCheck %s

// CHECK: #pragma GCC optimize("no-trapping-math")
// CHECK: static inline float moac_exp_down_f32(float x) {
// CHECK: static inline double moac_exp2_down_f64(double x) {
// CHECK-LABEL: int falling(
// CHECK: y[i] = moac_exp_down_f32(x[i]) + moac_exp_f32(x[i]);
// CHECK-NEXT: z[i] = moac_exp2_down_f64((double)x[i]) + sqrt((double)x[i]);
onf.func @falling symbols ["N"] scalars [] inputs ["x"] [!moa.array<[N], f32>] results ["y", "z"] [!moa.array<[N], f32>, !moa.array<[N], f64>] {
^bb0(%N: index, %x: !onf.buffer<f32, "argument">, %y: !onf.buffer<f32, "argument">, %z: !onf.buffer<f64, "argument">):
  %zero = moa.constant 0 : index
  onf.for "i" "sequential" from %zero to %N {
  ^bb0(%i: index):
    %a = onf.load %x[%i] : <f32, "argument"> -> f32
    %e = moa.scalar exp(%a) {nonpositive} : f32 -> f32
    %b = onf.load %x[%i] : <f32, "argument"> -> f32
    %p = moa.scalar exp(%b) : f32 -> f32
    %s = moa.scalar add(%e, %p) : f32, f32 -> f32
    onf.store %s, %y[%i] : f32, <f32, "argument">
    %c = onf.load %x[%i] : <f32, "argument"> -> f32
    %d = moa.cast %c : f32 to f64
    %t = moa.scalar exp2(%d) {nonpositive} : f64 -> f64
    %r = onf.load %x[%i] : <f32, "argument"> -> f32
    %w = moa.cast %r : f32 to f64
    %q = moa.scalar sqrt(%w) {nonpositive} : f64 -> f64
    %u = moa.scalar add(%t, %q) : f64, f64 -> f64
    onf.store %u, %z[%i] : f64, <f64, "argument">
  }
}
