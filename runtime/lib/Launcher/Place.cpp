//===- Place.cpp - who started this process, and which it is --------------===//

#include "Place.h"
#include "hocket/Mpi/MpiProcesses.h"
#include <cstdlib>
#include <sstream>

namespace hocket::runtime {

static bool parseNumber(const std::string &text, int64_t &number) {
  constexpr size_t mostDigits = 9;
  number = std::atoll(text.c_str());
  return !text.empty() && text.size() <= mostDigits &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

// ---- started by the program itself ------------------------------------------

const char *const ownVariable = "HOCKET_PROCESS";

std::string ownPlace(const TcpOptions &process, bool speaks) {
  std::ostringstream text;
  text << process.index << ' ' << process.count << ' ' << speaks << ' '
       << process.listener << ' ' << process.place.port << ' '
       << process.place.host << ' ' << process.run;
  return text.str();
}

static std::string findOwn(const std::string &said, Place &place) {
  std::istringstream text(said);
  TcpOptions &tcp = place.tcp;
  text >> tcp.index >> tcp.count >> place.speaks >> tcp.listener >>
      tcp.place.port >> tcp.place.host;
  if (!text)
    return std::string(ownVariable) + " is '" + said +
           "', which only --ranks-per-node sets; unset it";
  text >> tcp.run;
  place.by = Place::By::Itself;
  place.launcher = "--ranks-per-node";
  place.index = tcp.index;
  place.count = tcp.count;
  return "";
}

// ---- started as torchrun starts them ----------------------------------------

/// "RANK and WORLD_SIZE"
static std::string listText(const std::vector<std::string> &names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

/// The variables that torchrun sets, as far as they are there.
namespace {
struct TorchVariables {
  explicit TorchVariables(const Variables &variables) {
    for (auto [name, value] : {std::pair{"RANK", &rank},
                               {"WORLD_SIZE", &size},
                               {"MASTER_ADDR", &host},
                               {"MASTER_PORT", &port}}) {
      const char *text = variables(name);
      (text ? set : missing).push_back(name);
      *value = text ? text : "";
    }
    const char *local = variables("LOCAL_RANK");
    hasLocal = local;
    localRank = local ? local : "";
  }

  std::string fault(Place &place) const;

  std::string rank, size, host, port, localRank;
  bool hasLocal;
  std::vector<std::string> set, missing;
};
} // namespace

std::string TorchVariables::fault(Place &place) const {
  bool isOne = set.size() == 1, lacksOne = missing.size() == 1;
  if (!missing.empty())
    return listText(set) + (isOne ? " is" : " are") +
           " set, as by torchrun, but " + listText(missing) +
           (lacksOne ? " is" : " are") +
           " not; set all four, or neither RANK nor WORLD_SIZE";
  const bool speaks = place.speaks;
  int64_t local = 0;
  if (!parseNumber(size, place.count) || place.count < 1)
    return "WORLD_SIZE is '" + size + "', expected the number of processes";
  place.speaks = true; // what follows is this process's own
  if (!parseNumber(rank, place.index) || place.index >= place.count)
    return "RANK is '" + rank + "' and WORLD_SIZE is '" + size +
           "', expected a RANK from 0 to " + std::to_string(place.count - 1);
  if (hasLocal && !parseNumber(localRank, local))
    return "LOCAL_RANK is '" + localRank +
           "', expected the number of this process among those of its machine";
  place.speaks = speaks;
  if (!parseMeetingPlace("[" + host + "]:" + port, place.tcp.place))
    return "MASTER_ADDR is '" + host + "' and MASTER_PORT is '" + port +
           "', expected the name or address of a machine and a port from 1 to "
           "65535";
  return "";
}

/// Where torchrun keeps a server of its own at that port, the one beside it is
/// taken.
static int portBeside(int port) { return port < 65535 ? port + 1 : port - 1; }

static std::string findTorchrun(const Variables &variables, Place &place) {
  TorchVariables given(variables);
  place.speaks = given.hasLocal ? given.localRank == "0"
                                : given.rank == "0" || given.rank.empty();
  if (std::string fault = given.fault(place); !fault.empty())
    return fault;
  place.by = Place::By::Torchrun;
  place.launcher = "torchrun";
  TcpOptions &tcp = place.tcp;
  tcp.index = place.index;
  tcp.count = place.count;
  const char *run = variables("TORCHELASTIC_RUN_ID");
  const char *restarts = variables("TORCHELASTIC_RESTART_COUNT");
  tcp.run = std::string(run ? run : "") + "/" + (restarts ? restarts : "");
  const char *keeps = variables("TORCHELASTIC_USE_AGENT_STORE");
  if (keeps && std::string(keeps) == "True")
    tcp.place.port = portBeside(tcp.place.port);
  return "";
}

// ---- by whom ----------------------------------------------------------------

static void takeMpi(const MpiPlace &mpi, Place &place) {
  place = {};
  place.by = Place::By::Mpi;
  place.index = mpi.index;
  place.count = mpi.count;
  place.speaks = mpi.index == 0;
  place.launcher = mpi.launcher;
}

std::string findPlace(const Variables &variables, plan::Target target,
                      Place &place) {
  place = {};
  if (const char *own = variables(ownVariable))
    return findOwn(own, place);
  MpiPlace mpi = placeInMpi(variables);
  bool isTorchrun = variables("TORCHELASTIC_RUN_ID");
  bool isNumbered = variables("RANK") || variables("WORLD_SIZE");
  if (target == plan::Target::Cuda) {
    // torchrun may be what an MPI launcher has started. Without it the four
    // variables are set by hand, where srun leaves it to them.
    if (isTorchrun || (isNumbered && !(mpi.isStarted && mpi.knowsOthers)))
      return findTorchrun(variables, place);
  } else if (!mpi.isStarted && isNumbered) {
    std::string fault = findTorchrun(variables, place);
    if (fault.empty() && place.count > 1)
      return "torchrun started " + std::to_string(place.count) +
             " processes, as RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT "
             "say; a program for CPUs is started in several processes by "
             "mpirun or srun, and without these its ranks are threads";
    place = {};
  }
  if (mpi.isStarted)
    takeMpi(mpi, place);
  return "";
}

// ---- whether that fits the program ------------------------------------------

/// "1, 2 or 4"
static std::string divisorsOf(int64_t number) {
  std::vector<int64_t> divisors;
  for (int64_t i = 1; i <= number; ++i)
    if (number % i == 0)
      divisors.push_back(i);
  std::string text;
  for (size_t i = 0; i < divisors.size(); ++i)
    text += (i == 0                     ? ""
             : i + 1 == divisors.size() ? " or "
                                        : ", ") +
            std::to_string(divisors[i]);
  return text;
}

static std::string number(int64_t count, const char *what,
                          const char *several) {
  return std::to_string(count) + " " + (count == 1 ? what : several);
}

std::string rankFault(const Place &place, const plan::Plan &plan) {
  int64_t ranks = plan.rankCount();
  bool isGpu = plan.target == plan::Target::Cuda;
  if (isGpu ? place.by == Place::By::Nobody || ranks == place.count
            : ranks % place.count == 0)
    return "";
  std::string text = "the program is compiled for " +
                     number(ranks, "rank, ", "ranks, ") + place.launcher +
                     " started " + number(place.count, "process", "processes") +
                     "; ";
  if (!isGpu)
    return text + "processes have equally many ranks: start " +
           divisorsOf(ranks);
  return text + "on GPUs each rank is a process of its own: start " +
         std::to_string(ranks) +
         ", or start it without a launcher, then all its ranks share one GPU";
}

std::string startFault(const LauncherOptions &options, const Place &place,
                       const plan::Plan &plan) {
  const char *given = options.ranksPerNode ? "--ranks-per-node"
                      : options.node       ? "--node"
                      : options.meet       ? "--meet"
                                           : nullptr;
  if (!given || place.by == Place::By::Itself)
    return "";
  const std::string name = given;
  if (plan.target != plan::Target::Cuda)
    return name + " is for programs for GPUs (--target=cuda); a program for "
                  "CPUs is started in several processes by mpirun or srun";
  bool saysWhere = options.node && options.meet;
  if (place.by == Place::By::Torchrun && name == "--meet")
    return "";
  if (place.by != Place::By::Nobody && place.count > 1 && !saysWhere)
    return place.launcher + " starts the processes; leave out " + name;
  if (!options.ranksPerNode)
    return name + " needs --ranks-per-node N, which starts the processes of "
                  "this machine";
  int64_t ranks = plan.rankCount(), each = *options.ranksPerNode;
  if (ranks % each != 0)
    return "--ranks-per-node is '" + std::to_string(each) +
           "', but the program is compiled for " +
           number(ranks, "rank", "ranks") + ", expected " + divisorsOf(ranks);
  int64_t nodes = ranks / each;
  if (nodes > 1 && !saysWhere)
    return std::to_string(ranks) + " ranks, " + std::to_string(each) +
           " on each machine, are on " + std::to_string(nodes) +
           " machines; say on each --node I, from 0 to " +
           std::to_string(nodes - 1) +
           ", and --meet HOST:PORT with the name of the first";
  if (options.node && *options.node >= nodes)
    return "--node is '" + std::to_string(*options.node) + "', but " +
           number(ranks, "rank", "ranks") + ", " + std::to_string(each) +
           " on each machine, are on " + number(nodes, "machine", "machines") +
           ", expected a number from 0 to " + std::to_string(nodes - 1);
  return "";
}

} // namespace hocket::runtime
