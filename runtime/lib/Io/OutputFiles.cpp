//===- OutputFiles.cpp - files that may be written ------------------------===//

#include "hocket/Io/OutputFiles.h"
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace hocket::runtime {

namespace {

struct ReadFiles {
  std::mutex mutex;
  std::map<std::string, std::string> titles; // by path
};

ReadFiles &readFiles() {
  static ReadFiles files;
  return files;
}

/// The regular file that `path` leads to.
std::optional<struct stat> regularFile(const std::string &path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  return status;
}

bool areOne(const struct stat &a, const struct stat &b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// The beginning and the end of a file.
struct Ends {
  std::string front, back;
  uint64_t size = 0;
};

bool readEnds(const std::string &path, Ends &ends) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return false;
  struct stat status;
  bool good = fstat(file, &status) == 0;
  auto readAt = [&](size_t count, int64_t from, std::string &into) {
    into.resize(count);
    ssize_t done = good ? pread(file, into.data(), count, from) : -1;
    good = done >= 0;
    into.resize(good ? size_t(done) : 0);
  };
  constexpr int64_t magicBytes = 8;
  ends.size = good ? uint64_t(status.st_size) : 0;
  readAt(4096, 0, ends.front);
  readAt(magicBytes, std::max<int64_t>(int64_t(ends.size) - magicBytes, 0),
         ends.back);
  close(file);
  return good;
}

bool begins(const std::string &text, const char *front) {
  return text.compare(0, std::strlen(front), front) == 0;
}

bool has(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

/// A length that fits, and a header.
bool isSafetensors(const Ends &ends) {
  constexpr size_t lengthBytes = 8;
  if (ends.front.size() <= lengthBytes || ends.front[lengthBytes] != '{')
    return false;
  uint64_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= uint64_t(uint8_t(ends.front[i])) << (8 * i);
  return length <= ends.size - lengthBytes;
}

bool isOfKind(const Ends &ends, OutputKind kind) {
  const std::string &front = ends.front;
  switch (kind) {
  case OutputKind::Tensors:
    return isSafetensors(ends);
  case OutputKind::Program:
    return ends.back == "HOCKET01";
  case OutputKind::Dump:
    return begins(front, "// stage ");
  case OutputKind::Listing:
    return begins(front, "// stage ") ||
           (begins(front, "{") && has(front, "\"version\": ") &&
            has(front, "\"mesh\": "));
  case OutputKind::Drawing:
    return begins(front, "<svg ") ||
           has(front, "before it who has the queries");
  case OutputKind::Trace:
    return begins(front, "{") && has(front, "\"traceEvents\":");
  case OutputKind::Statistics:
    return begins(front, "{") && has(front, "\"ranks\":");
  case OutputKind::Metrics:
    return begins(front, "{\"step\":");
  }
  return false;
}

const char *nameOf(OutputKind kind) {
  switch (kind) {
  case OutputKind::Tensors:
    return "no safetensors file";
  case OutputKind::Program:
    return "no program that Hocket made";
  case OutputKind::Listing:
    return "no stage or plan that Hocket printed";
  case OutputKind::Drawing:
    return "no drawing that Hocket made";
  case OutputKind::Dump:
    return "no stage that Hocket printed";
  case OutputKind::Trace:
    return "no trace";
  case OutputKind::Statistics:
    return "no statistics of a run";
  case OutputKind::Metrics:
    return "no metrics of a run";
  }
  return "";
}

Status checkKind(const OutputFile &output) {
  std::optional<struct stat> there = regularFile(output.path);
  Ends ends;
  if (!there || there->st_size == 0 ||
      (readEnds(output.path, ends) && isOfKind(ends, output.kind)))
    return Status::success();
  const char *wayOut = output.kind == OutputKind::Dump
                           ? "write the stages to another folder"
                           : "write to another file, or replace it: --force";
  return Status::userError(output.title + " is there already and is " +
                           nameOf(output.kind) + "; " + wayOut);
}

bool areOne(const OutputFile &a, const OutputFile &b) {
  auto first = regularFile(a.path), second = regularFile(b.path);
  if (first && second)
    return areOne(*first, *second);
  std::error_code none;
  if (fs::exists(a.path, none) || fs::exists(b.path, none))
    return false; // a device may be both
  auto place = [&](const std::string &path) {
    return fs::weakly_canonical(fs::absolute(path, none), none);
  };
  return place(a.path) == place(b.path);
}

} // namespace

void noteRead(const std::string &title, const std::string &path) {
  ReadFiles &files = readFiles();
  std::lock_guard<std::mutex> lock(files.mutex);
  files.titles[path] = title;
}

Status checkNotRead(const OutputFile &output) {
  std::optional<struct stat> written = regularFile(output.path);
  ReadFiles &files = readFiles();
  std::lock_guard<std::mutex> lock(files.mutex);
  for (const auto &[path, title] : files.titles)
    if (auto read = regularFile(path); read && written)
      if (areOne(*read, *written))
        return Status::userError(output.title +
                                 " is the file that is read as " + title +
                                 "; write to another file");
  return Status::success();
}

Status checkOutputs(const std::vector<OutputFile> &outputs, bool force) {
  Status status;
  for (size_t i = 0; i < outputs.size() && status.ok(); ++i) {
    status = checkNotRead(outputs[i]);
    for (size_t j = 0; j < i && status.ok(); ++j)
      if (areOne(outputs[j], outputs[i]))
        status =
            Status::userError(outputs[j].title + " and " + outputs[i].title +
                              " are one file; write to two");
    if (status.ok() && !force)
      status = checkKind(outputs[i]);
  }
  return status;
}

} // namespace hocket::runtime
