//===- PlanBuilder.h - plans made by hand for the executor -----*- C++ -*-===//

#ifndef HOCKET_TEST_RUNTIME_PLANBUILDER_H
#define HOCKET_TEST_RUNTIME_PLANBUILDER_H

#include "hocket/Plan/Plan.h"

namespace hocket::test {

inline int64_t product(const std::vector<int64_t> &shape) {
  int64_t result = 1;
  for (int64_t extent : shape)
    result *= extent;
  return result;
}

/// Builds one rank class; every buffer is dense and has a place of its own.
class ClassBuilder {
public:
  explicit ClassBuilder(std::vector<int64_t> ranks) {
    result.ranks = std::move(ranks);
  }

  plan::View arena(std::vector<int64_t> shape,
                   plan::DType type = plan::DType::F32) {
    return place(plan::Region::Arena, result.budget.arenaBytes, shape, type);
  }
  plan::View weight(std::vector<int64_t> shape,
                    plan::DType type = plan::DType::F32) {
    return place(plan::Region::Weights, result.budget.weightBytes, shape, type);
  }
  plan::View box(plan::Region region, int64_t tensor,
                 std::vector<int64_t> shape,
                 plan::DType type = plan::DType::F32) {
    return add({region, tensor, product(shape) * plan::byteSize(type), type},
               shape);
  }

  plan::RankClass result;

private:
  plan::View place(plan::Region region, int64_t &end,
                   const std::vector<int64_t> &shape, plan::DType type) {
    plan::View view =
        add({region, end, product(shape) * plan::byteSize(type), type}, shape);
    end += (result.buffers.back().bytes + 63) / 64 * 64;
    return view;
  }

  plan::View add(const plan::Buffer &buffer,
                 const std::vector<int64_t> &shape) {
    result.buffers.push_back(buffer);
    plan::View view;
    view.buffer = static_cast<int>(result.buffers.size()) - 1;
    view.shape = shape;
    view.strides.resize(shape.size());
    int64_t stride = 1;
    for (size_t dim = shape.size(); dim-- > 0; stride *= shape[dim])
      view.strides[dim] = stride;
    return view;
  }
};

inline plan::GlobalTensor tensor(const std::string &name,
                                 const std::vector<int64_t> &dims,
                                 std::vector<plan::Cut> cuts = {},
                                 plan::DType type = plan::DType::F32) {
  return {name, type, dims, dims, std::move(cuts), {}};
}

} // namespace hocket::test

#endif // HOCKET_TEST_RUNTIME_PLANBUILDER_H
