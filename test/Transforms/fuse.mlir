// RUN: hocket-opt %s --hocket-fuse | FileCheck %s

#x = #nn.layout<[rows=4] [cols=8]>
#v = #nn.layout<[cols=8]>
#w = #nn.layout<[out=8] [in=8]>

// A residual sum and the norm after it are one kernel; the sum is read again
// later and leaves the kernel as well.
// CHECK-LABEL: func.func @sum_and_norm
func.func @sum_and_norm(%x: tensor<4x8xf32, #x>, %y: tensor<4x8xf32, #x>) -> (tensor<4x8xf32, #x>, tensor<4x8xf32, #x>) attributes {spmd.ranks = array<i64: 0>} {
  %w = nn.parameter "w" : tensor<8xf32, #v>
  // CHECK: %{{.*}}:2 = spmd.kernel(%{{.*}}, %{{.*}}, %{{.*}})
  // CHECK: nn.binary "add"
  // CHECK: nn.rms_norm
  // CHECK: spmd.yield
  // CHECK-NOT: spmd.kernel
  %s = nn.binary "add" %x, %y : (tensor<4x8xf32, #x>, tensor<4x8xf32, #x>) -> tensor<4x8xf32, #x>
  %n = nn.rms_norm %s, %w {eps = 1.0e-5 : f64} : (tensor<4x8xf32, #x>, tensor<8xf32, #v>) -> tensor<4x8xf32, #x>
  return %s, %n : tensor<4x8xf32, #x>, tensor<4x8xf32, #x>
}

// An activation and a residual run in the epilogue of the product before them.
// CHECK-LABEL: func.func @epilogue
func.func @epilogue(%x: tensor<4x8xf32, #x>) -> tensor<4x8xf32, #x> attributes {spmd.ranks = array<i64: 0>} {
  %w = nn.parameter "w" : tensor<8x8xf32, #w>
  // CHECK: nn.linear
  // CHECK: nn.unary "gelu" %{{.*}} {spmd.in_epilogue = 0 : i64}
  // CHECK: nn.binary "add" %{{.*}}, %{{.*}} {spmd.in_epilogue = 1 : i64}
  // CHECK-NOT: spmd.kernel
  %h = nn.linear %x, %w : (tensor<4x8xf32, #x>, tensor<8x8xf32, #w>) -> tensor<4x8xf32, #x>
  %g = nn.unary "gelu" %h : (tensor<4x8xf32, #x>) -> tensor<4x8xf32, #x>
  %r = nn.binary "add" %x, %g : (tensor<4x8xf32, #x>, tensor<4x8xf32, #x>) -> tensor<4x8xf32, #x>
  return %r : tensor<4x8xf32, #x>
}

// Left alone: the second product reads the exponential, which then has to be
// there before the third operation; they cannot be one kernel.
// CHECK-LABEL: func.func @read_in_between
func.func @read_in_between(%x: tensor<4x8xf32, #x>) -> tensor<4x8xf32, #x> attributes {spmd.ranks = array<i64: 0>} {
  %w = nn.parameter "w" : tensor<8x8xf32, #w>
  // CHECK: spmd.kernel
  // CHECK: nn.linear
  // CHECK: spmd.kernel
  %e = nn.unary "exp" %x : (tensor<4x8xf32, #x>) -> tensor<4x8xf32, #x>
  %h = nn.linear %e, %w : (tensor<4x8xf32, #x>, tensor<8x8xf32, #w>) -> tensor<4x8xf32, #x>
  %d = nn.binary "div" %h, %e : (tensor<4x8xf32, #x>, tensor<4x8xf32, #x>) -> tensor<4x8xf32, #x>
  return %d : tensor<4x8xf32, #x>
}

// A constant is copied into the kernel that reads it.
// CHECK-LABEL: func.func @constant
func.func @constant(%x: tensor<4x8xf32, #x>) -> tensor<4x8xf32, #x> attributes {spmd.ranks = array<i64: 0>} {
  // CHECK: spmd.kernel(%{{[^,]*}})
  // CHECK: nn.fill
  // CHECK: nn.binary "mul"
  %c = nn.fill {value = 2.0 : f64} : () -> tensor<f32, #nn.layout<>>
  %m = nn.binary "mul" %x, %c : (tensor<4x8xf32, #x>, tensor<f32, #nn.layout<>>) -> tensor<4x8xf32, #x>
  return %m : tensor<4x8xf32, #x>
}

// The sum over rows of what a norm makes of each row would leave one thread
// all rows; of what is made element by element it takes columns to threads.
#rows = #nn.layout<[rows=512] [cols=64]>
#cols = #nn.layout<[cols=64]>
// CHECK-LABEL: func.func @sum_over_rows
func.func @sum_over_rows(%x: tensor<512x64xf32, #rows>) -> (tensor<64xf32, #cols>, tensor<64xf32, #cols>) attributes {spmd.ranks = array<i64: 0>} {
  // CHECK: spmd.kernel
  // CHECK: nn.softmax
  // CHECK-NOT: nn.reduce
  // CHECK: spmd.yield
  // CHECK: spmd.kernel
  // CHECK-NEXT: ^bb
  // CHECK-NEXT: nn.reduce
  // CHECK-NEXT: spmd.yield
  // CHECK: spmd.kernel
  // CHECK: nn.binary "mul"
  // CHECK: nn.reduce
  %p = nn.softmax %x {dim = 1 : i64} : (tensor<512x64xf32, #rows>) -> tensor<512x64xf32, #rows>
  %s = nn.reduce "sum" %p {dims = array<i64: 0>, keepdim = false} : (tensor<512x64xf32, #rows>) -> tensor<64xf32, #cols>
  %m = nn.binary "mul" %x, %x : (tensor<512x64xf32, #rows>, tensor<512x64xf32, #rows>) -> tensor<512x64xf32, #rows>
  %t = nn.reduce "sum" %m {dims = array<i64: 0>, keepdim = false} : (tensor<512x64xf32, #rows>) -> tensor<64xf32, #cols>
  return %s, %t : tensor<64xf32, #cols>, tensor<64xf32, #cols>
}
