// RUN: hocket-opt %s --hocket-fuse | FileCheck %s

#x = #nn.layout<[rows=4] [cols=8]>
#v = #nn.layout<[cols=8]>
#w = #nn.layout<[out=8] [in=8]>

// A residual sum and the norm after it are one kernel; the sum is read again
// later and leaves the kernel as well.
// CHECK-LABEL: spmd.func @sum_and_norm
spmd.func @sum_and_norm(
    %x: tensor<4x8xf32, #x> {nn.name = "x", spmd.cuts = #spmd.box<<[rows=4] [cols=8]>>},
    %y: tensor<4x8xf32, #x> {nn.name = "y", spmd.cuts = #spmd.box<<[rows=4] [cols=8]>>})
    -> (tensor<4x8xf32, #x> {nn.name = "y0", spmd.cuts = #spmd.box<<[rows=4] [cols=8]>>, spmd.replicated_over = []},
        tensor<4x8xf32, #x> {nn.name = "y1", spmd.cuts = #spmd.box<<[rows=4] [cols=8]>>, spmd.replicated_over = []})
    attributes {ranks = array<i64: 0>} {
  %w = spmd.parameter "w" {box = #spmd.box<<[8]>>, onlyFirstOf = []} : tensor<8xf32, #v>
  // CHECK: %{{.*}}:2 = spmd.kernel(%{{.*}}, %{{.*}}, %{{.*}})
  // CHECK: nn.binary add
  // CHECK: nn.rms_norm
  // CHECK: spmd.yield
  // CHECK-NOT: spmd.kernel
  %s = nn.binary add %x, %y : (tensor<4x8xf32, #x>, tensor<4x8xf32, #x>) -> tensor<4x8xf32, #x>
  %n = nn.rms_norm %s, %w {eps = 1.0e-5 : f64} : (tensor<4x8xf32, #x>, tensor<8xf32, #v>) -> tensor<4x8xf32, #x>
  nn.return %s, %n : tensor<4x8xf32, #x>, tensor<4x8xf32, #x>
}

// An activation and a residual run in the epilogue of the product before them.
// CHECK-LABEL: spmd.func @epilogue
spmd.func @epilogue(%x: tensor<4x8xf32, #x> {nn.name = "x", spmd.cuts = #spmd.box<<[rows=4] [cols=8]>>})
    -> (tensor<4x8xf32, #x> {nn.name = "y", spmd.cuts = #spmd.box<<[rows=4] [cols=8]>>, spmd.replicated_over = []})
    attributes {ranks = array<i64: 0>} {
  %w = spmd.parameter "w" {box = #spmd.box<<[8] [8]>>, onlyFirstOf = []} : tensor<8x8xf32, #w>
  // CHECK: nn.linear
  // CHECK-NEXT: nn.unary gelu
  // CHECK-NEXT: nn.binary add
  // CHECK-NOT: spmd.kernel
  %h = nn.linear %x, %w : (tensor<4x8xf32, #x>, tensor<8x8xf32, #w>) -> tensor<4x8xf32, #x>
  %g = nn.unary gelu %h : (tensor<4x8xf32, #x>) -> tensor<4x8xf32, #x>
  %r = nn.binary add %x, %g : (tensor<4x8xf32, #x>, tensor<4x8xf32, #x>) -> tensor<4x8xf32, #x>
  nn.return %r : tensor<4x8xf32, #x>
}

// Left alone: the second product reads the exponential, which then has to be
// there before the third operation; they cannot be one kernel.
// CHECK-LABEL: spmd.func @read_in_between
spmd.func @read_in_between(%x: tensor<4x8xf32, #x> {nn.name = "x", spmd.cuts = #spmd.box<<[rows=4] [cols=8]>>})
    -> (tensor<4x8xf32, #x> {nn.name = "y", spmd.cuts = #spmd.box<<[rows=4] [cols=8]>>, spmd.replicated_over = []})
    attributes {ranks = array<i64: 0>} {
  %w = spmd.parameter "w" {box = #spmd.box<<[8] [8]>>, onlyFirstOf = []} : tensor<8x8xf32, #w>
  // CHECK: spmd.kernel
  // CHECK: nn.linear
  // CHECK: spmd.kernel
  %e = nn.unary exp %x : (tensor<4x8xf32, #x>) -> tensor<4x8xf32, #x>
  %h = nn.linear %e, %w : (tensor<4x8xf32, #x>, tensor<8x8xf32, #w>) -> tensor<4x8xf32, #x>
  %d = nn.binary div %h, %e : (tensor<4x8xf32, #x>, tensor<4x8xf32, #x>) -> tensor<4x8xf32, #x>
  nn.return %d : tensor<4x8xf32, #x>
}

// A constant is copied into the kernel that reads it.
// CHECK-LABEL: spmd.func @constant
spmd.func @constant(%x: tensor<4x8xf32, #x> {nn.name = "x", spmd.cuts = #spmd.box<<[rows=4] [cols=8]>>})
    -> (tensor<4x8xf32, #x> {nn.name = "y", spmd.cuts = #spmd.box<<[rows=4] [cols=8]>>, spmd.replicated_over = []})
    attributes {ranks = array<i64: 0>} {
  // CHECK: spmd.kernel(%{{[^,]*}})
  // CHECK: nn.fill
  // CHECK: nn.binary mul
  %c = nn.fill {value = 2.0 : f64} : () -> tensor<f32, #nn.layout<>>
  %m = nn.binary mul %x, %c : (tensor<4x8xf32, #x>, tensor<f32, #nn.layout<>>) -> tensor<4x8xf32, #x>
  nn.return %m : tensor<4x8xf32, #x>
}

// The sum over rows of what a norm makes of each row would leave one thread
// all rows; of what is made element by element it takes columns to threads.
#rows = #nn.layout<[rows=512] [cols=64]>
#cols = #nn.layout<[cols=64]>
// CHECK-LABEL: spmd.func @sum_over_rows
spmd.func @sum_over_rows(
    %x: tensor<512x64xf32, #rows> {nn.name = "x", spmd.cuts = #spmd.box<<[rows=512] [cols=64]>>})
    -> (tensor<64xf32, #cols> {nn.name = "y0", spmd.cuts = #spmd.box<<[cols=64]>>, spmd.replicated_over = []},
        tensor<64xf32, #cols> {nn.name = "y1", spmd.cuts = #spmd.box<<[cols=64]>>, spmd.replicated_over = []})
    attributes {ranks = array<i64: 0>} {
  // CHECK: spmd.kernel
  // CHECK: nn.softmax
  // CHECK-NOT: nn.reduce
  // CHECK: spmd.yield
  // CHECK: spmd.kernel
  // CHECK-NEXT: ^bb
  // CHECK-NEXT: nn.reduce
  // CHECK-NEXT: spmd.yield
  // CHECK: spmd.kernel
  // CHECK: nn.binary mul
  // CHECK: nn.reduce
  %p = nn.softmax %x {dim = 1 : i64} : (tensor<512x64xf32, #rows>) -> tensor<512x64xf32, #rows>
  %s = nn.reduce sum %p {dims = array<i64: 0>, keepdim = false} : (tensor<512x64xf32, #rows>) -> tensor<64xf32, #cols>
  %m = nn.binary mul %x, %x : (tensor<512x64xf32, #rows>, tensor<512x64xf32, #rows>) -> tensor<512x64xf32, #rows>
  %t = nn.reduce sum %m {dims = array<i64: 0>, keepdim = false} : (tensor<512x64xf32, #rows>) -> tensor<64xf32, #cols>
  nn.return %s, %t : tensor<64xf32, #cols>, tensor<64xf32, #cols>
}

// What is done to each element once all are summed is cut over threads; what is
// done to the elements of another tensor would sum these for each one.
#all = #nn.layout<>
// CHECK-LABEL: spmd.func @norm_and_updates
spmd.func @norm_and_updates(
    %x: tensor<512x64xf32, #rows> {nn.name = "x", spmd.cuts = #spmd.box<<[rows=512] [cols=64]>>},
    %z: tensor<64xf32, #cols> {nn.name = "z", spmd.cuts = #spmd.box<<[cols=64]>>})
    -> (tensor<512x64xf32, #rows> {nn.name = "y0", spmd.cuts = #spmd.box<<[rows=512] [cols=64]>>, spmd.replicated_over = []},
        tensor<64xf32, #cols> {nn.name = "y1", spmd.cuts = #spmd.box<<[cols=64]>>, spmd.replicated_over = []})
    attributes {ranks = array<i64: 0>} {
  // CHECK: spmd.kernel
  // CHECK: nn.reduce
  // CHECK: nn.unary sqrt
  // CHECK-NEXT: spmd.yield
  // CHECK: spmd.kernel
  // CHECK-NEXT: ^bb
  // CHECK-NEXT: nn.binary div %{{.*}} : (tensor<512x64
  // CHECK-NEXT: spmd.yield
  // CHECK: spmd.kernel
  // CHECK-NEXT: ^bb
  // CHECK-NEXT: nn.binary div %{{.*}} : (tensor<64x
  // CHECK-NEXT: spmd.yield
  %m = nn.binary mul %x, %x : (tensor<512x64xf32, #rows>, tensor<512x64xf32, #rows>) -> tensor<512x64xf32, #rows>
  %s = nn.reduce sum %m {dims = array<i64: 0, 1>, keepdim = false} : (tensor<512x64xf32, #rows>) -> tensor<f32, #all>
  %n = nn.unary sqrt %s : (tensor<f32, #all>) -> tensor<f32, #all>
  %a = nn.binary div %x, %n : (tensor<512x64xf32, #rows>, tensor<f32, #all>) -> tensor<512x64xf32, #rows>
  %b = nn.binary div %z, %n : (tensor<64xf32, #cols>, tensor<f32, #all>) -> tensor<64xf32, #cols>
  nn.return %a, %b : tensor<512x64xf32, #rows>, tensor<64xf32, #cols>
}

// The sum of the rows of %g does not wait for the norm, past the product: %g
// would stay in memory until then. What is no larger than its result may wait.
#w64 = #nn.layout<[in=64] [out=64]>
// CHECK-LABEL: spmd.func @rows_given_back
spmd.func @rows_given_back(
    %x: tensor<512x64xf32, #rows> {nn.name = "x", spmd.cuts = #spmd.box<<[rows=512] [cols=64]>>},
    %v: tensor<64xf32, #cols> {nn.name = "v", spmd.cuts = #spmd.box<<[cols=64]>>})
    -> (tensor<512x64xf32, #rows> {nn.name = "y0", spmd.cuts = #spmd.box<<[rows=512] [cols=64]>>, spmd.replicated_over = []},
        tensor<64xf32, #cols> {nn.name = "y1", spmd.cuts = #spmd.box<<[cols=64]>>, spmd.replicated_over = []})
    attributes {ranks = array<i64: 0>} {
  %w = spmd.parameter "w" {box = #spmd.box<<[64] [64]>>, onlyFirstOf = []} : tensor<64x64xf32, #w64>
  // CHECK: nn.matmul
  // CHECK: spmd.kernel
  // CHECK-NEXT: ^bb
  // CHECK-NEXT: nn.reduce
  // CHECK-NEXT: spmd.yield
  // CHECK: nn.matmul
  // CHECK: spmd.kernel
  // CHECK-NEXT: ^bb
  // CHECK-NEXT: nn.unary exp
  // CHECK-NEXT: nn.binary add
  %g = nn.matmul %x, %w : (tensor<512x64xf32, #rows>, tensor<64x64xf32, #w64>) -> tensor<512x64xf32, #rows>
  %s = nn.reduce sum %g {dims = array<i64: 0>, keepdim = false} : (tensor<512x64xf32, #rows>) -> tensor<64xf32, #cols>
  %u = nn.unary exp %v : (tensor<64xf32, #cols>) -> tensor<64xf32, #cols>
  %p = nn.matmul %g, %w : (tensor<512x64xf32, #rows>, tensor<64x64xf32, #w64>) -> tensor<512x64xf32, #rows>
  %t = nn.binary add %s, %u : (tensor<64xf32, #cols>, tensor<64xf32, #cols>) -> tensor<64xf32, #cols>
  nn.return %p, %t : tensor<512x64xf32, #rows>, tensor<64xf32, #cols>
}
