//===- Transport.h - messages between processes of one machine -*- C++ -*-===//
//
// Each process listens on a Unix socket under a drawn name in the abstract
// namespace, of which nothing is left when a process ends, however it ends.
// What a process sends to another goes over one connection and arrives in
// order; what it sends to itself takes the same way through the thread that
// does all this.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_NCCL_TRANSPORT_H
#define HOCKET_TEST_GPU_LIBRARIES_NCCL_TRANSPORT_H

#include "test/Gpu/Libraries/Nccl/Message.h"
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>

namespace hocket::lookalike {

class Transport {
public:
  struct Events {
    std::function<void(Message message)> received;
    /// A process has ended, or there is none of this name.
    std::function<void(const std::string &process)> ended;
  };

  /// Starts the thread, which calls the events. It never ends.
  explicit Transport(Events events);

  /// What other processes call this one.
  const std::string &name() const { return ownName; }

  /// Returns at once. Sending to a process that has ended tells so again.
  void send(const std::string &process, Message message);

  /// Waits until all that was sent has left this process, or for a second.
  void flush();

private:
  /// A connection that only this process writes to.
  struct Outgoing {
    int file = -1;
    bool isGone = false;
    std::deque<std::vector<char>> queue;
    size_t at = 0; ///< of the first one: bytes that are written
  };
  /// A connection that another process writes to.
  struct Incoming {
    int file = -1;
    std::string process; ///< empty until it has said who it is
    std::vector<char> bytes;
  };

  void loop();
  void wait();
  void accept();
  bool read(Incoming &incoming);
  void write(const std::string &process, Outgoing &outgoing);
  void writeAll();
  void deliverOwn();
  void end(const std::string &process);
  void wake();

  const Events events;
  std::string ownName;
  int listener = -1, wakeup = -1;
  std::vector<Incoming> incoming;

  std::mutex mutex; // of the rest
  std::condition_variable flushed;
  std::map<std::string, Outgoing> outgoing;
  std::deque<Message> own;
  std::set<std::string> goneProcesses;
  std::set<std::string> missed; ///< sent to when they were gone
};

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_NCCL_TRANSPORT_H
