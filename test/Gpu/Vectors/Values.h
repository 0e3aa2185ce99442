//===- Values.h - inputs at which instructions differ ----------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_VECTORS_VALUES_H
#define HOCKET_TEST_GPU_VECTORS_VALUES_H

#include "test/Gpu/Vectors/Vector.h"
#include <random>

namespace hocket::vectors {

using Random = std::mt19937_64;

/// Which values of a type an operand takes.
enum class Draw {
  Any,
  NotZero,  ///< of a divisor
  NotLeast, ///< of what is divided: the least number by -1 has no quotient
  Shift,    ///< 0, around the sizes of registers, large
  Place, ///< the same up to 255: of a bit field, whose numbers the ISA bounds
  Bit,   ///< 0 or 1
  Angle, ///< floats from -3 to 3
};

struct Source {
  Type type;
  Draw draw = Draw::Any;
};

/// Where rounding, overflow, signs, subnormals and NaN begin.
std::vector<uint64_t> specialValues(const Source &source);
/// The bits of a float of any sign between 2^-8 and 2^8.
uint64_t valueNearOne(Kind kind, Random &random);
/// All bits at random, or, for every other float, one near 1.
uint64_t randomValue(const Source &source, Random &random);

/// Values of each source for so many threads: first all tuples of special
/// values, or, if these are too many, some of them; then random ones.
std::vector<std::vector<std::byte>>
drawTuples(const std::vector<Source> &sources, uint64_t threads,
           Random &random);

/// So many random values of one type.
std::vector<std::byte> drawValues(const Source &source, uint64_t count,
                                  Random &random);
/// Values as an array of the type's registers.
std::vector<std::byte> bytesOfValues(Type type,
                                     const std::vector<uint64_t> &values);

/// The same for a form in every program.
Random randomFor(const Form &form);

} // namespace hocket::vectors

#endif // HOCKET_TEST_GPU_VECTORS_VALUES_H
