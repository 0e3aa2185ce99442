//===- Vector.cpp - inner loops, compiled once per processor level --------===//
//
// HOCKET_VECTOR names the instance. Everything here has internal linkage and
// no header with inline functions is included: a function that the linker
// shares with other files must not come from this one.
//
//===----------------------------------------------------------------------===//

#include "hocket/Cpu/VectorFunctions.h"
#include "runtime/lib/Cpu/Vector/RowProduct.h"
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

// ---- softmax --------------------------------------------------------------

/// exp for x <= 0, or as little above as rounding makes it, relative error
/// below 2e-7; 0 below -87.
inline float expNegative(float x) {
  float rounded = x * 1.44269504f + 12582912.0f; // adds 1.5 * 2^23
  float n = rounded - 12582912.0f;
  float r = x - n * 0.693359375f;
  r = r + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  float clamped = n < -126.0f ? -126.0f : n;
  int32_t bits = (static_cast<int32_t>(clamped) + 127) << 23;
  float power;
  __builtin_memcpy(&power, &bits, sizeof power);
  return x < -87.0f ? 0.0f : p * power;
}

void scaleRow(float *row, int64_t count, float factor) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i)
    row[i] *= factor;
}

inline void maskRow(float *row, int64_t columns, float scale,
                    const float *mask) {
#pragma omp simd
  for (int64_t j = 0; j < columns; ++j)
    row[j] = row[j] * scale + mask[j];
}

/// row[j] = exp(scale * row[j] - shift); returns the sum.
inline float exponentials(float *row, int64_t columns, float scale,
                          float shift) {
  float total = 0.0f;
#pragma omp simd reduction(+ : total)
  for (int64_t j = 0; j < columns; ++j) {
    float weight = expNegative(row[j] * scale - shift);
    row[j] = weight;
    total += weight;
  }
  return total;
}

/// Compilers do not vectorize a maximum unless told that NaN does not occur.
inline float largestOf(const float *row, int64_t count) {
  typedef float Lanes __attribute__((vector_size(64)));
  float largest = -__builtin_inff();
  int64_t j = 0;
  if (count >= 32) {
    Lanes even, odd;
    __builtin_memcpy(&even, row, sizeof even);
    __builtin_memcpy(&odd, row + 16, sizeof odd);
    for (j = 32; j + 32 <= count; j += 32) {
      Lanes a, b;
      __builtin_memcpy(&a, row + j, sizeof a);
      __builtin_memcpy(&b, row + j + 16, sizeof b);
      even = a > even ? a : even;
      odd = b > odd ? b : odd;
    }
    even = odd > even ? odd : even;
    for (int lane = 0; lane < 16; ++lane)
      largest = even[lane] > largest ? even[lane] : largest;
  }
  for (; j < count; ++j)
    largest = row[j] > largest ? row[j] : largest;
  return largest;
}

/// The columns that row `r` of a SoftmaxTile or a SoftmaxGradTile attends to.
template <class Tile>
inline int64_t visibleColumns(const Tile &tile, int64_t r, int64_t &begin) {
  begin = tile.visible ? tile.visible[r].begin : 0;
  return (tile.visible ? tile.visible[r].end : tile.columns) - begin;
}

void softmaxTile(const SoftmaxTile &tile) {
  const float lowest = -__builtin_inff();
  for (int64_t r = 0; r < tile.rows; ++r) {
    int64_t begin, columns = visibleColumns(tile, r, begin);
    float *row = tile.scores + r * tile.pitch;
    for (int64_t j = 0; j < begin; ++j)
      row[j] = 0.0f;
    row += begin;
    // Without a mask the scores are scaled on the way into exp.
    float scale = tile.scale;
    if (tile.mask) {
      maskRow(row, columns, scale, tile.mask + begin);
      scale = 1.0f;
    } else if (scale <= 0.0f) {
      scaleRow(row, columns, scale);
      scale = 1.0f;
    }
    float largest = largestOf(row, columns) * scale;
    float before = tile.maxima[r];
    float now = largest > before ? largest : before;
    // Nothing to attend to so far: all weights 0.
    float shift = now == lowest ? 0.0f : now;
    float total = exponentials(row, columns, scale, shift);
    for (int64_t j = columns; j < tile.columns - begin; ++j)
      row[j] = 0.0f;
    float shrink = before == lowest ? 0.0f : expNegative(before - now);
    tile.maxima[r] = now;
    tile.sums[r] = tile.sums[r] * shrink + total;
    tile.rescale[r] = shrink;
  }
}

/// A row of a SoftmaxGradTile by lse and mean of what may lie in other tiles
/// too.
inline void rowByLse(float *scores, float *gradients, int64_t columns,
                     float factor, float scale, float lse, float mean) {
#pragma omp simd
  for (int64_t j = 0; j < columns; ++j) {
    float weight = expNegative(scores[j] * factor - lse);
    scores[j] = weight;
    gradients[j] = scale * weight * (gradients[j] - mean);
  }
}

/// The same of a whole row, see softmaxGradRow in AttentionRows.h.
inline void wholeRowByLse(float *scores, float *gradients, int64_t columns,
                          float factor, float scale, float lse) {
  if (columns == 0)
    return;
  float inverse = 1.0f / exponentials(scores, columns, factor, lse);
  float largest = largestOf(scores, columns);
  int64_t at = 0;
  while (at + 1 < columns && scores[at] != largest)
    ++at;
  const float origin = gradients[at];
  float mean = 0.0f;
#pragma omp simd reduction(+ : mean)
  for (int64_t j = 0; j < columns; ++j) {
    scores[j] *= inverse;
    gradients[j] -= origin;
    mean += scores[j] * gradients[j];
  }
#pragma omp simd
  for (int64_t j = 0; j < columns; ++j)
    gradients[j] = scale * scores[j] * (gradients[j] - mean);
}

void softmaxGradTile(const SoftmaxGradTile &tile) {
  for (int64_t r = 0; r < tile.rows; ++r) {
    int64_t begin, columns = visibleColumns(tile, r, begin);
    float *scores = tile.scores + r * tile.pitch;
    float *gradients = tile.gradients + r * tile.pitch;
    for (int64_t j = 0; j < begin; ++j)
      scores[j] = gradients[j] = 0.0f;
    scores += begin;
    gradients += begin;
    const float lse = tile.lse[r];
    // Nothing to attend to: all weights 0.
    if (lse == -__builtin_inff())
      columns = 0;
    float factor = tile.scale;
    if (tile.mask) {
      maskRow(scores, columns, factor, tile.mask + begin);
      factor = 1.0f;
    }
    if (tile.whole)
      wholeRowByLse(scores, gradients, columns, factor, tile.scale, lse);
    else
      rowByLse(scores, gradients, columns, factor, tile.scale, lse,
               tile.means[r]);
    for (int64_t j = columns; j < tile.columns - begin; ++j)
      scores[j] = gradients[j] = 0.0f;
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
    transpose,
    panelProduct<float>,
    panelProduct<double>,
    panelProduct<int32_t>,
    panelProduct<int64_t>,
    {windowDots<float>, windowSum<float>, windowAdd<float>},
    {windowDots<double>, windowSum<double>, windowAdd<double>},
};

} // namespace hocket::runtime
