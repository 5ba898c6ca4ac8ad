// Laws of operations that only move elements. Each kernel is one law; a comment names it, and a unit test wants all named.
// RUN: moa-opt %s --pass-pipeline='builtin.module(moa.kernel(moa-psi-reduce))' | FileCheck %s

// P1: two partial reads are one full read; nothing happens to what is full already.
// CHECK-LABEL: @compose
// CHECK: moa.gen "z"
// CHECK-NEXT: ^bb0(%[[I:.*]]: index):
// CHECK-NEXT: moa.psi %{{.*}}[%{{.*}}, %[[I]]] : <[M, N], f64> -> f64
// CHECK-NOT: moa.psi
moa.kernel @compose(symbol "M" %m: index, symbol "N" %n: index, "a" %a: !moa.array<[M, N], f64>) -> ("z" : !moa.array<[N], f64>) {
  %zero = moa.constant 0 : index
  %row = moa.psi %a[%zero] : <[M, N], f64> -> !moa.array<[N], f64>
  moa.return %row : !moa.array<[N], f64>
}

// P4
// CHECK-LABEL: @transpose
// CHECK: ^bb0(%[[I:.*]]: index, %[[J:.*]]: index):
// CHECK-NEXT: moa.psi %{{.*}}[%[[J]], %[[I]]] : <[M, N], f64>
// CHECK-NOT: moa.transpose
moa.kernel @transpose(symbol "M" %m: index, symbol "N" %n: index, "a" %a: !moa.array<[M, N], f64>) -> ("z" : !moa.array<[N, M], f64>) {
  %t = moa.transpose %a to [1, 0] : <[M, N], f64> -> <[N, M], f64>
  moa.return %t : !moa.array<[N, M], f64>
}

// P5: a 3-cycle, so that v and its inverse differ. Shape <A B C> becomes <B C A>; subscript k of the operand is subscript v[k].
// CHECK-LABEL: @permute
// CHECK: moa.gen "z" ["b0", "c1", "a2"]
// CHECK-NEXT: ^bb0(%[[B:.*]]: index, %[[C:.*]]: index, %[[A:.*]]: index):
// CHECK-NEXT: moa.psi %{{.*}}[%[[A]], %[[B]], %[[C]]]
moa.kernel @permute(symbol "A" %p: index, symbol "B" %q: index, symbol "C" %r: index, "x" %x: !moa.array<[A, B, C], f64>) -> ("z" : !moa.array<[B, C, A], f64>) {
  %t = moa.transpose %x to [2, 0, 1] : <[A, B, C], f64> -> <[B, C, A], f64>
  moa.return %t : !moa.array<[B, C, A], f64>
}

// P6: from the front the index stays, from the end it is shifted by what is left out.
// CHECK-LABEL: @take
// CHECK: ^bb0(%[[I:.*]]: index, %[[J:.*]]: index):
// CHECK: %[[S:.*]] = moa.scalar add(%{{.*}}, %[[J]])
// CHECK: %[[K:.*]] = moa.scalar sub(%[[S]], %{{.*}})
// CHECK: moa.psi %{{.*}}[%[[I]], %[[K]]]
moa.kernel @take(symbol "M" %m: index, symbol "N" %n: index, "a" %a: !moa.array<[M, N], f64>) -> ("z" : !moa.array<[2, 3], f64>) {
  %t = moa.take %a last [false, true] : <[M, N], f64> -> <[2, 3], f64>
  moa.return %t : !moa.array<[2, 3], f64>
}

// P7: the front is dropped by a shift, the end by nothing at all.
// CHECK-LABEL: @drop
// CHECK: ^bb0(%[[I:.*]]: index, %[[J:.*]]: index):
// CHECK: %[[K:.*]] = moa.scalar add(%[[I]], %{{.*}})
// CHECK: moa.psi %{{.*}}[%[[K]], %[[J]]]
moa.kernel @drop(symbol "M" %m: index, symbol "N" %n: index, "a" %a: !moa.array<[M, N], f64>) -> ("z" : !moa.array<[M - 1, N - 2], f64>) {
  %t = moa.drop %a last [false, true] : <[M, N], f64> -> <[M - 1, N - 2], f64>
  moa.return %t : !moa.array<[M - 1, N - 2], f64>
}

