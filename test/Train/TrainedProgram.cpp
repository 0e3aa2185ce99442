//===- TrainedProgram.cpp - training executables of one test --------------===//

#include "TrainedProgram.h"
#include "test/Paths.h"
#include <algorithm>
#include <cstring>

using namespace hocket;
using namespace hocket::test;

/// Twelve examples of -1, 0 and 1: two batches an epoch.
static std::string dataBytes() {
  constexpr int examples = 2 * sgdBatch;
  std::string data;
  for (int columns : {sgdIn, sgdOut})
    for (int i = 0; i < examples * columns; ++i) {
      float value = static_cast<float>((i * 5 + columns) % 7 % 3 - 1);
      char bytes[4];
      std::memcpy(bytes, &value, 4);
      data.append(bytes, 4);
    }
  return safetensorsBytes(
      "{\"x\":{\"dtype\":\"F32\",\"shape\":[12,5],\"data_offsets\":[0,240]},"
      "\"t\":{\"dtype\":\"F32\",\"shape\":[12,3],\"data_offsets\":[240,384]}}",
      data);
}

void TrainedProgram::SetUp() { folder.write("data.safetensors", dataBytes()); }

std::string TrainedProgram::app(int dp, int tp) {
  std::string name = "app" + std::to_string(dp) + std::to_string(tp),
              path = folder.path(name);
  if (std::filesystem::exists(path))
    return path;
  std::string step = folder.write(name + ".mlir", sgdProgram(dp, tp));
  ProgramResult result =
      runProgram(folder, test::builtPath("bin/hocket") +
                             " compile --from placed " + step + " -o " + path);
  EXPECT_EQ(result.status, 0) << result.err;
  return path;
}

ProgramResult TrainedProgram::inFolder(const std::string &command) {
  return runProgram(folder, "cd " + folder.path("") + " && " + command);
}

void TrainedProgram::runs(const std::string &command) {
  ProgramResult result = inFolder(command);
  EXPECT_EQ(result.status, 0) << command << "\n" << result.err;
}

ProgramResult TrainedProgram::train(const std::string &app,
                                    const std::string &options) {
  return inFolder(app + " --data data.safetensors " + options);
}

void TrainedProgram::trains(const std::string &app,
                            const std::string &options) {
  runs(app + " --data data.safetensors " + options);
}

std::vector<nlohmann::json>
TrainedProgram::lines(const std::string &metrics) const {
  std::vector<nlohmann::json> result;
  std::ifstream file(folder.path(metrics));
  for (std::string line; std::getline(file, line);)
    result.push_back(nlohmann::json::parse(line));
  return result;
}

dev::FileTensor TrainedProgram::tensor(const std::string &file,
                                       const std::string &name) const {
  dev::FileTensor result;
  runtime::Status status = dev::readTensor(folder.path(file), name, result);
  EXPECT_TRUE(status.ok()) << status.message;
  return result;
}

std::vector<std::string> TrainedProgram::listed(const std::string &sub) const {
  std::vector<std::string> names;
  for (const auto &entry :
       std::filesystem::directory_iterator(folder.path(sub)))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}
