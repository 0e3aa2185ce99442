//===- DnnConvolution.h - a prepared convolution through cuDNN -*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DNN_DNNCONVOLUTION_H
#define HOCKET_RUNTIME_LIB_CUDA_DNN_DNNCONVOLUTION_H

#include "runtime/lib/Cuda/Dnn/ConvolutionGraph.h"
#include "runtime/lib/Cuda/Dnn/PreparedPlan.h"

namespace hocket::runtime::cuda {

/// An operand that cuDNN does not take as it lies, and the dense one that it
/// gets. Who runs a convolution copies it before, or after if it is the result.
struct DnnCopy {
  Operand operand, dense;
  bool isResult;
};

struct DnnConvolutionOptions {
  /// Of this rank's addresses, if nothing else is given.
  std::optional<ConvolutionAlignment> alignment;
  /// That run() is given; convolutionWorkspaceBytes, if nothing is.
  std::optional<int64_t> workspaceBytes;
};

/// What whyNotDnn takes. Ranks whose bits have to agree use one plan: one of
/// them chooses, all use it. They need equal arguments except the addresses,
/// equal alignments, one version of the library and GPUs of one kind; use()
/// says so otherwise.
class DnnConvolution {
public:
  /// Describes the convolution to the library. `dnn` outlives it.
  static Status make(const Dnn &dnn, const ConvolutionArguments &arguments,
                     const DnnConvolutionOptions &options,
                     std::unique_ptr<DnnConvolution> &convolution);

  /// An algorithm as bytes, which use() takes on any rank: the version of the
  /// library and a plan of it as text; nothing if the library is not called.
  Status choose(std::vector<uint8_t> &algorithm);
  /// Before the first run.
  Status use(const std::vector<uint8_t> &algorithm);

  /// What has to be zeros before each run, because the library does not write
  /// all of it: the result or its dense copy; or nothing.
  std::optional<Operand> zeros(void *workspace) const;
  /// The dense operands lie in the workspace.
  std::vector<DnnCopy> copies(void *workspace) const;
  /// What run() needs of its workspace; after use().
  int64_t workspaceBytes() const { return copyBytes + plan.workspaceBytes(); }
  /// Puts the convolution on `stream`; does not wait. The workspace lies on the
  /// device, aligned to 256 bytes, is the stream's alone until the convolution
  /// has ended, and is the same in all runs.
  Status run(Stream stream, void *workspace);

private:
  /// An operand that the library reads or writes.
  struct Part {
    int64_t name; // in a plan
    const Operand *operand;
    const DnnTensor *tensor;
    int64_t offset; // in the workspace, of its copy
  };

  DnnConvolution(const Dnn &dnn, const ConvolutionArguments &arguments,
                 const DnnConvolutionOptions &options);
  Status prepare();
  Status checkAddresses() const;
  PreparedPlan::Addresses addresses(void *workspace) const;
  /// What the library gets in the place of an operand.
  Operand given(const Part &part, void *workspace) const;
  void addParts();

  const Dnn &dnn;
  ConvolutionArguments arguments;
  ConvolutionForm form;
  ConvolutionAlignment alignment;
  std::string text;
  std::unique_ptr<ConvolutionGraph> graph;
  PreparedPlan plan;
  /// The workspace: dense operands, then what the plan wants.
  std::vector<Part> parts;
  int64_t copyBytes = 0, mostBytes;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DNN_DNNCONVOLUTION_H
