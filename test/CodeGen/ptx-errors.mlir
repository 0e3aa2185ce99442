// Functions that a chip has no instruction for come from libdevice.
// RUN: not hocket-opt %s --hocket-kernels-to-ptx 2>&1 | FileCheck %s
// RUN: not hocket-opt %s --hocket-kernels-to-ptx=libdevice=%t.bc 2>&1 | FileCheck %s --check-prefix=NO-FILE

// CHECK: ptx-errors.mlir:[[@LINE+2]]:1: error: calls sinf, which is in libdevice.10.bc of the CUDA toolkit, and no path of it was given
// NO-FILE: ptx-errors.mlir:[[@LINE+1]]:1: error: {{.*}}.bc: Could not open input file: No such file or directory
func.func @sine(%x: tensor<8xf32, #nn.layout<[8]>>) -> tensor<8xf32, #nn.layout<[8]>> {
  %0 = nn.unary sin %x : (tensor<8xf32, #nn.layout<[8]>>) -> tensor<8xf32, #nn.layout<[8]>>
  return %0 : tensor<8xf32, #nn.layout<[8]>>
}
