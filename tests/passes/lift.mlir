// Lifted axes: a loop for each digit, tails in the bounds, no division.
// RUN: moa-opt %s --gamma-construct | FileCheck %s

// Tiles of a transpose. The outer loops are a team's; the inner ones run over indices.
// CHECK-LABEL: onf.func @tiled
// CHECK: onf.for "it" "parallel" from %{{.*}} to %arg0 by %[[T:.*]] attributes {collapse = 2
// CHECK: onf.for "jt" "parallel" from %{{.*}} to %arg1 by
// Whole tiles of lanes have a constant length.
// CHECK: %[[WHOLE:.*]] = moa.scalar le(
// CHECK: onf.if %[[WHOLE]]
// CHECK: %[[END:.*]] = moa.scalar add(%[[IT:.*]], %{{.*}})
// CHECK: %[[MIN:.*]] = moa.scalar min(%[[END]], %arg0)
// CHECK: onf.for "i" "sequential" from %[[IT]] to %[[MIN]]
// CHECK-NOT: floordiv
// CHECK: %[[LAST:.*]] = moa.scalar add(%[[JT:.*]], %{{.*}})
// CHECK: onf.for "j" "lanes" from %[[JT]] to %[[LAST]]
// CHECK: onf.store
// CHECK: } else {
// CHECK: onf.for "j" "lanes" from %[[JT]] to %arg1
// CHECK: onf.store
moa.kernel @tiled(symbol "N" %N: index, symbol "M" %M: index, "A" %A: !moa.array<[M, N], f64>) -> ("B" : !moa.array<[N, M], f64>)
    attributes {dnf, schedule = [#moa.directive<"lift", "B", ["i", "it", "ii"], "16">, #moa.directive<"lift", "B", ["j", "jt", "jj"], "16">,
      #moa.directive<"nest", "B", ["it", "jt"], "">, #moa.directive<"parallel", "B", ["it", "jt"], "">,
      #moa.directive<"order", "B", ["ii", "jj"], "">, #moa.directive<"lanes", "B", ["jj"], "">]} {
  %B = moa.gen "B" ["i", "j"] : !moa.array<[N, M], f64> {
  ^bb0(%i: index, %j: index):
    %a = moa.psi %A[%j, %i] : !moa.array<[M, N], f64> -> f64
    moa.yield %a : f64
  }
  moa.return %B : !moa.array<[N, M], f64>
}

// Tiles of tiles, outermost in turn; the outermost loop of all is not divided among threads.
// CHECK-LABEL: onf.func @levels
// CHECK-NOT: onf.parallel
// CHECK: onf.for "it" "sequential"
// CHECK: onf.for "jt" "sequential"
// CHECK: onf.for "iu" "sequential"
// CHECK: onf.for "j" "sequential"
// CHECK: onf.for "i" "sequential"
moa.kernel @levels(symbol "N" %N: index, symbol "M" %M: index, "A" %A: !moa.array<[M, N], f64>) -> ("B" : !moa.array<[N, M], f64>)
    attributes {dnf, schedule = [#moa.directive<"lift", "B", ["i", "it", "ii"], "6">, #moa.directive<"lift", "B", ["ii", "iu", "iv"], "2">,
      #moa.directive<"lift", "B", ["j", "jt", "jj"], "5">, #moa.directive<"nest", "B", ["it"], "">,
      #moa.directive<"order", "B", ["jt", "iu", "jj", "iv"], "">]} {
  %B = moa.gen "B" ["i", "j"] : !moa.array<[N, M], f64> {
  ^bb0(%i: index, %j: index):
    %a = moa.psi %A[%j, %i] : !moa.array<[M, N], f64> -> f64
    moa.yield %a : f64
  }
  moa.return %B : !moa.array<[N, M], f64>
}

// The digits of an axis in the other order: the last loop steps over indices.
// CHECK-LABEL: onf.func @inside_out
// CHECK: onf.for "ii" "parallel" from %{{[^ ]*}} to %{{[^ ]*}} attributes
// CHECK: onf.for "i" "sequential" from %{{[^ ]*}} to %arg0 by
moa.kernel @inside_out(symbol "N" %N: index, "A" %A: !moa.array<[N], f64>) -> ("B" : !moa.array<[N], f64>)
    attributes {dnf, schedule = [#moa.directive<"lift", "B", ["i", "it", "ii"], "4">, #moa.directive<"nest", "B", ["ii"], "">,
      #moa.directive<"parallel", "B", ["ii"], "">]} {
  %B = moa.gen "B" ["i"] : !moa.array<[N], f64> {
  ^bb0(%i: index):
    %a = moa.psi %A[%i] : !moa.array<[N], f64> -> f64
    %b = moa.scalar add(%a, %a) : f64, f64 -> f64
    moa.yield %b : f64
  }
  moa.return %B : !moa.array<[N], f64>
}

// Cyclic: three runs of a third of the extent each. A sum in tiles accumulates in the element; one whose loops are
// innermost in a register.
// CHECK-LABEL: onf.func @cyclic
// CHECK: onf.for "ii" "parallel" from %{{[^ ]*}} to %arg0 by %{{[^ ]*}} attributes
// CHECK: onf.for "i" "sequential"
// CHECK: onf.for "kt" "sequential"
// CHECK: onf.for "k" "lanes"
moa.kernel @cyclic(symbol "N" %N: index, symbol "M" %M: index, "A" %A: !moa.array<[N, M], f64>) -> ("B" : !moa.array<[N], f64>)
    attributes {dnf, schedule = [#moa.directive<"lift", "B", ["i", "it", "ii"], "3 cyclic">, #moa.directive<"lift", "B", ["k", "kt", "kk"], "4">,
      #moa.directive<"nest", "B", ["ii", "it"], "">, #moa.directive<"parallel", "B", ["ii"], "">]} {
  %B = moa.gen "B" ["i"] : !moa.array<[N], f64> {
  ^bb0(%i: index):
    %s = moa.red add "k" in {
      %lo = moa.constant 0 : index
      moa.yield %lo, %M : index, index
    } term {
    ^bb0(%k: index):
      %a = moa.psi %A[%i, %k] : !moa.array<[N, M], f64> -> f64
      moa.yield %a : f64
    } : f64
    moa.yield %s : f64
  }
  moa.return %B : !moa.array<[N], f64>
}

// CHECK-LABEL: onf.func @accumulated
// CHECK: onf.for "kt" "sequential"
// CHECK: onf.for "j" "sequential"
// CHECK: onf.for "k" "sequential"
// CHECK: onf.update "add"
moa.kernel @accumulated(symbol "N" %N: index, symbol "M" %M: index, symbol "L" %L: index, "A" %A: !moa.array<[N, M], f64>, "X" %X: !moa.array<[M, L], f64>) -> ("B" : !moa.array<[N, L], f64>)
    attributes {dnf, schedule = [#moa.directive<"lift", "B", ["k", "kt", "kk"], "4">, #moa.directive<"lift", "B", ["j", "jt", "jj"], "3">,
      #moa.directive<"nest", "B", ["i", "jt"], "">, #moa.directive<"parallel", "B", ["i", "jt"], "">,
      #moa.directive<"order", "B", ["kt", "jj", "kk"], "">]} {
  %B = moa.gen "B" ["i", "j"] : !moa.array<[N, L], f64> {
  ^bb0(%i: index, %j: index):
    %s = moa.red add "k" in {
      %lo = moa.constant 0 : index
      moa.yield %lo, %M : index, index
    } term {
    ^bb0(%k: index):
      %a = moa.psi %A[%i, %k] : !moa.array<[N, M], f64> -> f64
      %x = moa.psi %X[%k, %j] : !moa.array<[M, L], f64> -> f64
      %p = moa.scalar mul(%a, %x) : f64, f64 -> f64
      moa.yield %p : f64
    } : f64
    moa.yield %s : f64
  }
  moa.return %B : !moa.array<[N, L], f64>
}

// A stencil in tiles: the innermost loop is cut inside each tile, so no test is left.
// CHECK-LABEL: onf.func @stencil
// CHECK: onf.for "it" "parallel"
// CHECK-NOT: moa.where
// CHECK: onf.for "i"
moa.kernel @stencil(symbol "N" %N: index, "A" %A: !moa.array<[N], f64>) -> ("B" : !moa.array<[N], f64>)
    attributes {dnf, schedule = [#moa.directive<"lift", "B", ["i", "it", "ii"], "8">, #moa.directive<"nest", "B", ["it"], "">,
      #moa.directive<"parallel", "B", ["it"], "">, #moa.directive<"split", "B", ["i"], "1">]} {
  %B = moa.gen "B" ["i"] : !moa.array<[N], f64> {
  ^bb0(%i: index):
    %one = moa.constant 1 : index
    %c = moa.scalar ge(%i, %one) : index, index -> i1
    %a = moa.psi %A[%i] : !moa.array<[N], f64> -> f64
    %w = moa.where %c : f64 {
      %b = moa.scalar sub(%i, %one) : index, index -> index
      %x = moa.psi %A[%b] : !moa.array<[N], f64> -> f64
      %y = moa.scalar add(%a, %x) : f64, f64 -> f64
      moa.yield %y : f64
    } else {
      moa.yield %a : f64
    }
    moa.yield %w : f64
  }
  moa.return %B : !moa.array<[N], f64>
}
