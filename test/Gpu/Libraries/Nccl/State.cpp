//===- State.cpp - all state of the look-alike of NCCL --------------------===//

#include "test/Gpu/Libraries/Nccl/State.h"
#include "test/Gpu/Libraries/Device.h"
#include "test/Gpu/Libraries/Nccl/Receive.h"

std::string ncclComm::title() const {
  return "communicator " + std::to_string(number) + " (rank " +
         std::to_string(rank) + " of " + std::to_string(ranks) + ")";
}

namespace hocket::lookalike {

// Never ends: programs destroy communicators when they end.
Nccl &nccl() {
  static Nccl &all = *new Nccl;
  return all;
}

Transport &Nccl::transport() {
  hasTransport = true;
  static Transport &only = *new Transport({received, processEnded});
  return only;
}

Communicator Nccl::find(const ncclComm *handle) const {
  for (const auto &[endpoint, communicator] : communicators)
    if (communicator.get() == handle)
      return communicator;
  return nullptr;
}

Communicator Nccl::make(int device) {
  auto comm = std::make_shared<ncclComm>();
  comm->endpoint = ++endpoints;
  comm->number = ++made;
  comm->device = device;
  communicators[comm->endpoint] = comm;
  return comm;
}

/// A message to itself wakes the thread.
void Nccl::tellLater(const std::string &sentence) {
  findings += sentence + "\n";
  sentences.push_back(sentence);
  transport().send(transport().name(), {Topic::Hello});
}

void Nccl::tellNow() {
  std::vector<std::string> taken;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isTelling = true;
    taken.swap(sentences);
  }
  for (const std::string &sentence : taken)
    tell(sentence);
  std::lock_guard<std::mutex> lock(mutex);
  isTelling = false;
}

void Nccl::settle() {
  std::unique_lock<std::mutex> lock(mutex);
  if (!hasTransport)
    return;
  changed.wait_for(lock, std::chrono::seconds(1),
                   [this] { return sentences.empty() && !isTelling; });
  lock.unlock();
  transport().flush();
}

std::string Nccl::left() const {
  std::string text;
  for (const auto &[endpoint, comm] : communicators)
    text += comm->title() + " is neither destroyed nor aborted\n";
  if (openGroups)
    text += std::to_string(openGroups) + " groups have no ncclGroupEnd\n";
  return text;
}

void sendTo(const ncclComm &comm, int rank, Message message) {
  const Member &to = comm.members[rank];
  message.to = to.endpoint;
  message.from = comm.rank;
  nccl().transport().send(to.process, std::move(message));
}

void tellWaiting() {
  nccl().changed.notify_all();
  wakeDriver();
}

} // namespace hocket::lookalike
