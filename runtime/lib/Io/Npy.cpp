//===- Npy.cpp - the header of NumPy's array files ------------------------===//

#include "hocket/Io/Npy.h"
#include <cstring>

namespace hocket::runtime {
namespace {

/// Reads the Python literal {'descr': '<f4', 'fortran_order': False, 'shape':
/// (3, 4), } and nothing else.
class HeaderParser {
public:
  explicit HeaderParser(const std::string &text) : text(text) {}

  std::string descr;
  bool isFortran = false;
  std::vector<int64_t> shape;
  std::string error;

  bool parse() {
    if (!take('{'))
      return fail("is not a dictionary");
    bool hasDescr = false, hasOrder = false, hasShape = false;
    while (!take('}')) {
      std::string key;
      if (!parseString(key) || !take(':'))
        return fail("is not a dictionary");
      bool &has = key == "descr"           ? hasDescr
                  : key == "fortran_order" ? hasOrder
                                           : hasShape;
      if (&has == &hasShape && key != "shape")
        return fail("has the unknown key '" + key + "'");
      if (has)
        return fail("has '" + key + "' twice");
      has = true;
      bool parsed = key == "descr"           ? parseDescr()
                    : key == "fortran_order" ? parseOrder()
                                             : parseShape();
      if (!parsed)
        return false;
      if (!take(',') && peek() != '}')
        return fail("is not a dictionary");
    }
    if (peek() != 0)
      return fail("goes on after its dictionary");
    return (hasDescr && hasOrder && hasShape) ||
           fail("needs descr, fortran_order and shape");
  }

private:
  char peek() {
    while (at < text.size() && std::strchr(" \n\t", text[at]) && text[at])
      ++at;
    return at < text.size() ? text[at] : 0;
  }
  bool take(char wanted) {
    if (peek() != wanted)
      return false;
    ++at;
    return true;
  }
  bool fail(const std::string &what) {
    error = "the header " + what;
    return false;
  }
  bool parseString(std::string &out) {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      return false;
    size_t end = text.find(quote, ++at);
    if (end == std::string::npos)
      return false;
    out = text.substr(at, end - at);
    at = end + 1;
    return true;
  }
  bool parseDescr() {
    if (parseString(descr))
      return true;
    return fail("describes records, expected one number type");
  }
  bool parseOrder() {
    peek();
    isFortran = text.compare(at, 4, "True") == 0;
    if (!isFortran && text.compare(at, 5, "False") != 0)
      return fail("has a fortran_order that is neither True nor False");
    at += isFortran ? 4 : 5;
    return true;
  }
  bool parseShape() {
    if (!take('('))
      return fail("has a shape that is no tuple");
    while (!take(')')) {
      int64_t extent = 0;
      bool hasDigit = false;
      for (char c = peek(); c >= '0' && c <= '9'; c = peek()) {
        if (__builtin_mul_overflow(extent, 10, &extent) ||
            __builtin_add_overflow(extent, c - '0', &extent))
          return fail("has an extent that does not fit in 63 bits");
        ++at;
        hasDigit = true;
      }
      if (!hasDigit || (!take(',') && peek() != ')'))
        return fail("has a shape that is no tuple of natural numbers");
      shape.push_back(extent);
    }
    return true;
  }

  const std::string &text;
  size_t at = 0;
};

bool typeFromDescr(const std::string &descr, FileType &type,
                   std::string &error) {
  constexpr struct {
    const char *word;
    FileType type;
  } words[] = {
      {"f8", FileType::F64}, {"f4", FileType::F32}, {"f2", FileType::F16},
      {"i8", FileType::I64}, {"i4", FileType::I32}, {"i2", FileType::I16},
      {"i1", FileType::I8},  {"u8", FileType::U64}, {"u4", FileType::U32},
      {"u2", FileType::U16}, {"u1", FileType::U8},  {"b1", FileType::Bool}};
  for (const auto &row : words) {
    if (descr.size() != 3 || descr.compare(1, 2, row.word) != 0)
      continue;
    if (descr[0] == '>' && byteSize(row.type) > 1) {
      error = "holds big-endian numbers ('" + descr +
              "'); save it with x.astype(x.dtype.newbyteorder('<'))";
      return false;
    }
    if (!std::strchr("<|=>", descr[0]))
      break;
    type = row.type;
    return true;
  }
  error = "has the dtype '" + descr + "', which cannot be read";
  return false;
}

} // namespace

bool parseNpy(const uint8_t *data, size_t size, StoredTensor &tensor,
              std::string &error) {
  constexpr size_t magicBytes = 6, front = 8;
  if (size < front + 2 || std::memcmp(data, "\x93NUMPY", magicBytes) != 0) {
    error = "is not an .npy file";
    return false;
  }
  int version = data[6];
  if (version < 1 || version > 3) {
    error = "is of .npy version " + std::to_string(version) +
            ", expected 1, 2 or 3";
    return false;
  }
  size_t lengthBytes = version == 1 ? 2 : 4;
  uint64_t length = 0;
  for (size_t i = 0; i < lengthBytes && front + i < size; ++i)
    length |= uint64_t(data[front + i]) << (8 * i);
  if (size < front + lengthBytes || length > size - front - lengthBytes) {
    error = "the header says that it has " + std::to_string(length) +
            " bytes, the file has " + std::to_string(size);
    return false;
  }
  const uint8_t *header = data + front + lengthBytes;
  std::string text(reinterpret_cast<const char *>(header), length);
  HeaderParser parser(text);
  if (!parser.parse()) {
    error = parser.error;
    return false;
  }
  FileType type;
  if (!typeFromDescr(parser.descr, type, error))
    return false;
  std::optional<int64_t> count = countElements(parser.shape, byteSize(type));
  if (!count) {
    error = "has more elements than can be counted";
    return false;
  }
  uint64_t payload = size - front - lengthBytes - length;
  if (uint64_t(*count) * byteSize(type) != payload) {
    error = "has " + std::to_string(payload) +
            " bytes of data, its shape and dtype need " +
            std::to_string(*count * byteSize(type));
    return false;
  }
  // The two orders are the same where at most one extent is not 1.
  int wide = 0;
  for (int64_t extent : parser.shape)
    wide += extent != 1;
  if (parser.isFortran && wide > 1) {
    error = "is in Fortran order; save numpy.ascontiguousarray(x)";
    return false;
  }
  tensor = {type, parser.shape, header + length};
  return true;
}

} // namespace hocket::runtime
