//===- ChooseVector.cpp - picks the inner loops for this processor --------===//

#include "hocket/Cpu/VectorFunctions.h"

namespace hocket::runtime {

extern const VectorFunctions vectorFunctionsV3, vectorFunctionsV4;

const VectorFunctions &vectorFunctions() {
  static const bool wide =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vl");
  return wide ? vectorFunctionsV4 : vectorFunctionsV3;
}

} // namespace hocket::runtime
