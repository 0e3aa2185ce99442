//===- CudaNccl.cpp - a machine without NCCL ------------------------------===//

#include "runtime/lib/Cuda/Nccl/NcclLibrary.h"
#include <gtest/gtest.h>

using namespace hocket::runtime;

TEST(CudaNccl, IsNotThere) {
  cuda::NcclLibrary library;
  Status status = library.load({"libnccl-of-nobody.so.2"});
  EXPECT_EQ(status.exitStatus(), 1);
  EXPECT_EQ(status.message,
            "ranks on several GPUs need NCCL 2.18 or newer, which is not "
            "found: libnccl-of-nobody.so.2: cannot open shared object file: No "
            "such file or directory; install it from NVIDIA or as the Python "
            "package nvidia-nccl-cu13, and name the folder of libnccl.so.2 in "
            "LD_LIBRARY_PATH");
}

TEST(CudaNccl, IsAnotherLibrary) {
  cuda::NcclLibrary library;
  Status status = library.load({"libm.so.6"});
  EXPECT_EQ(status.message,
            "ranks on several GPUs need NCCL 2.18 or newer, and libm.so.6 has "
            "no ncclGetVersion; install it from NVIDIA or as the Python "
            "package nvidia-nccl-cu13, and name the folder of libnccl.so.2 in "
            "LD_LIBRARY_PATH");
}
