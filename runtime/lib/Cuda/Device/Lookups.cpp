//===- Lookups.cpp - ids outside of tables, told at a step's end ----------===//

#include "runtime/lib/Cuda/Device/Lookups.h"
#include "runtime/lib/Cuda/Attention/AttentionLengths.h"
#include "runtime/lib/Cuda/Kernels/Embedding.h"

namespace hocket::runtime::cuda {

Lookups::~Lookups() {
  if (!records || !stream.gpu.enter().ok())
    return;
  stream.api->memFree(records);
  if (seen)
    stream.api->memFreeHost(seen);
}

Status Lookups::reserve(size_t most) {
  if (records)
    return Status::success();
  size_t bytes = most * sizeof(LookupError);
  const std::string what =
      std::to_string(bytes) + " bytes for the records of lookups";
  void *place = nullptr;
  stream.gpu.account().tables += int64_t(bytes);
  Status status = stream.gpu.allocate(bytes, what, records);
  if (status.ok())
    status = stream.api.status(
        stream.api->memHostAlloc(&place, bytes, HostAllocPortable),
        "cuMemHostAlloc", what);
  seen = static_cast<LookupError *>(place);
  lookups.reserve(most);
  return status.ok() ? stream.zero(records, int64_t(bytes)) : status;
}

DeviceAddress Lookups::add(std::string where, std::string ids, int64_t vocab) {
  lookups.push_back({std::move(where), std::move(ids), vocab});
  return records + (lookups.size() - 1) * sizeof(LookupError);
}

DeviceAddress Lookups::addPadding(std::string where) {
  lookups.push_back({std::move(where), "", 0, /*isPadding=*/true});
  return records + (lookups.size() - 1) * sizeof(LookupError);
}

Status Lookups::fetch() {
  if (lookups.empty())
    return Status::success();
  return stream.api.status(
      stream.api->memcpyDtoHAsync(
          seen, records, lookups.size() * sizeof(LookupError), stream.get()),
      "cuMemcpyDtoHAsync", "a download of the records of lookups");
}

Status Lookups::check() {
  for (size_t i = 0; i < lookups.size(); ++i) {
    const Lookup &lookup = lookups[i];
    Status status = lookup.isPadding
                        ? statusOfPadding(seen[i])
                        : statusOf(seen[i], lookup.ids, lookup.vocab);
    if (status.ok())
      continue;
    status.message = lookup.where + ": " + status.message;
    Status cleared =
        stream.zero(records, int64_t(lookups.size() * sizeof(LookupError)));
    return cleared.ok() ? status : cleared;
  }
  return Status::success();
}

} // namespace hocket::runtime::cuda
