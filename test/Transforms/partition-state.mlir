// What steps change is stored as its type says: no slice of it and no rank's
// copy of a bias is read instead. States and changed parameters stay where
// nothing reads them.
// RUN: hocket-opt %s --hocket-partition | FileCheck %s
// RUN: hocket-opt %s --hocket-partition --hocket-fuse | FileCheck %s --check-prefix=FUSED

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  // CHECK-LABEL: spmd.func @class0
  nn.func @forward(%x: tensor<4x2xf32, #nn.layout<[4] [2], tp: S(1.0)>> {nn.name = "x"})
      -> tensor<4x2xf32, #nn.layout<[4] [2], tp: S(1.0)>>
      attributes {buffers = [], outputs = ["y"]} {
    // CHECK: %[[W:.*]] = spmd.parameter "w" {box = #spmd.box<{{.*}}>, onlyFirstOf = []} : tensor<2xf32, #nn.layout<[2]>>
    // FUSED: spmd.parameter "w"
    %w = nn.parameter "w" : tensor<2xf32, #nn.layout<[2]>>
    // CHECK: %[[FIXED:.*]] = spmd.parameter "fixed" {{.*}} : tensor<1xf32, #nn.layout<[1]>>
    %fixed = nn.parameter "fixed" : tensor<2xf32, #nn.layout<[2]>>
    // CHECK: spmd.state "m" {box = #spmd.box<{{.*}}>, init = 5.000000e-01 : f64} : tensor<1xf32, #nn.layout<[1]>>
    // FUSED: spmd.state "m"
    %m = nn.state "m" {init = 0.5 : f64} : tensor<2xf32, #nn.layout<[2], tp: S(0.0)>>
    // CHECK: spmd.slice %[[W]]
    %part = nn.redistribute slice %w over ["tp"] : (tensor<2xf32, #nn.layout<[2]>>) -> tensor<2xf32, #nn.layout<[2], tp: S(0.0)>>
    %other = nn.redistribute slice %fixed over ["tp"] : (tensor<2xf32, #nn.layout<[2]>>) -> tensor<2xf32, #nn.layout<[2], tp: S(0.0)>>
    %sum = nn.binary add %part, %other : (tensor<2xf32, #nn.layout<[2], tp: S(0.0)>>, tensor<2xf32, #nn.layout<[2], tp: S(0.0)>>) -> tensor<2xf32, #nn.layout<[2], tp: S(0.0)>>
    %y = nn.binary mul %x, %sum : (tensor<4x2xf32, #nn.layout<[4] [2], tp: S(1.0)>>, tensor<2xf32, #nn.layout<[2], tp: S(0.0)>>) -> tensor<4x2xf32, #nn.layout<[4] [2], tp: S(1.0)>>
    %zero = nn.fill {value = 0.0} : () -> tensor<2xf32, #nn.layout<[2]>>
    // CHECK: nn.assign "m" %{{.*}} : tensor<1xf32, #nn.layout<[1]>>
    nn.assign "m" %sum : tensor<2xf32, #nn.layout<[2], tp: S(0.0)>>
    // CHECK: nn.assign "w" %{{.*}} : tensor<2xf32, #nn.layout<[2]>>
    // FUSED: nn.assign "w"
    nn.assign "w" %zero : tensor<2xf32, #nn.layout<[2]>>
    nn.return %y : tensor<4x2xf32, #nn.layout<[4] [2], tp: S(1.0)>>
  }
}
