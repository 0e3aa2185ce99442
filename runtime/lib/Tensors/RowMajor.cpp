//===- RowMajor.cpp - elements in another memory order, turned ------------===//

#include "hocket/Runtime/RowMajor.h"
#include <algorithm>
#include <cstring>

namespace hocket::runtime {

namespace {

/// Two dims of a copy; tiles of both stay in cache while they are turned.
struct Plane {
  int64_t rows, rowFrom, rowTo;
  int64_t columns, columnFrom, columnTo;
};

template <typename Element>
void turnPlane(const Element *from, Element *to, const Plane &plane) {
  constexpr int64_t tile = 32;
  for (int64_t row = 0; row < plane.rows; row += tile)
    for (int64_t column = 0; column < plane.columns; column += tile)
      for (int64_t r = row; r < std::min(row + tile, plane.rows); ++r)
        for (int64_t c = column; c < std::min(column + tile, plane.columns);
             ++c)
          to[r * plane.rowTo + c * plane.columnTo] =
              from[r * plane.rowFrom + c * plane.columnFrom];
}

/// The dims but two of a copy, each with its stride here and there.
struct Outer {
  int64_t size, from, to;
};

template <typename Element>
void turn(const Element *from, Element *to, const Outer *outer, size_t dims,
          const Plane &plane) {
  if (dims == 0)
    return turnPlane(from, to, plane);
  for (int64_t i = 0; i < outer->size; ++i)
    turn(from + i * outer->from, to + i * outer->to, outer + 1, dims - 1,
         plane);
}

template <typename Element>
void turnAll(const void *from, void *to, const std::vector<Outer> &outer,
             const Plane &plane) {
  turn(static_cast<const Element *>(from), static_cast<Element *>(to),
       outer.data(), outer.size(), plane);
}

} // namespace

void toRowMajor(const void *from, const std::vector<int64_t> &sizes,
                const std::vector<int64_t> &strides, int64_t elementBytes,
                void *to) {
  std::vector<Outer> dims;
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0; stride *= sizes[i])
    if (sizes[i] != 1)
      dims.insert(dims.begin(), {sizes[i], strides[i], stride});
  if (stride == 0)
    return;
  dims.insert(dims.begin(), 2, {1, 0, 0});
  // Columns are together there, rows here.
  Outer columns = dims.back();
  dims.pop_back();
  auto next = std::min_element(
      dims.begin() + (dims.size() > 2 ? 2 : 0), dims.end(),
      [](const Outer &a, const Outer &b) { return a.from < b.from; });
  Outer rows = *next;
  dims.erase(next);
  Plane plane{rows.size,    rows.from,    rows.to,
              columns.size, columns.from, columns.to};
  if (elementBytes == 1)
    turnAll<uint8_t>(from, to, dims, plane);
  else if (elementBytes == 2)
    turnAll<uint16_t>(from, to, dims, plane);
  else if (elementBytes == 4)
    turnAll<uint32_t>(from, to, dims, plane);
  else
    turnAll<uint64_t>(from, to, dims, plane);
}

} // namespace hocket::runtime
