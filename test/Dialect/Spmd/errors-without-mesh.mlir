// RUN: hocket-opt %s -verify-diagnostics

// A module that names no mesh: the tables say how many members there are.
!whole = tensor<8xf32, #nn.layout<[seq=8]>>
!part = tensor<3xf32, #nn.layout<[seq=3]>>
func.func @other_numbers_of_values(%x: !part) {
  // expected-error @+1 {{needs 3 values, one for each member, found #spmd.table<tp: [0, 3]>}}
  %a = spmd.all_gather %x over ["tp"] {dim = 0 : i64, factor = 0 : i64, id = 0 : i64,
      offsets = #spmd.table<tp: [0, 3]>, sizes = #spmd.table<tp: [3, 3, 2]>} : (!part) -> !whole
  return
}
