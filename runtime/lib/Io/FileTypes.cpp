//===- FileTypes.cpp - element types of files and their conversion --------===//

#include "hocket/Io/FileTypes.h"
#include "hocket/Runtime/BoxRuns.h"
#include "hocket/Runtime/Elements.h"
#include <cstring>
#include <limits>
#include <type_traits>

namespace hocket::runtime {
namespace {

struct TypeRow {
  FileType type;
  const char *word;
  int64_t bytes;
  plan::DType described;
};

using plan::DType;
constexpr TypeRow typeRows[] = {
    {FileType::F64, "F64", 8, DType::F64},
    {FileType::F32, "F32", 4, DType::F32},
    {FileType::F16, "F16", 2, DType::F16},
    {FileType::BF16, "BF16", 2, DType::BF16},
    {FileType::I64, "I64", 8, DType::I64},
    {FileType::I32, "I32", 4, DType::I32},
    {FileType::I16, "I16", 2, DType::I32},
    {FileType::I8, "I8", 1, DType::I32},
    {FileType::U64, "U64", 8, DType::I64},
    {FileType::U32, "U32", 4, DType::I64},
    {FileType::U16, "U16", 2, DType::I32},
    {FileType::U8, "U8", 1, DType::Bool},
    {FileType::Bool, "BOOL", 1, DType::Bool},
};

const TypeRow &rowOf(FileType type) { return typeRows[size_t(type)]; }

/// Calls `visitor(T())` with the C++ type of `type`.
template <typename Visitor>
void visitFileType(FileType type, Visitor &&visitor) {
  switch (type) {
  case FileType::F64:
    return visitor(double());
  case FileType::F32:
    return visitor(float());
  case FileType::F16:
    return visitor(Float16());
  case FileType::BF16:
    return visitor(BFloat16());
  case FileType::I64:
    return visitor(int64_t());
  case FileType::I32:
    return visitor(int32_t());
  case FileType::I16:
    return visitor(int16_t());
  case FileType::I8:
    return visitor(int8_t());
  case FileType::U64:
    return visitor(uint64_t());
  case FileType::U32:
    return visitor(uint32_t());
  case FileType::U16:
    return visitor(uint16_t());
  case FileType::U8:
    return visitor(uint8_t());
  case FileType::Bool:
    return visitor(Boolean());
  }
}

template <typename T>
constexpr bool isFloat =
    std::is_floating_point_v<T> || std::is_same_v<T, Float16> ||
    std::is_same_v<T, BFloat16>;

template <typename T>
constexpr bool isHalf =
    std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

/// Whether an element of type From may become one of type To at all.
template <typename From, typename To> constexpr bool isConvertible() {
  if constexpr (isFloat<To>)
    return isFloat<From>;
  else if constexpr (std::is_same_v<To, Boolean>)
    return std::is_same_v<From, Boolean> || std::is_same_v<From, uint8_t>;
  else
    return !isFloat<From>;
}

/// False if the integer `value` does not fit.
template <typename To, typename From> bool convertOne(From value, To &result) {
  if constexpr (std::is_same_v<From, Boolean>) {
    result = To(int(value));
  } else if constexpr (isHalf<From>) {
    result = To(float(value));
  } else if constexpr (isHalf<To>) {
    result = To(float(value));
  } else if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
    result = To(value);
    return From(result) == value && (result < To(0)) == (value < From(0));
  } else {
    result = To(value);
  }
  return true;
}

/// Converts a run of elements; returns the index of the first that does not
/// fit, or `count`.
template <typename From, typename To>
int64_t convertRun(const uint8_t *source, uint8_t *destination, int64_t count) {
  // Bools are read one by one, because any byte but 0 counts as true.
  if constexpr (std::is_same_v<From, To> && !std::is_same_v<To, Boolean>) {
    std::memcpy(destination, source, count * sizeof(To));
    return count;
  }
  for (int64_t i = 0; i < count; ++i) {
    From value;
    To result;
    std::memcpy(&value, source + i * sizeof(From), sizeof(From));
    if (!convertOne(value, result))
      return i;
    std::memcpy(destination + i * sizeof(To), &result, sizeof(To));
  }
  return count;
}

std::string spellAt(const StoredTensor &stored, int64_t element) {
  std::string text = "]";
  for (size_t i = stored.dims.size(); i-- > 0;) {
    int64_t dim = stored.dims[i];
    text = std::to_string(element % dim) + (text == "]" ? "" : ", ") + text;
    element /= dim;
  }
  return "[" + text;
}

std::string spellNumber(const StoredTensor &stored, int64_t element) {
  std::string text;
  visitFileType(stored.type, [&](auto zero) {
    using T = decltype(zero);
    T value;
    std::memcpy(&value, stored.data + element * sizeof(T), sizeof(T));
    if constexpr (std::is_integral_v<T>)
      text = std::to_string(value);
  });
  return text;
}

} // namespace

int64_t byteSize(FileType type) { return rowOf(type).bytes; }
const char *toString(FileType type) { return rowOf(type).word; }
plan::DType describedAs(FileType type) { return rowOf(type).described; }

std::optional<FileType> fileTypeFromWord(const std::string &word) {
  for (const TypeRow &row : typeRows)
    if (word == row.word)
      return row.type;
  return std::nullopt;
}

FileType fileTypeOf(plan::DType type) {
  switch (type) {
  case DType::F64:
    return FileType::F64;
  case DType::F32:
    return FileType::F32;
  case DType::F16:
    return FileType::F16;
  case DType::BF16:
    return FileType::BF16;
  case DType::I64:
    return FileType::I64;
  case DType::I32:
    return FileType::I32;
  case DType::Bool:
    break;
  }
  return FileType::Bool;
}

std::optional<int64_t> countElements(const std::vector<int64_t> &dims,
                                     int64_t elementBytes) {
  int64_t nonZero = 1;
  bool isEmpty = false;
  for (int64_t dim : dims) {
    if (dim < 0)
      return std::nullopt;
    isEmpty |= dim == 0;
    if (dim != 0 && __builtin_mul_overflow(nonZero, dim, &nonZero))
      return std::nullopt;
  }
  int64_t bytes;
  if (__builtin_mul_overflow(nonZero, elementBytes, &bytes))
    return std::nullopt;
  return isEmpty ? 0 : nonZero;
}

Status readStored(const StoredTensor &stored, const std::string &what,
                  const Box &box, plan::DType type, void *destination) {
  Status status;
  visitFileType(stored.type, [&](auto fromZero) {
    visitType(type, [&](auto toZero) {
      using From = decltype(fromZero);
      using To = decltype(toZero);
      if constexpr (!isConvertible<From, To>()) {
        status = Status::userError(what + " is " + toString(stored.type) +
                                   ", which cannot be read as " +
                                   plan::toString(type));
      } else {
        uint8_t *out = static_cast<uint8_t *>(destination);
        forEachRun(box, [&](int64_t begin, int64_t done, int64_t count) {
          int64_t fitting =
              convertRun<From, To>(stored.data + begin * sizeof(From),
                                   out + done * sizeof(To), count);
          if (fitting == count)
            return true;
          int64_t at = begin + fitting;
          status = Status::userError(what + " has " + spellNumber(stored, at) +
                                     " at " + spellAt(stored, at) +
                                     ", which does not fit in " +
                                     plan::toString(type));
          return false;
        });
      }
    });
  });
  return status;
}

} // namespace hocket::runtime
