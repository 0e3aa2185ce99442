//===- FileTypes.h - element types that files have -------------*- C++ -*-===//

#ifndef HOCKET_IO_FILETYPES_H
#define HOCKET_IO_FILETYPES_H

#include "hocket/Runtime/Tensors.h"
#include <cstdint>
#include <optional>
#include <string>

namespace hocket::runtime {

/// Files may hold more types than a plan computes with.
enum class FileType {
  F64,
  F32,
  F16,
  BF16,
  I64,
  I32,
  I16,
  I8,
  U64,
  U32,
  U16,
  U8,
  Bool
};

int64_t byteSize(FileType type);

/// The word that safetensors has for it: "F32", "BOOL".
const char *toString(FileType type);
std::optional<FileType> fileTypeFromWord(const std::string &word);
FileType fileTypeOf(plan::DType type);

/// The plan's type that stands for it when the executor asks whether a tensor
/// may be read: an integer type for integers, and Bool for U8, which is used
/// for masks as well as for numbers.
plan::DType describedAs(FileType type);

/// A tensor inside a file that has been checked: `data` has as many bytes as
/// type and dims say, little-endian, row-major, aligned to nothing.
struct StoredTensor {
  FileType type;
  std::vector<int64_t> dims;
  const uint8_t *data = nullptr;
};

/// Product of `dims`, or nothing if one is negative or the bytes that they
/// need do not fit in 63 bits.
std::optional<int64_t> countElements(const std::vector<int64_t> &dims,
                                     int64_t elementBytes);

/// Reads `box` of `stored` dense to `destination`, converted to `type`. A
/// float is rounded to nearest, a number is true if it is not 0, an integer
/// that does not fit in `type` is an error, as is a float for an integer.
/// `what` begins the error: "input 'x'".
Status readStored(const StoredTensor &stored, const std::string &what,
                  const Box &box, plan::DType type, void *destination);

} // namespace hocket::runtime

#endif // HOCKET_IO_FILETYPES_H
