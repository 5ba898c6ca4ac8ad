// The checks at entry, in their order: negative symbols, extents, constraints, sizes, emptiness, null, overlap.
// RUN: moa-emit --split-input-file %s | FileCheck %s

// CHECK-LABEL: int strided(
// CHECK-SAME: int64_t N, int64_t s, const float *restrict x, float *restrict y)
// CHECK: if (N < 0 || s < 0) {
// CHECK-NEXT: return MOAC_EXTENT;
// CHECK: if (1.0 * N + 1.0 + s + 1.0 > MOAC_MAX_BYTES) {
// CHECK-NEXT: return MOAC_OVERFLOW;
// CHECK: const int64_t y_0 = moac_floordiv_i64(N - 1, s) + 1;
// CHECK-NEXT: if (y_0 < 0) {
// CHECK-NEXT: return MOAC_EXTENT;
// CHECK: // requires s >= 1
// CHECK-NEXT: if (!(s >= 1)) {
// CHECK-NEXT: return MOAC_CONSTRAINT;
// CHECK: if (4.0 * N > MOAC_MAX_BYTES || 4.0 * y_0 > MOAC_MAX_BYTES) {
// CHECK-NEXT: return MOAC_OVERFLOW;
// CHECK: const size_t x_bytes = sizeof(float) * N;
// CHECK: if (y_bytes == 0) {
// CHECK-NEXT: return MOAC_OK; // nothing to compute
// CHECK: if ((x == NULL && x_bytes != 0) || (y == NULL && y_bytes != 0)) {
// CHECK-NEXT: return MOAC_NULL_POINTER;
// CHECK: if (moac_overlap(y, y_bytes, x, x_bytes)) {
// CHECK-NEXT: return MOAC_ALIASING;
// CHECK: for (int64_t i = 0; i < y_0; ++i) {
// CHECK-NEXT: y[i] = x[i*s];
onf.func @strided symbols ["N", "s"] scalars [] inputs ["x"] [!moa.array<[N], f32>] results ["y"] [!moa.array<[(N - 1) floordiv s + 1], f32>] {
^bb0(%N: index, %s: index, %x: !onf.buffer<f32, "argument">, %y: !onf.buffer<f32, "argument">):
  %one = moa.constant 1 : index
  %c = moa.scalar ge(%s, %one) : index, index -> i1
  onf.require %c, "constraint", "s >= 1"
  %zero = moa.constant 0 : index
  %n = moa.scalar sub(%N, %one) : index, index -> index
  %q = moa.scalar floordiv(%n, %s) : index, index -> index
  %hi = moa.scalar add(%q, %one) : index, index -> index
  onf.for "i" "sequential" from %zero to %hi {
  ^bb0(%i: index):
    %at = moa.scalar mul(%i, %s) : index, index -> index
    %v = onf.load %x[%at] : <f32, "argument"> -> f32
    onf.store %v, %y[%i] : f32, <f32, "argument">
  }
}

// -----

// A condition whose arithmetic could overflow is preceded by a check that it does not. Sizes that are constant need
// no check, a scalar that nobody reads is marked.
// CHECK-LABEL: int window(
// CHECK-SAME: int64_t k, int64_t unused, const double *restrict x, double *restrict y)
// CHECK: (void)unused;
// CHECK-NOT: MOAC_EXTENT
// CHECK: // requires k + 3 <= 8
// CHECK-NEXT: if (1.0 * fabs((double)k) + 3.0 > MOAC_MAX_BYTES) {
// CHECK-NEXT: return MOAC_OVERFLOW;
// CHECK: if (!(k + 3 <= 8)) {
// CHECK-NOT: return MOAC_OK; //
// CHECK: if (x == NULL || y == NULL) {
// CHECK: y[0] = x[k + 3];
onf.func @window symbols [] scalars ["k", "unused"] inputs ["x"] [!moa.array<[8], f64>] results ["y"] [!moa.array<[], f64>] {
^bb0(%k: index, %unused: index, %x: !onf.buffer<f64, "argument">, %y: !onf.buffer<f64, "argument">):
  %three = moa.constant 3 : index
  %eight = moa.constant 8 : index
  %end = moa.scalar add(%k, %three) : index, index -> index
  %c = moa.scalar le(%end, %eight) : index, index -> i1
  onf.require %c, "constraint", "k + 3 <= 8"
  %zero = moa.constant 0 : index
  %v = onf.load %x[%end] : <f64, "argument"> -> f64
  onf.store %v, %y[%zero] : f64, <f64, "argument">
}
