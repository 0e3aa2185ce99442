//===- CompareTensors.cpp - how far a file's tensor is from another's -----===//
//
// compare-tensors FOUND[:NAME] EXPECTED[:NAME] TOLERANCE
//
// NAME may be left out where the file has one tensor. Prints the largest
// difference; exits with 1 if it is past TOLERANCE.
//
//===----------------------------------------------------------------------===//

#include "FileTensor.h"
#include <cstdio>
#include <cstdlib>

using namespace hocket;
using runtime::Status;

static Status readNamed(const std::string &argument, dev::FileTensor &tensor) {
  size_t colon = argument.rfind(':');
  if (colon == std::string::npos)
    return dev::readTensor(argument, "", tensor);
  return dev::readTensor(argument.substr(0, colon), argument.substr(colon + 1),
                         tensor);
}

int main(int argc, char **argv) {
  char *end = nullptr;
  double tolerance = argc == 4 ? std::strtod(argv[3], &end) : 0;
  if (argc != 4 || *end || end == argv[3]) {
    std::fprintf(
        stderr,
        "usage: compare-tensors FOUND[:NAME] EXPECTED[:NAME] TOLERANCE\n");
    return 2;
  }
  dev::FileTensor found, expected;
  Status status = readNamed(argv[1], found);
  if (status.ok())
    status = readNamed(argv[2], expected);
  if (status.ok())
    status = dev::checkSameDims(found, expected);
  if (!status.ok()) {
    std::fprintf(stderr, "error: %s\n", status.message.c_str());
    return 1;
  }
  double distance = dev::farthest(found, expected);
  std::printf("%zu elements, at most %.2g apart\n", found.values.size(),
              distance);
  if (distance <= tolerance)
    return 0;
  std::fprintf(stderr, "error: %.2g apart, expected at most %.2g\n", distance,
               tolerance);
  return 1;
}
