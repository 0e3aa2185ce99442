//===- ProgramDefects.cpp - defects of what a program asks of libraries ---===//
//
// Each is a fault in the calls of a whole program, or in its generated PTX; the
// program itself runs unchanged, on look-alikes.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/Kernels/Images.h"
#include "test/Gpu/Defects/Edit.h"
#include "test/Gpu/Defects/ProgramRun.h"
#include <algorithm>
#include <gtest/gtest.h>

#include "test/Runtime/TemporaryFolder.h"

using namespace hocket::test;

namespace {

/// How a defect shows.
enum class By {
  LookAlike, ///< a finding of a look-alike
  Program,   ///< the program ends with an error, for a call has failed
  Numbers    ///< only the comparison of results can show it
};

struct ProgramDefect {
  const char *name, *kind, *program;
  const char *faults; ///< test/Gpu/Injector/Fault.h
  By by;
  const char *sentence;              ///< part of the finding or error
  Edit edit = {nullptr, 0, nullptr}; ///< of the generated PTX
};

const char unordered[] = "and nothing orders the two";

const ProgramDefect programDefects[] = {
    // Events and streams.
    {"RecordLeftOut", "missing event", "product", "cuEventRecord@0:1=drop",
     By::LookAlike, unordered},
    {"WaitLeftOut", "missing event", "product", "cuStreamWaitEvent@1:1=drop",
     By::LookAlike, unordered},
    {"WaitForAnotherEvent", "wrong event", "product",
     "cuStreamWaitEvent@0:2=1=other", By::LookAlike, unordered},
    {"ResultsReadTooEarly", "missing wait", "product",
     "cuStreamSynchronize@0:13=drop", By::Numbers, ""},
    {"StageFilledTooEarly", "missing wait", "product",
     "cuStreamSynchronize@0:3=drop", By::Numbers, ""},
    // Captures.
    // Memory.
    {"FreedBeforeItsKernelRan", "use after free", "product",
     "cuLaunchKernel@0:2=before cuMemFree_v2 allocation 1", By::LookAlike,
     "and the host has not waited for it"},
    {"UsedWhenItIsFreed", "use after free", "product",
     "cuLaunchKernel@0:2=before cuStreamSynchronize argument 8;"
     "cuLaunchKernel@0:2=before cuMemFree_v2 allocation 1",
     By::LookAlike, "released"},
    {"StageFreedDuringItsUpload", "use after free", "product",
     "cuMemcpyHtoDAsync_v2@0:2=after cuMemFreeHost argument 1", By::LookAlike,
     "and the host has not waited for it"},
    {"FreedTwice", "double free", "product",
     "cuMemFree_v2:1=after cuMemFree_v2 argument 0", By::LookAlike,
     "at which no allocation begins"},
    {"ChangingPageableMemory", "unpinned memory", "product",
     "cuMemcpyHtoDAsync_v2@0:1=unpinned", By::LookAlike, "pinned"},
    {"UploadTooLong", "out of bounds", "product",
     "cuMemcpyHtoDAsync_v2@0:7=2*4", By::LookAlike, "which has 2048 bytes"},
    {"DownloadTooShort", "wrong size", "product",
     "cuMemcpyDtoHAsync_v2@0:1=2-4", By::Numbers, ""},
    {"UploadLeftOut", "missing copy", "product",
     "cuMemcpyHtoDAsync_v2@0:3=drop", By::Numbers, ""},
    {"UploadFourBytesOn", "wrong address", "product",
     "cuMemcpyHtoDAsync_v2@0:3=0+4", By::Numbers, ""},
    {"WorkspaceShared", "shared workspace", "product",
     "cublasLtMatmul@1:4=13=other", By::LookAlike, unordered},
    // Launches.
    {"PointerIntoAnotherBuffer", "wrong address", "product",
     "cuLaunchKernel@0:1=word 1+1", By::LookAlike, ""},
    // Handles.
    {"StreamDestroyedInUse", "use after destruction", "product",
     "cuEventRecord@0:1=before cuStreamDestroy_v2 argument 1", By::LookAlike,
     "a stream that does not exist"},
    {"EventDestroyedInUse", "use after destruction", "product",
     "cuEventRecord@0:1=after cuEventDestroy_v2 argument 0", By::LookAlike,
     "an event that does not exist"},
    {"LibraryUnloadedInUse", "use after destruction", "product",
     "cuLibraryGetKernel@0:3=after cuLibraryUnload argument 1", By::LookAlike,
     "a kernel that does not exist"},
    {"GraphDestroyedInUse", "use after destruction", "product",
     "cuGraphLaunch@0:2=before cuGraphExecDestroy argument 0", By::LookAlike,
     "an executable graph that does not exist"},
    {"DescriptionDestroyedInUse", "use after destruction", "product",
     "cublasLtMatmul@0:2=before cublasLtMatmulDescDestroy argument 1",
     By::LookAlike, "there is no such"},
    {"PlanDestroyedInUse", "use after destruction", "convolution",
     "cudnnBackendExecute@0:1=before cudnnBackendDestroyDescriptor argument 1",
     By::LookAlike, "there is no such"},
    {"ConvolutionInTheDefaultStream", "wrong stream", "convolution",
     "cudnnSetStream@0:1=1=0", By::LookAlike, "default stream"},
    // Values behind pointers.
    {"OtherEpilogue", "wrong value", "product",
     "cublasLtMatmulDescSetAttribute@0:3=word 2.0+1", By::LookAlike,
     "epilogue 5 is not one"},
    {"ProductNotTransposed", "wrong value", "product",
     "cublasLtMatmulDescSetAttribute@0:2=word 2.0+1", By::LookAlike,
     "is not D of 32 x 8"},
    // What is never released.
    {"MemoryLeft", "leak", "product", "cuMemFree_v2:2=drop", By::LookAlike,
     "bytes is not released when the process ends"},
    {"PinnedMemoryLeft", "leak", "product", "cuMemFreeHost:1=drop",
     By::LookAlike, "bytes is not released when the process ends"},
    {"EventLeft", "leak", "product", "cuEventDestroy_v2:3=drop", By::LookAlike,
     "event "},
    {"StreamLeft", "leak", "product", "cuStreamDestroy_v2:1=drop",
     By::LookAlike, "stream "},
    {"GraphLeft", "leak", "product", "cuGraphExecDestroy:1=drop", By::LookAlike,
     "executable graph 1 is not released when the process ends"},
    {"LibraryLeft", "leak", "product", "cuLibraryUnload:2=drop", By::LookAlike,
     "library "},
    {"HandleLeft", "leak", "product", "cublasLtDestroy:1=drop", By::LookAlike,
     "never destroyed"},
    // Generated PTX.
    {"PartsReadBeforeTheyAreWritten",
     "missing barrier",
     "norm",
     "",
     By::LookAlike,
     "with no barrier between",
     {"bar\\.sync\\s+0;", 1, ""}},
    {"RowSumWithoutAnExchange",
     "missing exchange",
     "product",
     "",
     By::Numbers,
     "",
     {"shfl\\.sync\\.bfly\\.b32\\s+(%r\\d+), (%r\\d+), 4,.*", 1,
      "mov.b32 $1, $2;"}},
    {"LaneThatTakesNoPart",
     "wrong mask",
     "product",
     "",
     By::LookAlike,
     "",
     {"(shfl\\.sync\\.bfly.*), -1;", 1, "$1, 0x7fffffff;"}},
    {"VectorFourBytesOnInARow",
     "misaligned vector",
     "product",
     "",
     By::LookAlike,
     "",
     {"(ld\\.global\\.nc\\.v4.*)\\];", 1, "$1+4];"}},
    {"PartOfAnotherWarp",
     "wrong shared address",
     "norm",
     "",
     By::LookAlike,
     "",
     {"(st\\.shared\\.b32\\s+\\[%rd\\d+)\\](.*)", 1, "$1+4]$2"}},
};

class ProgramDefects : public testing::TestWithParam<ProgramDefect> {
protected:
  void SetUp() override {
    if (hocket::runtime::cuda::images().empty())
      GTEST_SKIP() << "nvcc was not found when this was built";
  }
  static void SetUpTestSuite() {
    folder = std::make_unique<TemporaryFolder>();
    programs = std::make_unique<Programs>(folder->path("programs"));
  }
  static void TearDownTestSuite() { folder.reset(); }

