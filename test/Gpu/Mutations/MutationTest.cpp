//===- MutationTest.cpp - how mutations are drawn and judged --------------===//

#include "runtime/lib/Cuda/Kernels/Images.h"
#include "test/Gpu/Mutations/Campaign.h"
#include "test/Gpu/Ptx/Program.h"
#include <gtest/gtest.h>

#include "test/Runtime/TemporaryFolder.h"

using namespace hocket;
using namespace hocket::mutations;

namespace {

TEST(PtxLines, AreReadAndWritten) {
  for (const char *text : {"\t@!%p1 bra $L__BB0_2;", "\tret;",
                           "  { cvt.rn.f16x2.f32 %r1, %f1, %f2; }",
                           "\tld.global.v2.f32 {%f1, %f2}, [%rd1+8];",
                           "\tmma.sync.aligned.m16n8k16.row.col.f32.f16.f16."
                           "f32 {%f1, %f2}, {%r1}, "
                           "{%r2}, {%f1, %f2};"}) {
    std::optional<PtxLine> line = readPtxLine(text);
    ASSERT_TRUE(line) << text;
    EXPECT_EQ(line->text(), text);
  }
  PtxLine load = *readPtxLine("\t@%p2 ld.shared.u32 %r1, [%rd2+4];");
  EXPECT_EQ(load.guard, "@%p2");
  EXPECT_EQ(load.base(), "ld");
  EXPECT_EQ(load.firstSource(), 1u);
  EXPECT_EQ(registersIn(load.operands[1]), std::vector<std::string>{"%rd2"});
  EXPECT_EQ(load.emptied(), "\t;");
  EXPECT_EQ(registersIn("%tid.x"), std::vector<std::string>{});
  EXPECT_EQ(prefixOf("%rd12"), "%rd");
  for (const char *text : {"$L__BB0_2:", "\t.reg .b32 %r<5>;", "// add; or not",
                           "{", "\tcp.async.commit_group; cp.async.wait_all;"})
    EXPECT_FALSE(readPtxLine(text)) << text;
}

/// A line, at least, for each kind.
const char *const sample = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry all(
	.param .u64 all_param_0,
	.param .u32 all_param_1
)
{
	.reg .pred %p<4>;
	.reg .b16 %rs<4>;
	.reg .f32 %f<9>;
	.reg .b32 %r<20>;
	.reg .b64 %rd<9>;
	.shared .align 16 .b8 tile[1024];
	ld.param.u64 %rd1, [all_param_0];
	ld.param.u32 %r2, [all_param_1];
	mov.u32 %r1, %tid.x;
	mov.u32 %r3, tile;
	mad.lo.s32 %r4, %r1, 16, %r3;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	sub.s64 %rd4, %rd3, %rd2;
	setp.lt.s32 %p1, %r1, %r2;
	setp.eq.s32 %p2, %r1, 0;
	@%p1 bra $L__BB0_2;
	mov.f32 %f1, 0f3F800000;
$L__BB0_2:
	cp.async.cg.shared.global [%r4], [%rd1], 16;
	cp.async.commit_group;
	cp.async.wait_group 0;
	bar.sync 0;
	ld.shared.v4.f32 {%f2, %f3, %f4, %f5}, [%r4];
	fma.rn.f32 %f6, %f2, %f3, %f4;
	shfl.sync.bfly.b32 %r5, %r1, 1, 31, -1;
	ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r6, %r7, %r8, %r9}, [%r4];
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2,%f3,%f4,%f5}, {%r6,%r7,%r8,%r9}, {%r6,%r7}, {%f2,%f3,%f4,%f5};
	ld.global.u32 %r10, [%rd3];
	atom.global.add.u32 %r11, [%rd3], %r10;
	min.s32 %r12, %r11, %r10;
	st.global.f32 [%rd3+4], %f6;
$L__BB0_3:
	ret;

}
)";

std::set<unsigned> linesOfSample() {
  std::set<unsigned> lines;
  for (unsigned line = 15; line <= 43; ++line)
    lines.insert(line);
  return lines;
}

