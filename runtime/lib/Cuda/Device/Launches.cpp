//===- Launches.cpp - launches of the runtime's own kernels ---------------===//

#include "runtime/lib/Cuda/Device/Launches.h"

namespace hocket::runtime::cuda {

/// More shared memory than this a kernel has to be told of.
static constexpr unsigned sharedWithoutAsking = 48 * 1024;

Launches::~Launches() {
  if (tables && stream.gpu.enter().ok())
    stream.api->memFree(tables);
}

Status Launches::placeTables() {
  const std::vector<std::byte> &bytes = launches.tables();
  if (bytes.empty())
    return Status::success();
  int64_t count = static_cast<int64_t>(bytes.size());
  Status status = stream.gpu.allocate(
      bytes.size(), std::to_string(count) + " bytes for tables of kernels",
      tables);
  if (!status.ok())
    return status;
  stream.gpu.account().tables += count;
  launches.setTables(tables);
  return stream.copyIn(tables, count, [&](void *host) {
    std::memcpy(host, bytes.data(), bytes.size());
    return Status::success();
  });
}

Status Launches::prepare(KernelLaunches what) {
  launches = std::move(what);
  if (Status status = placeTables(); !status.ok())
    return status;
  functions.resize(launches.list.size());
  for (size_t i = 0; i < functions.size(); ++i) {
    const KernelLaunch &launch = launches.list[i];
    Status status = stream.gpu.find(launch.source, launch.entry, functions[i]);
    if (status.ok() && launch.sharedBytes > sharedWithoutAsking)
      status = stream.api.status(
          stream.api->funcSetAttribute(functions[i], MaxDynamicSharedSizeBytes,
                                       int(launch.sharedBytes)),
          "cuFuncSetAttribute",
          std::to_string(launch.sharedBytes) +
              " bytes of shared memory of kernel '" + launch.entry + "'");
    if (!status.ok())
      return status;
  }
  return Status::success();
}

Status Launches::run() {
  for (size_t i = 0; i < functions.size(); ++i) {
    KernelLaunch &launch = launches.list[i];
    void *parameters[] = {launch.argument.data()};
    Result result = stream.api->launchKernel(
        functions[i], launch.grid[0], launch.grid[1], launch.grid[2],
        launch.block[0], launch.block[1], launch.block[2], launch.sharedBytes,
        stream.get(), parameters, nullptr);
    if (result != Success)
      return stream.api.status(result, "cuLaunchKernel",
                               "kernel '" + launch.entry + "'");
  }
  return Status::success();
}

} // namespace hocket::runtime::cuda
