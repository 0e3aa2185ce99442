//===- Wide.h - integers that hold a product -------------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_PTX_WIDE_H
#define HOCKET_TEST_GPU_PTX_WIDE_H

#include <cstdint>

namespace hocket::ptx {

template <typename T> struct Wider;
template <> struct Wider<uint16_t> {
  using type = uint32_t;
};
template <> struct Wider<int16_t> {
  using type = int32_t;
};
template <> struct Wider<uint32_t> {
  using type = uint64_t;
};
template <> struct Wider<int32_t> {
  using type = int64_t;
};
template <> struct Wider<uint64_t> {
  using type = unsigned __int128;
};
template <> struct Wider<int64_t> {
  using type = __int128;
};

/// The integer of twice as many bits.
template <typename T> using Wide = typename Wider<T>::type;

} // namespace hocket::ptx

#endif // HOCKET_TEST_GPU_PTX_WIDE_H
