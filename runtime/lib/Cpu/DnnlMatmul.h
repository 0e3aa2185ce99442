//===- DnnlMatmul.h - a product through oneDNN ------------------*- C++ -*-===//

#ifndef HOCKET_LIB_CPU_DNNLMATMUL_H
#define HOCKET_LIB_CPU_DNNLMATMUL_H

#include "hocket/Cpu/Scratch.h"
#include "hocket/Cpu/StridedCopy.h"
#include "runtime/lib/Cpu/Dnnl.h"
#include "runtime/lib/Cpu/MatmulProblem.h"

namespace hocket::runtime {

/// A batched product as oneDNN sees it: the last dims of the problem in one
/// primitive, the first `loops` batch dims in a loop around it.
class DnnlMatmul : public Call {
public:
  DnnlMatmul(const MatmulProblem &problem, const PackedWeight *pack)
      : problem(problem), pack(pack), stream(cpuEngine()) {}

  /// False if oneDNN has no fast kernel for it this way, or none that reads
  /// the pack if there is one: then it may with more dims in the loop, or
  /// from the plain weight.
  bool prepare(size_t loopDims);
  /// Has operands that oneDNN reads badly copied through scratch.
  void makeDense();

  int64_t scratchBytes() const override {
    return pieceBytes(scratchpad) + denseBytes;
  }
  void setScratch(void *scratch) override;
  Status run() override;

private:
  struct Argument {
    int index; // DNNL_ARG_...
    const Operand *operand;
    dnnl::memory handle;
    std::vector<int64_t> steps; // bytes by loop dim
  };
  struct Dense {
    Operand *operand;
    StridedCopy copy;
    void *outside;
    int64_t offset; // in scratch
    bool isResult;
  };

  dnnl::memory::desc describe(const Operand &operand) const;
  dnnl::memory::desc describeBias(size_t rank) const;
  void bind(int index, const Operand *operand, const dnnl::memory::desc &desc);
  template <typename Chosen> void bindAll(const Chosen &chosen, bool usesPack);
  bool prepareInnerProduct();
  dnnl::primitive_attr attributes();
  bool prepareWith(const dnnl::memory::desc *packed);
  void copyThroughScratch(Operand &operand, const std::vector<int64_t> &strides,
                          bool isResult);
  Status execute();
  Status runLoops();

  MatmulProblem problem;
  const PackedWeight *pack;
  dnnl::stream stream;
  dnnl::primitive primitive;
  size_t loops = 0;
  std::vector<Argument> arguments;
  std::vector<dnnl_exec_arg_t> raw;
  dnnl::memory scratchMemory;
  std::vector<Dense> dense;
  int64_t scratchpad = 0, denseBytes = 0;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_DNNLMATMUL_H
