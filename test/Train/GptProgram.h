//===- GptProgram.h - a small GPT-2 trained on a text ----------*- C++ -*-===//

#ifndef HOCKET_TEST_UNIT_TRAIN_GPTPROGRAM_H
#define HOCKET_TEST_UNIT_TRAIN_GPTPROGRAM_H

#include "TrainedProgram.h"

namespace hocket::test {

/// The model and the schedules of docs/examples/gpt2_training.hkt, with recipes
/// of a test's own, dropout on.
class GptProgram : public TrainedProgram {
protected:
  explicit GptProgram(std::string recipes) : written(std::move(recipes)) {}
  void SetUp() override;

  /// Compiles a recipe under a schedule, "one" being none; the executable.
  std::string compile(const std::string &recipe, const std::string &schedule,
                      const std::string &sizes = usualSizes);
  /// Trains an executable on the bytes of a text.
  void fit(const std::string &app, const std::string &options);
  /// The largest distance of a number of `metrics` from that of `expected`.
  double farthest(const std::string &metrics, const std::string &expected,
                  const std::string &number = "loss") const;

  static constexpr const char *usualSizes =
      "-D model.layers=2 -D model.hidden=32 -D positions=32 -D seq=32 "
      "-D batch=4";

private:
  std::string written;
};

} // namespace hocket::test

#endif // HOCKET_TEST_UNIT_TRAIN_GPTPROGRAM_H
