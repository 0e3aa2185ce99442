//===- MpiGather.cpp - what each process gives, on all of them ------------===//

#include "hocket/Runtime/PackedBytes.h"
#include "runtime/lib/Mpi/MpiRun.h"

namespace hocket::runtime {

/// Beside the deadline, for the process that collects to say who is late.
static constexpr auto grace = std::chrono::seconds(1);

static std::string secondsText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", value);
  return text;
}

Status MpiRun::gather(const std::string &mine, std::vector<std::string> &all) {
  all.assign(processes, "");
  all[ownIndex] = mine;
  if (processes == 1)
    return Status::success();
  if (hasFailed())
    return interrupted();
  auto deadline = after(options.deadlineSeconds);
  std::string bytes;
  if (isFirst()) {
    if (Status status = collect(mine, all, deadline); !status.ok())
      return status;
    BytePacker packer;
    for (const std::string &one : all)
      packer.add(one);
    bytes = packer.bytes;
    return handOut(bytes, deadline + grace);
  }
  std::deque<MpiTransfer> transfers;
  int64_t length;
  Status status = sendTo(0, mine, length, transfers);
  if (status.ok())
    status = receiveFrom(0, bytes, deadline + grace);
  if (status.ok())
    status = finish(transfers, deadline + grace, [&] { return nameOf(0); });
  if (!status.ok())
    return status;
  ByteUnpacker unpacker(bytes);
  for (std::string &one : all)
    unpacker.take(one);
  return status;
}

Status MpiRun::collect(const std::string &mine, std::vector<std::string> &all,
                       Clock::time_point deadline) {
  Status status;
  for (int64_t process = 1; status.ok() && process < processes; ++process)
    status = receiveFrom(process, all[process], deadline);
  return status;
}

Status MpiRun::handOut(std::string &bytes, Clock::time_point deadline) {
  std::deque<MpiTransfer> transfers;
  std::vector<int64_t> lengths(processes);
  Status status;
  for (int64_t process = 1; status.ok() && process < processes; ++process)
    status = sendTo(process, bytes, lengths[process], transfers);
  auto whoIsLate = [&] {
    for (size_t i = 0; i < transfers.size(); ++i)
      if (!transfers[i].isDone)
        return nameOf(1 + int64_t(i) / 2);
    return nameOf(1);
  };
  return status.ok() ? finish(transfers, deadline, whoIsLate) : status;
}

Status MpiRun::sendTo(int64_t to, const std::string &bytes, int64_t &length,
                      std::deque<MpiTransfer> &transfers) {
  length = int64_t(bytes.size());
  int code = library.call([&](const MpiFunctions &mpi) {
    int code = mpi.send(&length, sizeof length, library.mostBytes, int(to),
                        Length, gathers, &transfers.emplace_back().request);
    return code ? code
                : mpi.send(bytes.data(), length, library.mostBytes, int(to),
                           Content, gathers, &transfers.emplace_back().request);
  });
  return code ? library.failure("MPI_Isend", code) : Status::success();
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
  if (result == WaitResult::Aborted)
    return interrupted();
  Status status = Status::runtimeError(
      whoIsLate() + " did not come to where all ranks meet within " +
      secondsText(options.deadlineSeconds) + " of " + nameOf(ownIndex));
  fail(ownIndex * ranksEach, status);
  return status;
}

Status MpiRun::receiveFrom(int64_t from, std::string &bytes,
                           Clock::time_point deadline) {
  int64_t length = 0;
  auto receive = [&](void *data, int64_t size, int tag) {
    std::deque<MpiTransfer> transfers(1);
    int code = library.call([&](const MpiFunctions &mpi) {
      return mpi.receive(data, size, library.mostBytes, int(from), tag, gathers,
                         &transfers[0].request);
    });
    if (code)
      return library.failure("MPI_Irecv", code);
    return finish(transfers, deadline, [&] { return nameOf(from); });
  };
  Status status = receive(&length, sizeof length, Length);
  if (!status.ok())
    return status;
  bytes.resize(size_t(length));
  return receive(bytes.data(), length, Content);
}

} // namespace hocket::runtime
