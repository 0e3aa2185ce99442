//===- Config.cpp - the configuration of a communicator -------------------===//

#include "test/Gpu/Libraries/Nccl/Config.h"

namespace hocket::lookalike {

namespace {

bool isSet(int value) { return value != NcclConfig::undefined; }

bool isFlag(int value) { return !isSet(value) || value == 0 || value == 1; }

std::string notA(const char *name, int value, const char *what) {
  return std::string("the configuration's ") + name + " is " +
         std::to_string(value) + ", not " + what;
}

} // namespace

std::string problemOf(const NcclConfig *config) {
  if (!config)
    return "";
  if (config->magic != 0xcafebeef)
    return "the configuration does not begin as NCCL_CONFIG_INITIALIZER does";
  if (config->size != sizeof(NcclConfig) || config->version < 21800 ||
      config->version >= 21900)
    return "the look-alike knows configurations of 2.18 with " +
           std::to_string(sizeof(NcclConfig)) + " bytes, not of " +
           std::to_string(config->version) + " with " +
           std::to_string(config->size);
  if (!isFlag(config->blocking))
    return notA("blocking", config->blocking, "0 or 1");
  if (!isFlag(config->splitShare))
    return notA("splitShare", config->splitShare, "0 or 1");
  if (isSet(config->cgaClusterSize) &&
      (config->cgaClusterSize < 0 || config->cgaClusterSize > 8))
    return notA("cgaClusterSize", config->cgaClusterSize, "from 0 to 8");
  if (isSet(config->minCTAs) && config->minCTAs < 1)
    return notA("minCTAs", config->minCTAs, "at least 1");
  if (isSet(config->maxCTAs) &&
      (config->maxCTAs < 1 || config->maxCTAs < config->minCTAs))
    return notA("maxCTAs", config->maxCTAs, "at least 1 and minCTAs");
  return "";
}

void configure(ncclComm &comm, const NcclConfig *config) {
  if (!config)
    return;
  if (isSet(config->blocking))
    comm.isBlocking = config->blocking;
  if (isSet(config->splitShare))
    comm.sharesWithSplits = config->splitShare;
}

} // namespace hocket::lookalike
