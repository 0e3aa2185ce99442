//===- Ordered.h - parts that are several runs of an extent -----*- C++ -*-===//
//
// A split may say in which order elements go to its parts. List, part by part,
// the elements of each, ascending: the parts are then intervals of this list,
// and everything that only asks how much of what a rank holds asks for these.
// Where elements stand in the extent is what this says.
//
//   12 elements over 3 parts        part 0         part 1        part 2
//   contiguous                      0 1 2 3        4 5 6 7       8 9 10 11
//   zigzag: 6 chunks of 2           0 1 10 11      2 3 8 9       4 5 6 7
//   striped 1                       0 3 6 9        1 4 7 10      2 5 8 11
//   striped 2                       0 1 6 7        2 3 8 9       4 5 10 11
//
// Lengths need not divide. Chunks of a zigzag are those of an even cut, the
// first ones longer; of 7 elements and 2 parts they are 2 2 2 1, and the parts
// 0 1 6 and 2 3 4 5. The last block of stripes is what is left.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_NN_ORDERED_H
#define HOCKET_NN_ORDERED_H

#include "dialects/Nn/PartSizes.h"

namespace hocket::nn {

/// Where the elements of a part stand: number i of it at
/// first + i / length * every + i % length. The last run may be shorter.
struct Runs {
  int64_t first, length, every;

  int64_t at(int64_t number) const {
    return first + number / length * every + number % length;
  }
};

/// How much each of `parts` has.
PartSizes orderedSizes(int64_t extent, int64_t parts, Ordering order);
/// Where part `index` has it; of an empty part anything.
Runs orderedRuns(int64_t extent, int64_t parts, int64_t index, Ordering order);

} // namespace hocket::nn

#endif // HOCKET_NN_ORDERED_H
