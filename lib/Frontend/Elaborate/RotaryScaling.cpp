//===- RotaryScaling.cpp - frequencies for longer sequences ---------------===//

#include "RotaryScaling.h"
#include <algorithm>
#include <cmath>

using namespace hocket::frontend;

static constexpr double kTurn = 2 * 3.141592653589793;

std::vector<double> Rotary::frequencies() const {
  std::vector<double> all;
  for (int64_t i = 0; i < dim / 2; ++i)
    all.push_back(std::pow(base, -2.0 * i / dim));
  return all;
}

std::vector<double> hocket::frontend::scaleLinear(const Rotary &rotary,
                                                  double factor) {
  std::vector<double> all = rotary.frequencies();
  for (double &frequency : all)
    frequency /= factor;
  return all;
}

std::vector<double> hocket::frontend::scaleNtk(const Rotary &rotary,
                                               double factor, double original,
                                               double positions) {
  double longer = factor * std::max(positions, original) / original;
  Rotary scaled = rotary;
  if (rotary.dim > 2)
    scaled.base *=
        std::pow(longer - (factor - 1), rotary.dim / double(rotary.dim - 2));
  return scaled.frequencies();
}

double Yarn::attention() const {
  return factor <= 1 ? 1 : 0.1 * std::log(factor) + 1;
}

std::vector<double> hocket::frontend::scaleYarn(const Rotary &rotary,
                                                const Yarn &yarn) {
  // The pair that makes so many turns over the original positions.
  auto pairOf = [&](double turns) {
    return rotary.dim * std::log(yarn.original / (turns * kTurn)) /
           (2 * std::log(rotary.base));
  };
  double first = pairOf(yarn.fast), last = pairOf(yarn.slow);
  if (yarn.truncate) {
    first = std::floor(first);
    last = std::ceil(last);
  }
  first = std::max(first, 0.0);
  last = std::min(last, rotary.dim - 1.0);
  if (first == last)
    last += 0.001;
  std::vector<double> all = rotary.frequencies();
  for (size_t i = 0; i < all.size(); ++i) {
    double divided = std::clamp((i - first) / (last - first), 0.0, 1.0);
    all[i] *= divided / yarn.factor + (1 - divided);
  }
  return all;
}

std::vector<double> hocket::frontend::scaleLlama3(const Rotary &rotary,
                                                  const Llama3 &scaling) {
  std::vector<double> all = rotary.frequencies();
  for (double &frequency : all) {
    double turns = scaling.original * frequency / kTurn;
    double kept = std::clamp(
        (turns - scaling.low) / (scaling.high - scaling.low), 0.0, 1.0);
    frequency *= kept + (1 - kept) / scaling.factor;
  }
  return all;
}
