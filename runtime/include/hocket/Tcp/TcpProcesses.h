//===- TcpProcesses.h - processes that meet by a port ----------*- C++ -*-===//

#ifndef HOCKET_TCP_TCPPROCESSES_H
#define HOCKET_TCP_TCPPROCESSES_H

#include "hocket/Runtime/Status.h"
#include <cstdint>
#include <memory>
#include <string>

namespace hocket::runtime {

class LaunchedProcesses;

/// Where process 0 of a run listens, and the others find it.
struct MeetingPlace {
  std::string host;
  int port = 0;

  std::string text() const {
    bool isNumber = host.find(':') != std::string::npos;
    return (isNumber ? "[" + host + "]" : host) + ":" + std::to_string(port);
  }
};

/// Reads HOST:PORT or [ADDRESS]:PORT, with a port from 1 to 65535.
bool parseMeetingPlace(const std::string &text, MeetingPlace &place);

struct TcpOptions {
  int64_t index = 0, count = 1;
  MeetingPlace place;
  /// A socket of process 0 that listens there already, or -1.
  int listener = -1;
  /// Equal on the processes of one run; tells them from those of another one.
  std::string run;
  /// How long a process waits for the others.
  double deadlineSeconds = 60;
};

/// Meets the other processes. Also where this fails, `processes` say who is to
/// tell; else they have to be ended.
Status startTcp(const TcpOptions &options,
                std::unique_ptr<LaunchedProcesses> &processes);

/// A socket that listens to this machine alone, at any port, and is inherited.
Status listenToThisMachine(int &listener, MeetingPlace &place);

} // namespace hocket::runtime

#endif // HOCKET_TCP_TCPPROCESSES_H
