//===- Place.h - who started this process, and which it is -----*- C++ -*-===//

#ifndef HOCKET_LIB_LAUNCHER_PLACE_H
#define HOCKET_LIB_LAUNCHER_PLACE_H

#include "Options.h"
#include "hocket/Plan/Plan.h"
#include "hocket/Tcp/TcpProcesses.h"
#include <functional>

namespace hocket::runtime {

/// A process among those that were started together, by what its environment
/// says.
struct Place {
  enum class By {
    Nobody,
    Mpi,
    /// torchrun, or whoever sets RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT.
    Torchrun,
    /// The program itself, with --ranks-per-node.
    Itself,
  } by = By::Nobody;
  int64_t index = 0, count = 1;
  /// Of its machine: the one that speaks while processes do not know each
  /// other.
  bool speaks = true;
  std::string launcher; // what sentences call it
  TcpOptions tcp;       // of processes that meet by a port
};

/// Gives variables of the environment, or null.
using Variables = std::function<const char *(const char *name)>;

/// What is wrong with the variables, or nothing. `place.speaks` also where
/// something is.
std::string findPlace(const Variables &variables, plan::Target target,
                      Place &place);

/// The variable by which the program tells a process that it starts its place,
/// and what it says: findPlace reads it.
extern const char *const ownVariable;
std::string ownPlace(const TcpOptions &process, bool speaks);

/// What is wrong with so many processes for the program, or nothing.
std::string rankFault(const Place &place, const plan::Plan &plan);

/// What is wrong with the options by which processes are started, or nothing.
std::string startFault(const LauncherOptions &options, const Place &place,
                       const plan::Plan &plan);

} // namespace hocket::runtime

#endif // HOCKET_LIB_LAUNCHER_PLACE_H
