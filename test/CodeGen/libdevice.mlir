// Functions that a chip has no instruction for come from libdevice: what is
// wrong with the file is said with its path.
// RUN: not hocket-opt %s --hocket-kernels-to-ptx=libdevice=%t.bc 2>&1 | FileCheck %s --check-prefix=NO-FILE
// RUN: echo "; no functions" > %t.ll
// RUN: not hocket-opt %s --hocket-kernels-to-ptx=libdevice=%t.ll 2>&1 | FileCheck %s --check-prefix=NO-FUNCTION

// NO-FILE: libdevice.mlir:[[@LINE+2]]:1: error: {{.*}}libdevice.mlir.tmp.bc: Could not open input file: No such file or directory
// NO-FUNCTION: libdevice.mlir:[[@LINE+1]]:1: error: {{.*}}libdevice.mlir.tmp.ll has no __nv_sinf
func.func @sine(%x: tensor<8xf32, #nn.layout<[8]>>) -> tensor<8xf32, #nn.layout<[8]>> {
  %0 = nn.unary sin %x : (tensor<8xf32, #nn.layout<[8]>>) -> tensor<8xf32, #nn.layout<[8]>>
  return %0 : tensor<8xf32, #nn.layout<[8]>>
}
