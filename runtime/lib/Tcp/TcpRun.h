//===- TcpRun.h - this process among those that met by a port --*- C++ -*-===//

#ifndef HOCKET_LIB_TCP_TCPRUN_H
#define HOCKET_LIB_TCP_TCPRUN_H

#include "runtime/lib/Ranks/LaunchedRun.h"
#include "runtime/lib/Tcp/Meeting.h"
#include <condition_variable>
#include <deque>
#include <thread>

namespace hocket::runtime {

/// Each process has a connection to process 0, which hands on what one of them
/// has to tell all. A thread of each reads what comes, whatever the others of
/// the process do, so that an end or a failure is known at once.
class TcpRun : public LaunchedRun {
public:
  TcpRun() = default;
  ~TcpRun() override;

  /// Meets the other processes.
  Status start(const TcpOptions &options);

  /// The thread that reads takes such words.
  void listen() override {}
  std::string threadsNote(int64_t) const override { return ""; }
  void end(int status) override;

protected:
  Status send(const std::vector<int64_t> &to, const std::string &bytes,
              Clock::time_point deadline) override;
  Status receive(int64_t from, std::string &bytes,
                 Clock::time_point deadline) override;
  std::string spread(const std::string &word) override;
  void wakeWaiting() override;
  std::unique_ptr<World> makeWorld(const RankOptions &options,
                                   bool spins) override;

private:
  /// A process that this one is connected to.
  struct Peer {
    Peer(Met met) : process(met.process), line(std::move(met.connection)) {}
    const int64_t process;
    const std::unique_ptr<Connection> line;
    std::timed_mutex sending; // guards writing to `line`
    // Guarded by `arriving`.
    std::deque<std::string> contents;
    bool isOpen = true, hasLeft = false;
  };

  Peer &peerOf(int64_t process);
  void startReading();
  void stopReading();
  void read();
  void readFrom(Peer &peer);
  void take(Peer &peer, Frame frame);
  void takeEnd(Peer &peer);
  void tellEnd(const Peer &peer);
  Connection::Sent say(Peer &peer, FrameKind kind, const std::string &content,
                       Clock::time_point deadline);
  void leave();
  template <typename Done>
  bool waitUntil(Clock::time_point deadline, const Done &isDone);

  std::vector<std::unique_ptr<Peer>> peers;
  std::thread reader;
  int wake = -1; // has it look whether it is to end
  std::atomic<bool> isEnding{false}, isLeaving{false};
  std::mutex arriving; // guards what follows
  std::condition_variable arrived;
  std::string counted; // the word that process 0 has sent
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_TCP_TCPRUN_H