/// What is refused at once shows nothing: each kind gives PTX that runs.
TEST(PtxMutations, AreOfEachKind) {
  PtxMutator mutator(sample, "all", linesOfSample());
  for (const PtxKind &kind : ptxKinds()) {
    std::set<std::string> texts;
    for (uint64_t seed = 0; seed < 40; ++seed) {
      Rng rng(seed);
      std::optional<PtxMutation> made = mutator.draw(kind, rng);
      ASSERT_TRUE(made) << kind.name;
      EXPECT_EQ(made->kind, kind.name);
      EXPECT_NE(made->before, made->after);
      texts.insert(made->text);
      ptx::Memory memory;
      EXPECT_NO_THROW({
        ptx::Program program(ptx::parse(made->text, "sample"), memory);
        program.kernel("all");
      }) << made->before
         << " -> " << made->after;
    }
    EXPECT_EQ(texts.count(sample), 0u);
  }
}

TEST(PtxMutations, AreOfLinesThatRan) {
  PtxMutator mutator(sample, "all", {20});
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed);
    std::optional<PtxMutation> made = mutator.draw(rng);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->lines.count(20), 1u) << made->kind;
  }
  Rng rng(1);
  EXPECT_FALSE(PtxMutator(sample, "all", {}).draw(rng));
  EXPECT_FALSE(mutator.draw({"barrier left out", leaveOutBarrier}, rng));
}

TEST(PtxMutations, AreReproducible) {
  PtxMutator mutator(sample, "all", linesOfSample());
  Rng first(7), second(7), third(8);
  EXPECT_EQ(mutator.draw(first)->text, mutator.draw(second)->text);
  EXPECT_NE(mutator.draw(first)->text, mutator.draw(third)->text);
}

TEST(CallMutations, KnowParameters) {
  const std::vector<Parameter> &copy = parametersOf("cuMemcpyHtoDAsync_v2");
  ASSERT_EQ(copy.size(), 4u);
  EXPECT_EQ(copy[1].type, "const void *");
  EXPECT_EQ(copy[1].name, "from");
  EXPECT_EQ(copy[2].type, "size_t");
  EXPECT_EQ(copy[3].name, "stream");
  EXPECT_EQ(parametersOf("cublasLtMatmulAlgoGetHeuristic")[8].name, "results");
  EXPECT_TRUE(parametersOf("cuNothing").empty());
}

const std::vector<std::string> sampleCalls = {
    "0 cuEventRecord 3 h:94 h:17",
    "0 cuMemcpyHtoDAsync_v2 1 a:4096 a:77 i:64 h:17",
    "1 cuLaunchKernel 2 h:5 i:4 i:1 i:1 i:128 i:1 i:1 i:64 h:17 p:9 p:0 w:6",
    "1 ncclSend 1 a:4096 i:16 i:7 i:1 h:8 h:17",
    "-1 cuMemHostAlloc 1 p:7 i:64 i:3",
    "0 cublasLtMatmulDescSetAttribute 2 h:4 i:7 a:66 i:4",
};

TEST(CallMutations, AreOfEachKind) {
  CallMutator mutator(sampleCalls);
  for (const CallKind &kind : callKinds()) {
    bool isMade = false;
    for (uint64_t seed = 0; seed < 40; ++seed) {
      Rng rng(seed);
      std::optional<CallMutation> made = mutator.draw(kind, rng);
      isMade |= made.has_value();
      if (made)
        EXPECT_EQ(made->kind, kind.name);
    }
    EXPECT_TRUE(isMade) << kind.name;
  }
  Rng rng(3);
  std::optional<CallMutation> peer = mutator.draw(callKinds()[11], rng);
  ASSERT_TRUE(peer);
  EXPECT_EQ(peer->fault.substr(0, 15),
            "ncclSend@1:1=3" + peer->call.substr(5, 1));
  EXPECT_EQ(peer->call.substr(0, 5), "peer ");
}

