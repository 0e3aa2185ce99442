//===- DescribedDevice.h - a GPU in numbers --------------------*- C++ -*-===//

#ifndef HOCKET_BOUND_DESCRIBEDDEVICE_H
#define HOCKET_BOUND_DESCRIBEDDEVICE_H

#include <optional>
#include <string>
#include <vector>

namespace hocket::bound {

/// The most that a GPU does, as its maker says. `memory` and `link` are in
/// bytes a second, the four rates of Plan/Work.h's units in flops a second,
/// without sparsity. There is no rate of tf32: it is off.
struct DescribedDevice {
  std::string name;   // "h100"; "h100,link=5e+10"; a file's
  std::string source; // which document says so, or ""
  double memory = 0;
  double halfMatrix = 0; // f16 and bf16, added up in f32
  double f64Matrix = 0;
  double f32 = 0, f64 = 0; // of vector units
  double link = 0;         // received from other GPUs
  double launch = 0; // seconds from one launch in a graph to the next, at least
  double multiprocessors = 0; // a block runs on one of them
};

/// Described here, the first of them where nobody chooses.
const std::vector<DescribedDevice> &knownDevices();

/// The numbers by their names, in the order in which they are said: "memory",
/// "half_matrix", "f64_matrix", "f32", "f64", "link", "launch",
/// "multiprocessors".
struct DeviceNumber {
  const char *name;
  double DescribedDevice::*number;
};
const std::vector<DeviceNumber> &deviceNumbers();

/// What `--device` takes: the name of a known one, "NAME,link=5e10,..." with
/// some numbers changed, "memory=3.35e12,..." with all of them, or the path of
/// a file FILE.json with an object of them and perhaps a "name". Nothing, and a
/// sentence in `error`, where it is none of these.
std::optional<DescribedDevice> readDevice(const std::string &text,
                                          std::string &error);

} // namespace hocket::bound

#endif // HOCKET_BOUND_DESCRIBEDDEVICE_H
