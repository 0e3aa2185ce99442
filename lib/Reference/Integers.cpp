//===- Integers.cpp - exact i32 and i64 arithmetic on doubles -------------===//

#include "Integers.h"
#include <cmath>

namespace hocket::reference {

static constexpr double twoTo63 = 9223372036854775808.0;

int64_t Integers::smallest() const {
  return width == 1 ? 0 : width == 32 ? INT32_MIN : INT64_MIN;
}

int64_t Integers::largest() const {
  return width == 1 ? 1 : width == 32 ? INT32_MAX : INT64_MAX;
}

int64_t Integers::read(double value) const { return int64_t(value); }

double Integers::write(int64_t value, std::string &error) const {
  double result = double(value);
  if (!(result < twoTo63) || int64_t(result) != value)
    error = "the result " + std::to_string(value) +
            " is an integer that float64, in which the reference computes, "
            "cannot hold";
  return result;
}

std::optional<double> Integers::truncate(double value) const {
  double whole = std::trunc(value);
  double limit = width == 32 ? 2147483648.0 : twoTo63;
  if (whole >= -limit && whole < limit)
    return whole;
  return std::nullopt;
}

int64_t Integers::wrap(uint64_t value) const {
  return width == 32 ? int64_t(int32_t(uint32_t(value))) : int64_t(value);
}

int64_t Integers::add(int64_t a, int64_t b) const {
  return wrap(uint64_t(a) + uint64_t(b));
}

int64_t Integers::subtract(int64_t a, int64_t b) const {
  return wrap(uint64_t(a) - uint64_t(b));
}

int64_t Integers::multiply(int64_t a, int64_t b) const {
  return wrap(uint64_t(a) * uint64_t(b));
}

int64_t Integers::divide(int64_t a, int64_t b) const {
  if (b == 0)
    return 0;
  // The smallest number by -1 wraps around, and would trap.
  return b == -1 ? subtract(0, a) : a / b;
}

int64_t Integers::power(int64_t a, int64_t b) const {
  if (b < 0)
    return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
  int64_t result = 1;
  for (; b > 0; b /= 2, a = multiply(a, a))
    if (b % 2)
      result = multiply(result, a);
  return result;
}

} // namespace hocket::reference
