//===- Metrics.cpp - a line of JSON for each step -------------------------===//

#include "hocket/Training/Metrics.h"
#include "hocket/Io/FileLock.h"
#include "hocket/Io/NewFile.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace hocket::runtime {

MetricsFile::~MetricsFile() {
  if (file >= 0)
    close(file);
}

/// The lines of `path` up to step `after`; a last one that was cut off when its
/// writer was killed is no JSON.
static std::string linesUpTo(const std::string &path, int64_t after) {
  std::string kept;
  std::ifstream stream(path, std::ios::binary);
  for (std::string line; std::getline(stream, line);) {
    auto json = nlohmann::json::parse(line, nullptr,
                                      /*allow_exceptions=*/false);
    if (json.is_object() && json.contains("step") &&
        json["step"].is_number_integer() && json["step"] <= after)
      kept += line + "\n";
  }
  return kept;
}

static Status failure(const std::string &path) {
  return Status::userError("metrics '" + path +
                           "' cannot be written: " + std::strerror(errno));
}

static bool writeAll(int file, const std::string &text) {
  size_t done = 0;
  while (done < text.size()) {
    ssize_t count = ::write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    done += count;
  }
  return true;
}

/// Opens and locks what `path` leads to. A run that goes on puts another file
/// there, so that the one that was opened may be none any more.
Status MetricsFile::openLocked() {
  while (true) {
    file =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0)
      return failure(path);
    isRegular = S_ISREG(status.st_mode);
    if (!isRegular) // many may write to a terminal or a pipe
      return Status::success();
    if (!lockOpenFile(file))
      return Status::userError("metrics '" + path +
                               "' are written by another run; let it end, or "
                               "write to another file");
    if (isStillAt(file, path))
      return Status::success();
    close(std::exchange(file, -1));
  }
}

/// Puts a file with `lines` in the place of the one that is open, under another
/// name first: a run that is killed here loses no line.
bool MetricsFile::replace(const std::string &lines) {
  std::error_code none;
  auto real = std::filesystem::canonical(path, none); // a link stays one
  std::string target = none ? path : real.string();
  NewFile fresh;
  struct stat old;
  int copy = -1;
  bool good = fresh.create(target) && lockOpenFile(fresh.descriptor()) &&
              fstat(file, &old) == 0 &&
              fchmod(fresh.descriptor(), old.st_mode & 07777) == 0 &&
              fresh.write(lines.data(), lines.size()) &&
              fresh.publishOpen(copy);
  if (!good)
    return false;
  close(std::exchange(file, copy));
  return fcntl(file, F_SETFL, O_APPEND) == 0;
}

Status MetricsFile::open(const std::string &name, int64_t after) {
  path = name;
  if (Status status = openLocked(); !status.ok() || !isRegular)
    return status;
  bool good =
      after > 0 ? replace(linesUpTo(path, after)) : ftruncate(file, 0) == 0;
  return good ? Status::success() : failure(path);
}

Status MetricsFile::write(const nlohmann::ordered_json &line) {
  if (file < 0 || writeAll(file, line.dump() + "\n"))
    return Status::success();
  Status status = failure(path);
  return Status::runtimeError(status.message);
}

} // namespace hocket::runtime
