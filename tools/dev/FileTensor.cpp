//===- FileTensor.cpp - reading and comparing tensors of files ------------===//

#include "FileTensor.h"
#include "hocket/Io/TensorFiles.h"
#include <algorithm>
#include <cmath>

using namespace hocket;
using namespace hocket::dev;
using runtime::Status;

Status dev::readTensor(const std::string &path, std::string name,
                       FileTensor &tensor) {
  runtime::TensorFiles files("tensors");
  if (Status status = files.add(path); !status.ok())
    return status;
  std::vector<std::string> names = files.tensorNames();
  if (name.empty() && names.size() != 1)
    return Status::userError("'" + path + "' has " +
                             std::to_string(names.size()) +
                             " tensors, expected one");
  if (name.empty())
    name = names[0];
  runtime::TensorDescription description;
  if (!files.describe(name, description))
    return Status::userError("'" + path + "' has no tensor '" + name + "'");
  runtime::Box whole{description.dims,
                     std::vector<int64_t>(description.dims.size(), 0),
                     description.dims};
  tensor.dims = description.dims;
  tensor.values.resize(whole.elements());
  return files.read(name, whole, plan::DType::F64, tensor.values.data());
}

static std::string toString(const std::vector<int64_t> &dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

Status dev::checkSameDims(const FileTensor &found, const FileTensor &expected) {
  if (found.dims == expected.dims)
    return Status::success();
  return Status::userError("the tensor is " + toString(found.dims) +
                           ", expected " + toString(expected.dims));
}

double dev::farthest(const FileTensor &a, const FileTensor &b) {
  double distance = 0;
  for (size_t i = 0; i < a.values.size(); ++i) {
    double difference = std::fabs(a.values[i] - b.values[i]);
    distance =
        std::isnan(difference) ? INFINITY : std::max(distance, difference);
  }
  return distance;
}
