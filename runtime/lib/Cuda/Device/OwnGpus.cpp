//===- OwnGpus.cpp - a GPU for each process -------------------------------===//

#include "runtime/lib/Cuda/Device/OwnGpus.h"
#include "hocket/Runtime/PackedBytes.h"
#include <algorithm>
#include <unistd.h>

namespace hocket::runtime::cuda {

static const std::string shareOne =
    "or start the program without a launcher and without --ranks-per-node, "
    "then all its ranks share one GPU";

static std::string count(int64_t number, const char *what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

/// Of two processes that have the same device.
static Status sameDevice(const std::vector<ChosenGpu> &gpus, size_t first,
                         size_t second) {
  const ChosenGpu &gpu = gpus[first];
  int64_t ranks = 0, visible = 0;
  for (const ChosenGpu &other : gpus)
    if (other.machine == gpu.machine) {
      ++ranks;
      visible = std::max(visible, other.visible);
    }
  if (visible < ranks)
    return Status::userError(
        "machine '" + gpu.machine + "' has fewer GPUs than ranks: " +
        count(ranks, "rank") + " need one each, " + std::to_string(visible) +
        (visible == 1 ? " is" : " are") +
        " visible (see nvidia-smi and CUDA_VISIBLE_DEVICES); use more "
        "machines, " +
        shareOne);
  return Status::userError(
      "ranks " + std::to_string(first) + " and " + std::to_string(second) +
      " have the same GPU '" + gpu.name + "' of machine '" + gpu.machine +
      "', where " + count(ranks, "rank") + " need one each and " +
      std::to_string(visible) +
      " are visible; let CUDA_VISIBLE_DEVICES be the same for all processes of "
      "a machine, " +
      shareOne);
}

static Status sameCard(const std::vector<ChosenGpu> &gpus, size_t first,
                       size_t second) {
  return Status::userError(
      "ranks " + std::to_string(first) + " and " + std::to_string(second) +
      " have slices (MIG) of one GPU '" + gpus[first].name + "' at " +
      gpus[first].place + " of machine '" + gpus[first].machine +
      "', which NCCL does not connect; give each rank a GPU of its own, " +
      shareOne);
}

Status checkOwnGpus(const std::vector<ChosenGpu> &gpus) {
  for (size_t second = 1; second < gpus.size(); ++second)
    for (size_t first = 0; first < second; ++first) {
      if (gpus[first].machine != gpus[second].machine)
        continue;
      if (gpus[first].uuid == gpus[second].uuid)
        return sameDevice(gpus, first, second);
      if (gpus[first].place == gpus[second].place)
        return sameCard(gpus, first, second);
    }
  return Status::success();
}

Status requireOwnGpus(const Gpu &gpu, Processes &processes) {
  DeviceUuid uuid = {};
  std::string place;
  Status status = gpu.uuid(uuid);
  if (status.ok())
    status = gpu.place(place);
  status = processes.agree(status);
  if (!status.ok())
    return status;
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  BytePacker packer;
  packer.add(std::string(host));
  packer.add(gpu.name());
  packer.add(std::string(uuid.bytes, sizeof uuid.bytes));
  packer.add(place);
  packer.add(int64_t(gpu.visible()));
  std::vector<std::string> all;
  status = processes.gather(packer.bytes, all);
  if (!status.ok())
    return status;
  std::vector<ChosenGpu> gpus(all.size());
  for (size_t process = 0; process < all.size(); ++process) {
    ByteUnpacker unpacker(all[process]);
    unpacker.take(gpus[process].machine);
    unpacker.take(gpus[process].name);
    unpacker.take(gpus[process].uuid);
    unpacker.take(gpus[process].place);
    unpacker.take(gpus[process].visible);
  }
  return checkOwnGpus(gpus);
}

} // namespace hocket::runtime::cuda
