//===- AssemblyTest.cpp - what ptxas says of the kernels ------------------===//

#include "test/Gpu/Kernels/GpuRun.h"
#include "test/Paths.h"
#include <fstream>
#include <set>
#include <sstream>

using namespace hocket::test;
using hocket::runtime::cuda::Image;

namespace {

class CudaAssembly : public CudaKernels {};

/// Names of the kernels of a cubin that spill registers or have a stack, and
/// how many kernels there are. ptxas -v wrote them beside the cubin.
struct Assembled {
  explicit Assembled(const Image &image) {
    std::ifstream file(builtPath("runtime/lib/Cuda/Kernels/" +
                                 std::string(image.source) + "." +
                                 std::to_string(image.chip) + ".cubin.txt"));
    const std::string begin = "Function properties for ";
    for (std::string line, name; std::getline(file, line);) {
      if (size_t at = line.find(begin); at != std::string::npos) {
        name = line.substr(at + begin.size());
        ++kernels;
      }
      if (line.find("bytes spill stores") != std::string::npos &&
          line.find(" 0 bytes stack frame, 0 bytes spill stores, "
                    "0 bytes spill loads") == std::string::npos)
        spilling.push_back(name);
    }
  }
  int kernels = 0;
  std::vector<std::string> spilling;
};

TEST_F(CudaAssembly, NothingSpillsUpToHeadsOf128) {
  std::map<std::string, std::set<int>> chips; // by source
  for (const Image &image : hocket::runtime::cuda::images()) {
    if (image.chip == 0)
      continue;
    chips[image.source].insert(image.chip);
    Assembled assembled(image);
    EXPECT_GT(assembled.kernels, 0) << image.source << image.chip;
    for (const std::string &name : assembled.spilling)
      EXPECT_NE(name.find("D256"), std::string::npos)
          << name << " spills registers or has a stack on sm_" << image.chip;
  }
  EXPECT_FALSE(chips.empty());
  for (const auto &[source, of] : chips)
    EXPECT_EQ(of, (std::set<int>{80, 90, 100})) << source;
}

} // namespace