test::ProgramRun programRun(const std::string &output) {
  test::ProgramRun run;
  run.done = {"cuEventRecord:1=drop"};
  run.output = output;
  return run;
}

/// A safetensors file without a header, of one number.
std::string fileOf(float number) {
  std::string file(12, '\0');
  std::memcpy(&file[8], &number, sizeof number);
  return file;
}

TEST(Outcomes, OfPrograms) {
  test::ProgramRun plain = programRun(fileOf(1));
  auto verdictOf = [&](const test::ProgramRun &run) {
    Outcome outcome;
    judge(run, plain, 1e-5, outcome);
    return std::string(nameOf(outcome.verdict));
  };
  EXPECT_EQ(verdictOf(programRun(fileOf(1))), "equal");
  EXPECT_EQ(verdictOf(programRun(fileOf(1.0000001f))), "survived");
  EXPECT_EQ(verdictOf(programRun(fileOf(1.001f))), "numbers");
  EXPECT_EQ(verdictOf(programRun("")), "numbers");
  test::ProgramRun run = plain;
  run.status = 1;
  EXPECT_EQ(verdictOf(run), "refused");
  run.status = 137;
  EXPECT_EQ(verdictOf(run), "no end");
  run.status = -11;
  EXPECT_EQ(verdictOf(run), "crashed");
  run.findings = {"event 3 is not released when the process ends"};
  EXPECT_EQ(verdictOf(run), "found");
  run.done.clear();
  EXPECT_EQ(verdictOf(run), "not live");
}

TEST(Outcomes, OfTestsOfKernels) {
  test::KernelRun plain;
  plain.passed = true;
  plain.memory = {"memory Copy.Small ab", "memory Copy.Large cd"};
  auto verdictOf = [&](const test::KernelRun &run) {
    Outcome outcome;
    judge(run, plain, outcome);
    return nameOf(outcome.verdict) + (" " + outcome.detail);
  };
  test::KernelRun run = plain;
  run.memory = {"memory Copy.Large cd"}; // one of the tests was run
  EXPECT_EQ(verdictOf(run), "equal ");
  run.memory = {"memory Copy.Large ce"};
  EXPECT_EQ(verdictOf(run), "survived Copy.Large");
  run.passed = false;
  run.output = "CopyTest.cpp:9: Failure\n";
  EXPECT_EQ(verdictOf(run), "numbers CopyTest.cpp:9: Failure\n");
  run.output = "unknown file: Failure\nC++ exception with description\n";
  EXPECT_EQ(verdictOf(run).substr(0, 8), "refused ");
  run.output = "";
  EXPECT_EQ(verdictOf(run), "crashed ");
  run.ended = false;
  EXPECT_EQ(verdictOf(run), "no end ");
  run.findings = {{"Race", "k.ptx:3: ..."}};
  EXPECT_EQ(verdictOf(run), "found k.ptx:3: ...");
}

TEST(Outcomes, AreKept) {
  Outcome outcome;
  outcome.number = 12;
  outcome.kind = "guard";
  outcome.verdict = Verdict::Survived;
  outcome.difference = 2e-6;
  Outcome read = Outcome::fromJson(outcome.json());
  EXPECT_EQ(read.json().dump(), outcome.json().dump());
}

