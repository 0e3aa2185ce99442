//===- WriteVerification.cpp - what a program is verified with, in files --===//

#include "hocket/Io/Safetensors.h"
#include "hocket/Verify/Verify.h"
#include <cstdio>

using namespace hocket;
using runtime::Status;

static runtime::Box wholeOf(const std::vector<int64_t> &dims) {
  runtime::Box box;
  box.shape = box.size = dims;
  box.offset.assign(dims.size(), 0);
  return box;
}

/// Writes all tensors of a source under their names and types.
static Status writeAll(const runtime::RandomTensors &source,
                       const std::string &path) {
  std::vector<runtime::NamedTensor> tensors;
  for (const std::string &name : source.tensorNames()) {
    tensors.push_back({name, {}});
    source.describe(name, tensors.back().description);
  }
  std::unique_ptr<runtime::SafetensorsWriter> writer;
  Status status = runtime::SafetensorsWriter::create(path, tensors, writer);
  for (const runtime::NamedTensor &tensor : tensors) {
    runtime::Box box = wholeOf(tensor.description.dims);
    plan::DType type = tensor.description.type;
    std::vector<uint8_t> bytes(box.elements() * plan::byteSize(type));
    if (status.ok())
      status = source.read(tensor.name, box, type, bytes.data());
    if (status.ok())
      status = writer->write(tensor.name, box, bytes.data());
  }
  return status.ok() ? writer->commit() : status;
}

static std::string spell(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}

static Status writeExpected(const Verification &made, double tolerance,
                            const std::string &path) {
  std::vector<runtime::NamedTensor> tensors;
  for (size_t i = 0; i < made.expected.size(); ++i)
    tensors.push_back({made.program.plan.outputs[i].name,
                       {plan::DType::F64, made.expected[i].shape}});
  std::unique_ptr<runtime::SafetensorsWriter> writer;
  Status status = runtime::SafetensorsWriter::create(
      path, tensors, writer,
      {{"tolerance", spell(tolerance)},
       {"gradient_tolerance", spell(tolerance * kGradientTolerance)}});
  for (size_t i = 0; status.ok() && i < tensors.size(); ++i)
    status = writer->write(tensors[i].name, wholeOf(made.expected[i].shape),
                           made.expected[i].values.data());
  return status.ok() ? writer->commit() : status;
}

Status hocket::writeVerification(const Verification &verification,
                                 double tolerance, const std::string &folder) {
  Status status =
      writeAll(verification.weights, folder + "/weights.safetensors");
  if (status.ok())
    status = writeAll(verification.inputs, folder + "/inputs.safetensors");
  if (status.ok())
    status = writeExpected(verification, tolerance,
                           folder + "/expected.safetensors");
  return status;
}
