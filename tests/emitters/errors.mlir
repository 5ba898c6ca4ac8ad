// What cannot be C is said in the user's words.
// RUN: not moa-emit --split-input-file %s 2>&1 | FileCheck %s

// CHECK: error: kernel 'exp' cannot keep its name in C: 'exp' is a keyword or a library name there
onf.func @exp symbols [] scalars [] inputs [] [] results ["y"] [!moa.array<[], f64>] {
^bb0(%y: !onf.buffer<f64, "argument">):
  %zero = moa.constant 0 : index
  %f = moa.constant 0.0 : f64
  onf.store %f, %y[%zero] : f64, <f64, "argument">
}

// -----

// CHECK: error: kernel 'sized': the size of 'tile' is not known when the kernel is entered
onf.func @sized symbols [] scalars [] inputs ["n"] [!moa.array<[4], i64>] results ["y"] [!moa.array<[], f64>] {
^bb0(%n: !onf.buffer<i64, "argument">, %y: !onf.buffer<f64, "argument">):
  %zero = moa.constant 0 : index
  %v = onf.load %n[%zero] : <i64, "argument"> -> i64
  %size = moa.cast %v : i64 to index
  %tile = onf.alloc "tile"[%size] : !onf.buffer<f64, "shared">
  %f = onf.load %tile[%zero] : <f64, "shared"> -> f64
  onf.store %f, %y[%zero] : f64, <f64, "argument">
}

// -----

// CHECK: error: kernel 'wide': register buffer 'r' has no constant size
onf.func @wide symbols ["N"] scalars [] inputs [] [] results ["y"] [!moa.array<[N], f64>] {
^bb0(%N: index, %y: !onf.buffer<f64, "argument">):
  %zero = moa.constant 0 : index
  %r = onf.alloc "r"[%N] : !onf.buffer<f64, "register">
  %f = onf.load %r[%zero] : <f64, "register"> -> f64
  onf.store %f, %y[%zero] : f64, <f64, "argument">
}
