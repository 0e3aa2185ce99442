//===- Config.h - the configuration of a communicator ----------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_NCCL_CONFIG_H
#define HOCKET_TEST_GPU_LIBRARIES_NCCL_CONFIG_H

#include "test/Gpu/Libraries/Nccl/Communicator.h"

namespace hocket::lookalike {

/// What is wrong with a configuration, as a sentence, or nothing. Null is none.
std::string problemOf(const NcclConfig *config);

/// Where it says nothing, the communicator stays as it is.
void configure(ncclComm &comm, const NcclConfig *config);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_NCCL_CONFIG_H
