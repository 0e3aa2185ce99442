//===- ExamplesTest.cpp - the plans of the examples are their runs --------===//
//
// For every schedule of docs/examples that compiles: calls, bytes and memory
// that a run counts are those that the plan has printed, rank by rank.
//
//===----------------------------------------------------------------------===//

#include "CompiledRun.h"
#include "test/Paths.h"

using namespace hocket::test;

namespace {

const std::string bert = " -D layers=2 -D hidden=48 -D heads=6 -D inner=50"
                         " -D vocab=101 -D positions=40 -D batch=3 -D seq=25";
const std::string gpt2 = " -D layers=2 -D hidden=48 -D heads=6 -D vocab=101"
                         " -D positions=40 -D batch=3 -D seq=25";
const std::string llama = " -D depth=2 -D hidden=48 -D heads=12 -D kv_heads=3"
                          " -D inner=50 -D vocab=67 -D batch=3 -D seq=25";

void expectSame(const std::string &file, const std::string &options,
                int64_t ranks) {
  SCOPED_TRACE(file + " " + options);
  CompiledRun run(hocket::test::sourcePath("docs/examples/") + file,
                  "--schedule " + options);
  ASSERT_TRUE(run.done());
  EXPECT_EQ(run.plan["ranks"], ranks);
  EXPECT_GT(run.collectives(), 0u);
  run.expectPlanIsRun();
}

TEST(Examples, bert) {
  expectSame("bert_schedules.hkt", "tensor_parallel -D tp=5" + bert, 5);
  expectSame("bert_schedules.hkt", "sequence_parallel -D tp=4" + bert, 4);
  expectSame("bert_schedules.hkt", "data_and_tensor" + bert, 4);
  expectSame("bert_schedules.hkt", "data_and_sequence -D tp=3" + bert, 6);
}

TEST(Examples, gpt2) {
  expectSame("gpt2.hkt", "deferred_gather -D tp=4" + gpt2, 4);
  expectSame("gpt2.hkt", "sequence_parallel -D tp=5" + gpt2, 5);
  expectSame("gpt2_schedules.hkt", "tensor_parallel" + gpt2, 2);
  expectSame("gpt2_schedules.hkt", "context_parallel -D cp=3" + gpt2, 3);
  expectSame("gpt2_schedules.hkt", "tensor_and_context" + gpt2, 4);
  expectSame("gpt2_schedules.hkt", "data_and_tensor" + gpt2, 4);
}

TEST(Examples, llama) {
  expectSame("llama_schedules.hkt", "tensor_parallel -D tp=3" + llama, 3);
  expectSame("llama_schedules.hkt", "sequence_parallel -D tp=3" + llama, 3);
  expectSame("llama_schedules.hkt", "context_parallel -D cp=4" + llama, 4);
  expectSame("llama_schedules.hkt", "ulysses -D u=3" + llama, 3);
  expectSame("llama_schedules.hkt", "tensor_and_context -D tp=3" + llama, 6);
  expectSame("llama_schedules.hkt", "data_and_tensor -D tp=3" + llama, 6);
}

} // namespace
