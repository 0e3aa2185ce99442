//===- Groups.cuh - neighbouring elements, moved at once -------*- C++ -*-===//

#ifndef HOCKET_LIB_CUDA_KERNELS_GROUPS_CUH
#define HOCKET_LIB_CUDA_KERNELS_GROUPS_CUH

#include <stdint.h>
#include <string.h>

namespace hocket::runtime::cuda {

/// `n` elements at a multiple of their bytes, which are 1, 2, 4, 8 or 16.
template <class T, int n> struct alignas(sizeof(T) * n) Group {
  T elements[n];
};

template <int bytes> struct WordsOf;
template <> struct WordsOf<2> {
  using Type = uint16_t;
};
template <> struct WordsOf<4> {
  using Type = uint32_t;
};
template <> struct WordsOf<8> {
  using Type = uint2;
};
template <> struct WordsOf<16> {
  using Type = uint4;
};

/// As one access: the compiler would move a struct by its elements.
template <class T, int n>
static __device__ inline Group<T, n> loadGroup(const T *from) {
  using Words = typename WordsOf<sizeof(T) * n>::Type;
  Words words = *reinterpret_cast<const Words *>(from);
  Group<T, n> group;
  memcpy(&group, &words, sizeof group);
  return group;
}
template <class T, int n>
static __device__ inline void storeGroup(T *to, const Group<T, n> &group) {
  using Words = typename WordsOf<sizeof(T) * n>::Type;
  Words words;
  memcpy(&words, &group, sizeof group);
  *reinterpret_cast<Words *>(to) = words;
}
/// In global memory, as an instruction that the compiler does not take apart
/// where another branch stores the elements one by one.
template <class T, int n>
static __device__ inline void storeWhole(T *to, const Group<T, n> &group) {
  using Words = typename WordsOf<sizeof(T) * n>::Type;
  Words words;
  memcpy(&words, &group, sizeof group);
  __stwb(reinterpret_cast<Words *>(to), words);
}

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_KERNELS_GROUPS_CUH
