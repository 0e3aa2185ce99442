//===- OutputError.cpp - how far a result is from the reference -----------===//

#include "hocket/Verify/OutputError.h"
#include <algorithm>
#include <cmath>
#include <string_view>

using namespace hocket;

bool OutputError::isGradient() const {
  constexpr std::string_view suffix = ".grad";
  return name.size() >= suffix.size() &&
         std::string_view(name).substr(name.size() - suffix.size()) == suffix;
}

bool OutputError::isWithin(double tolerance) const {
  return relative <= tolerance * (isGradient() ? kGradientTolerance : 1);
}

double hocket::worstOf(const std::vector<OutputError> &outputs) {
  double worst = 0;
  for (const OutputError &output : outputs)
    worst = std::max(worst, output.isGradient()
                                ? output.relative / kGradientTolerance
                                : output.relative);
  return worst;
}

OutputError hocket::compare(const std::string &name,
                            const std::vector<double> &found,
                            const std::vector<double> &expected) {
  OutputError error{name};
  double difference = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (found[i] == expected[i] ||
        (std::isnan(found[i]) && std::isnan(expected[i])))
      continue;
    double apart = std::fabs(found[i] - expected[i]);
    difference = std::isfinite(apart) ? std::max(difference, apart) : INFINITY;
  }
  for (double value : expected) {
    error.isFinite &= std::isfinite(value);
    if (std::isfinite(value))
      error.largest = std::max(error.largest, std::fabs(value));
  }
  error.difference = difference;
  error.relative = difference / (error.largest > 0 ? error.largest : 1);
  return error;
}

void hocket::judgeZeroGradients(std::vector<OutputError> &outputs) {
  double largest = 0;
  for (const OutputError &output : outputs)
    if (output.isGradient())
      largest = std::max(largest, output.largest);
  for (OutputError &output : outputs)
    if (output.isGradient() && output.largest < 1e-12 * largest)
      output.relative = output.difference / largest;
}
