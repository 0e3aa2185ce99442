//===- DnnOperations.h - a graph of several operations ---------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DNN_DNNOPERATIONS_H
#define HOCKET_RUNTIME_LIB_CUDA_DNN_DNNOPERATIONS_H

#include "runtime/lib/Cuda/Dnn/DnnGraph.h"
#include "runtime/lib/Cuda/Dnn/GraphShape.h"
#include <cstring>

namespace hocket::runtime::cuda {

/// A number in memory of the host that a plan reads when it runs, and what its
/// tensor is called there.
struct GraphNumber {
  int64_t name = 0;
  int64_t bits = 0; // of an f32 or i32, from the first byte on
};

/// Operations are added one after the other; each computes in f32 if nothing
/// else is said, and what they leave to each other has no memory.
class DnnOperations : public DnnGraph {
public:
  using DnnGraph::DnnGraph;

  /// What plans of this graph read from the host: their places stay as they
  /// are.
  const std::vector<std::unique_ptr<GraphNumber>> &numbers() const {
    return values;
  }

protected:
  /// Lengths of each batch entry [batch, 1, 1, 1] of i32, or null: all.
  struct Lengths {
    const DnnObject *rows = nullptr, *columns = nullptr, *terms = nullptr;
  };

  /// A tensor that lies at the address with this name.
  DnnObject &tensor(int64_t name, const GraphShape &shape, DnnType type,
                    int64_t alignment = 16);
  /// One without memory.
  DnnObject &between(const GraphShape &shape, DnnType type = DnnF32);
  DnnObject &number(float value);
  DnnObject &number(int32_t value);

  /// c = a b, the matrices in the last two dims; batch dims of b divide those
  /// of a.
  void product(const DnnObject &a, const DnnObject &b, const DnnObject &c,
               const Lengths &lengths);
  /// y = kind(x), kind(x, b), or x where `condition` holds, else b.
  void pointwise(DnnPointwiseKind kind, const DnnObject &x, const DnnObject *b,
                 const DnnObject &y, DnnType compute = DnnF32,
                 const DnnObject *condition = nullptr);
  /// y = each element's index in `dim` of x.
  void index(const DnnObject &x, int64_t dim, const DnnObject &y);
  /// Over the dims in which y has one element.
  void reduce(DnnReduceKind kind, const DnnObject &x, const DnnObject &y);
  /// y is x under y's extents and strides.
  void reshape(const DnnObject &x, const DnnObject &y);
  /// After the last operation.
  Status finishOperations() { return finish(operations); }

private:
  DnnObject &number(DnnType type, const void *value);
  void end(DnnObject &operation);

  std::vector<DnnDescriptor> operations;
  std::vector<std::unique_ptr<GraphNumber>> values;
  int64_t nextName = 1000; // of tensors that nobody else names
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DNN_DNNOPERATIONS_H
