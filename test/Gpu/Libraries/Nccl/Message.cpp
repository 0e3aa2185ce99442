//===- Message.cpp - what processes of a communicator send ----------------===//

#include "test/Gpu/Libraries/Nccl/Message.h"

namespace hocket::lookalike {

namespace {

struct Header {
  uint64_t rest; ///< bytes after this number
  uint64_t to, index, textBytes;
  uint32_t topic, from, flags, padding;
};

} // namespace

std::vector<char> encode(const Message &message) {
  Header header{};
  header.rest = sizeof header - sizeof header.rest + message.text.size() +
                message.bytes.size();
  header.to = message.to;
  header.index = message.index;
  header.textBytes = message.text.size();
  header.topic = static_cast<uint32_t>(message.topic);
  header.from = message.from;
  header.flags = message.flags;
  std::vector<char> bytes(sizeof header);
  bytes.reserve(sizeof header.rest + header.rest);
  std::memcpy(bytes.data(), &header, sizeof header);
  bytes.insert(bytes.end(), message.text.begin(), message.text.end());
  bytes.insert(bytes.end(), message.bytes.begin(), message.bytes.end());
  return bytes;
}

bool decode(const std::vector<char> &bytes, size_t &at, Message &message) {
  Header header;
  if (bytes.size() - at < sizeof header)
    return false;
  std::memcpy(&header, bytes.data() + at, sizeof header);
  if (bytes.size() - at < sizeof header.rest + header.rest)
    return false;
  auto text = bytes.begin() + at + sizeof header;
  auto end = bytes.begin() + at + sizeof header.rest + header.rest;
  message.topic = static_cast<Topic>(header.topic);
  message.to = header.to;
  message.from = header.from;
  message.index = header.index;
  message.flags = header.flags;
  message.text.assign(text, text + header.textBytes);
  message.bytes.assign(text + header.textBytes, end);
  at = end - bytes.begin();
  return true;
}

} // namespace hocket::lookalike
