// Functions that a chip has no instruction for come from a library: what is wrong
// with the file is said with its path.
// RUN: not hocket-opt %s --hocket-kernels-to-ptx=libdevice=%t.bc 2>&1 | FileCheck %s --check-prefix=NO-FILE
// RUN: echo "; no functions" > %t.ll
// RUN: not hocket-opt %s --hocket-kernels-to-ptx=libdevice=%t.ll 2>&1 | FileCheck %s --check-prefix=NO-FUNCTION
// Functions have the names of the toolkit or those of OpenCL C.
// RUN: echo "define float @__nv_sinf(float %%x) noinline { ret float 3.0 }" > %t.nv.ll
// RUN: hocket-opt %s --hocket-kernels-to-ptx=libdevice=%t.nv.ll | FileCheck %s --check-prefix=BODY
// RUN: echo "define float @_Z3sinf(float %%x) noinline \"target-features\"=\"+ptx42\" { ret float 3.0 }" > %t.cl.ll
// RUN: hocket-opt %s --hocket-kernels-to-ptx=libdevice=%t.cl.ll | FileCheck %s --check-prefix=BODY

// BODY: .visible .entry sine(
// BODY-NOT: call
// BODY: 1077936128
// NO-FILE: libdevice.mlir:[[@LINE+2]]:1: error: {{.*}}libdevice.mlir.tmp.bc: Could not open input file: No such file or directory
// NO-FUNCTION: libdevice.mlir:[[@LINE+1]]:1: error: {{.*}}libdevice.mlir.tmp.ll has no sinf
func.func @sine(%x: tensor<8xf32, #nn.layout<[8]>>) -> tensor<8xf32, #nn.layout<[8]>> {
  %0 = nn.unary sin %x : (tensor<8xf32, #nn.layout<[8]>>) -> tensor<8xf32, #nn.layout<[8]>>
  return %0 : tensor<8xf32, #nn.layout<[8]>>
}
