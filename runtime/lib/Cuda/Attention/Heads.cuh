//===- Heads.cuh - which heads, rows and weights a block has ---*- C++ -*-===//

#ifndef HOCKET_LIB_CUDA_ATTENTION_HEADS_CUH
#define HOCKET_LIB_CUDA_ATTENTION_HEADS_CUH

#include "runtime/lib/Cuda/Attention/AttentionParameters.h"

namespace hocket::runtime::cuda {

#if defined(HOCKET_BIASED)
constexpr bool isListed = true, isBiased = true;
#define HOCKET_ENTRY(name) name##Biased
#define HOCKET_BLOCKS , 1 // registers rather than blocks that run together
#elif defined(HOCKET_LISTED)
constexpr bool isListed = true, isBiased = false;
#define HOCKET_ENTRY(name) name##Listed
#define HOCKET_BLOCKS
#else
constexpr bool isListed = false, isBiased = false;
#define HOCKET_ENTRY(name) name
#define HOCKET_BLOCKS
#endif

/// The first element of a head.
template <class T>
static __device__ inline T *headOf(const HeadTensor &x, int64_t b, int64_t h) {
  return reinterpret_cast<T *>(x.data) + b * x.strides[0] + h * x.strides[1];
}

/// The tile of rows of a block. Where attention is causal some tiles meet many
/// others and some few: a long one that begins last would be waited for.
/// `Index`: the kernels of 16-bit floats have no registers for wide ones, and
/// those of f32 and f64 take more of them with narrow ones.
template <class Index> struct BlockOfHead {
  Index b, h;
  int first; // row
};
template <class Index = int64_t>
static __device__ inline BlockOfHead<Index>
blockOfHead(const AttentionParameters &p, int64_t heads, int rows) {
  const uint32_t first = blockIdx.x / (p.tiles * p.headsAtOnce) * p.headsAtOnce;
  const uint32_t count = min(p.headsAtOnce, gridDim.x / p.tiles - first);
  const uint32_t number = blockIdx.x - first * p.tiles;
  const uint32_t head = first + number % count;
  uint32_t tile = number / count;
  if (isListed)
    tile = reinterpret_cast<const uint32_t *>(p.lists.order)[tile];
  else if (p.beginsWithLast)
    tile = p.tiles - 1 - tile;
  return {Index(head / heads), Index(head % heads), int(tile * rows)};
}

static __device__ inline int64_t kvHeadOf(const AttentionParameters &p,
                                          int64_t h) {
  return (p.headOffset + h) / p.group - p.kvHeadOffset;
}

static __device__ inline int clampTo(int64_t value, int most) {
  return value < 0 ? 0 : value < most ? int(value) : most;
}

/// Columns [begin, end) that a row sees.
struct Range {
  int begin, end;
};
/// Keys that a query sees, except for padding.
static __device__ inline Range keysOf(const AttentionParameters &p, int query) {
  return {p.hasBegin ? clampTo(query + p.firstBegin, p.keys) : 0,
          p.isLimited ? clampTo(query + p.firstLimit, p.keys) : p.keys};
}
/// Queries that see a key, if it is there and no padding.
static __device__ inline Range queriesOf(const AttentionParameters &p,
                                         int key) {
  return {p.isLimited ? clampTo(key + 1 - p.firstLimit, p.queries) : 0,
          p.hasBegin ? clampTo(key + 1 - p.firstBegin, p.queries) : p.queries};
}

/// Whether each of these queries sees each of these keys, if they are there and
/// no padding.
static __device__ inline bool seeAll(const AttentionParameters &p,
                                     Range queries, Range keys) {
  return (!p.isLimited || keys.end - 1 < queries.begin + p.firstLimit) &&
         (!p.hasBegin || keys.begin >= queries.end - 1 + p.firstBegin);
}

static __device__ inline bool isKept(const AttentionParameters &p, int64_t b,
                                     int key) {
  return !p.keep ||
         reinterpret_cast<const uint8_t *>(
             p.keep)[b * p.keepStrides[0] + int64_t(key) * p.keepStrides[1]] !=
             0;
}

/// What is added to a scaled score; -infinity to one that is not there.
template <class T, class Wide>
static __device__ inline Wide biasOf(const AttentionParameters &p, int64_t b,
                                     int64_t h, int query, int key) {
  if (query >= p.queries || key >= p.keys)
    return Wide(-INFINITY);
  const int64_t *strides = p.bias.strides;
  const int64_t at =
      b * strides[0] + h * strides[1] + query * strides[2] + key * strides[3];
  if (sizeof(T) == 2 && p.bias.isWide)
    return reinterpret_cast<const Wide *>(p.bias.data)[at];
  return Wide(reinterpret_cast<const T *>(p.bias.data)[at]);
}

template <class T>
static __device__ inline T &lseOf(const AttentionParameters &p, int64_t b,
                                  int64_t h, int64_t query) {
  return reinterpret_cast<T *>(
      p.lse)[b * p.lseStrides[0] + h * p.lseStrides[1] +
             query * p.lseStrides[2]];
}

/// The first or a further one of a query's numbers in scratch.
template <class T>
static __device__ inline T &meanOf(const AttentionParameters &p, int64_t b,
                                   int64_t h, int64_t query, int further = 0) {
  return reinterpret_cast<T *>(p.means)[int64_t(further) * p.rows +
                                        (b * p.heads + h) * p.queries + query];
}

/// The number of the weight of a query and the first key that there is, in the
/// global tensor.
static __device__ inline uint64_t
firstWeight(const AttentionParameters &p, int64_t b, int64_t h, int64_t query) {
  int64_t number = (b * p.heads + h) * p.queries + query;
  uint64_t weight = p.dropout.first + p.keyOffset;
#pragma unroll
  for (int i = DropoutParameters::mostSizes - 1; i >= 0; --i)
    if (i < p.dropout.rank) {
      weight += uint64_t(number % p.dropout.sizes[i] * p.dropout.strides[i]);
      number /= p.dropout.sizes[i];
    }
  return weight;
}

/// Philox 4x32-10, see hocket/Random/Philox.h.
struct Words {
  uint32_t words[4];
};
static __device__ inline Words wordsOf(const DropoutParameters &p,
                                       uint32_t step, uint64_t block) {
  uint32_t c0 = uint32_t(block), c1 = uint32_t(block >> 32), c2 = step, c3 = 0;
  uint32_t key0 = uint32_t(p.key), key1 = uint32_t(p.key >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    uint32_t high0 = __umulhi(0xD2511F53u, c0), low0 = 0xD2511F53u * c0;
    uint32_t high1 = __umulhi(0xCD9E8D57u, c2), low1 = 0xCD9E8D57u * c2;
    c0 = high1 ^ c1 ^ key0;
    c1 = low1;
    c2 = high0 ^ c3 ^ key1;
    c3 = low0;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return {c0, c1, c2, c3};
}
static __device__ inline uint32_t wordOf(const Words &words, uint32_t i) {
  uint32_t low = i & 1 ? words.words[1] : words.words[0];
  uint32_t high = i & 1 ? words.words[3] : words.words[2];
  return i & 2 ? high : low;
}

/// Which weights stay.
class Dropper {
public:
  __device__ explicit Dropper(const DropoutParameters &p)
      : p(p), step(*reinterpret_cast<const uint32_t *>(p.step)) {}
  __device__ bool keeps(uint64_t weight) const {
    return wordOf(wordsOf(p, step, weight / 4), weight % 4) >= p.threshold;
  }
  /// Of two neighbours, which mostly have their words of one block.
  __device__ void keepsPair(uint64_t weight, bool (&keeps)[2]) const {
    Words words = wordsOf(p, step, weight / 4);
    keeps[0] = wordOf(words, weight % 4) >= p.threshold;
    if (weight % 4 == 3)
      words = wordsOf(p, step, weight / 4 + 1);
    keeps[1] = wordOf(words, (weight + 1) % 4) >= p.threshold;
  }

private:
  const DropoutParameters &p;
  uint32_t step;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_ATTENTION_HEADS_CUH
