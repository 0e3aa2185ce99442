//===- Origin.h - where an operation comes from ----------------*- C++ -*-===//

#ifndef HOCKET_NN_ORIGIN_H
#define HOCKET_NN_ORIGIN_H

#include "mlir/IR/Location.h"
#include <string>

namespace hocket::nn {

/// Where an operation comes from, as its location tells. Parts that the
/// location has not are empty.
struct Origin {
  std::string path;     // model path, "encoder.layer.0.attention.self"
  std::string model;    // "bert.hkt:34:20"
  std::string schedule; // "bert_schedules.hkt:21:5"
};

/// Reads NameLoc(path, model line), FusedLoc[that, schedule line] and what they
/// are nested in. Of a call site location (a directive that came through `use`)
/// the line of the directive counts.
Origin originOf(mlir::Location location);

} // namespace hocket::nn

#endif // HOCKET_NN_ORIGIN_H
