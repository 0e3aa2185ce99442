//===- Summary.h - counts over many random cases ----------------*- C++ -*-===//

#ifndef HOCKET_TEST_RANDOM_SUMMARY_H
#define HOCKET_TEST_RANDOM_SUMMARY_H

#include "RunCase.h"
#include <nlohmann/json.hpp>

namespace hocket::random {

struct Summary {
  int64_t cases = 0, equal = 0, refused = 0, mended = 0, followed = 0,
          illPosed = 0, failed = 0;
  int64_t several = 0;                    // equal, with two collectives or more
  int64_t exact = 0;                      // equal bit by bit, as demanded
  double worst = 0;                       // error of an equal case by tolerance
  std::map<std::string, int64_t> reasons; // of refusals not mended
  std::map<std::string, int64_t> refusals; // of all, as they were drawn
  int64_t wide =
      0; // equal also in float64, which every eighth of windows must be
  std::map<std::string, int64_t> features; // of equal cases, see Census
  Coverage coverage;

  void add(const CaseResult &result);
  double acceptedShare() const { return cases ? double(equal) / cases : 0; }
  double severalShare() const { return equal ? double(several) / equal : 0; }
  nlohmann::ordered_json json() const;
};

} // namespace hocket::random

#endif // HOCKET_TEST_RANDOM_SUMMARY_H
