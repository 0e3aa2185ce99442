//===- DropoutRun.h - what a program with dropout computes -----*- C++ -*-===//

#ifndef HOCKET_TEST_UNIT_EXECUTE_DROPOUTRUN_H
#define HOCKET_TEST_UNIT_EXECUTE_DROPOUTRUN_H

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace hocket::test {

struct Settings {
  std::string schedule; // empty: one device
  int64_t ranks = 1;
  int32_t step = 0;
  int64_t seed = 0;
};

using Numbers = std::vector<float>;
using Outputs = std::map<std::string, Numbers>;

/// The outputs of one step and the gradients of all inputs. Inputs are ones,
/// but identity matrices for `k` and `v` and zeros for `q`.
Outputs run(const std::string &text, const Settings &settings);

/// Ones of `count` elements, dropped.
Numbers dropped(size_t count, double p, const std::string &path, int32_t step,
                int64_t seed = 0);

/// Every schedule of `names` on 2, 3 and 4 ranks gives the bits of one device,
/// in the forward and in the gradients, except `sums` over ranks.
Outputs sameOnAllRanks(const std::string &text,
                       const std::vector<std::string> &names,
                       const std::set<std::string> &sums = {});

/// How far a run is from the float64 reference.
double errorOf(const std::string &text, const Settings &settings);

/// The operations that drop something, in forward and backward.
int64_t countDrops(const std::string &text, const Settings &settings);

} // namespace hocket::test

#endif // HOCKET_TEST_UNIT_EXECUTE_DROPOUTRUN_H
