//===- Pack.cpp - appending a plan to the runner, and finding it ----------===//

#include "hocket/Launcher/Pack.h"
#include "hocket/Io/NewFile.h"
#include "hocket/Io/OutputFiles.h"
#include "hocket/Plan/Check.h"
#include <array>
#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hocket::runtime {

namespace {

constexpr char magic[] = "HOCKET01";
constexpr size_t trailerWords = 6, trailerBytes = trailerWords * 8;
constexpr uint64_t hashStart = 0xcbf29ce484222325;

uint64_t hashBytes(const uint8_t *data, size_t size, uint64_t hash) {
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ data[i]) * 0x100000001b3;
  return hash;
}

struct Trailer {
  uint64_t kernelsOffset, kernelsSize, planOffset, planSize, checksum;

  std::array<uint8_t, trailerBytes> encode() const {
    std::array<uint8_t, trailerBytes> bytes;
    uint64_t words[] = {kernelsOffset, kernelsSize, planOffset, planSize,
                        checksum};
    for (size_t i = 0; i < trailerBytes - 8; ++i)
      bytes[i] = uint8_t(words[i / 8] >> (i % 8 * 8));
    std::memcpy(&bytes[trailerBytes - 8], magic, 8);
    return bytes;
  }

  /// False if `bytes` does not end in the magic.
  bool decode(const uint8_t *bytes) {
    uint64_t *words[] = {&kernelsOffset, &kernelsSize, &planOffset, &planSize,
                         &checksum};
    for (size_t i = 0; i < trailerBytes - 8; ++i) {
      if (i % 8 == 0)
        *words[i / 8] = 0;
      *words[i / 8] |= uint64_t(bytes[i]) << (i % 8 * 8);
    }
    return std::memcmp(bytes + trailerBytes - 8, magic, 8) == 0;
  }

  uint64_t hashOf(const uint8_t *kernels, const uint8_t *plan) const {
    uint64_t hash = hashBytes(kernels, kernelsSize, hashStart);
    hash = hashBytes(plan, planSize, hash);
    auto bytes = encode();
    return hashBytes(bytes.data(), 4 * 8, hash);
  }

  /// Kernels and plan lie one after the other right before the trailer.
  bool fits(uint64_t fileSize) const {
    uint64_t end = fileSize - trailerBytes;
    return kernelsOffset <= end && kernelsSize <= end - kernelsOffset &&
           planOffset == kernelsOffset + kernelsSize &&
           planSize == end - planOffset;
  }
};

/// Finds the trailer of a mapped executable.
bool findTrailer(const MappedFile &file, Trailer &trailer) {
  return file.size() >= trailerBytes &&
         trailer.decode(file.data() + file.size() - trailerBytes);
}

/// Where the linker's file ends: section headers come last. Of another format,
/// the end of the file.
uint64_t endOfElf(const MappedFile &file) {
  Elf64_Ehdr header;
  if (file.size() < sizeof header)
    return file.size();
  std::memcpy(&header, file.data(), sizeof header);
  bool isElf = std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
               header.e_ident[EI_CLASS] == ELFCLASS64;
  return isElf ? header.e_shoff + uint64_t(header.e_shnum) * header.e_shentsize
               : file.size();
}

} // namespace

Status packExecutable(const std::string &runner,
                      const std::vector<uint8_t> &kernels,
                      const plan::Plan &plan, const std::string &out,
                      const std::string &what) {
  std::string error;
  if (!plan::check(plan, error))
    return Status::runtimeError("the plan cannot be packed: " + error);
  struct stat there;
  if (stat(out.c_str(), &there) == 0 && !S_ISREG(there.st_mode))
    return Status::userError(what + " '" + out +
                             "' cannot be written: it is not a regular file");
  MappedFile program;
  if (Status status = program.open(runner, "runner"); !status.ok())
    return status;
  Status free =
      checkNotRead({what + " '" + out + "'", out, OutputKind::Program});
  if (!free.ok())
    return free;
  Trailer trailer;
  uint64_t programSize = program.size();
  if (findTrailer(program, trailer) && trailer.fits(program.size()))
    programSize = trailer.kernelsOffset;
  std::vector<uint8_t> cbor = plan::toCbor(plan);
  trailer = {programSize, kernels.size(), programSize + kernels.size(),
             cbor.size(), 0};
  trailer.checksum = trailer.hashOf(kernels.data(), cbor.data());

  auto failure = [&](Status (*kind)(std::string)) {
    return kind(what + " '" + out +
                "' cannot be written: " + std::strerror(errno));
  };
  NewFile file;
  if (!file.create(out))
    return failure(Status::userError);
  auto bytes = trailer.encode();
  struct stat status;
  bool good = file.write(program.data(), programSize) &&
              file.write(kernels.data(), kernels.size()) &&
              file.write(cbor.data(), cbor.size()) &&
              file.write(bytes.data(), bytes.size()) &&
              fstat(file.descriptor(), &status) == 0;
  // Who may read it may run it.
  mode_t runs = good ? (status.st_mode & 0444) >> 2 : 0;
  good = good && fchmod(file.descriptor(), status.st_mode | runs) == 0 &&
         file.publish(/*isFlushed=*/true);
  return good ? Status::success() : failure(Status::runtimeError);
}

Status unpackExecutable(const std::string &path, const std::string &title,
                        Package &package, bool &carries,
                        const std::string &what) {
  carries = false;
  if (Status status = package.file.open(path, what); !status.ok())
    return status;
  noteRead("program '" + title + "'", path);
  auto corrupt = [&](const std::string &why) {
    return Status::runtimeError(what + " '" + title + "' is damaged: " + why +
                                "; compile it again");
  };
  Trailer trailer;
  if (!findTrailer(package.file, trailer))
    return package.file.size() > endOfElf(package.file)
               ? corrupt("its end is missing")
               : Status::success();
  carries = true;
  const uint8_t *data = package.file.data();
  if (!trailer.fits(package.file.size()))
    return corrupt("its trailer points outside of it");
  const uint8_t *plan = data + trailer.planOffset;
  package.kernels = data + trailer.kernelsOffset;
  package.kernelsSize = trailer.kernelsSize;
  if (trailer.hashOf(package.kernels, plan) != trailer.checksum)
    return corrupt("its kernels or its plan are not what was written");
  std::string error;
  if (!plan::fromCbor(plan, trailer.planSize, package.plan, error))
    return corrupt(error);
  return Status::success();
}

} // namespace hocket::runtime
