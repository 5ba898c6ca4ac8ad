// Each constraint of ir/Semantics.md is verified; the id is in the message.
// RUN: moa-opt %s -split-input-file -verify-diagnostics

moa.kernel @psi_c1(symbol "N" %N: index, "A" %A: !moa.array<[N], f64>) -> ("O" : !moa.array<[N], f64>) {
  %O = moa.gen "O" ["i"] : !moa.array<[N], f64> {
  ^bb0(%i: index):
    // expected-error@+1 {{index of length 2 into shape <N> [psi_c1]}}
    %x = moa.psi %A[%i, %i] : !moa.array<[N], f64> -> f64
    moa.yield %x : f64
  }
  moa.return %O : !moa.array<[N], f64>
}
// -----
moa.kernel @psi_c3(symbol "N" %N: index, "A" %A: !moa.array<[N], f16>) -> ("O" : !moa.array<[N], f16>) {
  %O = moa.gen "O" ["i"] : !moa.array<[N], f16> {
  ^bb0(%i: index):
    // expected-error@+1 {{full index must give f32 [psi_c3]}}
    %x = moa.psi %A[%i] : !moa.array<[N], f16> -> f64
    %y = moa.cast %x : f64 to f32
    moa.yield %y : f32
  }
  moa.return %O : !moa.array<[N], f16>
}
// -----
moa.kernel @psi_c4(symbol "N" %N: index, symbol "M" %M: index, "A" %A: !moa.array<[N, M], f64>) -> ("O" : !moa.array<[N], f64>) {
  %z = moa.constant 0 : index
  // expected-error@+1 {{index of length 1 into shape <N M> must give the remaining axes [psi_c4]}}
  %O = moa.psi %A[%z] : !moa.array<[N, M], f64> -> !moa.array<[N], f64>
  moa.return %O : !moa.array<[N], f64>
}
// -----
moa.kernel @gen_c1(symbol "N" %N: index) -> ("O" : !moa.array<[N], f64>) {
  // expected-error@+1 {{has 2 indices for shape <N> [gen_c1]}}
  %O = moa.gen "O" ["i", "j"] : !moa.array<[N], f64> {
  ^bb0(%i: index, %j: index):
    %x = moa.constant 1.0 : f64
    moa.yield %x : f64
  }
  moa.return %O : !moa.array<[N], f64>
}
// -----
moa.kernel @gen_c3(symbol "N" %N: index) -> ("O" : !moa.array<[N], f64>) {
  // expected-error@+1 {{must yield one f64 [gen_c3]}}
  %O = moa.gen "O" ["i"] : !moa.array<[N], f64> {
  ^bb0(%i: index):
    %x = moa.constant 1.0 : f32
    moa.yield %x : f32
  }
  moa.return %O : !moa.array<[N], f64>
}
// -----
// expected-error@+1 {{must return values of its result types [kernel_c4]}}
moa.kernel @kernel_c4(symbol "N" %N: index, "A" %A: !moa.array<[N], f64>) -> ("O" : !moa.array<[N + 1], f64>) {
  moa.return %A : !moa.array<[N], f64>
}
// -----
moa.kernel @red_c5(symbol "N" %N: index) -> ("O" : !moa.array<[], f64>) {
  %O = moa.gen "O" [] : !moa.array<[], f64> {
    // expected-error@+1 {{result type 'f64' does not fit the term [red_c5]}}
    %x = moa.red add "k" in {
      moa.yield %N, %N : index, index
    } term {
    ^bb0(%k: index):
      %c = moa.constant 1.0 : f32
      moa.yield %c : f32
    } : f64
    moa.yield %x : f64
  }
  moa.return %O : !moa.array<[], f64>
}
// -----
moa.kernel @scalar_c5(symbol "N" %N: index) -> () {
  // expected-error@+1 {{'exp' needs a float, found integer [scalar_c5]}}
  %x = moa.scalar exp(%N) : index -> index
  moa.return
}
// -----
onf.func @load_c1 symbols [] scalars [] inputs ["x"] [!moa.array<[], f16>] results [] [] {
^bb0(%x: !onf.buffer<f16, "argument">):
  %z = moa.constant 0 : index
  // expected-error@+1 {{must give f32 [load_c1]}}
  %v = onf.load %x[%z] : !onf.buffer<f16, "argument"> -> f64
}

// -----
moa.kernel @k("A" %A: !moa.array<[3, 4, 5], f64>) -> ("x" : !moa.array<[4, 3, 5], f64>) {
  // expected-error @+1 {{has shape <4 3 5>, expected <4 5 3> [transpose_c2]}}
  %x = moa.transpose %A to [2, 0, 1] : <[3, 4, 5], f64> -> <[4, 3, 5], f64>
  moa.return %x : !moa.array<[4, 3, 5], f64>
}

// -----
moa.kernel @k("A" %A: !moa.array<[3, 4], f64>, "B" %B: !moa.array<[2, 4], f64>) -> ("x" : !moa.array<[6, 4], f64>) {
  // expected-error @+1 {{has shape <6 4>, expected <5 4> [cat_c2]}}
  %x = moa.cat %A, %B : <[3, 4], f64>, <[2, 4], f64> -> <[6, 4], f64>
  moa.return %x : !moa.array<[6, 4], f64>
}

// -----
moa.kernel @k("A" %A: !moa.array<[3, 4], f64>) -> ("x" : !moa.array<[3], f64>) {
  // expected-error @+1 {{has shape <3>, expected <4> [reduce_c2]}}
  %x = moa.reduce "add" %A : <[3, 4], f64> -> <[3], f64>
  moa.return %x : !moa.array<[3], f64>
}

// -----
moa.kernel @k() -> ("x" : !moa.array<[], f64>) {
  %x = moa.gen "x" [] : <[], f64> {
    // expected-error @+1 {{has no status 'extent' [fail_c1]}}
    %none = moa.fail "extent" : f64
    moa.yield %none : f64
  }
  moa.return %x : !moa.array<[], f64>
}

// -----
onf.func @world_c1 symbols [] scalars [] inputs [] [] results [] [] {
  // expected-error @+1 {{'us' is neither pe nor pes [world_c1]}}
  %n = onf.world "us"
}

// -----
onf.func @gather_c1 symbols ["N"] scalars [] inputs [] [] results [] [] {
^bb0(%N: index):
  %t = onf.alloc "t"[%N] : !onf.buffer<f64, "shared">
  %zero = moa.constant 0 : index
  // expected-error @+1 {{needs a symmetric buffer [gather_c1]}}
  onf.gather %t[%zero, %N] : !onf.buffer<f64, "shared">
}
