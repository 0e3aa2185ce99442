//===- MappedFile.cpp - a whole file as read-only memory ------------------===//

#include "hocket/Io/MappedFile.h"
#include "hocket/Io/OutputFiles.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hocket::runtime {

MappedFile::~MappedFile() {
  if (bytes)
    munmap(const_cast<uint8_t *>(begin), bytes);
}

Status MappedFile::open(const std::string &path, const std::string &role) {
  auto fail = [&](const std::string &why) {
    return Status::userError(role + " '" + path + "': " + why);
  };
  // Nobody need write to what turns out to be a pipe.
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return fail(errno == ENOENT
                    ? "no such file"
                    : std::string("cannot be read: ") + std::strerror(errno));
  noteRead(role + " '" + path + "'", path);
  struct stat status;
  Status result;
  if (fstat(file, &status) != 0) {
    result = fail(std::string("cannot be read: ") + std::strerror(errno));
  } else if (!S_ISREG(status.st_mode)) {
    result = fail("is not a regular file, which can be read in parts; write it "
                  "to one first");
  } else if (status.st_size > 0) {
    void *memory =
        mmap(nullptr, status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (memory == MAP_FAILED) {
      result = fail(std::string("cannot be mapped: ") + std::strerror(errno));
    } else {
      begin = static_cast<const uint8_t *>(memory);
      bytes = status.st_size;
      watched.watch(begin, bytes, role + " '" + path + "'");
    }
  }
  close(file);
  return result;
}

} // namespace hocket::runtime
