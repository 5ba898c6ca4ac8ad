// What is printed parses back to the same text, for every operation and type of both dialects.
// RUN: moa-opt %s > %t.once && moa-opt %t.once > %t.twice && diff %t.once %t.twice
// RUN: FileCheck %s < %t.once

// CHECK: moa.kernel @all(symbol "N" %{{.*}}: index, scalar "e" %{{.*}}: f32, "A" %{{.*}}: !moa.array<[N, N floordiv 2 + 1], f16>) -> ("O" : !moa.array<[N], f32>)
moa.kernel @all(symbol "N" %N: index, scalar "e" %e: f32, "A" %A: !moa.array<[N, 1 + N floordiv 2], f16>)
    -> ("O" : !moa.array<[N], f32>) {
  %zero = moa.constant 0 : index
  %ok = moa.scalar ge(%N, %zero) : index, index -> i1
  // CHECK: moa.require %{{.*}}, "extent", "N >= 0"
  moa.require %ok, "extent", "N >= 0"
  // CHECK: moa.call @other(%{{.*}}, %{{.*}}) prefix "X"
  %X = moa.call @other(%N, %A) prefix "X" : (index, !moa.array<[N, 1 + N floordiv 2], f16>) -> !moa.array<[N], f32>
  %O = moa.gen "O" ["i"] : !moa.array<[N], f32> {
  ^bb0(%i: index):
    // CHECK: moa.psi %{{.*}}[%{{.*}}] : <[N, N floordiv 2 + 1], f16> -> !moa.array<[N floordiv 2 + 1], f16>
    %row = moa.psi %A[%i] : !moa.array<[N, 1 + N floordiv 2], f16> -> !moa.array<[1 + N floordiv 2], f16>
    // CHECK: moa.red fold identity(0.000000e+00 : f32) "k" in
    %r = moa.red fold identity(0.0 : f32) "k" in {
      %lo = moa.constant 0 : index
      moa.yield %lo, %i : index, index
    } term {
    ^bb0(%k: index):
      // CHECK: moa.psi {{.*}} {checked = array<i64: 0>}
      %x = moa.psi %row[%k] {checked = array<i64: 0>} : !moa.array<[1 + N floordiv 2], f16> -> f32
      moa.yield %x : f32
    } combine {
    ^bb0(%a: f32, %b: f32):
      %d = moa.scalar sub(%a, %b) : f32, f32 -> f32
      moa.yield %d : f32
    } : f32
    // CHECK: moa.scalar mod(%{{.*}}, %{{.*}}) {checked} : index, index -> index
    %m = moa.scalar mod(%i, %N) {checked} : index, index -> index
    %c = moa.scalar lt(%m, %i) : index, index -> i1
    // CHECK: moa.where %{{.*}} : f32
    %w = moa.where %c : f32 {
      moa.yield %r : f32
    } else {
      moa.yield %e : f32
    }
    // CHECK: moa.fail "index" : f32
    %none = moa.fail "index" : f32
    moa.yield %w : f32
  }
  moa.return %O : !moa.array<[N], f32>
}

// CHECK: onf.func @loops
onf.func @loops symbols ["N"] scalars [] inputs ["x"] [!moa.array<[N], f64>] results ["y"] [!moa.array<[N], f64>] {
^bb0(%N: index, %x: !onf.buffer<f64, "argument">, %y: !onf.buffer<f64, "argument">):
  %zero = moa.constant 0 : index
  %one = moa.constant 1 : index
  %ok = moa.scalar ge(%N, %zero) : index, index -> i1
  onf.require %ok, "constraint", "N >= 0"
  %work = moa.cast %N : index to f64
  onf.note "y = x"
  onf.parallel work %work {
    %t = onf.alloc "t"[%N] : !onf.buffer<f64, "thread">
    // CHECK: onf.for "i" "parallel" from %{{.*}} to %{{.*}} attributes {collapse = 1 : i64}
    onf.for "i" "parallel" from %zero to %N attributes {collapse = 1 : i64} {
    ^bb0(%i: index):
      %s = onf.alloc "s"[%one] : !onf.buffer<f64, "register">
      %v = onf.load %x[%i] : !onf.buffer<f64, "argument"> -> f64
      onf.store %v, %s : f64, !onf.buffer<f64, "register">
      onf.if %ok {
        // CHECK: onf.update "add" %{{.*}}, %{{.*}} : f64, <f64, "register">
        onf.update "add" %v, %s : f64, !onf.buffer<f64, "register">
      } else {
        onf.fail "index"
      }
      %r = onf.load %s : !onf.buffer<f64, "register"> -> f64
      // CHECK: onf.store %{{.*}}, %{{.*}}[%{{.*}}] {finishes}
      onf.store %r, %y[%i] {finishes} : f64, !onf.buffer<f64, "argument">
    }
  }
}
