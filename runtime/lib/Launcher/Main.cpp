//===- Main.cpp - from the command line to the exit status ----------------===//

#include "hocket/Launcher/Main.h"
#include "Command.h"
#include "Messages.h"
#include "Place.h"
#include "RunMain.h"
#include "SameProgram.h"
#include "StartProcesses.h"
#include "TrainMain.h"
#include "hocket/Io/SignalEnd.h"
#include "hocket/Mpi/MpiProcesses.h"
#include "runtime/lib/Ranks/LaunchedProcesses.h"
#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <new>
#include <sys/prctl.h>

namespace hocket::runtime {

/// Whether this process is to print an error: one of them, where all have it.
static bool tellsErrors(const Processes &processes,
                        const LaunchedProcesses *launched) {
  if (launched && launched->hasFailed())
    return !launched->wasTold();
  return processes.isFirst();
}

/// Meets the processes that were started together with this one, if there are
/// any.
static Status meetOthers(const Place &place, const LauncherOptions &options,
                         std::unique_ptr<LaunchedProcesses> &launched) {
  if (place.by == Place::By::Nobody)
    return Status::success();
  if (place.by == Place::By::Mpi) {
    MpiOptions mpi;
    mpi.deadlineSeconds = options.deadline;
    return startMpi(mpi, launched);
  }
  TcpOptions tcp = place.tcp;
  tcp.deadlineSeconds = options.deadline;
  if (place.by == Place::By::Torchrun && options.meet)
    tcp.place = *options.meet;
  return startTcp(tcp, launched);
}

static int startOnThisMachine(const LauncherOptions &options,
                              const plan::Plan &plan) {
  StartedHere started;
  started.count = plan.rankCount();
  started.here = *options.ranksPerNode;
  started.first = options.node.value_or(0) * started.here;
  if (started.here < started.count)
    started.meet = options.meet;
  return startProcesses(started);
}

namespace {

/// A program and what is to be done with it.
struct Program {
  const plan::Plan &plan;
  const uint8_t *kernels;
  size_t kernelsSize;
  DeviceOpener open;

  /// Once all processes have met. `done` is the exit status of a success.
  Status run(const Command &command, Processes &processes, int &done) const;
};

} // namespace

Status Program::run(const Command &command, Processes &processes,
                    int &done) const {
  Status status =
      checkSameProgram(command.options, command.arguments, plan, processes);
  if (!status.ok())
    return status;
  return command.kind == ProgramKind::Trains
             ? runTraining(command.options, plan, kernels, kernelsSize, open,
                           processes, done)
             : runOnce(command.options, plan, kernels, kernelsSize, open,
                       processes);
}

/// The exit status of a process that could not meet the others.
static int failToMeet(const Status &status, const Place &place,
                      LaunchedProcesses *launched) {
  if (!launched || !launched->hasFailed())
    return place.speaks ? fail(status) : status.exitStatus();
  int done = launched->wasTold() ? status.exitStatus() : fail(status);
  launched->end(done);
  return done;
}

/// What every process does that was started.
static int runAmongOthers(const Command &command, const Program &program,
                          const Place &place) {
  std::unique_ptr<LaunchedProcesses> launched;
  Status status = meetOthers(place, command.options, launched);
  if (!status.ok())
    return failToMeet(status, place, launched.get());
  Processes &processes = launched ? *launched : oneProcess();
  bool usesCores = program.plan.target == plan::Target::Cpu;
  if (launched && usesCores && !command.options.threads && processes.isFirst())
    if (std::string note = launched->threadsNote(program.plan.rankCount());
        !note.empty())
      std::cerr << "note: " + note + "\n" << std::flush;
  int done = 0;
  status = program.run(command, processes, done);
  if (!status.ok())
    done = tellsErrors(processes, launched.get()) ? fail(status)
                                                  : status.exitStatus();
  if (launched)
    launched->end(done);
  return done;
}

static int runProgram(const std::string &name, const Program &program,
                      const std::vector<std::string> &arguments) {
  const plan::Plan &plan = program.plan;
  Place place;
  if (std::string fault = findPlace(getenv, plan.target, place); !fault.empty())
    return place.speaks ? failUsage(fault) : usageStatus;
  unsetenv(ownVariable); // what this one starts is no process of the run
  if (place.by == Place::By::Itself) // not by the name of /proc/self/exe
    prctl(PR_SET_NAME, program_invocation_short_name);
  Command command{name,
                  plan,
                  arguments,
                  place.index == 0,
                  isTraining(plan) ? ProgramKind::Trains : ProgramKind::Runs,
                  {}};
  if (std::optional<int> status = command.answer())
    return *status;
  const LauncherOptions &options = command.options;
  std::string fault = startFault(options, place, plan);
  bool starts = options.ranksPerNode && place.by != Place::By::Itself;
  if (fault.empty() && starts)
    return startOnThisMachine(options, plan);
  if (fault.empty())
    fault = rankFault(place, plan);
  if (!fault.empty())
    return place.index == 0 ? failUsage(fault) : usageStatus;
  return runAmongOthers(command, program, place);
}

int runPlan(const std::string &program, const plan::Plan &plan,
            const uint8_t *kernels, size_t kernelsSize, DeviceOpener open,
            const std::vector<std::string> &arguments) {
  try {
    return runProgram(program, {plan, kernels, kernelsSize, open}, arguments);
  } catch (const std::bad_alloc &) {
    return fail(Status::runtimeError(
        "no memory is left; raise its limit (ulimit -v, or the container's)"));
  }
}

int runMain(int argc, char **argv, DeviceOpener open) {
  std::string program = argc > 0 ? argv[0] : "hocket-runner";
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  endCleanlyOnSignals();
  // The kernel's name for this file; argv[0] is only what errors call it.
  Package package;
  bool carries = false;
  Status status = unpackExecutable("/proc/self/exe", program, package, carries);
  if (!status.ok())
    return fail(status);
  if (!carries) {
    LauncherOptions options;
    std::string fault;
    if (parseOptions(arguments, ProgramKind::Runs, options, fault) &&
        options.help) {
      return print(helpText(program, ProgramKind::Runs));
    }
    return failUsage("this runner carries no program; make one with: hocket "
                     "compile FILE.hkt -o app");
  }
  return runPlan(program, package.plan, package.kernels, package.kernelsSize,
                 open, arguments);
}

} // namespace hocket::runtime
