//===- Vector.cpp - inner loops, compiled once per processor level --------===//
//
// HOCKET_VECTOR names the instance. Everything here has internal linkage and
// no header with inline functions is included: a function that the linker
// shares with other files must not come from this one.
//
//===----------------------------------------------------------------------===//

#include "hocket/Cpu/VectorFunctions.h"
#include "runtime/lib/Cpu/Vector/RowProduct.h"
#include "runtime/lib/Cpu/Vector/SoftmaxGrad.h"
#include "runtime/lib/Cpu/Vector/SoftmaxProduct.h"
#include "runtime/lib/Cpu/Vector/Transpose.h"
#include "runtime/lib/Cpu/Vector/WindowRows.h"
#include <stdint.h>

namespace hocket::runtime {
namespace {

// ---- reductions -----------------------------------------------------------

struct Sum {
  template <typename T> static T apply(T a, T b) { return a + b; }
};
// NaN wins, as in numpy.maximum.
struct Max {
  template <typename T> static T apply(T a, T b) {
    return (a < b || b != b) ? b : a;
  }
};
struct Min {
  template <typename T> static T apply(T a, T b) {
    return (b < a || b != b) ? b : a;
  }
};

template <typename T, typename Op>
inline void combine(T *out, const T *a, const T *b, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i)
    out[i] = Op::apply(a[i], b[i]);
}

template <typename T, typename Op>
void reduce(void *outBytes, const void *const *terms, int64_t count,
            int64_t n) {
  T *out = static_cast<T *>(outBytes);
  const T *a = static_cast<const T *>(terms[0]);
  if (count == 1) {
    if (out != a)
      __builtin_memcpy(out, a, n * sizeof(T));
    return;
  }
  const T *b = static_cast<const T *>(terms[1]);
  if (count == 2)
    return combine<T, Op>(out, a, b, n);
  if (count == 3) {
    const T *c = static_cast<const T *>(terms[2]);
#pragma omp simd
    for (int64_t i = 0; i < n; ++i)
      out[i] = Op::apply(Op::apply(a[i], b[i]), c[i]);
    return;
  }
  if (count == 4) {
    const T *c = static_cast<const T *>(terms[2]);
    const T *d = static_cast<const T *>(terms[3]);
#pragma omp simd
    for (int64_t i = 0; i < n; ++i)
      out[i] = Op::apply(Op::apply(Op::apply(a[i], b[i]), c[i]), d[i]);
    return;
  }
  // The running result stays in L1 and reaches `out`, which may be a term,
  // only with the last one.
  constexpr int64_t block = 8192 / sizeof(T);
  alignas(64) T running[block];
  for (int64_t begin = 0; begin < n; begin += block) {
    int64_t size = n - begin < block ? n - begin : block;
    combine<T, Op>(running, a + begin, b + begin, size);
    for (int64_t term = 2; term + 1 < count; ++term)
      combine<T, Op>(running, running,
                     static_cast<const T *>(terms[term]) + begin, size);
    combine<T, Op>(out + begin, running,
                   static_cast<const T *>(terms[count - 1]) + begin, size);
  }
}

// ---- dropout --------------------------------------------------------------

/// The words of 16 blocks from `block` on. Each is in the low half of a lane of
/// 64 bits, so that no product needs a half moved.
inline void philox16(uint64_t block, uint64_t key, uint32_t step,
                     uint32_t *words) {
  typedef uint64_t Lanes __attribute__((vector_size(128)));
  const Lanes ahead = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const uint64_t low = 0xffffffff;
  Lanes blocks = ahead + block;
  Lanes c0 = blocks & low, c1 = blocks >> 32, c2 = (ahead & 0) + step,
        c3 = ahead & 0;
  uint64_t key0 = key & low, key1 = key >> 32;
  for (int round = 0; round < 10; ++round) {
    Lanes product0 = c0 * uint64_t(0xD2511F53);
    Lanes product1 = c2 * uint64_t(0xCD9E8D57);
    c0 = (product1 >> 32) ^ c1 ^ key0;
    c1 = product1 & low;
    c2 = (product0 >> 32) ^ c3 ^ key1;
    c3 = product0 & low;
    key0 = (key0 + 0x9E3779B9) & low;
    key1 = (key1 + 0xBB67AE85) & low;
  }
  Lanes first = c0 | c1 << 32, second = c2 | c3 << 32;
  for (int lane = 0; lane < 16; ++lane) {
    uint64_t pair[2] = {first[lane], second[lane]};
    __builtin_memcpy(words + 4 * lane, pair, sizeof pair);
  }
}

void dropRow(const DropRow &drop) {
  alignas(64) uint32_t words[64];
  const uint32_t threshold = drop.threshold;
  const float scale = drop.scale;
  uint64_t block = drop.first / 4;
  int64_t ahead = drop.first % 4; // words of the block that are not of the row
  for (int64_t done = 0; done < drop.count;) {
    philox16(block, drop.key, drop.step, words);
    int64_t count = 64 - ahead;
    if (count > drop.count - done)
      count = drop.count - done;
    float *row = drop.row + done;
    const uint32_t *word = words + ahead;
#pragma omp simd
    for (int64_t j = 0; j < count; ++j)
      row[j] = word[j] >= threshold ? row[j] * scale : 0.0f;
    done += count;
    block += 16;
    ahead = 0;
  }
}

// ---- products of packed panels --------------------------------------------

template <typename T>
void panelProduct(int64_t depth, const T *a, const T *b, T *acc,
                  int64_t accPitch) {
  constexpr int lanes =
      64 / sizeof(T) < panelColumns ? 64 / sizeof(T) : panelColumns;
  constexpr int vectors = panelColumns / lanes;
  typedef T Lanes __attribute__((vector_size(lanes * sizeof(T))));
  Lanes sum[panelRows][vectors] = {};
  for (int64_t p = 0; p < depth; ++p) {
    Lanes right[vectors];
    __builtin_memcpy(right, b + p * panelColumns, sizeof right);
    for (int i = 0; i < panelRows; ++i)
      for (int v = 0; v < vectors; ++v)
        sum[i][v] += a[p * panelRows + i] * right[v];
  }
  for (int i = 0; i < panelRows; ++i)
    for (int v = 0; v < vectors; ++v)
      for (int lane = 0; lane < lanes; ++lane)
        acc[i * accPitch + v * lanes + lane] += sum[i][v][lane];
}

} // namespace

extern const VectorFunctions HOCKET_VECTOR;
const VectorFunctions HOCKET_VECTOR = {
    HOCKET_VECTOR_NAME,
    {reduce<float, Sum>, reduce<float, Max>, reduce<float, Min>},
    {reduce<double, Sum>, reduce<double, Max>, reduce<double, Min>},
    {reduce<int32_t, Sum>, reduce<int32_t, Max>, reduce<int32_t, Min>},
    {reduce<int64_t, Sum>, reduce<int64_t, Max>, reduce<int64_t, Min>},
    softmaxTile,
    softmaxGradTile,
    dropRow,
    scaleRow,
    rowProduct,
    weightProduct,
    addTotals,
    transpose,
    panelProduct<float>,
    panelProduct<double>,
    panelProduct<int32_t>,
    panelProduct<int64_t>,
    {windowDots<float>, windowSum<float>, windowAdd<float>},
    {windowDots<double>, windowSum<double>, windowAdd<double>},
};

} // namespace hocket::runtime
