//===- Meeting.h - how processes find each other ---------------*- C++ -*-===//

#ifndef HOCKET_LIB_TCP_MEETING_H
#define HOCKET_LIB_TCP_MEETING_H

#include "hocket/Tcp/TcpProcesses.h"
#include "runtime/lib/Tcp/Connection.h"
#include <memory>
#include <vector>

namespace hocket::runtime {

/// A connection to a process.
struct Met {
  int64_t process;
  std::unique_ptr<Connection> connection;
};

/// Process 0 listens until all others have come, each of which says what run it
/// is of, its number, and how many there are. Who is of another run, or of
/// another program, is sent away and does no harm.
class Meeting {
public:
  explicit Meeting(const TcpOptions &options) : options(options) {}

  /// Afterwards process 0 has met the others, and these process 0. Where it
  /// fails, process 0 has met those that it is to tell.
  Status meet();

  std::vector<Met> met;
  /// What process 0 has said of why it fails, to another process.
  std::string word;

private:
  using Clock = Connection::Clock;

  // Of process 0.
  Status waitForAll();
  Status waitFor(int listener, Clock::time_point deadline);
  /// After a failure, those that are to be told of it.
  void letOthersCome(int listener, Clock::time_point deadline);
  void welcome(int listener);
  Status listenToNew();
  Status admit(Met &one, const Frame &hello);
  Status listenToMet();
  Status late() const;

  // Of the others.
  Status join();
  /// Whether that is all; else `reason` says why to try again.
  bool introduce(int socket, Status &status, std::string &reason);
  std::string self() const;

  const TcpOptions options;
  std::vector<Met> fresh; // that have not said who they are
  int64_t strangers = 0;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_TCP_MEETING_H
