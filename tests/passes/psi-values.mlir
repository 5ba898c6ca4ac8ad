// Laws of operations that make elements: joined, reshaped, combined.
// RUN: moa-opt %s --pass-pipeline='builtin.module(moa.kernel(moa-psi-reduce))' | FileCheck %s

// P2: scalars pass through.
// CHECK-LABEL: @zip
// CHECK-SAME: "s" %[[S:[a-z0-9]+]]: f64
// CHECK: ^bb0(%[[I:.*]]: index):
// CHECK-NEXT: %[[A:.*]] = moa.psi %{{.*}}[%[[I]]]
// CHECK-NEXT: %[[B:.*]] = moa.psi %{{.*}}[%[[I]]]
// CHECK-NEXT: %[[P:.*]] = moa.scalar mul(%[[A]], %[[B]])
// CHECK-NEXT: moa.scalar add(%[[P]], %[[S]])
moa.kernel @zip(symbol "N" %n: index, scalar "s" %s: f64, "a" %a: !moa.array<[N], f64>, "b" %b: !moa.array<[N], f64>) -> ("z" : !moa.array<[N], f64>) {
  %t = moa.map %a, %b : !moa.array<[N], f64>, !moa.array<[N], f64> -> <[N], f64> {
  ^bb0(%x: f64, %y: f64):
    %p = moa.scalar mul(%x, %y) : f64, f64 -> f64
    %q = moa.scalar add(%p, %s) : f64, f64 -> f64
    moa.yield %q : f64
  }
  moa.return %t : !moa.array<[N], f64>
}

// P3
// CHECK-LABEL: @map
// CHECK: %[[A:.*]] = moa.psi
// CHECK-NEXT: moa.scalar exp(%[[A]])
moa.kernel @map(symbol "N" %n: index, "a" %a: !moa.array<[N], f64>) -> ("z" : !moa.array<[N], f64>) {
  %t = moa.map %a : !moa.array<[N], f64> -> <[N], f64> {
  ^bb0(%x: f64):
    %e = moa.scalar exp(%x) : f64 -> f64
    moa.yield %e : f64
  }
  moa.return %t : !moa.array<[N], f64>
}

// P8: each side is read only where it is meant; the right one is shifted by the extent of the left.
// CHECK-LABEL: @cat
// CHECK-SAME: symbol "N" %[[N:[a-z0-9]+]]: index
// CHECK: ^bb0(%[[I:.*]]: index):
// CHECK-NEXT: %[[C:.*]] = moa.scalar lt(%[[I]], %[[N]])
// CHECK-NEXT: moa.where %[[C]] : f64 {
// CHECK-NEXT: moa.psi %{{.*}}[%[[I]]] : <[N], f64>
// CHECK: } else {
// CHECK-NEXT: %[[K:.*]] = moa.scalar sub(%[[I]], %[[N]])
// CHECK-NEXT: moa.psi %{{.*}}[%[[K]]] : <[M], f64>
moa.kernel @cat(symbol "N" %n: index, symbol "M" %m: index, "a" %a: !moa.array<[N], f64>, "b" %b: !moa.array<[M], f64>) -> ("z" : !moa.array<[M + N], f64>) {
  %t = moa.cat %a, %b : <[N], f64>, <[M], f64> -> <[M + N], f64>
  moa.return %t : !moa.array<[M + N], f64>
}

// P11: splitting an axis and joining it again is nothing; joining others leaves one division and one remainder.
// CHECK-LABEL: @reshape
// CHECK: moa.gen "y"
// CHECK-NEXT: ^bb0(%[[I:.*]]: index, %[[J:.*]]: index):
// CHECK-NEXT: moa.psi %{{.*}}[%[[I]], %[[J]]] : <[M, N], f64>
// CHECK: moa.gen "z"
// CHECK-NEXT: ^bb0(%[[I:.*]]: index, %[[J:.*]]: index):
// CHECK-DAG: moa.scalar floordiv(%[[I]], %{{.*}})
// CHECK-DAG: moa.scalar mod(%[[I]], %{{.*}})
// CHECK: moa.psi %{{.*}} : <[A, B*C], f64>
moa.kernel @reshape(symbol "M" %m: index, symbol "N" %n: index, symbol "A" %p: index, symbol "B" %q: index, symbol "C" %r: index, "x" %x: !moa.array<[M, N], f64>, "w" %w: !moa.array<[A, B*C], f64>) -> ("y" : !moa.array<[M, N], f64>, "z" : !moa.array<[A*B, C], f64>) {
  %t = moa.reshape %x : <[M, N], f64> -> <[M*N], f64>
  %u = moa.reshape %t : <[M*N], f64> -> <[M, N], f64>
  %v = moa.reshape %w : <[A, B*C], f64> -> <[A*B, C], f64>
  moa.return %u, %v : !moa.array<[M, N], f64>, !moa.array<[A*B, C], f64>
}

