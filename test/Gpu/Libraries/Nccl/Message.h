//===- Message.h - what processes of a communicator send -------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_NCCL_MESSAGE_H
#define HOCKET_TEST_GPU_LIBRARIES_NCCL_MESSAGE_H

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace hocket::lookalike {

enum class Topic : uint32_t {
  Hello,     ///< the first of a connection; text: who sends
  Join,      ///< a rank to the process that made the id; index: ranks
  Members,   ///< the answer; bytes: all members
  Refusal,   ///< the other answer; text: why
  Split,     ///< index: which split; bytes: the offer
  Arrival,   ///< a part of a collective; index: which collective
  Data,      ///< bytes of a send; index: which send to this rank
  Want,      ///< a receive; index: which receive from this rank
  Issue,     ///< an operation was put into a stream
  Finalized, ///< the rank has finalized its communicator
  Aborted,   ///< the rank has aborted its communicator
  Nudge,     ///< a rank has waited for long: go on
};

struct Message {
  Topic topic = Topic::Hello;
  uint64_t to = 0;   ///< an endpoint, or the number of an id
  uint32_t from = 0; ///< a rank
  uint64_t index = 0;
  uint32_t flags = 0;
  std::string text{};
  std::vector<char> bytes{};
};

/// The message behind eight bytes that say how many follow.
std::vector<char> encode(const Message &message);

/// The first message of `bytes` from `at` on, after which `at` is moved; false
/// while a part of it is missing.
bool decode(const std::vector<char> &bytes, size_t &at, Message &message);

/// Numbers and texts one after the other.
class Packer {
public:
  template <typename T> void number(T value) {
    auto *from = reinterpret_cast<const char *>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
  }
  void text(const std::string &value) {
    number<uint64_t>(value.size());
    bytes.insert(bytes.end(), value.begin(), value.end());
  }
  std::vector<char> bytes;
};

/// Reads what a Packer has packed.
class Unpacker {
public:
  explicit Unpacker(const std::vector<char> &bytes) : bytes(bytes) {}
  template <typename T> T number() {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
    return value;
  }
  std::string text() {
    size_t size = number<uint64_t>();
    std::string value(bytes.data() + at, size);
    at += size;
    return value;
  }

private:
  const std::vector<char> &bytes;
  size_t at = 0;
};

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_NCCL_MESSAGE_H
