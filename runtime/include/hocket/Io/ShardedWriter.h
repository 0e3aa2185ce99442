//===- ShardedWriter.h - a folder of safetensors shards --------*- C++ -*-===//
//
// As published models are: model-00001-of-00003.safetensors and so on, and
// model.safetensors.index.json, {"metadata": {"total_size": bytes},
// "weight_map": {"tensor": "file"}}.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_IO_SHARDEDWRITER_H
#define HOCKET_IO_SHARDEDWRITER_H

#include "hocket/Io/Safetensors.h"

namespace hocket::runtime {

inline constexpr const char *indexName = "model.safetensors.index.json";

/// "model-00002-of-00003.safetensors" for the second of three.
std::string shardName(size_t number, size_t count);
bool isShardName(const std::string &name);

struct ShardOptions {
  std::string folder;
  /// Of the tensors of one shard; one that is larger has a shard of its own.
  int64_t mostBytes = 5'000'000'000;
  bool force = false; // replaces weights that are in the folder
  Processes *processes = &oneProcess(); // as of SafetensorsWriter
};

/// Writes shards from boxes that come in any order from any thread. Nothing is
/// seen in the folder before commit(), and nothing is left of a writer that is
/// destroyed without, nor of a folder that it made.
class ShardedWriter : public OutputWriter {
public:
  /// Reserves the size of all shards. Refused: a folder that holds weights
  /// already, unless options.force, and one whose weights this process reads.
  static Status create(const ShardOptions &options,
                       const std::vector<NamedTensor> &tensors,
                       std::unique_ptr<ShardedWriter> &writer);
  ~ShardedWriter() override;

  Status prepare(const std::string &tensor,
                 const TensorDescription &description) override;
  Status write(const std::string &tensor, const Box &box,
               const void *source) override;
  /// Puts the shards in their places and then the index, so that an index
  /// never names a shard that is not there; an index that is replaced goes
  /// first.
  Status commit() override;

private:
  explicit ShardedWriter(Processes &processes) : processes(processes) {}
  Status makeFolder();
  Status checkFolder(bool force);
  Status addShards(const std::vector<NamedTensor> &tensors, int64_t mostBytes);
  Status makeIndex(int64_t totalBytes);
  Status removeReplaced();
  Status failure(const std::string &path, const char *what) const;
  std::string pathOf(const std::string &name) const;

  Processes &processes;
  std::string folder;
  std::vector<std::string> made;     // folders, outermost first
  std::vector<std::string> replaced; // names of files
  std::vector<std::string> names;    // of shards
  std::vector<std::unique_ptr<SafetensorsWriter>> shards;
  std::map<std::string, size_t> shardOf; // by tensor
  NewFile index;
  bool isDone = false;
};

} // namespace hocket::runtime

#endif // HOCKET_IO_SHARDEDWRITER_H
