//===- Integers.h - exact i32 and i64 arithmetic on doubles ----*- C++ -*-===//

#ifndef HOCKET_LIB_REFERENCE_INTEGERS_H
#define HOCKET_LIB_REFERENCE_INTEGERS_H

#include <cstdint>
#include <optional>
#include <string>

namespace hocket::reference {

/// The numbers of an integer type of 1, 32 or 64 bits: arithmetic wraps around.
/// Bools are 0 and 1.
class Integers {
public:
  explicit Integers(unsigned width) : width(width) {}

  int64_t smallest() const;
  int64_t largest() const;
  /// The number that a double of this type holds.
  int64_t read(double value) const;
  /// The double; `error` is set if none holds the number.
  double write(int64_t value, std::string &error) const;
  /// The double without its fraction; none if it is not a number of the type.
  std::optional<double> truncate(double value) const;

  int64_t wrap(uint64_t value) const;
  int64_t add(int64_t a, int64_t b) const;
  int64_t subtract(int64_t a, int64_t b) const;
  int64_t multiply(int64_t a, int64_t b) const;
  /// Truncated toward zero; 0 if b is 0.
  int64_t divide(int64_t a, int64_t b) const;
  /// For a negative exponent the real power, truncated toward zero.
  int64_t power(int64_t a, int64_t b) const;

private:
  unsigned width;
};

} // namespace hocket::reference

#endif // HOCKET_LIB_REFERENCE_INTEGERS_H
