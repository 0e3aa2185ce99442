//===- ComputeFused.cpp - the numbers of a fused graph --------------------===//

#include "test/Gpu/Libraries/Dnn/ComputeFused.h"
#include "test/Gpu/Libraries/Dnn/Elements.h"
#include <cmath>

namespace hocket::lookalike {

namespace {

using Values = std::vector<float>; // row-major

int64_t numberAt(const Numbers &extents, const Numbers &index) {
  int64_t number = 0;
  for (size_t dim = 0; dim < extents.size(); ++dim)
    number = number * extents[dim] + (extents[dim] == 1 ? 0 : index[dim]);
  return number;
}

template <typename Visit>
void forEachIndex(const Numbers &extents, const Visit &visit) {
  Numbers index(extents.size());
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  for (int64_t number = 0; number < count; ++number) {
    visit(index);
    for (size_t dim = extents.size(); dim-- > 0;) {
      if (++index[dim] < extents[dim])
        break;
      index[dim] = 0;
    }
  }
}

/// As the tensor's type holds it.
float rounded(const Tensor &tensor, float value) {
  if (tensor.type != DnnF16 && tensor.type != DnnBF16)
    return value;
  char bytes[2];
  store(tensor.type, value, bytes);
  return load<float>(tensor.type, bytes);
}

class Computation {
public:
  Computation(const FusedCall &call, DeviceMemory &memory)
      : call(call), fused(call.fused), memory(memory),
        values(fused.tensors.size()) {}

  void run() {
    for (size_t i : fused.placed())
      if (!fused.isWritten(i) && !readTensor(i))
        return;
    for (auto [tensor, value] : call.values)
      values[tensor] = {float(value)};
    memory.forget(call.workspace, uint64_t(call.engine.workspace));
    for (const FusedOperation &one : fused.operations) {
      compute(one);
      const Tensor &result = fused.tensors[one.result];
      for (float &value : values[one.result])
        value = rounded(result, value);
      if (!result.isVirtual && !write(result, call.addresses.at(one.result),
                                      values[one.result], memory))
        return;
    }
  }

private:
  bool readTensor(size_t i) {
    values[i] = read<float>(fused.tensors[i], call.addresses.at(i), memory);
    return !values[i].empty();
  }

  const Tensor &tensor(int64_t number) const { return fused.tensors[number]; }
  float at(int64_t number, const Numbers &index) const {
    return values[number][numberAt(tensor(number).extents, index)];
  }

  void compute(const FusedOperation &one) {
    Values &result = values[one.result];
    result.clear();
    switch (one.type) {
    case DnnOperationMatmul:
      return multiply(one, result);
    case DnnOperationPointwise:
      return forEachIndex(tensor(one.result).extents,
                          [&](const Numbers &index) {
                            result.push_back(pointwise(one, index));
                          });
    case DnnOperationReduction:
      return reduce(one, result);
    default:
      return reshape(one, result);
    }
  }

  float pointwise(const FusedOperation &one, const Numbers &index) const {
    if (one.kind == DnnIndex)
      return float(index[one.axis]);
    float x = at(one.operand(0), index);
    float b =
        one.operand(1) == FusedOperation::none ? 0 : at(one.operand(1), index);
    switch (one.kind) {
    case DnnAdd:
      return x + b;
    case DnnSubtract:
      return x - b;
    case DnnMultiply:
      return x * b;
    case DnnDivide:
      return x / b;
    case DnnExp:
      return std::exp(x);
    case DnnLog:
      return std::log(x);
    case DnnGreater:
      return x > b;
    case DnnGreaterOrEqual:
      return x >= b;
    case DnnLess:
      return x < b;
    case DnnAnd:
      return x != 0 && b != 0;
    case DnnSelect:
      return at(one.operand(2), index) != 0 ? x : b;
    default: // DnnIdentity
      return x;
    }
  }

  /// How many rows, columns or terms of a batch entry a product has.
  int64_t length(const FusedOperation &one, size_t operand, int64_t batch,
                 int64_t all) const {
    int64_t lengths = one.operand(operand);
    return lengths == FusedOperation::none
               ? all
               : std::min(all, int64_t(values[lengths][batch]));
  }

  void multiply(const FusedOperation &one, Values &result) {
    const Tensor &a = tensor(one.operand(0)), &b = tensor(one.operand(1));
    const Tensor &c = tensor(one.result);
    int64_t group = a.extents[1] / b.extents[1];
    Sum<float> sum(fused.addsInAnyOrder(one) ? Order::Random
                                             : call.engine.order);
    forEachIndex(c.extents, [&](const Numbers &index) {
      int64_t batch = index[0];
      bool isInside = index[2] < length(one, 2, batch, c.extents[2]) &&
                      index[3] < length(one, 3, batch, c.extents[3]);
      int64_t terms = isInside ? length(one, 4, batch, a.extents[3]) : 0;
      sum.terms.clear();
      for (int64_t k = 0; k < terms; ++k) {
        // What a product reads of f32 is rounded to the other's type.
        float left =
            rounded(b, at(one.operand(0), {batch, index[1], index[2], k}));
        sum.terms.push_back(
            left * at(one.operand(1), {batch, index[1] / group, k, index[3]}));
      }
      result.push_back(sum.add());
    });
  }

  void reduce(const FusedOperation &one, Values &result) {
    const Tensor &x = tensor(one.operand(0)), &y = tensor(one.result);
    bool isMax = one.kind == DnnReduceMax;
    result.assign(y.elements(), isMax ? -INFINITY : 0.0f);
    Numbers parts(4);
    for (size_t dim = 0; dim < 4; ++dim)
      parts[dim] = x.extents[dim] / y.extents[dim];
    forEachIndex(x.extents, [&](const Numbers &index) {
      Numbers to = index;
      for (size_t dim = 0; dim < 4; ++dim)
        to[dim] /= parts[dim];
      float &sum = result[numberAt(y.extents, to)];
      float value = at(one.operand(0), index);
      sum = isMax ? std::max(sum, value) : sum + value;
    });
  }

  /// The same places under other extents and strides.
  void reshape(const FusedOperation &one, Values &result) {
    Numbers from = tensor(one.operand(0)).places();
    std::map<int64_t, float> byPlace;
    for (size_t i = 0; i < from.size(); ++i)
      byPlace[from[i]] = values[one.operand(0)][i];
    for (int64_t place : tensor(one.result).places())
      result.push_back(byPlace.at(place));
  }

  const FusedCall &call;
  const Fused &fused;
  DeviceMemory &memory;
  std::vector<Values> values; // by tensor
};

} // namespace

void compute(const FusedCall &call, DeviceMemory &memory) {
  Computation(call, memory).run();
}

} // namespace hocket::lookalike
