//===- Targets.cpp - what runs a program, as bufferization sees it --------===//

#include "LibraryTarget.h"
#include "hocket/CodeGen/KernelCompiler.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::bufferization;

namespace {

bool worksInPlaceFor(plan::Target target, spmd::KernelOp op,
                     ArrayRef<Strided> ins, ArrayRef<Strided> outs,
                     unsigned input, unsigned output) {
  codegen::KernelRequest request;
  request.body = &op.getBody().front();
  for (const Strided &in : ins)
    request.inputStrides.emplace_back(in.strides);
  for (const Strided &out : outs)
    request.outputStrides.emplace_back(out.strides);
  request.inPlace.push_back({input, output});
  return !codegen::inPlaceOf(request, target).empty();
}

/// Kernels of our own, oneDNN and the runtime's loops.
class CpuTarget final : public LibraryTarget {
public:
  bool worksInPlace(spmd::KernelOp op, ArrayRef<Strided> ins,
                    ArrayRef<Strided> outs, unsigned input,
                    unsigned output) const override {
    return worksInPlaceFor(plan::Target::Cpu, op, ins, outs, input, output);
  }
  bool packs(Type element) const override {
    return element.isF32() || element.isBF16(); // what oneDNN has products of
  }
};

/// Kernels of our own, cuBLASLt and cuDNN.
class CudaTarget final : public LibraryTarget {
public:
  bool worksInPlace(spmd::KernelOp op, ArrayRef<Strided> ins,
                    ArrayRef<Strided> outs, unsigned input,
                    unsigned output) const override {
    return worksInPlaceFor(plan::Target::Cuda, op, ins, outs, input, output);
  }
  bool packs(Type) const override { return false; }
};

} // namespace

const Target &bufferization::targetFor(nn::Target target) {
  static const CpuTarget cpu;
  static const CudaTarget cuda;
  if (target == nn::Target::Cuda)
    return cuda;
  return cpu;
}
