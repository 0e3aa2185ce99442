//===- MpiGather.cpp - bytes from one process to another ------------------===//

#include "runtime/lib/Mpi/MpiRun.h"

namespace hocket::runtime {

Status MpiRun::send(const std::vector<int64_t> &to, const std::string &bytes,
                    Clock::time_point deadline) {
  int64_t length = int64_t(bytes.size());
  std::deque<MpiTransfer> transfers;
  for (int64_t process : to) {
    int code = library.call([&](const MpiFunctions &mpi) {
      int code =
          mpi.send(&length, sizeof length, library.mostBytes, int(process),
                   Length, gathers, &transfers.emplace_back().request);
      return code ? code
                  : mpi.send(bytes.data(), length, library.mostBytes,
                             int(process), Content, gathers,
                             &transfers.emplace_back().request);
    });
    if (code)
      return library.failure("MPI_Isend", code);
  }
  return finish(transfers, deadline, [&] {
    for (size_t i = 0; i < transfers.size(); ++i)
      if (!transfers[i].isDone)
        return nameOf(to[i / 2]);
    return nameOf(to.front());
  });
}

Status MpiRun::finish(std::deque<MpiTransfer> &transfers,
                      Clock::time_point deadline,
                      const std::function<std::string()> &whoIsLate) {
  int code = 0;
  WaitResult result = wait(false, deadline, [&] {
    bool all = true;
    for (MpiTransfer &transfer : transfers) {
      int isDone = 0;
      int64_t bytes = 0;
      if (!transfer.isDone && !code)
        code = library.call([&](const MpiFunctions &mpi) {
          return mpi.test(&transfer.request, &isDone, &bytes);
        });
      transfer.isDone |= isDone != 0;
      all &= transfer.isDone;
    }
    return all || code != 0;
  });
  if (code)
    return library.failure("MPI_Test", code);
  if (result == WaitResult::Arrived)
    return Status::success();
  return result == WaitResult::Aborted ? interrupted() : tellLate(whoIsLate());
}

Status MpiRun::receive(int64_t from, std::string &bytes,
                       Clock::time_point deadline) {
  int64_t length = 0;
  auto receiveOne = [&](void *data, int64_t size, int tag) {
    std::deque<MpiTransfer> transfers(1);
    int code = library.call([&](const MpiFunctions &mpi) {
      return mpi.receive(data, size, library.mostBytes, int(from), tag, gathers,
                         &transfers[0].request);
    });
    if (code)
      return library.failure("MPI_Irecv", code);
    return finish(transfers, deadline, [&] { return nameOf(from); });
  };
  Status status = receiveOne(&length, sizeof length, Length);
  if (!status.ok())
    return status;
  bytes.resize(size_t(length));
  return receiveOne(bytes.data(), length, Content);
}

} // namespace hocket::runtime
