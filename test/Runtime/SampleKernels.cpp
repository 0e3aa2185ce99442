//===- SampleKernels.cpp - a kernel as the compiler would generate it -----===//

#include <cstdint>

/// out[i, :] = in[i, :] * scalar for rows of 6.
extern "C" void scale_rows(void *const *args, const int64_t *scalars,
                           int64_t begin, int64_t end) {
  auto *in = static_cast<const float *>(args[0]);
  auto *out = static_cast<float *>(args[1]);
  for (int64_t i = begin * 6; i < end * 6; ++i)
    out[i] = in[i] * float(scalars[0]);
}