// P9: and twice is not at all.
// CHECK-LABEL: @reverse
// CHECK: moa.gen "y"
// CHECK: ^bb0(%[[I:.*]]: index):
// CHECK: %[[S:.*]] = moa.scalar sub(%{{.*}}, %[[I]])
// CHECK: %[[K:.*]] = moa.scalar sub(%[[S]], %{{.*}})
// CHECK: moa.psi %{{.*}}[%[[K]]]
// CHECK: moa.gen "z"
// CHECK-NEXT: ^bb0(%[[I:.*]]: index):
// CHECK-NEXT: moa.psi %{{.*}}[%[[I]]]
moa.kernel @reverse(symbol "N" %n: index, "a" %a: !moa.array<[N], f64>) -> ("y" : !moa.array<[N], f64>, "z" : !moa.array<[N], f64>) {
  %t = moa.reverse %a : <[N], f64>
  %u = moa.reverse %t : <[N], f64>
  moa.return %t, %u : !moa.array<[N], f64>, !moa.array<[N], f64>
}

// P10: each axis turns by its own extent; a turn by nothing is none.
// CHECK-LABEL: @rotate
// CHECK-SAME: (symbol "M" %[[M:[a-z0-9]+]]: index, symbol "N" %[[N:[a-z0-9]+]]: index
// CHECK: ^bb0(%[[I:.*]]: index, %[[J:.*]]: index):
// CHECK: %[[S:.*]] = moa.scalar add(%[[I]], %{{.*}})
// CHECK: %[[K:.*]] = moa.scalar mod(%[[S]], %[[M]])
// CHECK: moa.psi %{{.*}}[%[[K]], %[[J]]]
moa.kernel @rotate(symbol "M" %m: index, symbol "N" %n: index, "a" %a: !moa.array<[M, N], f64>) -> ("z" : !moa.array<[M, N], f64>) {
  %one = moa.constant 1 : index
  %zero = moa.constant 0 : index
  %t = moa.rotate %a by [%one, %zero] : <[M, N], f64>
  moa.return %t : !moa.array<[M, N], f64>
}

// P21: a start and a step; a step of 0 fixes the axis. What is checked stays checked.
// CHECK-LABEL: @slice
// CHECK-SAME: "k" %[[K:[a-z0-9]+]]: index
// CHECK: ^bb0(%[[I:.*]]: index, %[[J:.*]]: index):
// CHECK: %[[T:.*]] = moa.scalar mul(%{{.*}}, %[[I]])
// CHECK: %[[S:.*]] = moa.scalar add(%[[T]], %{{.*}})
// CHECK: moa.psi %{{.*}}[%[[K]], %[[S]], %[[J]]] {checked = array<i64: 0>}
moa.kernel @slice(symbol "L" %l: index, symbol "M" %m: index, symbol "N" %n: index, scalar "k" %k: index, "a" %a: !moa.array<[L, M, N], f64>) -> ("z" : !moa.array<[2, N], f64>) {
  %one = moa.constant 1 : index
  %t = moa.slice %a[%k, %one] step [0, 2] {checked = array<i64: 0>} : <[L, M, N], f64> -> <[2, N], f64>
  moa.return %t : !moa.array<[2, N], f64>
}

// A check that no law keeps is that of the array as it was written: it becomes a condition, and nothing is stored.
// CHECK-LABEL: @checked
// CHECK-NOT: moa.gen "take"
// CHECK: moa.gen "z"
// CHECK: %[[INSIDE:.*]] = moa.scalar and
// CHECK: moa.where %[[INSIDE]] : f64
// CHECK: moa.psi %{{.*}}[%{{.*}}] : <[N], f64>
// CHECK: moa.fail "index" : f64
moa.kernel @checked(symbol "N" %n: index, scalar "k" %k: index, "a" %a: !moa.array<[N], f64>) -> ("z" : !moa.array<[], f64>) {
  %t = moa.take %a last [false] : <[N], f64> -> <[2], f64>
  %e = moa.slice %t[%k] step [0] {checked = array<i64: 0>} : <[2], f64> -> <[], f64>
  moa.return %e : !moa.array<[], f64>
}