// P12
// CHECK-LABEL: @ravel
// CHECK-SAME: symbol "N" %[[N:[a-z0-9]+]]: index
// CHECK: ^bb0(%[[K:.*]]: index):
// CHECK-DAG: %[[I:.*]] = moa.scalar floordiv(%[[K]], %[[N]])
// CHECK-DAG: %[[J:.*]] = moa.scalar mod(%[[K]], %[[N]])
// CHECK: moa.psi %{{.*}}[%[[I]], %[[J]]]
moa.kernel @ravel(symbol "M" %m: index, symbol "N" %n: index, "a" %a: !moa.array<[M, N], f64>) -> ("z" : !moa.array<[M*N], f64>) {
  %t = moa.reshape %a : <[M, N], f64> -> <[M*N], f64>
  moa.return %t : !moa.array<[M*N], f64>
}

// P13: the index itself, or that part of the index vector which is asked for. Stored, a weak integer is an i64.
// CHECK-LABEL: @iota
// CHECK: moa.gen "z"
// CHECK-NEXT: ^bb0(%[[I:.*]]: index):
// CHECK-NEXT: moa.cast %[[I]] : index to i64
// CHECK: moa.gen "y"
// CHECK: ^bb0(%{{.*}}: index, %[[J:.*]]: index):
// CHECK: moa.cast %[[J]] : index to i64
moa.kernel @iota(symbol "N" %n: index, symbol "M" %m: index) -> ("z" : !moa.array<[N], i64>, "y" : !moa.array<[N, M], i64>) {
  %i = moa.iota : <[N], index>
  %z = moa.map %i : !moa.array<[N], index> -> <[N], i64> {
  ^bb0(%x: index):
    %c = moa.cast %x : index to i64
    moa.yield %c : i64
  }
  %s = moa.iota : <[N, M, 2], index>
  %y = moa.omega [1] %s : !moa.array<[N, M, 2], index> -> <[N, M], i64> {
  ^bb0(%v: !moa.array<[2], index>):
    %one = moa.constant 1 : index
    %e = moa.psi %v[%one] : <[2], index> -> index
    %c = moa.cast %e : index to i64
    moa.yield %c : i64
  }
  moa.return %z, %y : !moa.array<[N], i64>, !moa.array<[N, M], i64>
}

// P14: i is as long as the left operand has axes.
// CHECK-LABEL: @outer
// CHECK: ^bb0(%[[I:.*]]: index, %[[J:.*]]: index, %[[K:.*]]: index):
// CHECK-NEXT: %[[A:.*]] = moa.psi %{{.*}}[%[[I]], %[[J]]]
// CHECK-NEXT: %[[B:.*]] = moa.psi %{{.*}}[%[[K]]]
// CHECK-NEXT: moa.scalar mul(%[[A]], %[[B]])
moa.kernel @outer(symbol "M" %m: index, symbol "N" %n: index, "a" %a: !moa.array<[M, N], f64>, "b" %b: !moa.array<[N], f64>) -> ("z" : !moa.array<[M, N, N], f64>) {
  %t = moa.outer %a, %b : <[M, N], f64>, <[N], f64> -> <[M, N, N], f64> {
  ^bb0(%x: f64, %y: f64):
    %p = moa.scalar mul(%x, %y) : f64, f64 -> f64
    moa.yield %p : f64
  }
  moa.return %t : !moa.array<[M, N, N], f64>
}

// P15: the vector has one subscript, p: nothing else of it is read.
// CHECK-LABEL: @inner
// CHECK: ^bb0(%[[I:.*]]: index):
// CHECK: moa.red add "n1"
// CHECK: ^bb0(%[[P:.*]]: index):
// CHECK-NEXT: %[[A:.*]] = moa.psi %{{.*}}[%[[I]], %[[P]]]
// CHECK-NEXT: %[[B:.*]] = moa.psi %{{.*}}[%[[P]]]
// CHECK-NEXT: moa.scalar mul(%[[A]], %[[B]])
moa.kernel @inner(symbol "M" %m: index, symbol "N" %n: index, "a" %a: !moa.array<[M, N], f64>, "b" %b: !moa.array<[N], f64>) -> ("z" : !moa.array<[M], f64>) {
  %t = moa.inner "add" %a, %b : <[M, N], f64>, <[N], f64> -> <[M], f64> {
  ^bb0(%x: f64, %y: f64):
    %p = moa.scalar mul(%x, %y) : f64, f64 -> f64
    moa.yield %p : f64
  }
  moa.return %t : !moa.array<[M], f64>
}

