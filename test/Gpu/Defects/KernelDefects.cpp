//===- KernelDefects.cpp - defects of the runtime's kernels ---------------===//
//
// Each is a change of a line of the PTX that ships, with which a test of
// CudaKernelTests is run.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/Kernels/Images.h"
#include "test/Gpu/Defects/Edit.h"
#include "test/Gpu/Defects/KernelRun.h"
#include "test/Gpu/Kernels/KernelText.h"
#include <gtest/gtest.h>

#include "test/Runtime/TemporaryFolder.h"

using namespace hocket::test;

namespace {

/// The finding of a defect that only the comparison of results can show.
constexpr char wrongNumbers[] = "WrongNumbers";

struct KernelDefect {
  const char *name, *kind;
  const char *source, *kernel;
  Edit edit;
  const char *test;     ///< that is run
  const char *finding;  ///< kind of the interpreter's finding
  const char *sentence; ///< part of it; of the test's message
};

constexpr char noBarrier[] = "with no barrier between";

const KernelDefect kernelDefects[] = {
    {"TileReadBeforeItIsWritten",
     "missing barrier",
     "Copy",
     "transposeGroups4",
     {"bar\\.sync\\s+0;", 1, ""},
     "CudaCopy.TransposesThroughTiles",
     "Race",
     noBarrier},
    {"CountsReadBeforeTheyAreAdded",
     "missing barrier",
     "Sort",
     "countDigits",
     {"bar\\.sync\\s+0;", -1, ""},
     "CudaEmbeddingGrad.OneRowHasAll",
     "Race",
     noBarrier},
    {"CountsAddedBeforeTheyAreZero",
     "missing barrier",
     "Sort",
     "countDigits",
     {"bar\\.sync\\s+0;", 1, ""},
     "CudaEmbeddingGrad.OneRowHasAll",
     "Race",
     noBarrier},
    {"PartsOverwrittenInTheNextRound",
     "missing barrier",
     "Sort",
     "sumDigits",
     {"bar\\.sync\\s+0;", 1, ""},
     "CudaEmbeddingGrad.ManyBlocks",
     "Race",
     noBarrier},
    {"LanesDoNotWaitForTheirWarp",
     "missing barrier",
     "Sort",
     "moveItems",
     {"bar\\.warp\\.sync\\s+-1;", 1, ""},
     "CudaEmbeddingGrad.OneRowHasAll",
     "Race",
     noBarrier},
    {"KeysReadByOtherWarps",
     "missing barrier",
     "AttentionHalf",
     "attentionF16D64",
     {"bar\\.sync\\s+0;", 2, ""},
     "Types/CudaAttention.GroupedHeads/F16",
     "Race",
     noBarrier},
    {"StageOverwrittenWhileItIsRead",
     "missing barrier",
     "AttentionHalf",
     "attentionF16D64",
     {"bar\\.sync\\s+0;", 3, ""},
     "Types/CudaAttention.HeadDims/F16",
     "Race",
     noBarrier},
    {"CopiesNotWaitedFor",
     "wrong wait",
     "AttentionHalf",
     "attentionF16D64",
     {"cp\\.async\\.wait_all;", 2, ""},
     "Types/CudaAttention.GroupedHeads/F16",
     "PendingCopy",
     "cp.async"},
    {"WaitForAllGroupsButOne",
     "wrong wait",
     "AttentionHalf",
     "attentionF16D64",
     {"cp\\.async\\.wait_all;", 2,
      "cp.async.commit_group; cp.async.wait_group 1;"},
     "Types/CudaAttention.GroupedHeads/F16",
     "PendingCopy",
     "cp.async"},
    {"FragmentsOfAExchanged",
     "swapped fragment",
     "AttentionHalf",
     "attentionF16D64",
     {"(mma\\.sync.*\\}, \\{)(%r\\d+),(%r\\d+)(,.*)", 1, "$1$3,$2$4"},
     "Types/CudaAttention.GroupedHeads/F16",
     wrongNumbers,
     "out"},
    {"FragmentsOfBExchanged",
     "swapped fragment",
     "AttentionHalfGrad",
     "gradientOfQueriesBF16D64",
     {"(mma\\.sync.*\\}, \\{.*\\}, \\{)(%r\\d+),(%r\\d+)(\\},.*)", 1,
      "$1$3,$2$4"},
     "Types/CudaAttention.GroupedHeads/BF16",
     wrongNumbers,
     "dq"},
    {"TileNotTransposed",
     "wrong layout",
     "AttentionHalf",
     "attentionF16D64",
     {"(ldmatrix.*)\\.trans(\\.shared.*)", 1, "$1$2"},
     "Types/CudaAttention.GroupedHeads/F16",
     wrongNumbers,
     "out"},
    {"UnitBehindTheLast",
     "off-by-one bound",
     "Copy",
     "copy4",
     {"setp\\.ge\\.u32(.*)", 3, "setp.gt.u32$1"},
     "CudaCopy.ManyDimsAndShortOnes",
     "OutOfBounds",
     "'src'"},
    {"TermBehindTheLast",
     "off-by-one bound",
     "Reduce",
     "reduceSumF32",
     {"setp\\.lt\\.s32(.*)", -1, "setp.le.s32$1"},
     "CudaReduce.EveryTypeAndOperation",
     "OutOfBounds",
     ""},
    {"RowBehindTheLast",
     "off-by-one bound",
     "AttentionPlain",
     "attentionF32D64",
     {"setp\\.ge\\.s32(.*%r3;)", 2, "setp.gt.s32$1"},
     "Types/CudaAttention.HeadDims/F32",
     "OutOfBounds",
     "'q'"},
    {"VectorFourBytesOn",
     "misaligned vector",
     "AttentionMeans",
     "meansF32",
     {"ld\\.global\\.v4(.*)\\];", 1, "ld.global.v4$1+4];"},
     "Types/CudaAttention.GradientsOfHeadDims/F32",
     "Misaligned",
     "16"},
    {"CopyEightBytesOn",
     "misaligned vector",
     "AttentionHalf",
     "attentionF16D64",
     {"(cp\\.async.*\\[%r\\d+\\], \\[%rd\\d+)(\\].*)", 1, "$1+8$2"},
     "Types/CudaAttention.HeadDims/F16",
     "Misaligned",
     ""},
    {"StoreInTheNextWord",
     "wrong shared address",
     "Copy",
     "transposeElements4",
     {"st\\.shared\\.u32(.*)\\](,.*)", 1, "st.shared.u32$1+4]$2"},
     "CudaCopy.TransposesThroughTiles",
     "UndefinedMemory",
     "memory"},
    {"LoadBehindTheTile",
     "wrong shared address",
     "Copy",
     "transposeGroups4",
     {"ld\\.shared\\.v4(.*)\\];", 1, "ld.shared.v4$1+16384];"},
     "CudaCopy.TransposesThroughTiles",
     "OutOfBounds",
     "memory"},
    {"ExchangeLeftOut",
     "missing exchange",
     "AttentionMeans",
     "meansF32",
     {"shfl\\.sync\\.bfly\\.b32\\s+(%r\\d+)\\|.*", 1, ""},
     "Types/CudaAttention.GradientsOfHeadDims/F32",
     "UndefinedRegister",
     ""},
    {"ExchangeWithoutTheLastLane",
     "wrong mask",
     "AttentionMeans",
     "meansF32",
     {"(shfl\\.sync\\.bfly.*), %r\\d+;", 1, "$1, 0x7fffffff;"},
     "Types/CudaAttention.GradientsOfHeadDims/F32",
     "BadExchange",
     ""},
    {"GuardTurnedAround",
     "wrong predicate",
     "Copy",
     "fill4",
     {"@(%p1 bra.*)", 1, "@!$1"},
     "CudaCopy.FillHasTheBitsOfTheCpu",
     "OutOfBounds",
     "'dst'"},
    {"RoundWithoutItsEnd",
     "endless loop",
     "Sort",
     "sumDigits",
     {"@%p\\d+ (bra\\s+\\$L__BB\\d+_2;)", 1, "$1"},
     "CudaEmbeddingGrad.OneRowHasAll",
     "NoEnd",
     "is still here"},
    {"SumWithoutItsBeginning",
     "missing initial value",
     "AttentionMeans",
     "meansF32",
     {"mov\\.f32\\s+(%f\\d+), 0f00000000;", 1, ""},
     "Types/CudaAttention.GradientsOfHeadDims/F32",
     "UndefinedRegister",
     ""},
    {"ErrorWrittenWithoutAtomics",
     "missing atomic",
     "Embedding",
     "embed16I32",
     {"atom\\.global\\.max\\.u64\\s+%rd\\d+, (\\[.*\\]), (%rd\\d+);", 1,
      "st.global.u64 $1, $2;"},
     "CudaEmbedding.TellsTheFirstBadId",
     "Race",
     ""},
    {"CountWithoutAtomics",
     "missing atomic",
     "Sort",
     "countDigits",
     {"atom\\.shared\\.add\\.u32\\s+(%r\\d+), (\\[.*\\]), (\\d+);", 1,
      "{ .reg .b32 %x; ld.shared.u32 %x, $2; add.u32 %x, %x, $3; "
      "st.shared.u32 $2, %x; }"},
     "CudaEmbeddingGrad.OneRowHasAll",
     "Race",
     ""},
    {"OffsetOf32Bits",
     "32-bit offset",
     "Copy",
     "copy4",
     {"mul\\.lo\\.s64\\s+(%rd\\d+), (%rd\\d+), (%rd\\d+);", 4,
      "mul.lo.s64 $1, $2, $3; cvt.s64.s32 $1, $1;"},
     "CudaCopy.OffsetsHave64Bits",
     "OutOfBounds",
     ""},
    {"ReadOnlyLoadOfWhatIsWritten",
     "wrong cache",
     "Sort",
     "sumDigits",
     {"ld\\.global\\.u32(.*)", 1, "ld.global.nc.u32$1"},
     "CudaEmbeddingGrad.OneRowHasAll",
     "Race",
     ""},
};

class KernelDefects : public testing::TestWithParam<KernelDefect> {
protected:
  void SetUp() override {
    if (hocket::runtime::cuda::images().empty())
      GTEST_SKIP() << "nvcc was not found when this was built";
  }
};

INSTANTIATE_TEST_SUITE_P(All, KernelDefects, testing::ValuesIn(kernelDefects),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

bool isFound(const KernelDefect &defect, const KernelRun &run) {
  for (const KernelFinding &finding : run.findings)
    if (finding.kind == defect.finding &&
        finding.sentence.find(defect.sentence) != std::string::npos)
      return true;
  return defect.finding == std::string(wrongNumbers) && !run.passed &&
         run.findings.empty() &&
         run.output.find(defect.sentence) != std::string::npos;
}

TEST_P(KernelDefects, AreFound) {
  const KernelDefect &defect = GetParam();
  TemporaryFolder folder;
  std::optional<std::string> text =
      edited(textOfKernel(defect.source, defect.kernel), defect.edit);
  ASSERT_TRUE(text) << "no such line: " << defect.edit.pattern;
  KernelRun run =
      runKernelTests({defect.test, folder.path("run"), defect.kernel, *text});
  std::string all;
  for (size_t i = 0; i < std::min<size_t>(run.findings.size(), 6); ++i)
    all += run.findings[i].kind + ": " +
           run.findings[i].sentence.substr(0, 300) + "\n";
  EXPECT_FALSE(run.passed);
  EXPECT_TRUE(isFound(defect, run)) << all << run.output.substr(0, 800);
}

} // namespace
