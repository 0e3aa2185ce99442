//===- Work.h - what an instruction computes and moves ---------*- C++ -*-===//
//
// Counted from the plan alone, of one rank.
//
//   flops   A product of m x k by k x n has 2 m n k. A convolution has 2 for
//           each tap of each window that lies inside of x. Attention and its
//           gradient have their products of queries with keys and of weights
//           with values, for the keys that each query sees under its mask and
//           layout; what `keep` hides, only a run knows. Pooling has one for
//           each tap of a window, the gradient of an embedding an addition for
//           each element of dy, and of a generated kernel the compiler has
//           counted scalar operations.
//   bytes   Of the rank's memory: what operands and results reach, each element
//           once, also where strides of 0 repeat it. Of keys and values those
//           that some query sees. Of an embedding's table a row for each id,
//           but no more than there are. A collective reads src and writes dst.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PLAN_WORK_H
#define HOCKET_PLAN_WORK_H

#include "hocket/Plan/Plan.h"
#include <array>

namespace hocket::plan {

/// What computes the flops of an instruction on a GPU: matrix units for f16 and
/// bf16, added up in f32; matrix units for f64; or vector units.
enum class Unit { HalfMatrix, F64Matrix, F32, F64 };
inline constexpr std::array<const char *, 4> unitWords = {
    "half_matrix", "f64_matrix", "f32", "f64"};

/// Numbers that 64 bits do not hold stay the most that they do.
struct Work {
  Unit unit = Unit::F32;
  int64_t flops = 0;
  int64_t readBytes = 0, writtenBytes = 0;
};

/// Of one run. A collective has its work where it stands, whether it only
/// starts there or not, and a Wait none.
Work workOf(const Instruction &instruction, const Plan &plan,
            const RankClass &rankClass, int64_t rank);

/// The ranks of a class in groups whose instructions all have the same work:
/// they differ where what queries see depends on a rank's position or heads.
std::vector<std::vector<int64_t>> ranksOfEqualWork(const Plan &plan,
                                                   const RankClass &rankClass);

/// Flops of one step, by rank.
std::vector<int64_t> flopsByRank(const Plan &plan);

/// a + b, a * b of numbers that are not negative, or the most there is.
int64_t saturatingSum(int64_t a, int64_t b);
int64_t saturatingProduct(int64_t a, int64_t b);

} // namespace hocket::plan

#endif // HOCKET_PLAN_WORK_H