// P16: a fold keeps its identity and its function, so a - (b - c) stays what it is.
// CHECK-LABEL: @reduce
// CHECK: ^bb0(%[[J:.*]]: index):
// CHECK: moa.red fold identity(0.000000e+00 : f64) "m0"
// CHECK: ^bb0(%[[P:.*]]: index):
// CHECK-NEXT: moa.psi %{{.*}}[%[[P]], %[[J]]]
// CHECK: combine {
// CHECK: ^bb0(%[[X:.*]]: f64, %[[Y:.*]]: f64):
// CHECK-NEXT: moa.scalar sub(%[[X]], %[[Y]])
moa.kernel @reduce(symbol "M" %m: index, symbol "N" %n: index, "a" %a: !moa.array<[M, N], f64>) -> ("z" : !moa.array<[N], f64>) {
  %t = moa.reduce "fold" %a {identity = 0.0 : f64} : <[M, N], f64> -> <[N], f64> combine {
  ^bb0(%x: f64, %y: f64):
    %d = moa.scalar sub(%x, %y) : f64, f64 -> f64
    moa.yield %d : f64
  }
  moa.return %t : !moa.array<[N], f64>
}

// P17: the sum of each row, by its cells.
// CHECK-LABEL: @cells
// CHECK: ^bb0(%[[I:.*]]: index):
// CHECK: moa.red add "n0"
// CHECK: ^bb0(%[[P:.*]]: index):
// CHECK-NEXT: moa.psi %{{.*}}[%[[I]], %[[P]]] : <[M, N], f64>
moa.kernel @cells(symbol "M" %m: index, symbol "N" %n: index, "a" %a: !moa.array<[M, N], f64>) -> ("z" : !moa.array<[M], f64>) {
  %t = moa.omega [1] %a : !moa.array<[M, N], f64> -> <[M], f64> {
  ^bb0(%row: !moa.array<[N], f64>):
    %s = moa.reduce "add" %row : <[N], f64> -> <[], f64>
    moa.yield %s : !moa.array<[], f64>
  }
  moa.return %t : !moa.array<[M], f64>
}

// P18: frames <A N> and <N>: the trailing axis is paired, the leading one belongs to the left alone.
// CHECK-LABEL: @pairs
// CHECK: ^bb0(%[[A:.*]]: index, %[[N:.*]]: index, %[[C:.*]]: index):
// CHECK-NEXT: %[[X:.*]] = moa.psi %{{.*}}[%[[A]], %[[N]]]
// CHECK-NEXT: %[[Y:.*]] = moa.psi %{{.*}}[%[[N]], %[[C]]]
// CHECK-NEXT: moa.scalar mul(%[[X]], %[[Y]])
moa.kernel @pairs(symbol "A" %p: index, symbol "N" %n: index, symbol "C" %c: index, "a" %a: !moa.array<[A, N], f64>, "b" %b: !moa.array<[N, C], f64>) -> ("z" : !moa.array<[A, N, C], f64>) {
  %t = moa.omega [0, 1] %a, %b : !moa.array<[A, N], f64>, !moa.array<[N, C], f64> -> <[A, N, C], f64> {
  ^bb0(%x: f64, %row: !moa.array<[C], f64>):
    %r = moa.map %row : !moa.array<[C], f64> -> <[C], f64> {
    ^bb1(%y: f64):
      %q = moa.scalar mul(%x, %y) : f64, f64 -> f64
      moa.yield %q : f64
    }
    moa.yield %r : !moa.array<[C], f64>
  }
  moa.return %t : !moa.array<[A, N, C], f64>
}

