//===- Library.cpp - the MPI library of this process ----------------------===//

#include "runtime/lib/Mpi/Library.h"
#include <cstdlib>

namespace hocket::runtime {

namespace {

using By = Launched::By;

/// How a launcher says the place of a process.
struct Launcher {
  By by;
  const char *index, *count;
  const char *name;
};

/// The first that fits. Slurm's step names its own type of start as well: with
/// pmix or pmi2 the variables of these are there before.
constexpr Launcher launchers[] = {
    {By::OpenMpi, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
     "mpirun (Open MPI)"},
    {By::OpenMpi, "PMIX_RANK", "SLURM_STEP_NUM_TASKS", "srun --mpi=pmix"},
    {By::Mpich, "PMI_RANK", "PMI_SIZE", "mpirun (MPICH)"},
    {By::Unknown, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "srun"},
};

} // namespace

Launched
launchedBy(const std::function<const char *(const char *name)> &value) {
  for (const Launcher &launcher : launchers) {
    const char *index = value(launcher.index), *count = value(launcher.count);
    if (!index || !count)
      continue;
    Launched launched{launcher.by, std::atoll(index), std::atoll(count),
                      launcher.name};
    // A step of one task needs nobody's help.
    if (launcher.by == By::Unknown && launched.count < 2)
      return {};
    return launched;
  }
  return {};
}

ShimBytes shimOf(const Launched &launched) {
  return launched.by == By::OpenMpi ? openMpiShim()
         : launched.by == By::Mpich ? mpichShim()
                                    : ShimBytes();
}

Status MpiLibrary::load(const Launched &launched, MpiThreads wanted,
                        ShimBytes bytes) {
  if (launched.by == By::Unknown)
    return Status::userError(
        launched.name + " started " + std::to_string(launched.count) +
        " processes that do not know of each other; let it start them for an "
        "MPI library: srun --mpi=pmix (Open MPI) or --mpi=pmi2 (MPICH)");
  const char *name = launched.by == By::OpenMpi ? "Open MPI" : "MPICH";
  if (bytes.size == 0)
    return Status::userError(
        launched.name +
        " started the program, but this hocket was built "
        "without " +
        name + "; start it with another mpirun, or build hocket where " + name +
        " is installed");
  std::string title = std::string("the library of ") + name;
  Status status =
      shim.load(bytes.data, bytes.size, title.c_str(), /*isGlobal=*/true);
  if (!status.ok())
    return Status::userError(launched.name + " started the program, but " +
                             status.message);
  auto *get = reinterpret_cast<const MpiFunctions *(*)()>(
      shim.find("hocketMpiFunctions"));
  functions = get();
  if (int code = functions->start(wanted, &threads))
    return failure("MPI_Init_thread", code);
  char text[128];
  functions->version(text, sizeof text);
  version = text;
  return Status::success();
}

Status MpiLibrary::failure(const char *what, int code) {
  char text[256];
  functions->describe(code, text, sizeof text);
  return Status::runtimeError(std::string(what) + " failed: " + text);
}

} // namespace hocket::runtime
