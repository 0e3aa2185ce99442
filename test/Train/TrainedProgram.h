//===- TrainedProgram.h - training executables of one test -----*- C++ -*-===//

#ifndef HOCKET_TEST_UNIT_TRAIN_TRAINEDPROGRAM_H
#define HOCKET_TEST_UNIT_TRAIN_TRAINEDPROGRAM_H

#include "SgdProgram.h"
#include "tools/dev/FileTensor.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

// After gtest, whose folder for temporaries it uses.
#include "test/Runtime/RunProgram.h"

namespace hocket::test {

/// The program of SgdProgram.h as executables for several meshes, and data.
class TrainedProgram : public testing::Test {
protected:
  void SetUp() override;

  /// Compiles the program for a mesh (once); the executable's path.
  std::string app(int dp, int tp);
  /// Runs a command in the folder.
  ProgramResult inFolder(const std::string &command);
  /// As `inFolder`, and expects success.
  void runs(const std::string &command);
  /// Runs an executable with `--data` and `options`.
  ProgramResult train(const std::string &app, const std::string &options);
  /// As `train`, and expects success.
  void trains(const std::string &app, const std::string &options);

  std::vector<nlohmann::json> lines(const std::string &metrics) const;
  dev::FileTensor tensor(const std::string &file,
                         const std::string &name) const;
  std::vector<std::string> listed(const std::string &sub) const;

  TemporaryFolder folder;
};

} // namespace hocket::test

#endif // HOCKET_TEST_UNIT_TRAIN_TRAINEDPROGRAM_H
