//===- Processes.cpp - what processes decide together ---------------------===//

#include "hocket/Runtime/Processes.h"
#include "hocket/Runtime/PackedBytes.h"

namespace hocket::runtime {

Status Processes::agree(const Status &mine) {
  if (count() == 1)
    return mine;
  BytePacker packer;
  packer.add(mine.kind);
  packer.add(mine.message);
  std::vector<std::string> all;
  if (Status status = gather(packer.bytes, all); !status.ok())
    return mine.ok() ? status : mine;
  for (const std::string &bytes : all) {
    Status theirs;
    ByteUnpacker unpacker(bytes);
    unpacker.take(theirs.kind);
    unpacker.take(theirs.message);
    if (!theirs.ok())
      return theirs;
  }
  return Status::success();
}

Status Processes::requireEqual(
    const std::vector<std::pair<std::string, std::string>> &facts) {
  BytePacker packer;
  for (const auto &[name, value] : facts)
    packer.add(value);
  std::vector<std::string> all;
  if (Status status = gather(packer.bytes, all); !status.ok())
    return status;
  for (size_t process = 1; process < all.size(); ++process) {
    ByteUnpacker first(all[0]), other(all[process]);
    for (const auto &[name, value] : facts) {
      std::string expected, found;
      first.take(expected);
      other.take(found);
      if (found != expected)
        return Status::userError("the processes differ: process 0 has " + name +
                                 " " + expected + ", process " +
                                 std::to_string(process) + " has " + name +
                                 " " + found + "; all have to be the same");
    }
  }
  return Status::success();
}

Status Processes::tell(std::string &text) {
  if (count() == 1)
    return Status::success();
  std::vector<std::string> all;
  Status status = gather(isFirst() ? text : "", all);
  if (status.ok())
    text = all.front();
  return status;
}

} // namespace hocket::runtime
