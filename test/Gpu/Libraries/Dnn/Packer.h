//===- Packer.h - numbers of a graph as one list ---------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_DNN_PACKER_H
#define HOCKET_TEST_GPU_LIBRARIES_DNN_PACKER_H

#include "test/Gpu/Libraries/Dnn/Problem.h"
#include <algorithm>

namespace hocket::lookalike {

/// Writes numbers, each list after its length.
struct Packer {
  Numbers all;
  void add(int64_t number) { all.push_back(number); }
  void add(const Numbers &list) {
    add(static_cast<int64_t>(list.size()));
    all.insert(all.end(), list.begin(), list.end());
  }
  void add(const Tensor &tensor) {
    for (int64_t number : {tensor.id, tensor.type, tensor.alignment,
                           tensor.isVirtual, tensor.isValue})
      add(number);
    add(tensor.extents);
    add(tensor.strides);
  }
};

/// Reads them; `good` until there is none left.
struct Unpacker {
  const Numbers &all;
  size_t next = 0;
  bool good = true;
  void take(int64_t &number) {
    good &= next < all.size();
    number = good ? all[next++] : 0;
  }
  void take(Numbers &list) {
    int64_t size = 0;
    take(size);
    list.resize(std::clamp<int64_t>(size, 0, 16));
    for (int64_t &number : list)
      take(number);
  }
  void take(Tensor &tensor) {
    for (int64_t *number : {&tensor.id, &tensor.type, &tensor.alignment,
                            &tensor.isVirtual, &tensor.isValue})
      take(*number);
    take(tensor.extents);
    take(tensor.strides);
  }
};

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_DNN_PACKER_H
