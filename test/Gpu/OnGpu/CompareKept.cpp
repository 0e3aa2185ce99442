//===- CompareKept.cpp - outputs beside those that verify has kept --------===//
//
// compare-kept OUTPUTS.safetensors EXPECTED.safetensors
//
// EXPECTED is what `hocket verify --keep` wrote; its metadata says by how much
// outputs and gradients may differ. Prints a line of JSON; exits with 1 if one
// differs by more.
//
//===----------------------------------------------------------------------===//

#include "hocket/Io/MappedFile.h"
#include "hocket/Io/Safetensors.h"
#include "hocket/Verify/OutputError.h"
#include "tools/dev/FileTensor.h"
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

using namespace hocket;
using runtime::Status;

namespace {

/// What a file says that it holds.
struct Expected {
  std::vector<std::string> names;
  double tolerance = 0; // of outputs
};

Status readHeader(const std::string &path, Expected &expected) {
  runtime::MappedFile file;
  if (Status status = file.open(path, "expected outputs"); !status.ok())
    return status;
  std::map<std::string, runtime::StoredTensor> tensors;
  runtime::Metadata metadata;
  std::string error;
  if (!runtime::parseSafetensors(file.data(), file.size(), tensors, error,
                                 &metadata))
    return Status::userError("'" + path + "': " + error);
  if (!metadata.count("tolerance"))
    return Status::userError("'" + path +
                             "' does not say by how much outputs may differ; "
                             "hocket verify --keep writes files that do");
  expected.tolerance = std::strtod(metadata["tolerance"].c_str(), nullptr);
  for (const auto &[name, tensor] : tensors)
    expected.names.push_back(name);
  return Status::success();
}

Status compareAll(const std::string &foundPath, const std::string &expectedPath,
                  const Expected &expected, std::vector<OutputError> &outputs) {
  for (const std::string &name : expected.names) {
    dev::FileTensor found, wanted;
    Status status = dev::readTensor(expectedPath, name, wanted);
    if (status.ok())
      status = dev::readTensor(foundPath, name, found);
    if (status.ok())
      status = dev::checkSameDims(found, wanted);
    if (!status.ok())
      return status;
    outputs.push_back(compare(name, found.values, wanted.values));
  }
  judgeZeroGradients(outputs);
  return Status::success();
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: compare-kept OUTPUTS.safetensors "
                         "EXPECTED.safetensors\n");
    return 2;
  }
  Expected expected;
  std::vector<OutputError> outputs;
  Status status = readHeader(argv[2], expected);
  if (status.ok())
    status = compareAll(argv[1], argv[2], expected, outputs);
  if (!status.ok()) {
    std::fprintf(stderr, "error: %s\n", status.message.c_str());
    return 1;
  }
  nlohmann::ordered_json wrong = nlohmann::ordered_json::array();
  for (const OutputError &output : outputs)
    if (!output.isWithin(expected.tolerance))
      wrong.push_back(output.name);
  nlohmann::ordered_json line = {{"tensors", outputs.size()},
                                 {"worst", worstOf(outputs)},
                                 {"tolerance", expected.tolerance},
                                 {"wrong", wrong}};
  std::printf("%s\n", line.dump().c_str());
  return wrong.empty() ? 0 : 1;
}