TEST(Outcomes, AreExplainedOneByOne) {
  auto isExplained = [](const char *kind, const char *before, const char *after,
                        double difference = 3e-7,
                        const char *family = "generated kernel") {
    Outcome outcome;
    outcome.family = family;
    outcome.kind = kind;
    outcome.before = before;
    outcome.after = after;
    outcome.difference = difference;
    return !explanationOf(outcome).empty();
  };
  const char *fma = "fma.rn.f32 %f1, %f2, 0f395E8083, %f3;";
  EXPECT_TRUE(
      isExplained("rounding", fma, "fma.rz.f32 %f1, %f2, 0f395E8083, %f3;"));
  EXPECT_FALSE(
      isExplained("rounding", fma, "fma.rz.f32 %f1, %f2, 0f395E8083, %f4;"));
  EXPECT_FALSE(isExplained("rounding", "cvt.rni.s32.f32 %r1, %f1;",
                           "cvt.rzi.s32.f32 %r1, %f1;"));
  EXPECT_FALSE(isExplained("rounding", "ex2.approx.ftz.f32 %f1, %f2;",
                           "ex2.approx.f32 %f1, %f2;"));
  const char *other = "fma.rn.f32 %f1, %f2, 0f395A8083, %f3;";
  EXPECT_TRUE(isExplained("constant", fma, other));
  EXPECT_FALSE(isExplained("constant", fma, other, 3e-6));
  EXPECT_FALSE(isExplained("constant", fma, other, 0, "runtime kernel"));
  EXPECT_FALSE(isExplained("source register", fma, other));
  EXPECT_FALSE(isExplained("constant", "add.rn.f32 %f1, %f2, 0f395E8083;",
                           "add.rn.f32 %f1, %f2, 0f395A8083;"));
  EXPECT_FALSE(isExplained("constant", "fma.rn.f32 %f1, %f2, %f4, %f3;",
                           "fma.rn.f32 %f1, %f2, %f5, %f3;"));
  auto isMeanExplained = [](const char *target) {
    Outcome outcome;
    outcome.family = "runtime kernel";
    outcome.target = target;
    outcome.kind = "operator";
    outcome.before = "mul.lo.s64 %rd1, %rd2, %rd3;";
    outcome.after = "mul.hi.s64 %rd1, %rd2, %rd3;";
    return !explanationOf(outcome).empty();
  };
  EXPECT_TRUE(isMeanExplained("AttentionMeans meansF32"));
  EXPECT_FALSE(isMeanExplained("AttentionMeans meansF16"));
}

TEST(Outcomes, NameWhatSentencesAreAbout) {
  EXPECT_EQ(nameOfFinding("kernel 'add' (operation 4 in stream 2) reads "
                          "'allocation 1' from byte 8 to 16, which a copy of "
                          "16 bytes to the device (operation 1 in stream 1) "
                          "writes, and nothing orders the two"),
            "Unordered");
  EXPECT_EQ(nameOfFinding("k.ptx:1: ld.global.f32 %f1, [%rd1]: thread (0, 0, "
                          "0) of block (0, 0, 0) reads 4 bytes at 'x' + 64, "
                          "which has 64 bytes"),
            "OutOfBounds");
  EXPECT_EQ(nameOfFinding("stream 1 is not released when the process ends"),
            "Leak");
  EXPECT_EQ(nameOfFinding("cuLaunchKernel is given a function that does not "
                          "exist"),
            "NoSuchHandle");
}

/// Some of those that docs/benchmarks/gpu-mutations.md has many of.
TEST(Mutations, AreFoundOrChangeNothing) {
  if (runtime::cuda::images().empty())
    GTEST_SKIP() << "nvcc was not found when this was built";
  TemporaryFolder folder;
  CampaignOptions options;
  options.count = 60;
  options.folder = folder.path("campaign");
  // Large scales show what only keeps exponentials in range.
  options.tests = "CudaCopy.*:CudaReduce.*:Types/CudaAttention.GroupedHeads/"
                  "F16:Types/CudaAttention.NegativeAndLargeScales/F16";
  options.programs = {"product", "norm"};
  std::vector<Outcome> outcomes = runCampaign(options);
  ASSERT_EQ(outcomes.size(), options.count);
  for (const Outcome &survivor : unexplained(outcomes))
    ADD_FAILURE() << survivor.json().dump(1);
  std::map<Verdict, int> counts;
  for (const Outcome &outcome : outcomes)
    ++counts[outcome.verdict];
  EXPECT_GE(counts[Verdict::Found], 15) << reportOf(outcomes);
  EXPECT_GE(counts[Verdict::Numbers], 5) << reportOf(outcomes);
  EXPECT_LE(counts[Verdict::Equal], 30) << reportOf(outcomes);
}

} // namespace
