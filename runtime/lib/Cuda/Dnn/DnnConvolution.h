//===- DnnConvolution.h - a prepared convolution through cuDNN -*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DNN_DNNCONVOLUTION_H
#define HOCKET_RUNTIME_LIB_CUDA_DNN_DNNCONVOLUTION_H

#include "runtime/lib/Cuda/Dnn/DnnGraph.h"

namespace hocket::runtime::cuda {

/// What whyNotDnn takes. Ranks whose bits have to agree use one plan: one of
/// them chooses, all use it. They need equal arguments but for the addresses,
/// equal alignments, one version of the library and GPUs of one kind; use()
/// says so otherwise.
class DnnConvolution {
public:
  /// Describes the convolution to the library. `dnn` outlives it. Without an
  /// alignment it is that of this rank's addresses.
  static Status make(const Dnn &dnn, const ConvolutionArguments &arguments,
                     const std::optional<ConvolutionAlignment> &alignment,
                     std::unique_ptr<DnnConvolution> &convolution);

  /// An algorithm as bytes, which use() takes on any rank: the version of the
  /// library and a plan of it as text; nothing if the library is not called.
  Status choose(std::vector<uint8_t> &algorithm);
  /// Before the first run.
  Status use(const std::vector<uint8_t> &algorithm);

  /// Whether the result, or a part that the library does not write, is zeros,
  /// which somebody else puts there before each run.
  bool needsZeros() const { return !form.isEmpty && form.hasZeros; }
  /// What run() needs, at most convolutionWorkspaceBytes; after use().
  int64_t workspaceBytes() const { return workspaceSize; }
  /// Puts the convolution on `stream`; does not wait. The workspace lies on the
  /// device, aligned to 256 bytes, is the stream's alone until the convolution
  /// has ended, and is the same in all runs.
  Status run(Stream stream, void *workspace);

private:
  DnnConvolution(const Dnn &dnn, const ConvolutionArguments &arguments,
                 const std::optional<ConvolutionAlignment> &alignment);
  Status prepare();
  Status checkAddresses() const;
  Status describeAddresses(void *workspace);

  const Dnn &dnn;
  ConvolutionArguments arguments;
  ConvolutionForm form;
  ConvolutionAlignment alignment;
  std::string text;
  std::unique_ptr<DnnGraph> graph;
  std::unique_ptr<DnnObject> plan, pack;
  void *packWorkspace = nullptr; // of `pack`
  int64_t workspaceSize = 0;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DNN_DNNCONVOLUTION_H
