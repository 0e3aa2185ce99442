//===- SgdProgram.h - a training step written by hand ----------*- C++ -*-===//
//
// A linear model with SGD and momentum at the placed stage, its gradient
// written out: y = x w^T, loss = sum (y - t)^2, g = 2 (y - t)^T x,
// m' = m / 2 + g, w' = w - m' / 16. Of data of -1, 0 and 1 every number but the
// loss is exact for three steps, so that all schedules give the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_UNIT_TRAIN_SGDPROGRAM_H
#define HOCKET_TEST_UNIT_TRAIN_SGDPROGRAM_H

#include <string>

namespace hocket::test {

constexpr int sgdBatch = 6, sgdIn = 5, sgdOut = 3;

/// The placed module on mesh `dp` x `tp`: the batch is split over dp, the rows
/// of the weight over tp (3 over 2: unevenly). `returnsBefore`: the weight as
/// it was is an output.
std::string sgdProgram(int dp, int tp, bool returnsBefore = false);

} // namespace hocket::test

#endif // HOCKET_TEST_UNIT_TRAIN_SGDPROGRAM_H
