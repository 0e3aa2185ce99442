//===- DeviceLibrary.h - functions that a chip does not have ---*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_GPU_DEVICELIBRARY_H
#define HOCKET_LIB_CODEGEN_GPU_DEVICELIBRARY_H

#include "llvm/IR/Module.h"
#include <string>

namespace hocket::codegen {

/// Gives sinf, exp, ..., which the module calls, bodies that are inlined.
/// `path` is libdevice.10.bc of the CUDA toolkit, where they are called
/// __nv_sinf,
/// __nv_exp, ..., or nvptx64--.bc of LLVM's libclc, where they have the names
/// of OpenCL C, _Z3sinf, _Z3expd. Errors are at most 2 units in the last place
/// there (powf 4, erfc 5; CUDA C++ Programming Guide) and 5 here (pow, erf and
/// erfc 16; OpenCL C Specification, 7.4).
///
/// Nothing is read if nothing is called. False, with a sentence in `error`, if
/// there is no path, the file cannot be read, or a function is not in it.
bool linkDeviceLibrary(llvm::Module &module, const std::string &path,
                       std::string &error);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_GPU_DEVICELIBRARY_H
