//===- CompiledRun.cpp - a file compiled, planned and run -----------------===//

#include "CompiledRun.h"
#include "test/Paths.h"

using namespace hocket;
using namespace hocket::test;
using nlohmann::json;

CompiledRun::CompiledRun(const std::string &source,
                         const std::string &options) {
  SCOPED_TRACE(options);
  bool isText = source.rfind("hocket 1", 0) == 0;
  std::string file = isText ? folder.write("net.hkt", source) : source;
  auto succeeds = [&](const std::string &command, std::string &out) {
    ProgramResult result = runProgram(folder, command);
    out = result.out;
    EXPECT_EQ(result.status, 0) << command << "\n" << result.err;
    return result.status == 0;
  };
  std::string out, words = " " + file + " " + options;
  if (!succeeds(test::builtPath("bin/hocket") + " plan --json" + words, out))
    return;
  plan = json::parse(out);
  std::string app = folder.path("app");
  if (!succeeds(test::builtPath("bin/hocket") + " compile -o " + app + words,
                out) ||
      !succeeds(app +
                    " --random-weights 1 --random-input 2 --check-replicas"
                    " --stats=json --output " +
                    folder.path("out.safetensors"),
                out))
    return;
  counted = json::parse(out);
  isDone = true;
}

dev::FileTensor CompiledRun::output(const std::string &name) const {
  dev::FileTensor tensor;
  runtime::Status status =
      dev::readTensor(folder.path("out.safetensors"), name, tensor);
  EXPECT_TRUE(status.ok()) << status.message;
  return tensor;
}

void CompiledRun::expectPlanIsRun() const {
  for (const char *key : {"ranks", "totals", "arena_bytes", "weight_bytes"})
    EXPECT_EQ(plan[key], counted[key]) << key;
  // The totals are those of the collectives that the plan lists.
  std::map<std::string, int64_t> calls;
  std::map<std::string, Bytes> bytes;
  for (size_t n = 0; n < collectives(); ++n) {
    if (collective(n)["stage"] != "step")
      continue;
    ++calls[kind(n)];
    Bytes &sum = bytes[kind(n)], one = planned(n);
    sum.resize(one.size());
    for (size_t rank = 0; rank < one.size(); ++rank)
      sum[rank] += one[rank];
  }
  for (const auto &[kind, total] : counted["totals"]["step"].items()) {
    EXPECT_EQ(total["calls"], calls[kind]) << kind;
    if (calls[kind]) {
      EXPECT_EQ(total["bytes_per_rank"].get<Bytes>(), bytes[kind]) << kind;
    }
  }
}
