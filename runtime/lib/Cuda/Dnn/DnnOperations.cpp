//===- DnnOperations.cpp - a graph of several operations ------------------===//

#include "runtime/lib/Cuda/Dnn/DnnOperations.h"

namespace hocket::runtime::cuda {

DnnObject &DnnOperations::tensor(int64_t name, const GraphShape &shape,
                                 DnnType type, int64_t alignment) {
  return addTensor({name, shape.extents, shape.strides, type, alignment,
                    GraphTensor::Place::Device});
}

DnnObject &DnnOperations::between(const GraphShape &shape, DnnType type) {
  return addTensor({nextName++, shape.extents, shape.strides, type, 16,
                    GraphTensor::Place::Nowhere});
}

DnnObject &DnnOperations::number(DnnType type, const void *value) {
  auto made = std::make_unique<GraphNumber>();
  made->name = nextName++;
  std::memcpy(&made->bits, value, 4);
  values.push_back(std::move(made));
  return addTensor({values.back()->name,
                    {1, 1, 1, 1},
                    {1, 1, 1, 1},
                    type,
                    16,
                    GraphTensor::Place::Value});
}

DnnObject &DnnOperations::number(float value) { return number(DnnF32, &value); }

DnnObject &DnnOperations::number(int32_t value) {
  return number(DnnI32, &value);
}

void DnnOperations::end(DnnObject &operation) {
  operation.finish();
  operations.push_back(operation.descriptor);
}

void DnnOperations::product(const DnnObject &a, const DnnObject &b,
                            const DnnObject &c, const Lengths &lengths) {
  DnnObject &matmul = add(DnnMatmul);
  matmul.set(DnnMatmulCompute, DnnTypeDataType, DnnF32);
  matmul.finish();
  DnnObject &made = add(DnnOperationMatmul);
  made.set(DnnOperationMatmulDescriptor, matmul);
  made.set(DnnOperationMatmulA, a);
  made.set(DnnOperationMatmulB, b);
  made.set(DnnOperationMatmulC, c);
  if (lengths.rows)
    made.set(DnnOperationMatmulRows, *lengths.rows);
  if (lengths.columns)
    made.set(DnnOperationMatmulColumns, *lengths.columns);
  if (lengths.terms)
    made.set(DnnOperationMatmulTerms, *lengths.terms);
  end(made);
}

void DnnOperations::pointwise(DnnPointwiseKind kind, const DnnObject &x,
                              const DnnObject *b, const DnnObject &y,
                              DnnType compute, const DnnObject *condition) {
  DnnObject &computation = add(DnnPointwise);
  computation.set(DnnPointwiseMode, DnnTypePointwise, kind);
  computation.set(DnnPointwiseCompute, DnnTypeDataType, compute);
  computation.finish();
  DnnObject &made = add(DnnOperationPointwise);
  made.set(DnnOperationPointwiseDescriptor, computation);
  made.set(DnnOperationPointwiseX, x);
  if (b)
    made.set(DnnOperationPointwiseB, *b);
  if (condition)
    made.set(DnnOperationPointwiseCondition, *condition);
  made.set(DnnOperationPointwiseY, y);
  end(made);
}

void DnnOperations::index(const DnnObject &x, int64_t dim, const DnnObject &y) {
  DnnObject &computation = add(DnnPointwise);
  computation.set(DnnPointwiseMode, DnnTypePointwise, DnnIndex);
  computation.set(DnnPointwiseCompute, DnnTypeDataType, DnnI32);
  computation.set(DnnPointwiseAxis, dim);
  computation.finish();
  DnnObject &made = add(DnnOperationPointwise);
  made.set(DnnOperationPointwiseDescriptor, computation);
  made.set(DnnOperationPointwiseX, x);
  made.set(DnnOperationPointwiseY, y);
  end(made);
}

void DnnOperations::reduce(DnnReduceKind kind, const DnnObject &x,
                           const DnnObject &y) {
  DnnObject &reduction = add(DnnReduction);
  reduction.set(DnnReductionKind, DnnTypeReduction, kind);
  reduction.set(DnnReductionCompute, DnnTypeDataType, DnnF32);
  reduction.finish();
  DnnObject &made = add(DnnOperationReduction);
  made.set(DnnOperationReductionDescriptor, reduction);
  made.set(DnnOperationReductionX, x);
  made.set(DnnOperationReductionY, y);
  end(made);
}

void DnnOperations::reshape(const DnnObject &x, const DnnObject &y) {
  DnnObject &made = add(DnnOperationReshape);
  made.set(DnnOperationReshapeX, x);
  made.set(DnnOperationReshapeY, y);
  end(made);
}

} // namespace hocket::runtime::cuda
