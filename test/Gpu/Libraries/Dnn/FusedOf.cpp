//===- FusedOf.cpp - the fused graph that descriptors describe ------------===//

#include "test/Gpu/Libraries/Dnn/Objects.h"

namespace hocket::lookalike {

namespace {

class Reader {
public:
  explicit Reader(Fused &fused) : fused(fused) {}

  std::string read(const Object &operation) {
    FusedOperation &one = fused.operations.emplace_back();
    one.type = operation.type;
    switch (operation.type) {
    case DnnOperationMatmul:
      one.compute = operation.object(DnnOperationMatmulDescriptor)
                        .get<int>(DnnMatmulCompute);
      one.operands = {add(operation, DnnOperationMatmulA),
                      add(operation, DnnOperationMatmulB),
                      add(operation, DnnOperationMatmulRows),
                      add(operation, DnnOperationMatmulColumns),
                      add(operation, DnnOperationMatmulTerms)};
      one.result = add(operation, DnnOperationMatmulC);
      return wrong;
    case DnnOperationPointwise:
      readPointwise(operation, one);
      return wrong;
    case DnnOperationReduction: {
      const Object &reduction =
          operation.object(DnnOperationReductionDescriptor);
      one.kind = reduction.get<int>(DnnReductionKind);
      one.compute = reduction.get<int>(DnnReductionCompute);
      one.operands = {add(operation, DnnOperationReductionX)};
      one.result = add(operation, DnnOperationReductionY);
      return wrong;
    }
    case DnnOperationReshape:
      one.operands = {add(operation, DnnOperationReshapeX)};
      one.result = add(operation, DnnOperationReshapeY);
      return wrong;
    default:
      return "a convolution stands in a fused graph";
    }
  }

private:
  void readPointwise(const Object &operation, FusedOperation &one) {
    const Object &computation =
        operation.object(DnnOperationPointwiseDescriptor);
    one.kind = computation.get<int>(DnnPointwiseMode);
    one.compute = computation.get<int>(DnnPointwiseCompute);
    if (one.kind == DnnIndex) {
      if (computation.has(DnnPointwiseAxis))
        one.axis = computation.get<int64_t>(DnnPointwiseAxis);
      else
        wrong = "an index has no axis";
    }
    one.operands = {add(operation, DnnOperationPointwiseX),
                    add(operation, DnnOperationPointwiseB),
                    add(operation, DnnOperationPointwiseCondition)};
    one.result = add(operation, DnnOperationPointwiseY);
  }

  /// The number of the tensor that an attribute is, which may be known.
  int64_t add(const Object &operation, DnnAttribute attribute) {
    if (!operation.has(attribute))
      return FusedOperation::none;
    Tensor tensor = tensorOf(operation.object(attribute));
    for (size_t i = 0; i < fused.tensors.size(); ++i)
      if (fused.tensors[i].id == tensor.id) {
        if (fused.tensors[i].extents != tensor.extents ||
            fused.tensors[i].strides != tensor.strides)
          wrong = "two tensors have the name " + std::to_string(tensor.id);
        return int64_t(i);
      }
    fused.tensors.push_back(tensor);
    return int64_t(fused.tensors.size()) - 1;
  }

  Fused &fused;
  std::string wrong;
};

} // namespace

std::string fusedOf(const Object &graph, Fused &fused) {
  Reader reader(fused);
  int64_t count = graph.values.at(DnnGraphOperations).count;
  for (int64_t i = 0; i < count; ++i) {
    std::string wrong = reader.read(graph.object(DnnGraphOperations, i));
    if (!wrong.empty())
      return wrong;
  }
  return "";
}

} // namespace hocket::lookalike
