//===- GptProgram.cpp - a small GPT-2 trained on a text -------------------===//

#include "GptProgram.h"
#include "test/Paths.h"
#include <cmath>

using namespace hocket::test;

void GptProgram::SetUp() {
  folder.write("lm.hkt", "hocket 1\nimport \"" +
                             sourcePath("docs/examples/gpt2_training.hkt") +
                             "\"\n" + written);
}

std::string GptProgram::compile(const std::string &recipe,
                                const std::string &schedule,
                                const std::string &sizes) {
  std::string app = "./app_" + recipe + "_" + schedule;
  runs(builtPath("bin/hocket") + " compile lm.hkt --train " + recipe +
       (schedule == "one" ? "" : " --schedule " + schedule) +
       " -D model.heads=4 -D vocab=256 " + sizes + " -o " + app);
  return app;
}

void GptProgram::fit(const std::string &app, const std::string &options) {
  runs(app + " --data " + sourcePath("docs/language.md") +
       " --token-type u8 --threads 1 " + options);
}

double GptProgram::farthest(const std::string &metrics,
                            const std::string &expected,
                            const std::string &number) const {
  std::vector<nlohmann::json> found = lines(metrics), steps = lines(expected);
  EXPECT_FALSE(found.empty());
  EXPECT_EQ(found.size(), steps.size());
  double result = 0;
  for (size_t i = 0; i < std::min(found.size(), steps.size()); ++i)
    result = std::max(
        result, std::fabs(double(found[i][number]) - double(steps[i][number])));
  return result;
}
