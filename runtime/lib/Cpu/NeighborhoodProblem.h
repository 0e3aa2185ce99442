//===- NeighborhoodProblem.h - windows and rows of a rank ------*- C++ -*-===//

#ifndef HOCKET_LIB_CPU_NEIGHBORHOODPROBLEM_H
#define HOCKET_LIB_CPU_NEIGHBORHOODPROBLEM_H

#include "hocket/Cpu/Neighborhood.h"
#include "hocket/Cpu/Scratch.h"
#include "hocket/Cpu/VectorFunctions.h"
#include "hocket/Runtime/Elements.h"
#include <algorithm>
#include <array>

namespace hocket::runtime {

/// A place in a padded operand, [batch, head, 3 dims, element].
using Place = std::array<int64_t, 5>;

/// The operand with three dims of positions, `rank` in all; those that it lacks
/// come first.
Operand padded(Operand operand, size_t rank = 6);

/// Neighborhood attention with three dims, and the windows of this rank's
/// queries, counted in the keys that it holds.
class NeighborhoodProblem {
public:
  explicit NeighborhoodProblem(const NeighborhoodArguments &given);

  Operand q, k, v, out;
  std::optional<Operand> lse;
  double scale;
  int64_t depth, width;

  int64_t kvHead(int64_t head) const {
    return (headOffset + head) / group - kvHeadOffset;
  }
  /// Keys of the largest window.
  int64_t mostKeys() const { return most; }
  /// Rows of queries along the last dim: heads of a batch entry, outer dims.
  int64_t linesOfHead() const { return q.shape[2] * q.shape[3]; }

  /// The window of a query in rows of `size` elements, `steps` apart by dim,
  /// from `first` on.
  template <typename T>
  WindowRows<T> window(T *first, const int64_t *steps, const Place &query,
                       int64_t size) const {
    WindowRows<T> rows{first, {}, {}, size};
    for (int dim = 0; dim < 3; ++dim) {
      const plan::Neighborhood::Keys &keys = this->keys[dim][query[dim + 2]];
      rows.first += keys.first * steps[dim];
      rows.counts[dim] = keys.count;
      rows.steps[dim] = dilations[dim] * steps[dim];
    }
    return rows;
  }

private:
  int64_t group, headOffset, kvHeadOffset, most = 1;
  std::array<std::vector<plan::Neighborhood::Keys>, 3> keys; // by query
  std::array<int64_t, 3> dilations = {1, 1, 1};
};

template <typename T> int64_t countOf(const WindowRows<T> &rows) {
  return rows.counts[0] * rows.counts[1] * rows.counts[2];
}

/// Where a place of a padded operand lies, in elements.
inline int64_t offsetOf(const Operand &operand, const Place &place) {
  int64_t offset = 0;
  for (size_t dim = 0; dim < place.size(); ++dim)
    offset += place[dim] * operand.strides[dim];
  return offset;
}

/// out[d] = operand[place, d].
template <typename T>
void load(const Operand &operand, const Place &place, T *out) {
  visitType(operand.type, [&](auto zero) {
    using Element = decltype(zero);
    auto *from =
        static_cast<const Element *>(operand.data) + offsetOf(operand, place);
    for (int64_t d = 0; d < operand.shape[5]; ++d)
      out[d] = static_cast<T>(from[d * operand.strides[5]]);
  });
}

template <typename T>
void store(const Operand &operand, const Place &place, const T *from) {
  visitType(operand.type, [&](auto zero) {
    using Element = decltype(zero);
    auto *to = static_cast<Element *>(operand.data) + offsetOf(operand, place);
    for (int64_t d = 0; d < operand.shape[5]; ++d)
      to[d * operand.strides[5]] = static_cast<Element>(from[d]);
  });
}

/// Keys or values as rows of T: read where they lie, or copied densely where
/// they are of another type or their elements are apart.
template <typename T> class HeadRows {
public:
  explicit HeadRows(const Operand &operand) : operand(operand) {
    constexpr plan::DType type =
        sizeof(T) == 8 ? plan::DType::F64 : plan::DType::F32;
    copies = operand.type != type ||
             (operand.strides[5] != 1 && operand.shape[5] > 1);
    std::copy(operand.strides.begin(), operand.strides.end(), strides);
    if (copies)
      for (int64_t dim = 5, stride = 1; dim >= 0; --dim) {
        strides[dim] = stride;
        stride *= operand.shape[dim];
      }
  }

  int64_t scratchBytes() const {
    return copies ? pieceBytes(operand.elements() * sizeof(T)) : 0;
  }
  void setScratch(char *place) {
    data = reinterpret_cast<T *>(copies ? place
                                        : static_cast<char *>(operand.data));
  }
  /// One thread's part of the copy.
  void copyPart(int part, int threads) const {
    if (!copies)
      return;
    const std::vector<int64_t> &n = operand.shape;
    int64_t rows = n[0] * n[1] * n[2] * n[3] * n[4];
    for (int64_t row = rows * part / threads; row < rows * (part + 1) / threads;
         ++row) {
      Place place;
      int64_t rest = row;
      for (int dim = 4; dim >= 0; --dim) {
        place[dim] = rest % n[dim];
        rest /= n[dim];
      }
      load(operand, place, data + row * n[5]);
    }
  }
  bool isCopied() const { return copies; }
  const T *head(int64_t b, int64_t head) const {
    return data + b * strides[0] + head * strides[1];
  }
  const int64_t *steps() const { return strides + 2; }

private:
  const Operand operand;
  bool copies;
  int64_t strides[6];
  T *data = nullptr;
};

template <typename T> const WindowFunctions<T> &windowFunctions();
template <> inline const WindowFunctions<float> &windowFunctions() {
  return vectorFunctions().windowF32;
}
template <> inline const WindowFunctions<double> &windowFunctions() {
  return vectorFunctions().windowF64;
}

/// Where a query's lse is, of the computation's type.
template <typename T>
T &lseAt(const NeighborhoodProblem &problem, const Place &place) {
  return static_cast<T *>(problem.lse->data)[offsetOf(*problem.lse, place)];
}

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_NEIGHBORHOODPROBLEM_H
