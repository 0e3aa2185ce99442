//===- Split.cpp - float32 products by a matrix unit ----------------------===//
//
// Compiled for processors with AMX. As in Vector.cpp everything here has
// internal linkage. A row's result depends on that row and on what it attends
// to alone, whatever rows and columns are beside it: sums go over blocks of 32
// in one order, and what is filled up adds zeros.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cpu/Vector/SplitParts.h"
#include "runtime/lib/Cpu/Vector/SplitProducts.h"
#include "runtime/lib/Cpu/Vector/SplitSoftmaxGrad.h"

namespace hocket::runtime {
namespace {

/// Eight tiles of 16 rows of 64 bytes.
void beginTiles() {
  struct alignas(64) {
    uint8_t palette = 1, startRow = 0, reserved[14] = {};
    uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  } config;
  _tile_loadconfig(&config);
}

void endTiles() { _tile_release(); }

} // namespace

extern const SplitFunctions amxFunctions;
const SplitFunctions amxFunctions = {
    beginTiles,       endTiles,           largestBits,       splitAlong<false>,
    splitAlong<true>, splitAcross<false>, splitAcross<true>, splitProduct,
    splitWeights,     splitSoftmaxGrad,
};

} // namespace hocket::runtime
