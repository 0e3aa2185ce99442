//===- SameCall.h - are two declarations called alike ----------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_SAMECALL_H
#define HOCKET_TEST_GPU_LIBRARIES_SAMECALL_H

#include <type_traits>

namespace hocket::test {

/// Equal as the machine passes them: both nothing or pointers, or as large and
/// both (or neither) numbers with a fraction.
template <typename Ours, typename Theirs> constexpr bool passesAlike() {
  if constexpr (std::is_pointer_v<Ours> || std::is_pointer_v<Theirs>)
    return std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>;
  else if constexpr (std::is_void_v<Ours> || std::is_void_v<Theirs>)
    return std::is_void_v<Ours> && std::is_void_v<Theirs>;
  else
    return sizeof(Ours) == sizeof(Theirs) &&
           std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs>;
}

template <typename Ours, typename Theirs> struct SameCall : std::false_type {};
template <typename R, typename... P, typename S, typename... Q>
struct SameCall<R (*)(P...), S (*)(Q...)> {
  template <bool sameCount> static constexpr bool parameters() {
    if constexpr (sameCount)
      return (passesAlike<P, Q>() && ...);
    else
      return false;
  }
  static constexpr bool value =
      passesAlike<R, S>() && parameters<sizeof...(P) == sizeof...(Q)>();
};

} // namespace hocket::test

#endif // HOCKET_TEST_GPU_LIBRARIES_SAMECALL_H
