//===- PackedBytes.h - values as bytes for other processes -----*- C++ -*-===//

#ifndef HOCKET_RUNTIME_PACKEDBYTES_H
#define HOCKET_RUNTIME_PACKEDBYTES_H

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace hocket::runtime {

/// Appends values to a string. The processes of a run are one executable, so
/// that a value is its bytes.
class BytePacker {
public:
  template <typename T> void add(const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  void add(const std::string &text) {
    add(int64_t(text.size()));
    bytes += text;
  }
  template <typename T> void add(const std::vector<T> &list) {
    add(int64_t(list.size()));
    for (const T &value : list)
      add(value);
  }

  std::string bytes;
};

/// Takes them out in the same order.
class ByteUnpacker {
public:
  explicit ByteUnpacker(const std::string &bytes) : bytes(bytes) {}

  template <typename T> void take(T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
  }
  void take(std::string &text) {
    text.resize(size());
    std::memcpy(text.data(), bytes.data() + at, text.size());
    at += text.size();
  }
  template <typename T> void take(std::vector<T> &list) {
    list.resize(size());
    for (T &value : list)
      take(value);
  }
  bool isAtEnd() const { return at == bytes.size(); }

private:
  size_t size() {
    int64_t count = 0;
    take(count);
    return size_t(count);
  }

  const std::string &bytes;
  size_t at = 0;
};

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_PACKEDBYTES_H
