//===- StartProcesses.h - the program starts itself, once a rank -*- C++ -*-=//

#ifndef HOCKET_LIB_LAUNCHER_STARTPROCESSES_H
#define HOCKET_LIB_LAUNCHER_STARTPROCESSES_H

#include "hocket/Tcp/TcpProcesses.h"
#include <optional>

namespace hocket::runtime {

/// Processes of this machine, of `count` in all.
struct StartedHere {
  int64_t first = 0, here = 1, count = 1;
  /// Where process 0 is to listen; where it is not said, all are of this
  /// machine.
  std::optional<MeetingPlace> meet;
};

/// Runs this executable, with the arguments that it was given, in each of these
/// processes, and returns the exit status: that of the first that ended other
/// than well, after which the others have a moment to end by themselves.
/// Signals that end or save a run are passed on to all.
int startProcesses(const StartedHere &started);

} // namespace hocket::runtime

#endif // HOCKET_LIB_LAUNCHER_STARTPROCESSES_H
