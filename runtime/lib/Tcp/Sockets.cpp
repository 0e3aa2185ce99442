//===- Sockets.cpp - sockets that listen and that reach others ------------===//

#include "runtime/lib/Tcp/Sockets.h"
#include "runtime/lib/Tcp/Connection.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace hocket::runtime {

bool parseMeetingPlace(const std::string &text, MeetingPlace &place) {
  size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0)
    return false;
  std::string host = text.substr(0, colon), port = text.substr(colon + 1);
  if (host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string::npos)
    return false;
  if (host.empty() || host.find_first_of(" \t[]") != std::string::npos ||
      port.empty() || port.size() > 5 ||
      port.find_first_not_of("0123456789") != std::string::npos)
    return false;
  place = {host, std::atoi(port.c_str())};
  return place.port >= 1 && place.port <= 65535;
}

namespace {

/// What a place stands for; empty where its name is not known.
class Addresses {
public:
  Addresses(const char *host, int port, int flags) {
    addrinfo hints = {};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV | flags;
    code = getaddrinfo(host, std::to_string(port).c_str(), &hints, &first);
    if (code)
      first = nullptr;
  }
  ~Addresses() {
    if (first)
      freeaddrinfo(first);
  }
  Addresses(const Addresses &) = delete;
  Addresses &operator=(const Addresses &) = delete;

  addrinfo *first = nullptr;
  int code = 0;
};

int open(const addrinfo &address) {
  return socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
                0);
}

bool isLoopback(const std::string &host) {
  return host == "localhost" || host == "::1" || host.rfind("127.", 0) == 0;
}

/// Errno of what failed, 0 for success.
int listenOn(const addrinfo &address, int &listener) {
  constexpr int waiting = 4096;
  const int yes = 1, no = 0;
  listener = open(address);
  if (listener < 0)
    return errno;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (address.ai_family == AF_INET6)
    setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  if (bind(listener, address.ai_addr, address.ai_addrlen) == 0 &&
      listen(listener, waiting) == 0)
    return 0;
  int error = errno;
  close(listener);
  listener = -1;
  return error;
}

} // namespace

Status listenAt(const MeetingPlace &place, int &listener) {
  bool isHere = isLoopback(place.host);
  Addresses addresses(isHere ? place.host.c_str() : nullptr, place.port,
                      isHere ? 0 : AI_PASSIVE);
  int error = EADDRNOTAVAIL;
  // An address of IPv6 serves IPv4 as well, where there are any.
  for (int family : {AF_INET6, AF_INET})
    for (addrinfo *at = addresses.first; at && error != EADDRINUSE;
         at = at->ai_next)
      if (at->ai_family == family && (error = listenOn(*at, listener)) == 0)
        return Status::success();
  return Status::userError(
      "process 0 cannot listen at port " + std::to_string(place.port) +
      " of this machine: " + std::strerror(error) +
      "; another program may use it: name another one with --meet HOST:PORT, "
      "for all processes");
}

Status listenToThisMachine(int &listener, MeetingPlace &place) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  addrinfo info = {};
  info.ai_family = AF_INET;
  info.ai_addr = reinterpret_cast<sockaddr *>(&address);
  info.ai_addrlen = sizeof address;
  int error = listenOn(info, listener);
  socklen_t size = sizeof address;
  if (error == 0 && (fcntl(listener, F_SETFD, 0) != 0 ||
                     getsockname(listener, info.ai_addr, &size) != 0))
    error = errno;
  place = {"127.0.0.1", ntohs(address.sin_port)};
  return error == 0 ? Status::success()
                    : Status::runtimeError(
                          std::string("cannot listen at a port of the "
                                      "loopback: ") +
                          std::strerror(error));
}

/// Whether a connection goes to where it comes from, as one does that asks for
/// a port nobody listens at and is given that port for its own end.
static bool isToItself(int socket) {
  sockaddr_storage own = {}, other = {};
  socklen_t ownSize = sizeof own, otherSize = sizeof other;
  getsockname(socket, reinterpret_cast<sockaddr *>(&own), &ownSize);
  getpeername(socket, reinterpret_cast<sockaddr *>(&other), &otherSize);
  return ownSize == otherSize && std::memcmp(&own, &other, ownSize) == 0;
}

/// Errno of what failed, 0 for success.
static int reachOne(const addrinfo &address, int socket,
                    std::chrono::steady_clock::time_point deadline) {
  if (connect(socket, address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS && errno != EINTR)
      return errno;
    pollfd done = {socket, POLLOUT, 0};
    while (poll(&done, 1, pollTime(deadline)) < 0 && errno == EINTR)
      ;
    if (!done.revents)
      return ETIMEDOUT;
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error)
      return error;
  }
  return isToItself(socket) ? ECONNREFUSED : 0;
}

int reach(const MeetingPlace &place,
          std::chrono::steady_clock::time_point deadline, std::string &reason) {
  Addresses addresses(place.host.c_str(), place.port, 0);
  if (addresses.code)
    reason = gai_strerror(addresses.code);
  for (addrinfo *at = addresses.first; at; at = at->ai_next) {
    int socket = open(*at);
    int error = socket < 0 ? errno : reachOne(*at, socket, deadline);
    if (error == 0)
      return socket;
    reason = std::strerror(error);
    if (socket >= 0)
      close(socket);
  }
  return -1;
}

int acceptFrom(int listener) {
  return accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

} // namespace hocket::runtime
