//===- Receive.h - what is done with messages ------------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_NCCL_RECEIVE_H
#define HOCKET_TEST_GPU_LIBRARIES_NCCL_RECEIVE_H

#include "test/Gpu/Libraries/Nccl/Communicator.h"

namespace hocket::lookalike {

/// The events of the transport.
void received(Message message);
void processEnded(const std::string &process);

/// A rank comes to an id of this process.
void join(const Message &message);

void pack(Packer &packer, const Member &member);
Member unpackMember(Unpacker &unpacker);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_NCCL_RECEIVE_H
