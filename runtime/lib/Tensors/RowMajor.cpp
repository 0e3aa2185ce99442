//===- RowMajor.cpp - elements in another memory order, turned ------------===//

#include "hocket/Runtime/RowMajor.h"
#include <algorithm>
#include <numeric>
#include <tuple>

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

/// A dim of a copy, with its stride here and there.
struct Dim {
  int64_t size, from, to;
};

template <typename Element>
void turn(const Element *from, Element *to, const Dim *outer, size_t dims,
          const Plane &plane) {
  if (dims == 0)
    return turnPlane(from, to, plane);
  for (int64_t i = 0; i < outer->size; ++i)
    turn(from + i * outer->from, to + i * outer->to, outer + 1, dims - 1,
         plane);
}

template <typename Element>
void turnAll(const void *from, void *to, const std::vector<Dim> &outer,
             const Plane &plane) {
  turn(static_cast<const Element *>(from), static_cast<Element *>(to),
       outer.data(), outer.size(), plane);
}

/// Of dims without those of one position.
void copyDims(const void *from, std::vector<Dim> dims, int64_t elementBytes,
              void *to) {
  for (const Dim &dim : dims)
    if (dim.size == 0)
      return;
  dims.insert(dims.end(), 2, {1, 0, 0});
  auto take = [&](int64_t Dim::*stride) {
    auto found = std::min_element(dims.begin(), dims.end(),
                                  [&](const Dim &a, const Dim &b) {
                                    return std::tuple(a.size == 1, a.*stride) <
                                           std::tuple(b.size == 1, b.*stride);
                                  });
    Dim dim = *found;
    dims.erase(found);
    return dim;
  };
  // Columns are together there, rows here.
  Dim columns = take(&Dim::to), rows = take(&Dim::from);
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

/// Row-major here, with these strides there; outermost first.
std::vector<Dim> dimsOf(const std::vector<int64_t> &sizes,
                        const std::vector<int64_t> &strides) {
  std::vector<Dim> dims;
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0; stride *= sizes[i])
    if (sizes[i] != 1)
      dims.insert(dims.begin(), {sizes[i], stride, strides[i]});
  return dims;
}

} // namespace

void fromRowMajor(const void *from, const std::vector<int64_t> &sizes,
                  const std::vector<int64_t> &strides, int64_t elementBytes,
                  void *to) {
  copyDims(from, dimsOf(sizes, strides), elementBytes, to);
}

void toRowMajor(const void *from, const std::vector<int64_t> &sizes,
                const std::vector<int64_t> &strides, int64_t elementBytes,
                void *to) {
  std::vector<Dim> dims = dimsOf(sizes, strides);
  for (Dim &dim : dims)
    std::swap(dim.from, dim.to);
  copyDims(from, std::move(dims), elementBytes, to);
}

std::vector<Box> partsOf(const Box &box, const std::vector<int64_t> &strides,
                         int64_t most) {
  std::vector<size_t> dims(strides.size()); // the outermost last
  std::iota(dims.begin(), dims.end(), size_t(0));
  std::sort(dims.begin(), dims.end(),
            [&](size_t a, size_t b) { return strides[a] < strides[b]; });
  Box part = box;
  int64_t elements = 1;
  for (size_t dim : dims) {
    int64_t fit = std::max<int64_t>(1, most / std::max<int64_t>(1, elements));
    part.size[dim] = std::min(box.size[dim], fit);
    elements *= part.size[dim];
  }
  std::vector<Box> parts;
  while (box.elements() > 0) {
    parts.push_back(part);
    for (size_t dim : dims) { // on to the next, as an odometer
      Box &at = parts.back();
      int64_t end = box.offset[dim] + box.size[dim];
      at.size[dim] = std::min(at.size[dim], end - at.offset[dim]);
    }
    auto dim = std::find_if(dims.begin(), dims.end(), [&](size_t d) {
      part.offset[d] += part.size[d];
      if (part.offset[d] < box.offset[d] + box.size[d])
        return true;
      part.offset[d] = box.offset[d];
      return false;
    });
    if (dim == dims.end())
      break;
  }
  return parts;
}

} // namespace hocket::runtime