// P19: a shape is read as its extents.
// CHECK-LABEL: @vector
// CHECK-SAME: symbol "M" %[[M:[a-z0-9]+]]: index, symbol "N" %[[N:[a-z0-9]+]]: index
// CHECK: moa.gen "z"
// CHECK: moa.cast %[[N]] : index to i64
// CHECK-NOT: moa.vector
moa.kernel @vector(symbol "M" %m: index, symbol "N" %n: index) -> ("z" : !moa.array<[], i64>) {
  %one = moa.constant 1 : index
  %s = moa.vector(%m, %n : index, index) : <[2], index>
  %e = moa.psi %s[%one] : <[2], index> -> index
  %z = moa.gen "z" [] : <[], i64> {
    %c = moa.cast %e : index to i64
    moa.yield %c : i64
  }
  moa.return %z : !moa.array<[], i64>
}

// P20: computed once and read twice, it becomes a stage; read once it does not.
// CHECK-LABEL: @shared
// CHECK: %[[T:.*]] = moa.gen "z_map" ["n0"]
// CHECK: moa.scalar exp
// CHECK: moa.gen "z"
// CHECK: moa.psi %[[T]]
// CHECK: moa.psi %[[T]]
// CHECK-NOT: moa.gen
moa.kernel @shared(symbol "N" %n: index, "a" %a: !moa.array<[N], f64>) -> ("z" : !moa.array<[N], f64>) {
  %t = moa.map %a : !moa.array<[N], f64> -> <[N], f64> {
  ^bb0(%x: f64):
    %e = moa.scalar exp(%x) : f64 -> f64
    moa.yield %e : f64
  }
  %r = moa.reverse %t : <[N], f64>
  %s = moa.map %t, %r : !moa.array<[N], f64>, !moa.array<[N], f64> -> <[N], f64> {
  ^bb0(%x: f64, %y: f64):
    %e = moa.scalar add(%x, %y) : f64, f64 -> f64
    moa.yield %e : f64
  }
  moa.return %s : !moa.array<[N], f64>
}

// P22: each element reduces the prefix that ends with it.
// CHECK-LABEL: @scan
// CHECK: ^bb0(%[[I:.*]]: index, %[[J:.*]]: index):
// CHECK: moa.red add "m0" in {
// CHECK: %[[U:.*]] = moa.scalar add(%[[I]], %{{.*}})
// CHECK: moa.yield %{{.*}}, %[[U]]
// CHECK: ^bb0(%[[P:.*]]: index):
// CHECK-NEXT: moa.psi %{{.*}}[%[[P]], %[[J]]]
moa.kernel @scan(symbol "M" %m: index, symbol "N" %n: index, "a" %a: !moa.array<[M, N], f64>) -> ("z" : !moa.array<[M, N], f64>) {
  %t = moa.scan "add" %a : <[M, N], f64> -> <[M, N], f64>
  moa.return %t : !moa.array<[M, N], f64>
}

// P23: a nameless definition by index is said where it is read; one that is read twice stays.
// CHECK-LABEL: @substitute
// CHECK: %[[U:.*]] = moa.gen "u"
// CHECK-NOT: moa.gen "t"
// CHECK: moa.gen "z"
// CHECK: ^bb0(%[[I:.*]]: index):
// CHECK: moa.scalar exp
// CHECK: moa.psi %[[U]]
// CHECK: moa.psi %[[U]]
moa.kernel @substitute(symbol "N" %n: index, "a" %a: !moa.array<[N], f64>) -> ("z" : !moa.array<[N], f64>) {
  %t = moa.gen "t" ["i"] {anonymous} : <[N], f64> {
  ^bb0(%i: index):
    %x = moa.psi %a[%i] : <[N], f64> -> f64
    %e = moa.scalar exp(%x) : f64 -> f64
    moa.yield %e : f64
  }
  %u = moa.gen "u" ["i"] {anonymous} : <[N], f64> {
  ^bb0(%i: index):
    %x = moa.psi %a[%i] : <[N], f64> -> f64
    %e = moa.scalar sqrt(%x) : f64 -> f64
    moa.yield %e : f64
  }
  %r = moa.reverse %u : <[N], f64>
  %z = moa.gen "z" ["i"] : <[N], f64> {
  ^bb0(%i: index):
    %x = moa.psi %t[%i] : <[N], f64> -> f64
    %y = moa.psi %u[%i] : <[N], f64> -> f64
    %w = moa.psi %r[%i] : <[N], f64> -> f64
    %s = moa.scalar add(%x, %y) : f64, f64 -> f64
    %q = moa.scalar add(%s, %w) : f64, f64 -> f64
    moa.yield %q : f64
  }
  moa.return %z : !moa.array<[N], f64>
}