  static std::unique_ptr<TemporaryFolder> folder;
  static std::unique_ptr<Programs> programs;
};
std::unique_ptr<TemporaryFolder> ProgramDefects::folder;
std::unique_ptr<Programs> ProgramDefects::programs;

INSTANTIATE_TEST_SUITE_P(All, ProgramDefects, testing::ValuesIn(programDefects),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

/// Sentences, of which the first few are shown.
std::string shown(const std::vector<std::string> &sentences) {
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(sentences.size(), 6); ++i)
    text += sentences[i].substr(0, 300) + "\n";
  return text;
}

bool has(const std::vector<std::string> &sentences, const char *part) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string &sentence) {
                       return sentence.find(part) != std::string::npos;
                     });
}

/// Equal to the plain run to rounding: test/Cuda compares it with a CPU's.
constexpr double tolerance = 1e-5;

TEST_F(ProgramDefects, NoneIsFoundWithoutOne) {
  for (const ProgramCase &program : programCases()) {
    ProgramRun run = programs->plain(program.name);
    EXPECT_EQ(run.status, 0) << program.name << ": " << run.errors;
    EXPECT_EQ(shown(run.findings), "") << program.name;
    EXPECT_NE(run.output, "");
    EXPECT_EQ(programs->run(program.name).output, run.output);
  }
}

TEST_P(ProgramDefects, AreFound) {
  const ProgramDefect &defect = GetParam();
  std::string faults = defect.faults;
  if (defect.edit.pattern) {
    std::optional<std::string> text =
        edited(programs->code(defect.program), defect.edit);
    ASSERT_TRUE(text) << "no such line: " << defect.edit.pattern;
    faults = "cuLibraryLoadData:1=code " + folder->write("edited.ptx", *text);
  }
  const ProgramRun plain = programs->plain(defect.program);
  ProgramRun run = programs->run(defect.program, {{"HOCKET_INJECT", faults}});
  EXPECT_EQ(run.done.size(), 1 + std::count(faults.begin(), faults.end(), ';'))
      << "the fault was not done: " << faults;
  std::string all = shown(run.findings) + run.errors.substr(0, 800);
  switch (defect.by) {
  case By::LookAlike:
    EXPECT_TRUE(!run.findings.empty() && has(run.findings, defect.sentence))
        << all;
    break;
  case By::Program:
    EXPECT_EQ(run.status, 1) << all;
    EXPECT_TRUE(has({run.errors}, defect.sentence)) << all;
    EXPECT_EQ(shown(run.findings), "");
    break;
  case By::Numbers:
    EXPECT_EQ(run.status, 0) << all;
    EXPECT_EQ(shown(run.findings), "");
    EXPECT_GT(differenceOf(run.output, plain.output), tolerance);
  }
}

} // namespace
