//===- CheckpointNames.h - what is in a folder of checkpoints --*- C++ -*-===//

#ifndef HOCKET_LIB_TRAINING_CHECKPOINTNAMES_H
#define HOCKET_LIB_TRAINING_CHECKPOINTNAMES_H

#include "hocket/Io/Safetensors.h"
#include "hocket/Training/Checkpoint.h"

namespace hocket::runtime {

/// Of the metadata: the digest of the model's block layouts, if it has any.
inline constexpr const char *layoutsKey = "hocket.block_layouts";

/// step-0000000300.safetensors
std::string checkpointName(int64_t step);

/// The step of a checkpoint's name, or -1 for another file's.
int64_t stepOfName(const std::string &name);

/// The names in a folder, in order.
Status listFolder(const std::string &path, std::vector<std::string> &names);

/// The checkpoints among `names`, oldest first.
std::vector<std::string> checkpointsOf(const std::vector<std::string> &names);

/// The metadata of a file that is a checkpoint by what it holds; an error for
/// any other.
Status readMetadata(const std::string &file, Metadata &metadata,
                    Progress &progress);

} // namespace hocket::runtime

#endif // HOCKET_LIB_TRAINING_CHECKPOINTNAMES_H
