//===- NewFile.h - a file that appears whole or not at all -----*- C++ -*-===//

#ifndef HOCKET_IO_NEWFILE_H
#define HOCKET_IO_NEWFILE_H

#include "hocket/Io/SignalEnd.h"

namespace hocket::runtime {

/// While it is written it has no name, so that it vanishes with the process
/// however that ends. Where the file system cannot do that it is a temporary
/// beside its place, which signals remove and a kill leaves. Functions that
/// return false have set errno.
class NewFile {
public:
  NewFile() = default;
  /// Nothing is left of a file that was not published.
  ~NewFile();
  NewFile(const NewFile &) = delete;
  NewFile &operator=(const NewFile &) = delete;

  /// Opens it to be written, with the rights of any new file.
  bool create(const std::string &path);
  /// The same under a temporary name, which processes of other machines can
  /// open too; what was created before is dropped.
  bool createNamed(const std::string &path);
  bool hasTemporaryName() const { return !temporary.empty(); }
  /// For `join`: where another process finds it.
  std::string place() const;
  /// Opens what another process has created, which alone publishes it. What has
  /// no name is seen by the processes of its machine that may look at those of
  /// their user; where it is not seen, nothing else is opened in its stead.
  bool join(const std::string &placeOfOther);
  int descriptor() const { return file; }
  bool write(const void *data, size_t bytes);

  /// Puts it in its place, where it replaces what is there, and closes it.
  /// `isFlushed`: both file and name are on disk then.
  bool publish(bool isFlushed = false);
  /// The same, but it stays open, to be written further.
  bool publishOpen(int &descriptor);

private:
  void drop();
  bool giveName();

  std::string path, temporary;
  TemporaryName named; // the temporary
  int file = -1;
};

} // namespace hocket::runtime

#endif // HOCKET_IO_NEWFILE_H
