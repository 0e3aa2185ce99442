//===- Sockets.h - sockets that listen and that reach others ---*- C++ -*-===//

#ifndef HOCKET_LIB_TCP_SOCKETS_H
#define HOCKET_LIB_TCP_SOCKETS_H

#include "hocket/Tcp/TcpProcesses.h"
#include <chrono>

namespace hocket::runtime {

/// A socket that listens at the port of `place`: to this machine alone where
/// its host is the loopback's, else to all. The user's error where the port is
/// taken.
Status listenAt(const MeetingPlace &place, int &listener);

/// A connection to `place`, or -1 and in `reason` why there is none now.
int reach(const MeetingPlace &place,
          std::chrono::steady_clock::time_point deadline, std::string &reason);

/// The next connection to a socket that listens, or -1.
int acceptFrom(int listener);

} // namespace hocket::runtime

#endif // HOCKET_LIB_TCP_SOCKETS_H
