//===- OutputError.h - how far a result is from the reference --*- C++ -*-===//
//
// The rule of `hocket verify`, apart from the compiler, for what it has kept is
// compared where there is none.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_VERIFY_OUTPUTERROR_H
#define HOCKET_VERIFY_OUTPUTERROR_H

#include <string>
#include <vector>

namespace hocket {

/// One output. Errors are the largest absolute difference over the largest
/// absolute value of the reference.
struct OutputError {
  std::string name;
  double relative = 0;
  double largest = 0;    // of the reference, of its finite values
  double difference = 0; // the largest
  bool isFinite = true;  // all of the reference
  bool isGradient() const;
  /// Of gradients kGradientTolerance times as much is accepted.
  bool isWithin(double tolerance) const;
};

/// Gradients may be this much farther off than outputs: each is made of a
/// forward and of a backward, and sums over all rows.
inline constexpr double kGradientTolerance = 10;

/// Of an output with as many elements on both sides. What is not a number or
/// not finite on one side only is an infinite error.
OutputError compare(const std::string &name, const std::vector<double> &found,
                    const std::vector<double> &expected);

/// A gradient that is nothing except rounding in float64 (that of the bias of
/// keys: a softmax does not see it) is zero, and there is no largest value to
/// compare with. What is found is compared with the largest of all gradients.
void judgeZeroGradients(std::vector<OutputError> &outputs);

/// The largest relative error; of gradients, over kGradientTolerance.
double worstOf(const std::vector<OutputError> &outputs);

} // namespace hocket

#endif // HOCKET_VERIFY_OUTPUTERROR_H
