// Words that C keeps for itself are adjusted, in the header as well; loops give their names back.
// RUN: moa-emit %s | FileCheck %s
// RUN: moa-emit --header --header-name=names.h %s | FileCheck %s --check-prefix=HEADER

// HEADER: #ifndef MOAC_KERNELS_NAMES_H
// HEADER: in  if_: f64[I, y1]
// HEADER: int awkward(int64_t I_, int64_t y1_, double double_, const double *if_, double *end_);

// CHECK-LABEL: int awkward(int64_t I_, int64_t y1_, double double_, const double *restrict if_,
// CHECK: for (int64_t asm_ = 0; asm_ < I_; ++asm_) { // names.mlir:[[@LINE+7]]
// CHECK: for (int64_t if__1 = 0; if__1 < y1_; ++if__1) {
// CHECK: end_[asm_*y1_ + if__1] = if_[asm_*y1_ + if__1] * double_;
// CHECK: for (int64_t asm_ = 0; asm_ < I_; ++asm_) { // elsewhere.moa:7
onf.func @awkward symbols ["I", "y1"] scalars ["double"] inputs ["if"] [!moa.array<[I, y1], f64>] results ["end"] [!moa.array<[I, y1], f64>] {
^bb0(%I: index, %y1: index, %d: f64, %in: !onf.buffer<f64, "argument">, %out: !onf.buffer<f64, "argument">):
  %zero = moa.constant 0 : index
  onf.for "asm" "sequential" from %zero to %I {
  ^bb0(%i: index):
    onf.for "if" "sequential" from %zero to %y1 {
    ^bb0(%j: index):
      %r = moa.scalar mul(%i, %y1) : index, index -> index
      %o = moa.scalar add(%r, %j) : index, index -> index
      %v = onf.load %in[%o] : <f64, "argument"> -> f64
      %w = moa.scalar mul(%v, %d) : f64, f64 -> f64
      onf.store %w, %out[%o] : f64, <f64, "argument">
    }
  }
  onf.for "asm" "sequential" from %zero to %I {
  ^bb0(%i: index):
    %f = moa.constant 1.0 : f64
    onf.store %f, %out[%i] : f64, <f64, "argument">
  } loc(fused["psi-psi", "/some/where/elsewhere.moa":7:3])
}
