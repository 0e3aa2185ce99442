//===- VectorLevels.h - tests of inner loops by processor level -*- C++ -*-===//

#ifndef HOCKET_TEST_RUNTIME_VECTORLEVELS_H
#define HOCKET_TEST_RUNTIME_VECTORLEVELS_H

#include "hocket/Cpu/VectorFunctions.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace hocket::runtime {

extern const VectorFunctions vectorFunctionsV3, vectorFunctionsV4;

using OfLevel = testing::TestWithParam<const VectorFunctions *>;

/// Those that this processor has.
inline auto vectorLevels() {
  std::vector<const VectorFunctions *> result = {&vectorFunctionsV3};
  if (&vectorFunctions() == &vectorFunctionsV4)
    result.push_back(&vectorFunctionsV4);
  return testing::ValuesIn(result);
}

inline std::string
levelName(const testing::TestParamInfo<const VectorFunctions *> &info) {
  std::string name = info.param->name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

} // namespace hocket::runtime

#endif // HOCKET_TEST_RUNTIME_VECTORLEVELS_H
