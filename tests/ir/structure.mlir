// Every operation of the operator form verifies, prints and parses back.
// RUN: moa-opt %s > %t.1
// RUN: moa-opt %t.1 | FileCheck %s

// CHECK-LABEL: moa.kernel @structure
moa.kernel @structure(symbol "N" %n: index, symbol "M" %m: index, "a" %a: !moa.array<[N, M], f64>, "v" %v: !moa.array<[M], f64>) -> ("z" : !moa.array<[N], f64>) {
  %zero = moa.constant 0 : index
  // CHECK: moa.iota : <[N], index>
  %iota = moa.iota : <[N], index>
  // CHECK: moa.iota : <[N, M, 2], index>
  %indices = moa.iota : <[N, M, 2], index>
  // CHECK: moa.vector(%{{.*}}, %{{.*}} : index, index) : <[2], index>
  %shape = moa.vector(%n, %m : index, index) : <[2], index>
  // CHECK: moa.take %{{.*}} last [true, false] : <[N, M], f64> -> <[2, 3], f64>
  %take = moa.take %a last [true, false] : <[N, M], f64> -> <[2, 3], f64>
  // CHECK: moa.drop %{{.*}} last [false] : <[N, M], f64> -> <[N - 1, M], f64>
  %drop = moa.drop %a last [false] : <[N, M], f64> -> <[N - 1, M], f64>
  // CHECK: moa.slice %{{.*}}[%{{.*}}, %{{.*}}] step [2, 0] {checked = array<i64: 1>} : <[N, M], f64> -> <[3], f64>
  %slice = moa.slice %a[%zero, %zero] step [2, 0] {checked = array<i64: 1>} : <[N, M], f64> -> <[3], f64>
  // CHECK: moa.reverse %{{.*}} : <[N, M], f64>
  %reverse = moa.reverse %a : <[N, M], f64>
  // CHECK: moa.rotate %{{.*}} by[%{{.*}}] : <[N, M], f64>
  %rotate = moa.rotate %a by [%n] : <[N, M], f64>
  // CHECK: moa.transpose %{{.*}} to [1, 0] : <[N, M], f64> -> <[M, N], f64>
  %transpose = moa.transpose %a to [1, 0] : <[N, M], f64> -> <[M, N], f64>
  // CHECK: moa.cat %{{.*}}, %{{.*}} : <[N, M], f64>, <[N - 1, M], f64> -> <[2*N - 1, M], f64>
  %cat = moa.cat %a, %drop : <[N, M], f64>, <[N - 1, M], f64> -> <[2*N - 1, M], f64>
  // CHECK: moa.reshape %{{.*}} : <[N, M], f64> -> <[M*N], f64>
  %ravel = moa.reshape %a : <[N, M], f64> -> <[M*N], f64>
  // CHECK: moa.map %{{.*}}, %{{.*}} : !moa.array<[N, M], f64>, !moa.array<[N, M], f64> -> <[N, M], f64>
  %map = moa.map %a, %reverse : !moa.array<[N, M], f64>, !moa.array<[N, M], f64> -> <[N, M], f64> {
  ^bb0(%x: f64, %y: f64):
    %s = moa.scalar add(%x, %y) : f64, f64 -> f64
    moa.yield %s : f64
  }
  // CHECK: moa.outer %{{.*}}, %{{.*}} : <[M], f64>, <[M], f64> -> <[M, M], f64>
  %outer = moa.outer %v, %v : <[M], f64>, <[M], f64> -> <[M, M], f64> {
  ^bb0(%x: f64, %y: f64):
    %p = moa.scalar mul(%x, %y) : f64, f64 -> f64
    moa.yield %p : f64
  }
  // CHECK: moa.inner "add" %{{.*}}, %{{.*}} : <[N, M], f64>, <[M], f64> -> <[N], f64>
  %inner = moa.inner "add" %a, %v : <[N, M], f64>, <[M], f64> -> <[N], f64> {
  ^bb0(%x: f64, %y: f64):
    %p = moa.scalar mul(%x, %y) : f64, f64 -> f64
    moa.yield %p : f64
  }
  // CHECK: moa.reduce "fold" %{{.*}} : <[N, M], f64> -> <[M], f64> combine
  %fold = moa.reduce "fold" %a : <[N, M], f64> -> <[M], f64> combine {
  ^bb0(%x: f64, %y: f64):
    %d = moa.scalar sub(%x, %y) : f64, f64 -> f64
    moa.yield %d : f64
  }
  // CHECK: moa.scan "add" %{{.*}} : <[N, M], f64> -> <[N, M], f64>
  %scan = moa.scan "add" %a : <[N, M], f64> -> <[N, M], f64>
  // CHECK: moa.omega [1, 1] %{{.*}}, %{{.*}} : !moa.array<[N, M], f64>, !moa.array<[M], f64> -> <[N], f64>
  %omega = moa.omega [1, 1] %a, %v : !moa.array<[N, M], f64>, !moa.array<[M], f64> -> <[N], f64> {
  ^bb0(%x: !moa.array<[M], f64>, %y: !moa.array<[M], f64>):
    %dot = moa.inner "add" %x, %y : <[M], f64>, <[M], f64> -> <[], f64> {
    ^bb1(%s: f64, %t: f64):
      %p = moa.scalar mul(%s, %t) : f64, f64 -> f64
      moa.yield %p : f64
    }
    moa.yield %dot : !moa.array<[], f64>
  }
  moa.return %omega : !moa.array<[N], f64>
}
