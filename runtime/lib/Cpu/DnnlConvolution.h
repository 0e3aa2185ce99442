//===- DnnlConvolution.h - a convolution through oneDNN ---------*- C++ -*-===//

#ifndef HOCKET_LIB_CPU_DNNLCONVOLUTION_H
#define HOCKET_LIB_CPU_DNNLCONVOLUTION_H

#include "hocket/Cpu/Convolution.h"
#include "runtime/lib/Cpu/Dnnl.h"
#include <list>

namespace hocket::runtime {

/// What lies as oneDNN wants it is read and written where it is; the rest goes
/// through scratch in one reorder each.
class DnnlConvolution : public Call {
public:
  explicit DnnlConvolution(const ConvolutionArguments &given);

  /// False if oneDNN has nothing fast, with channels innermost in x and y or
  /// with what it likes best there.
  bool prepare(bool channelsInnermost);

  std::string implementation() const override { return chosenName; }
  int64_t scratchBytes() const override { return scratchSize; }
  void setScratch(void *scratch) override;
  Status run() override;

private:
  /// An operand as it is given and as the primitive takes it.
  struct Argument {
    dnnl::memory given, taken;
    int64_t offset; // of taken in scratch, or -1: it is the given one
    dnnl::reorder reorder;
    std::vector<dnnl_exec_arg_t> reorderArguments;
    bool isResult;
  };

  dnnl::memory::desc describe(const Operand &operand) const;
  dnnl::memory::desc describeWeight() const;
  dnnl::memory::desc wanted(const Operand &operand, bool innermost) const;
  template <typename Chosen>
  bool take(const Chosen &chosen, const dnnl::memory::desc &x,
            const dnnl::memory::desc &weight, const dnnl::memory::desc &y);
  void add(int index, const Operand &operand, const dnnl::memory::desc &given,
           const dnnl::memory::desc &taken, bool isResult);
  Status execute(dnnl_primitive_t primitive,
                 const std::vector<dnnl_exec_arg_t> &list) const;

  const ConvolutionArguments problem;
  dnnl::memory::dims strides, dilations, lows, highs;
  dnnl::stream stream;
  dnnl::primitive primitive;
  std::string chosenName;
  std::list<Argument> arguments; // keep their addresses
  std::vector<dnnl_exec_arg_t> raw;
  dnnl::memory scratchpad;
  int64_t scratchSize = 0;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_DNNLCONVOLUTION_H
