//===- Lookalikes.h - cases on look-alikes of a GPU -------------*- C++ -*-===//
//
// What the tester asks of the libcuda.so.1 that LD_LIBRARY_PATH names, if that
// is the look-alike (test/Gpu/README.md); of NVIDIA's own it asks nothing.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_RANDOM_LOOKALIKES_H
#define HOCKET_TEST_RANDOM_LOOKALIKES_H

#include <cstdint>
#include <string>

namespace hocket::random {

/// Whether there is a libcuda.so.1.
bool hasDriver();

/// A driver as it is when a process begins, which draws the order of streams
/// from the seed.
void startLookalikes(uint64_t seed);

/// What it found since then, and what is not released, one sentence a line.
std::string takeFindings();

} // namespace hocket::random

#endif // HOCKET_TEST_RANDOM_LOOKALIKES_H
