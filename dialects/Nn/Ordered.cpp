//===- Ordered.cpp - parts that are several runs of an extent -------------===//

#include "dialects/Nn/Ordered.h"

using namespace hocket;
using namespace hocket::nn;

PartSizes nn::orderedSizes(int64_t extent, int64_t parts, Ordering order) {
  if (!order.isOrdered())
    return PartSizes({extent}).cutEvenly(parts);
  llvm::SmallVector<int64_t> sizes;
  int64_t round = parts * order.block;
  for (int64_t part = 0; part < parts; ++part)
    sizes.push_back(
        order.kind == Order::Zigzag
            ? cut(extent, 2 * parts, part).size +
                  cut(extent, 2 * parts, 2 * parts - 1 - part).size
            : extent / round * order.block +
                  std::clamp<int64_t>(extent % round - part * order.block, 0,
                                      order.block));
  return PartSizes(sizes);
}

Runs nn::orderedRuns(int64_t extent, int64_t parts, int64_t index,
                     Ordering order) {
  Interval even = cut(extent, parts, index);
  if (!order.isOrdered())
    return {even.offset, std::max<int64_t>(even.size, 1), even.size};
  if (order.kind == Order::Striped)
    return {index * order.block, order.block, parts * order.block};
  Interval near = cut(extent, 2 * parts, index),
           far = cut(extent, 2 * parts, 2 * parts - 1 - index);
  return {near.offset, std::max<int64_t>(near.size, 1),
          far.offset - near.offset};
}
