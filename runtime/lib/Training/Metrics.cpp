//===- Metrics.cpp - a line of JSON for each step -------------------------===//

#include "hocket/Training/Metrics.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
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

Status MetricsFile::open(const std::string &name, int64_t after) {
  path = name;
  if (after > 0) {
    // Under another name first: a run that is killed here loses no line.
    std::string kept = linesUpTo(path, after), fresh = path + ".kept";
    int copy =
        ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool good = copy >= 0 && writeAll(copy, kept);
    if (copy >= 0)
      good &= close(copy) == 0;
    if (!good || rename(fresh.c_str(), path.c_str()) != 0)
      return failure(path);
  }
  int how = after > 0 ? O_APPEND : O_TRUNC;
  file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | how, 0666);
  return file < 0 ? failure(path) : Status::success();
}

Status MetricsFile::write(const nlohmann::ordered_json &line) {
  if (file < 0 || writeAll(file, line.dump() + "\n"))
    return Status::success();
  Status status = failure(path);
  return Status::runtimeError(status.message);
}

} // namespace hocket::runtime
