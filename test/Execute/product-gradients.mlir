// Gradients of a linear layer are products of views: no copy of an operand, no
// kernel that transposes one. dx = dy W reads the weight as it is packed for it.
// RUN: hocket compile %s --from=model --emit=plan > %t.plan
// RUN: FileCheck %s < %t.plan
// CHECK:      "step": [
// CHECK-NOT:  "op":{{ ?}}"{{copy|kernel}}"
// CHECK:      "op":{{ ?}}"matmul",{{.*}}"a":[{{.*}},[12,40],[1,12]],"b":[{{.*}},[40,24],[24,1]]
// CHECK-NOT:  "op":{{ ?}}"{{copy|kernel}}"
// CHECK:      "op":{{ ?}}"matmul",{{.*}}"a":[{{.*}},[24,40],[1,24]],"b":[{{.*}},[40,12],[12,1]]
// CHECK-NOT:  "op":{{ ?}}"{{copy|kernel}}"
// CHECK:      "op":{{ ?}}"matmul"
// CHECK:      "packed_weight":{{ ?}}0
// CHECK-NOT:  "op":
// RUN: hocket verify %s --from=model | FileCheck %s --check-prefix=VERIFIED
// VERIFIED: verified: 1 rank

!x = tensor<2x20x24xf32, #nn.layout<[batch=2] [seq=20] [in=24]>>
!dy = tensor<2x20x12xf32, #nn.layout<[batch=2] [seq=20] [heads=3 d=4]>>
!rows = tensor<40x24xf32, #nn.layout<[batch=2 seq=20] [in=24]>>
!columns = tensor<12x40xf32, #nn.layout<[heads=3 d=4] [batch=2 seq=20]>>
!dyRows = tensor<40x12xf32, #nn.layout<[batch=2 seq=20] [heads=3 d=4]>>
!xColumns = tensor<24x40xf32, #nn.layout<[in=24] [batch=2 seq=20]>>
!w = tensor<12x24xf32, #nn.layout<[heads=3 d=4] [in=24]>>
!wt = tensor<24x12xf32, #nn.layout<[in=24] [heads=3 d=4]>>
module {
  nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {}, prefixes = [], run = {}, seed = 0 : i64, train = {}}
nn.func @forward(%x: !x {nn.name = "x"}, %dy: !dy {nn.name = "dy"}) -> (!w, !wt, !x)
    attributes {buffers = [], outputs = ["dw", "dwt", "dx"]} {
  %w = nn.parameter "w" {nn.dim_names = ["out", "in"]} : !w
  %columns = nn.rearrange %dy {source = #nn.layout<[2] [20] [3 4]>, order = [[2, 3], [0, 1]]} : (!dy) -> !columns
  %rows = nn.rearrange %x {source = #nn.layout<[2] [20] [24]>, order = [[0, 1], [2]]} : (!x) -> !rows
  %dw = nn.matmul %columns, %rows : (!columns, !rows) -> !w
  %xColumns = nn.rearrange %x {source = #nn.layout<[2] [20] [24]>, order = [[2], [0, 1]]} : (!x) -> !xColumns
  %dyRows = nn.rearrange %dy {source = #nn.layout<[2] [20] [3 4]>, order = [[0, 1], [2, 3]]} : (!dy) -> !dyRows
  %dwt = nn.matmul %xColumns, %dyRows : (!xColumns, !dyRows) -> !wt
  %dx = nn.linear %dy, %w {transposed = true} : (!dy, !w) -> !x
  nn.return %dw, %dwt, %dx : !w, !wt, !x
}
}
