//===- Toolkit.h - the CUDA toolkit of this machine ------------*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_GPU_TOOLKIT_H
#define HOCKET_LIB_CODEGEN_GPU_TOOLKIT_H

#include <string>

namespace hocket::codegen {

/// What is used of a CUDA toolkit; empty where it is not found.
struct Toolkit {
  /// Path of libdevice.10.bc, or of what LLVM's libclc has instead.
  std::string deviceLibrary;
  std::string ptxas, nvcc; // paths of the programs
  /// Of libcudart, which programs with CUDA C++ call.
  std::string runtimeLibrary;
  std::string headers; // the folder
};

/// The first that is there: in CUDA_HOME, CUDA_PATH, the folder of the ptxas on
/// PATH, where tools/dev/setup --cuda installs one (hocket/cuda in
/// XDG_DATA_HOME or ~/.local/share), /usr/local/cuda.
Toolkit findToolkit();

/// Machine code for a chip (90: compute capability 9.0) of a module of PTX;
/// empty with a sentence in `error`.
std::string assemble(const Toolkit &toolkit, const std::string &ptx, int chip,
                     std::string &error);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_GPU_TOOLKIT_H
