//===- TensorFiles.h - tensors from one or more files ----------*- C++ -*-===//

#ifndef HOCKET_IO_TENSORFILES_H
#define HOCKET_IO_TENSORFILES_H

#include "hocket/Io/MappedFile.h"
#include "hocket/Io/NameMap.h"
#include "hocket/Io/StoredTensors.h"
#include <deque>
#include <map>
#include <set>

namespace hocket::runtime {

/// A source that is the union of files. Files are checked when they are added
/// and read when a rank reads its box.
class TensorFiles : public StoredTensors {
public:
  /// `role` begins names and errors: "weights", "input". `takesTokens`: a file
  /// that is no safetensors may be one of raw tokens, which errors tell.
  explicit TensorFiles(std::string role, bool takesTokens = false)
      : role(std::move(role)), takesTokens(takesTokens) {}

  /// Adds what `path` names:
  ///   FILE.safetensors       all its tensors
  ///   FILE.index.json        the tensors that it maps to files beside it
  ///   FILE.npy               one tensor, called FILE
  ///   NAME=FILE.npy          one tensor, called NAME
  ///   FOLDER                 model.safetensors.index.json if it is there, else
  ///                          every .safetensors and .npy file in it
  /// Any other file is read as safetensors. A tensor that is there already is
  /// an error.
  Status add(const std::string &path);

  /// After all files are added: calls every tensor what `names` says. A rule
  /// that nothing matches and two tensors of one name are errors.
  Status rename(const NameMap &names);

  std::vector<std::string> tensorNames() const;
  /// Without what the files, checkpoints, say that an optimizer kept.
  std::vector<std::string> parameterNames() const;
  const StoredTensor *find(const std::string &tensor) const override;

  std::string name() const override;
  Status read(const std::string &tensor, const Box &box, plan::DType type,
              void *destination) const override;

private:
  struct Entry {
    StoredTensor stored;
    std::string path; // of its file
  };
  Status addSafetensors(const std::string &path,
                        const std::vector<std::string> *only);
  Status addIndex(const std::string &path);
  Status addNpy(const std::string &tensor, const std::string &path);
  Status addFolder(const std::string &path);
  Status insert(const std::string &tensor, const StoredTensor &stored,
                const std::string &path);
  std::string title(const std::string &path) const;

  std::string role;
  bool takesTokens;
  std::vector<std::string> paths; // as the user gave them
  std::deque<MappedFile> files;
  std::map<std::string, Entry> tensors;
  std::set<std::string> ofOptimizer;
};

} // namespace hocket::runtime

#endif // HOCKET_IO_TENSORFILES_H
