//===- KernelText.h - the PTX of one kernel of the runtime -----*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_KERNELS_KERNELTEXT_H
#define HOCKET_TEST_GPU_KERNELS_KERNELTEXT_H

#include <string>
#include <vector>

namespace hocket::test {

/// The module of `source` (Images.h) as it is embedded, without the code of
/// other entries: their lines are empty, so that all lines keep their numbers.
/// Throws where there is none.
std::string textOfKernel(const std::string &source, const std::string &entry);

/// The entries of a source, in the order of its text.
std::vector<std::string> kernelsOf(const std::string &source);

} // namespace hocket::test

#endif // HOCKET_TEST_GPU_KERNELS_KERNELTEXT_H
