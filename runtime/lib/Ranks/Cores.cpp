//===- Cores.cpp - which cores ranks run on -------------------------------===//

#include "runtime/lib/Ranks/Cores.h"
#include <algorithm>
#include <fstream>
#include <optional>
#include <sched.h>
#include <sstream>

namespace hocket::runtime {

static std::vector<int> allowedCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set))
        cores.push_back(core);
  if (cores.empty())
    cores.push_back(0);
  return cores;
}

// ---- quotas of control groups ---------------------------------------------

/// Whether `word` is one of `list`, which has commas between.
static bool lists(const std::string &list, const std::string &word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

/// Cores' worth of time that the group at `folder` may use, of either version
/// of control groups.
static std::optional<double> quotaOf(const std::string &folder) {
  std::string quota;
  double period = 0;
  if (std::ifstream both(folder + "/cpu.max"); both)
    both >> quota >> period;
  else if (std::ifstream first(folder + "/cpu.cfs_quota_us"); first) {
    first >> quota;
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  }
  double time = std::strtod(quota.c_str(), nullptr); // of "max" or "-1": none
  if (time <= 0 || period <= 0)
    return std::nullopt;
  return time / period;
}

/// The group of this process below the mount that /proc/self/mountinfo
/// describes with `line`, and those that it lies in, have quotas.
static std::optional<double> leastQuota(const std::string &root,
                                        const std::string &line) {
  std::istringstream fields(line);
  std::string word, mountRoot, mount, type, source, options;
  fields >> word >> word >> word >> mountRoot >> mount;
  while (fields >> word && word != "-")
    ;
  fields >> type >> source >> options;
  bool isSecond = type == "cgroup2";
  if (!isSecond && (type != "cgroup" || !lists(options, "cpu")))
    return std::nullopt;
  std::ifstream groups(root + "/proc/self/cgroup");
  std::string group;
  while (std::getline(groups, group)) { // 4:cpu,cpuacct:/path or 0::/path
    size_t first = group.find(':'), second = group.find(':', first + 1);
    if (second == std::string::npos)
      continue;
    std::string owner = group.substr(first + 1, second - first - 1);
    if (isSecond ? owner.empty() : lists(owner, "cpu")) {
      group = group.substr(second + 1);
      break;
    }
  }
  if (mountRoot != "/" && group.compare(0, mountRoot.size(), mountRoot) == 0)
    group = group.substr(mountRoot.size());
  std::optional<double> least;
  for (;; group = group.substr(0, group.rfind('/'))) {
    std::optional<double> quota = quotaOf(root + mount + group);
    if (quota && (!least || *quota < *least))
      least = quota;
    if (group.find('/') == std::string::npos)
      return least;
  }
}

Cores coresOfProcess(const std::string &root) {
  Cores cores;
  cores.allowed = allowedCores();
  cores.usable = int64_t(cores.allowed.size());
  std::ifstream mounts(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);)
    if (std::optional<double> quota = leastQuota(root, line))
      cores.usable = std::min(cores.usable, std::max<int64_t>(1, *quota));
  return cores;
}

// ---- ranks ----------------------------------------------------------------

CoreShares shareCores(const Cores &cores, int64_t ranks, int64_t threads) {
  CoreShares shares;
  shares.threads =
      threads > 0 ? threads : std::max<int64_t>(1, cores.usable / ranks);
  shares.spins = ranks * shares.threads <= cores.usable;
  for (int64_t rank = 0; shares.spins && rank < ranks; ++rank) {
    auto first = cores.allowed.begin() + rank * shares.threads;
    shares.pinned.emplace_back(first, first + shares.threads);
  }
  return shares;
}

} // namespace hocket::runtime
