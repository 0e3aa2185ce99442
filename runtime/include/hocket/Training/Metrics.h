//===- Metrics.h - a line of JSON for each step -----------------*- C++ -*-===//

#ifndef HOCKET_TRAINING_METRICS_H
#define HOCKET_TRAINING_METRICS_H

#include "hocket/Runtime/Status.h"
#include <nlohmann/json.hpp>

namespace hocket::runtime {

/// Appends to a file; every line is whole or not there.
class MetricsFile {
public:
  MetricsFile() = default;
  ~MetricsFile();
  MetricsFile(const MetricsFile &) = delete;
  MetricsFile &operator=(const MetricsFile &) = delete;

  /// Begins a file, or with `after` > 0 goes on with one: lines of later steps,
  /// which an earlier run wrote after its last checkpoint, are taken out. The
  /// file is this run's alone: one that another run writes is refused.
  Status open(const std::string &path, int64_t after);
  Status write(const nlohmann::ordered_json &line);

private:
  Status openLocked();
  bool replace(const std::string &lines);

  std::string path;
  bool isRegular = false;
  int file = -1;
};

} // namespace hocket::runtime

#endif // HOCKET_TRAINING_METRICS_H
