//===- Connection.h - frames of bytes over a socket ------------*- C++ -*-===//

#ifndef HOCKET_LIB_TCP_CONNECTION_H
#define HOCKET_LIB_TCP_CONNECTION_H

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace hocket::runtime {

/// What a frame says.
enum class FrameKind : int64_t {
  Hello,    // who wants to take part
  Welcome,  // all are there
  OtherRun, // the answer to a Hello with another name of the run
  Content,  // what a process gives
  Word,     // the run has failed
  Leave,    // nothing comes any more
};

struct Frame {
  FrameKind kind = FrameKind::Hello;
  std::string content;
};

/// A socket on which both sides first say that they are of Hocket, and then
/// send frames. One thread may read while another one writes.
class Connection {
public:
  using Clock = std::chrono::steady_clock;

  /// Owns `descriptor`, which no call blocks.
  explicit Connection(int descriptor);
  ~Connection();
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;

  /// Too late: a part may have gone, so that nothing more can be sent.
  enum class Sent { All, TooLate, Ended };
  /// Says what this is; every side's first.
  Sent greet(Clock::time_point deadline);
  Sent send(FrameKind kind, const std::string &content,
            Clock::time_point deadline);
  /// After the last one.
  void sendNoMore();

  enum class Got { Frame, Nothing, Ended, Stranger };
  /// The next frame, as far as its bytes are there.
  Got receive(Frame &frame);

  int descriptor() const { return socket; }

private:
  Sent write(const std::string &bytes, Clock::time_point deadline);
  /// Fills `bytes` up to `wanted`; nothing once it is full.
  std::optional<Got> fill(std::string &bytes, size_t wanted);

  const int socket;
  bool isCut = false;                    // in the middle of a frame
  std::string greeting, header, content; // as far as they came
};

/// Milliseconds until then, rounded up, for poll.
int pollTime(Connection::Clock::time_point deadline);

} // namespace hocket::runtime

#endif // HOCKET_LIB_TCP_CONNECTION_H
