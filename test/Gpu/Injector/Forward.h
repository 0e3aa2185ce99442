//===- Forward.h - a call that is handed on, or done wrong -----*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_INJECTOR_FORWARD_H
#define HOCKET_TEST_GPU_INJECTOR_FORWARD_H

#include "runtime/lib/Cuda/Driver/Api.h"
#include "test/Gpu/Injector/Injector.h"
#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace hocket::inject {

/// The bits of an argument: most are numbers, enumerators and pointers. Of a
/// larger one, NCCL's identifier, the first 64.
template <class T> uint64_t bitsOf(const T &value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, std::min(sizeof value, sizeof bits));
  return bits;
}
template <class T> void setBits(T &value, uint64_t bits) {
  std::memcpy(&value, &bits, std::min(sizeof value, sizeof bits));
}

/// A pointer to a struct that is only read and whose members are known.
template <class T, class = void> constexpr bool isStruct = false;
template <class T>
constexpr bool isStruct<
    const T *, std::enable_if_t<std::is_class_v<T> && sizeof(T) != 0>> = true;

/// What the log calls an argument: i, a number; a, an address of memory; h, a
/// handle; s, a struct that is read; p, another pointer.
template <class T> constexpr char letterOf() {
  using Pointed = std::remove_pointer_t<T>;
  if (!std::is_pointer_v<T>)
    return std::is_same_v<T, runtime::cuda::DeviceAddress> ? 'a' : 'i';
  if (isStruct<T>)
    return 's';
  if (std::is_void_v<Pointed>)
    return 'a';
  return std::is_class_v<Pointed> && !std::is_const_v<Pointed> ? 'h' : 'p';
}

/// Handles of a type are exchanged between all functions, other values between
/// calls of one, at one place.
template <class T, class Of, size_t index>
using Exchanged =
    std::conditional_t<letterOf<T>() == 'h', T, std::pair<Of, char[index + 1]>>;

/// Another value that such an argument had; `bits` itself if none had.
template <class Exchanged> uint64_t otherThan(uint64_t bits) {
  static std::mutex mutex;
  static std::vector<uint64_t> seen;
  std::lock_guard<std::mutex> held(mutex);
  if (bits && std::find(seen.begin(), seen.end(), bits) == seen.end())
    seen.push_back(bits);
  for (uint64_t one : seen)
    if (one != bits)
      return one;
  return bits;
}

/// Bytes of a kernel's parameters, apart from those of the program.
struct KeptParameters {
  std::vector<std::vector<std::byte>> bytes;
  std::vector<void *> places;
};
/// Copies what a launch of the function is given.
std::shared_ptr<KeptParameters> keep(runtime::cuda::Function function,
                                     void **parameters);
/// Words of 32 bits that a launch of the function is given.
size_t countWords(runtime::cuda::Function function);
/// Changes 32 bits; false if they are what they were.
bool changeWordAt(void *place, const Fault &fault);
/// The same of a word of the parameters; false if there are fewer.
bool changeWord(KeptParameters &kept, const Fault &fault);

/// Bytes of an element of an attribute of cuDNN, by its type.
size_t bytesOfElement(int attributeType);

/// Calls a function of the library with one argument, of 64 bits at most.
void callInserted(const char *library, const std::string &name, uint64_t value);

/// Of has the name of the function and that of its library; Type is that of a
/// pointer to it. Whoever looks the function up is given `call`.
template <class Of, class Type> class Forward;

template <class Of, class... Parameters>
class Forward<Of, int (*)(Parameters...)> {
public:
  static int call(Parameters... given) {
    if (isInLibrary())
      return Forward(given...).make();
    std::function<void()> late = std::move(postponed());
    postponed() = nullptr;
    int result = Forward(given...).run();
    if (late)
      late();
    return result;
  }

private:
  static constexpr bool is(const char *name) {
    return std::string_view(Of::name) == name;
  }

  explicit Forward(Parameters... given) : arguments(given...) {}

  int run() {
    std::vector<const Fault *> faults = Injector::get().faultsOf(record());
    for (const Fault *fault : faults)
      if (prepare(*fault))
        Injector::get().done(*fault);
    if constexpr (is("cuLibraryLoadData"))
      Injector::get().keepCode(
          static_cast<const char *>(std::get<1>(arguments)));
    int result = isLeftOut ? 0 : make();
    if (isRepeated)
      make();
    for (const auto &then : after)
      then();
    return result;
  }

  int make() const {
    using Function = int (*)(Parameters...);
    static const auto function =
        reinterpret_cast<Function>(Injector::find(Of::library, Of::name));
    bool &isIn = isInLibrary(), wasIn = isIn;
    isIn = wasIn || std::string_view(Of::library) != "libcuda.so.1";
    int result = std::apply(function, arguments);
    isIn = wasIn;
    if constexpr (is("cuMemAlloc_v2"))
      if (result == 0)
        allocations().push_back(*std::get<0>(arguments));
    return result;
  }

  /// Calls body with a reference to each argument and its number, in order.
  template <class Body> void each(Body body) {
    each(body, std::index_sequence_for<Parameters...>());
  }
  template <class Body, size_t... index>
  void each([[maybe_unused]] Body body, std::index_sequence<index...>) {
    (body(std::get<index>(arguments), std::integral_constant<size_t, index>()),
     ...);
  }
  /// Calls body with a reference to the argument of that number.
  template <class Body> void at(unsigned number, Body body) {
    each([&](auto &argument, auto index) {
      if (index == number)
        body(argument, index);
    });
  }

