//===- SafetensorsParse.cpp - the header of a safetensors file ------------===//

#include "hocket/Io/Safetensors.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

using nlohmann::json;

namespace hocket::runtime {
namespace {

constexpr uint64_t lengthBytes = 8;
/// The format's own limit; keeps a bad length from costing memory.
constexpr uint64_t mostHeaderBytes = 100'000'000;

/// One entry of the header as it stands there.
struct HeaderEntry {
  std::string name, type;
  std::vector<int64_t> shape;
  std::vector<int64_t> offsets;
  std::set<std::string> keys;
};

/// Reads the header event by event: it sees repeated names, which a parsed
/// document would hide, and stops at the first thing that the format does not
/// have, so that nothing is nested deeper than it may be.
class HeaderReader : public nlohmann::json_sax<json> {
public:
  std::vector<HeaderEntry> entries;
  Metadata metadata;
  std::string error;

  bool key(string_t &key) override {
    if (depth == 1)
      return beginEntry(key);
    if (isMetadata) {
      field = key;
      return true;
    }
    if (key != "dtype" && key != "shape" && key != "data_offsets")
      return failEntry("has the unknown field '" + key + "'");
    field = key;
    return entries.back().keys.insert(key).second ||
           failEntry("has '" + key + "' twice");
  }

  bool start_object(std::size_t) override {
    ++depth;
    if (depth == 1 || (depth == 2 && !inArray))
      return true;
    return failShape();
  }
  bool end_object() override {
    --depth;
    if (depth == 1 && !isMetadata && entries.back().keys.size() != 3)
      return failEntry("needs dtype, shape and data_offsets");
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth != 2 || isMetadata || inArray || field == "dtype")
      return failShape();
    return inArray = true;
  }
  bool end_array() override {
    inArray = false;
    return true;
  }

  bool string(string_t &text) override {
    if (depth != 2 || (!isMetadata && (field != "dtype" || inArray)))
      return failShape();
    (isMetadata ? metadata[field] : entries.back().type) = text;
    return true;
  }
  bool number_unsigned(number_unsigned_t number) override {
    if (!inArray)
      return failShape();
    if (number > uint64_t(INT64_MAX))
      return failEntry("has the number " + std::to_string(number) +
                       ", which does not fit in 63 bits");
    auto &list =
        field == "shape" ? entries.back().shape : entries.back().offsets;
    list.push_back(int64_t(number));
    return true;
  }
  bool null() override { return failShape(); }
  bool boolean(bool) override { return failShape(); }
  bool number_integer(number_integer_t) override { return failShape(); }
  bool number_float(number_float_t, const string_t &) override {
    return failShape();
  }
  bool binary(binary_t &) override { return failShape(); }
  bool parse_error(std::size_t position, const std::string &,
                   const nlohmann::detail::exception &) override {
    error = "the header is not JSON from its byte " + std::to_string(position);
    return false;
  }

private:
  bool beginEntry(const std::string &name) {
    isMetadata = name == "__metadata__";
    if (!names.insert(name).second) {
      error = "tensor '" + name + "' appears twice";
      return false;
    }
    if (!isMetadata) {
      entries.emplace_back();
      entries.back().name = name;
    }
    field.clear();
    return true;
  }
  bool failEntry(const std::string &what) {
    error = "tensor '" + entries.back().name + "' " + what;
    return false;
  }
  bool failShape() {
    if (isMetadata)
      error = "'__metadata__' is not an object of strings";
    else if (entries.empty())
      error = "the header is not an object of tensors";
    else
      failEntry("is not {\"dtype\", \"shape\", \"data_offsets\"} of a word, "
                "natural numbers and two natural numbers");
    return false;
  }

  int depth = 0;
  bool isMetadata = false, inArray = false;
  std::string field;
  std::set<std::string> names;
};

/// Checks one entry by itself and describes it.
bool describeEntry(const HeaderEntry &entry, const uint8_t *data,
                   int64_t dataSize, StoredTensor &tensor, std::string &error) {
  auto fail = [&](const std::string &what) {
    error = "tensor '" + entry.name + "' " + what;
    return false;
  };
  std::optional<FileType> type = fileTypeFromWord(entry.type);
  if (!type)
    return fail("has the dtype '" + entry.type + "', which is not known");
  if (entry.offsets.size() != 2)
    return fail("has " + std::to_string(entry.offsets.size()) +
                " data_offsets, expected 2");
  int64_t begin = entry.offsets[0], end = entry.offsets[1];
  if (begin > end || end > dataSize)
    return fail("has data [" + std::to_string(begin) + ", " +
                std::to_string(end) + ") of the " + std::to_string(dataSize) +
                " bytes in the file");
  std::optional<int64_t> count = countElements(entry.shape, byteSize(*type));
  if (!count)
    return fail("has more elements than can be counted");
  if (*count * byteSize(*type) != end - begin)
    return fail("has " + std::to_string(end - begin) +
                " bytes, its shape and dtype need " +
                std::to_string(*count * byteSize(*type)));
  tensor = {*type, entry.shape, data + begin};
  return true;
}

/// Together the entries cover the data once.
bool checkCover(std::vector<HeaderEntry> &entries, int64_t dataSize,
                std::string &error) {
  std::sort(entries.begin(), entries.end(),
            [](const HeaderEntry &a, const HeaderEntry &b) {
              return a.offsets < b.offsets;
            });
  int64_t covered = 0;
  const HeaderEntry *last = nullptr;
  for (const HeaderEntry &entry : entries) {
    int64_t begin = entry.offsets[0];
    if (begin < covered && entry.offsets[1] > begin) {
      error = "tensors '" + last->name + "' and '" + entry.name +
              "' overlap at byte " + std::to_string(begin) + " of the data";
      return false;
    }
    if (begin > covered)
      break;
    if (entry.offsets[1] > covered) {
      covered = entry.offsets[1];
      last = &entry;
    }
  }
  if (covered == dataSize)
    return true;
  error = "byte " + std::to_string(covered) + " of the " +
          std::to_string(dataSize) + " bytes of data belongs to no tensor";
  return false;
}

} // namespace

bool parseSafetensors(const uint8_t *data, size_t size,
                      std::map<std::string, StoredTensor> &tensors,
                      std::string &error, Metadata *metadata) {
  tensors.clear();
  if (size < lengthBytes) {
    error = "has " + std::to_string(size) +
            " bytes, too few for a safetensors file";
    return false;
  }
  uint64_t length = 0;
  for (uint64_t i = 0; i < lengthBytes; ++i)
    length |= uint64_t(data[i]) << (8 * i);
  if (length > size - lengthBytes || length > mostHeaderBytes) {
    error = "the header says that it has " + std::to_string(length) +
            " bytes, the file has " + std::to_string(size);
    return false;
  }
  const uint8_t *header = data + lengthBytes;
  HeaderReader reader;
  bool isObject = length > 0 && *header == '{';
  if (!isObject || !json::sax_parse(header, header + length, &reader)) {
    error = isObject ? reader.error : "the header is not a JSON object";
    return false;
  }
  const uint8_t *payload = header + length;
  int64_t payloadSize = int64_t(size - lengthBytes - length);
  for (const HeaderEntry &entry : reader.entries)
    if (!describeEntry(entry, payload, payloadSize, tensors[entry.name],
                       error)) {
      tensors.clear();
      return false;
    }
  if (metadata)
    *metadata = std::move(reader.metadata);
  if (checkCover(reader.entries, payloadSize, error))
    return true;
  tensors.clear();
  return false;
}

} // namespace hocket::runtime
