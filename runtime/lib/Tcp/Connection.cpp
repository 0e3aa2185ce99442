//===- Connection.cpp - frames of bytes over a socket ---------------------===//

#include "runtime/lib/Tcp/Connection.h"
#include "hocket/Runtime/PackedBytes.h"
#include <algorithm>
#include <cerrno>
#include <limits>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace hocket::runtime {

static const std::string ourGreeting = "hocket1\n";

static void set(int socket, int level, int option, int value) {
  setsockopt(socket, level, option, &value, sizeof value);
}

Connection::Connection(int descriptor) : socket(descriptor) {
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  // Of a machine that has gone no end is heard, but it does not answer.
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, 4);
}

Connection::~Connection() { close(socket); }

int pollTime(Connection::Clock::time_point deadline) {
  auto left = std::chrono::ceil<std::chrono::milliseconds>(
      deadline - Connection::Clock::now());
  return int(
      std::clamp<int64_t>(left.count(), 0, std::numeric_limits<int>::max()));
}

Connection::Sent Connection::write(const std::string &bytes,
                                   Clock::time_point deadline) {
  for (size_t at = 0; at < bytes.size();) {
    if (isCut)
      return Sent::Ended;
    ssize_t sent = ::send(socket, bytes.data() + at, bytes.size() - at,
                          MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      at += size_t(sent);
      continue;
    }
    if (errno == EINTR)
      continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK)
      return Sent::Ended;
    if (Clock::now() >= deadline) {
      isCut = true;
      return Sent::TooLate;
    }
    pollfd room = {socket, POLLOUT, 0};
    poll(&room, 1, pollTime(deadline));
  }
  return Sent::All;
}

Connection::Sent Connection::greet(Clock::time_point deadline) {
  return write(ourGreeting, deadline);
}

Connection::Sent Connection::send(FrameKind kind, const std::string &content,
                                  Clock::time_point deadline) {
  BytePacker packer;
  packer.add(kind);
  packer.add(content);
  return write(packer.bytes, deadline);
}

void Connection::sendNoMore() { shutdown(socket, SHUT_WR); }

std::optional<Connection::Got> Connection::fill(std::string &bytes,
                                                size_t wanted) {
  // What is announced is believed as far as it comes.
  constexpr size_t most = size_t(1) << 20;
  while (bytes.size() < wanted) {
    size_t had = bytes.size();
    bytes.resize(std::min(wanted, had + most));
    ssize_t came =
        recv(socket, bytes.data() + had, bytes.size() - had, MSG_DONTWAIT);
    int error = errno;
    bytes.resize(had + size_t(std::max<ssize_t>(came, 0)));
    if (came > 0 || (came < 0 && error == EINTR))
      continue;
    bool isOpen = came < 0 && (error == EAGAIN || error == EWOULDBLOCK);
    return isOpen ? Got::Nothing : Got::Ended;
  }
  return std::nullopt;
}

Connection::Got Connection::receive(Frame &frame) {
  if (std::optional<Got> got = fill(greeting, ourGreeting.size())) {
    bool isOurs = ourGreeting.compare(0, greeting.size(), greeting) == 0;
    return isOurs ? *got : Got::Stranger;
  }
  if (greeting != ourGreeting)
    return Got::Stranger;
  int64_t length = 0;
  if (std::optional<Got> got = fill(header, sizeof frame.kind + sizeof length))
    return *got;
  ByteUnpacker unpacker(header);
  unpacker.take(frame.kind);
  unpacker.take(length);
  if (length < 0)
    return Got::Stranger;
  if (std::optional<Got> got = fill(content, size_t(length)))
    return *got;
  frame.content = std::move(content);
  content.clear();
  header.clear();
  return Got::Frame;
}

} // namespace hocket::runtime