  Record record() {
    Record record{Of::name, ""};
    each([&](auto &argument, auto index) {
      using T = std::decay_t<decltype(argument)>;
      using Key = Exchanged<T, Of, decltype(index)::value>;
      otherThan<Key>(bitsOf(argument)); // to have seen it
      record.arguments += std::string(" ") + letterOf<T>() + ":" +
                          std::to_string(bitsOf(argument));
    });
    if constexpr (is("cuLaunchKernel"))
      record.arguments +=
          " w:" + std::to_string(countWords(std::get<0>(arguments)));
    return record;
  }

  /// False where the fault cannot be done to this call.
  bool prepare(const Fault &fault) {
    switch (fault.action) {
    case Action::Drop:
      return isLeftOut = true;
    case Action::Repeat:
      return isRepeated = true;
    case Action::Later:
      return postpone();
    case Action::Number:
    case Action::Other:
      return change(fault);
    case Action::Before:
    case Action::After:
      return insert(fault);
    case Action::Word:
      if constexpr (is("cuLaunchKernel"))
        return changeWord(*keepParameters(), fault);
      return false;
    case Action::Pointed:
      return changePointed(fault);
    case Action::Unpinned:
      return unpin();
    case Action::Code:
      if constexpr (is("cuLibraryLoadData"))
        std::get<1>(arguments) = textOf(fault.name);
      return is("cuLibraryLoadData");
    }
    return false;
  }

  bool change(const Fault &fault) {
    bool isOther = false;
    at(fault.argument, [&](auto &argument, auto index) {
      using T = std::decay_t<decltype(argument)>;
      using Key = Exchanged<T, Of, decltype(index)::value>;
      uint64_t bits = bitsOf(argument);
      setBits(argument, fault.action == Action::Other ? otherThan<Key>(bits)
                                                      : fault.changed(bits));
      isOther = bitsOf(argument) != bits;
    });
    return isOther;
  }

  /// In a copy, which lives as long as the process.
  bool changePointed(const Fault &fault) {
    bool isChanged = false;
    at(fault.argument, [&](auto &argument, auto index) {
      using T = std::decay_t<decltype(argument)>;
      size_t bytes = 0;
      if constexpr (isStruct<T>)
        bytes = sizeof(*argument);
      else if constexpr (std::is_same_v<T, const void *>)
        bytes = bytesOfValue<decltype(index)::value>();
      if constexpr (std::is_convertible_v<T, const void *>) {
        size_t place = size_t(fault.word) * sizeof(uint32_t);
        if (!argument || place + sizeof(uint32_t) > bytes)
          return;
        auto *copy = static_cast<char *>(std::malloc(bytes));
        std::memcpy(copy, argument, bytes);
        isChanged = changeWordAt(copy + place, fault);
        if constexpr (std::is_const_v<std::remove_pointer_t<T>>)
          argument = reinterpret_cast<T>(copy);
      }
    });
    return isChanged;
  }

  /// Of an attribute's value, which argument `index` points to; 0: not known.
  template <size_t index> size_t bytesOfValue() const {
    constexpr std::string_view name = Of::name;
    if constexpr (is("cudnnBackendSetAttribute"))
      return static_cast<size_t>(std::get<3>(arguments)) *
             bytesOfElement(std::get<2>(arguments));
    else if constexpr (name.find("SetAttribute") != name.npos)
      return std::get<index + 1>(arguments);
    return 0;
  }

  bool insert(const Fault &fault) {
    uint64_t value = static_cast<uint64_t>(fault.value);
    if (fault.source == Source::Allocation) {
      if (value == 0 || value > allocations().size())
        return false;
      value = allocations()[value - 1];
    }
    if (fault.source == Source::Argument)
      at(static_cast<unsigned>(fault.value),
         [&](auto &argument, auto) { value = bitsOf(argument); });
    auto call = [name = fault.name, value] {
      callInserted(Of::library, name, value);
    };
    if (fault.action == Action::Before)
      call();
    else
      after.push_back(call);
    return true;
  }

  bool postpone() {
    if constexpr (is("cuLaunchKernel"))
      keepParameters();
    postponed() = [later = *this] { later.make(); };
    return isLeftOut = true;
  }

  std::shared_ptr<KeptParameters> keepParameters() {
    if constexpr (is("cuLaunchKernel")) {
      if (!kept)
        kept = keep(std::get<0>(arguments), std::get<9>(arguments));
      std::get<9>(arguments) = kept->places.data();
    }
    return kept;
  }

  bool unpin() {
    if constexpr (is("cuMemcpyHtoDAsync_v2")) {
      size_t bytes = std::get<2>(arguments);
      const void *copy = copyOf(std::get<1>(arguments), bytes);
      std::get<1>(arguments) = copy;
      after.push_back([copy, bytes] { spoil(copy, bytes); });
    }
    return is("cuMemcpyHtoDAsync_v2");
  }

  std::tuple<Parameters...> arguments;
  bool isLeftOut = false, isRepeated = false;
  std::vector<std::function<void()>> after;
  std::shared_ptr<KeptParameters> kept;
};

} // namespace hocket::inject

#endif // HOCKET_TEST_GPU_INJECTOR_FORWARD_H
