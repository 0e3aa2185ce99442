// Every operation and attribute of the dialect is printed as it is parsed.
// RUN: hocket-opt %s | hocket-opt | FileCheck %s

module {
  nn.placement "s" <dp=2, tp=4> {backwardExpectations = [], buckets = [], expectations = [], moves = []}

// CHECK-LABEL: func.func @collectives
func.func @collectives(%x: tensor<4x96xf32, #nn.layout<[batch=4] [seq=96]>>) {
  // CHECK: spmd.all_reduce sum %{{.*}} over ["tp"] {id = 0 : i64}
  %a = spmd.all_reduce sum %x over ["tp"] {id = 0 : i64}
      : (tensor<4x96xf32, #nn.layout<[batch=4] [seq=96]>>) -> tensor<4x96xf32, #nn.layout<[batch=4] [seq=96]>>
  // CHECK: spmd.all_reduce max %{{.*}} over ["dp", "tp"]
  %m = spmd.all_reduce max %x over ["dp", "tp"] {id = 1 : i64}
      : (tensor<4x96xf32, #nn.layout<[batch=4] [seq=96]>>) -> tensor<4x96xf32, #nn.layout<[batch=4] [seq=96]>>
  // CHECK: spmd.reduce_scatter sum
  // CHECK-SAME: offsets = #spmd.table<tp: [0, 24, 48, 72]>, sizes = #spmd.table<24>
  %s = spmd.reduce_scatter sum %x over ["tp"]
      {dim = 1 : i64, factor = 0 : i64, id = 2 : i64,
       offsets = #spmd.table<tp: [0, 24, 48, 72]>, sizes = #spmd.table<24>}
      : (tensor<4x96xf32, #nn.layout<[batch=4] [seq=96]>>) -> tensor<4x24xf32, #nn.layout<[batch=4] [seq=24]>>
  // CHECK: spmd.all_gather
  %g = spmd.all_gather %s over ["tp"]
      {dim = 1 : i64, factor = 0 : i64, id = 3 : i64,
       offsets = #spmd.table<tp: [0, 24, 48, 72]>, sizes = #spmd.table<24>}
      : (tensor<4x24xf32, #nn.layout<[batch=4] [seq=24]>>) -> tensor<4x96xf32, #nn.layout<[batch=4] [seq=96]>>
  // CHECK: spmd.all_to_all
  %t = spmd.all_to_all %s over ["tp"]
      {dim = 1 : i64, factor = 0 : i64, id = 4 : i64,
       offsets = #spmd.table<tp: [0, 24, 48, 72]>, sizes = #spmd.table<24>,
       toDim = 0 : i64, toFactor = 0 : i64,
       toOffsets = #spmd.table<tp: [0, 1, 2, 3]>, toSizes = #spmd.table<1>}
      : (tensor<4x24xf32, #nn.layout<[batch=4] [seq=24]>>) -> tensor<1x96xf32, #nn.layout<[batch=1] [seq=96]>>
  // CHECK: spmd.broadcast %{{.*}} over ["dp"] {id = 5 : i64, root = 1 : i64}
  %b = spmd.broadcast %x over ["dp"] {id = 5 : i64, root = 1 : i64}
      : (tensor<4x96xf32, #nn.layout<[batch=4] [seq=96]>>) -> tensor<4x96xf32, #nn.layout<[batch=4] [seq=96]>>
  // CHECK: spmd.halo_exchange %{{.*}} over ["tp"] {border = #nn.border<zero>, dims = array<i64: 1>, extent = 96 : i64
  // CHECK-SAME: heldOffsets = #spmd.table<tp: [-1, 23, 47, 71]>, heldSizes = #spmd.table<26>
  %h = spmd.halo_exchange %s over ["tp"]
      {dims = array<i64: 1>, factors = array<i64: 0>, id = 6 : i64, extent = 96 : i64, border = #nn.border<zero>,
       offsets = #spmd.table<tp: [0, 24, 48, 72]>, sizes = #spmd.table<24>,
       heldOffsets = #spmd.table<tp: [-1, 23, 47, 71]>, heldSizes = #spmd.table<26>}
      : (tensor<4x24xf32, #nn.layout<[batch=4] [seq=24]>>) -> tensor<4x26xf32, #nn.layout<[batch=4] [seq=26]>>
  // CHECK: spmd.start %{{.*}} over ["tp"] {id = 7 : i64}
  spmd.start %h over ["tp"] {id = 7 : i64} : tensor<4x26xf32, #nn.layout<[batch=4] [seq=26]>>
  // CHECK: spmd.halo_reduce
  %r = spmd.halo_reduce %h over ["tp"]
      {dims = array<i64: 1>, factors = array<i64: 0>, id = 7 : i64, extent = 96 : i64, border = #nn.border<zero>,
       offsets = #spmd.table<tp: [0, 24, 48, 72]>, sizes = #spmd.table<24>,
       heldOffsets = #spmd.table<tp: [-1, 23, 47, 71]>, heldSizes = #spmd.table<26>}
      : (tensor<4x26xf32, #nn.layout<[batch=4] [seq=26]>>) -> tensor<4x24xf32, #nn.layout<[batch=4] [seq=24]>>
  // CHECK: spmd.place %{{.*}} {dim = 0 : i64, factor = 0 : i64, offset = #spmd.table<tp: [0, 4, 0, 4]>}
  %placed = spmd.place %s {dim = 0 : i64, factor = 0 : i64, offset = #spmd.table<tp: [0, 4, 0, 4]>}
      : (tensor<4x24xf32, #nn.layout<[batch=4] [seq=24]>>) -> tensor<8x24xf32, #nn.layout<[batch=8] [seq=24]>>
  // A dim that nobody shares: the rank pads by itself.
  // CHECK: spmd.halo_exchange %{{.*}} over [] {border = #nn.border<circular>
  %p = spmd.halo_exchange %s over []
      {dims = array<i64: 0>, factors = array<i64: 0>, id = 8 : i64, extent = 4 : i64, border = #nn.border<circular>,
       offsets = #spmd.table<0>, sizes = #spmd.table<4>,
       heldOffsets = #spmd.table<-2>, heldSizes = #spmd.table<8>}
      : (tensor<4x24xf32, #nn.layout<[batch=4] [seq=24]>>) -> tensor<8x24xf32, #nn.layout<[batch=8] [seq=24]>>
  return
}

// A gather of uneven shares, as the class of the larger ones sees it.
// CHECK-LABEL: func.func @uneven
func.func @uneven(%x: tensor<3xf32, #nn.layout<[heads=3]>>) -> tensor<10xf32, #nn.layout<[heads=10]>> {
  // CHECK: offsets = #spmd.table<tp: [0, 3, 6, 8]>, sizes = #spmd.table<tp: [3, 3, 2, 2]>
  %g = spmd.all_gather %x over ["tp"]
      {dim = 0 : i64, factor = 0 : i64, id = 0 : i64,
       offsets = #spmd.table<tp: [0, 3, 6, 8]>, sizes = #spmd.table<tp: [3, 3, 2, 2]>}
      : (tensor<3xf32, #nn.layout<[heads=3]>>) -> tensor<10xf32, #nn.layout<[heads=10]>>
  return %g : tensor<10xf32, #nn.layout<[heads=10]>>
}

// CHECK-LABEL: spmd.func @parts
// CHECK-SAME: {nn.name = "x", spmd.cuts = #spmd.box<<[seq=64]>, <0, 0, offset = <dp, tp: [0, 8, 16, 24, 32, 40, 48, 56]>, size = <8>>>}) attributes {ranks = array<i64: 0, 1, 2, 3, 4, 5, 6, 7>} {
spmd.func @parts(%x: tensor<8xf32, #nn.layout<[seq=8]>> {nn.name = "x", spmd.cuts = #spmd.box<<[seq=64]>, <0, 0, offset = <dp, tp: [0, 8, 16, 24, 32, 40, 48, 56]>, size = <8>>>})
    attributes {ranks = array<i64: 0, 1, 2, 3, 4, 5, 6, 7>} {
  // CHECK: spmd.slice %{{.*}} {dim = 0 : i64, factor = 0 : i64, offset = #spmd.table<tp: [0, 2, 4, 6]>}
  %s = spmd.slice %x {dim = 0 : i64, factor = 0 : i64, offset = #spmd.table<tp: [0, 2, 4, 6]>}
      : (tensor<8xf32, #nn.layout<[seq=8]>>) -> tensor<2xf32, #nn.layout<[seq=2]>>
  // CHECK: spmd.keep_first %{{.*}} over ["tp"]
  %k = spmd.keep_first %s over ["tp"]
      : (tensor<2xf32, #nn.layout<[seq=2]>>) -> tensor<2xf32, #nn.layout<[seq=2]>>
  nn.return
}

// CHECK-LABEL: func.func @kernel
func.func @kernel(%x: tensor<8xf32, #nn.layout<[seq=8]>>) -> tensor<8xf32, #nn.layout<[seq=8]>> {
  // CHECK: %[[K:.*]] = spmd.kernel(%{{.*}}) : (tensor<8xf32, {{.*}}>) -> tensor<8xf32, {{.*}}> {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<8xf32
  // CHECK-NEXT: %[[E:.*]] = nn.unary exp %[[A]]
  // CHECK-NEXT: spmd.yield %[[E]]
  %y = spmd.kernel(%x) : (tensor<8xf32, #nn.layout<[seq=8]>>) -> tensor<8xf32, #nn.layout<[seq=8]>> {
  ^bb0(%a: tensor<8xf32, #nn.layout<[seq=8]>>):
    %e = nn.unary exp %a : (tensor<8xf32, #nn.layout<[seq=8]>>) -> tensor<8xf32, #nn.layout<[seq=8]>>
    spmd.yield %e : tensor<8xf32, #nn.layout<[seq=8]>>
  }
  return %y : tensor<8xf32, #nn.layout<[seq=8]>>
}

}

// CHECK-LABEL: func.func @several
func.func @several(%x: tensor<2xf32, #nn.layout<[rows=2]>>, %y: tensor<4x6xf32, #nn.layout<[rows=4] [cols=6]>>) {
  // CHECK: spmd.all_gather_many %{{.*}} over ["tp"] {cuts = [#spmd.cut<0, 0, offset = <tp: [0, 2, 4, 6]>, size = <2>>], id = 0 : i64}
  %g = spmd.all_gather_many %x over ["tp"] {cuts = [#spmd.cut<0, 0, offset = <tp: [0, 2, 4, 6]>, size = <2>>], id = 0 : i64} : (tensor<2xf32, #nn.layout<[rows=2]>>) -> tensor<8xf32, #nn.layout<[rows=8]>>
  // CHECK: spmd.reduce_scatter_many sum %{{.*}} over ["tp"] {cuts = [#spmd.cut<0, 0, offset = <tp: [0, 1, 2, 3]>, size = <1>>], id = 1 : i64}
  %s = spmd.reduce_scatter_many sum %y over ["tp"] {cuts = [#spmd.cut<0, 0, offset = <tp: [0, 1, 2, 3]>, size = <1>>], id = 1 : i64} : (tensor<4x6xf32, #nn.layout<[rows=4] [cols=6]>>) -> tensor<1x6xf32, #nn.layout<[rows=1] [cols=6]>>
  // CHECK: spmd.all_to_all_many %{{.*}} over ["tp"] {cuts = [#spmd.cut<1, 0, offset = <tp: [0, 6, 12, 18]>, size = <6>>], id = 2 : i64, toCuts = [#spmd.cut<0, 0, offset = <tp: [0, 1, 2, 3]>, size = <1>>]}
  %t = spmd.all_to_all_many %y over ["tp"] {cuts = [#spmd.cut<1, 0, offset = <tp: [0, 6, 12, 18]>, size = <6>>], id = 2 : i64, toCuts = [#spmd.cut<0, 0, offset = <tp: [0, 1, 2, 3]>, size = <1>>]} : (tensor<4x6xf32, #nn.layout<[rows=4] [cols=6]>>) -> tensor<1x24xf32, #nn.layout<[rows=1] [cols=24]>>
  return
}
