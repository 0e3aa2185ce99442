//===- DnnAttention.h - a prepared attention through cuDNN -----*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DNN_DNNATTENTION_H
#define HOCKET_RUNTIME_LIB_CUDA_DNN_DNNATTENTION_H

#include "runtime/lib/Cuda/Dnn/AttentionGraph.h"
#include "runtime/lib/Cuda/Dnn/PreparedPlan.h"

namespace hocket::runtime::cuda {

struct DnnAttentionOptions {
  /// That run() is given; attentionWorkspaceBytes, if nothing is.
  std::optional<int64_t> workspaceBytes;
  /// The bits of a gradient may be others in each run.
  bool mayDiffer = false;
};

/// What whyNotDnn takes, an attention or its gradient. Ranks whose bits have to
/// agree use one plan, as DnnConvolution; numbers of a rank, its places in the
/// sequence, are no part of it.
class DnnAttention {
public:
  /// Describes it to the library. `dnn` outlives it.
  static Status make(const Dnn &dnn, const AttentionArguments &arguments,
                     const DnnAttentionOptions &options,
                     std::unique_ptr<DnnAttention> &attention);
  static Status make(const Dnn &dnn, const AttentionGradArguments &arguments,
                     const DnnAttentionOptions &options,
                     std::unique_ptr<DnnAttention> &attention);

  /// A plan as bytes, which use() takes on any rank; nothing if the library is
  /// not called.
  Status choose(std::vector<uint8_t> &algorithm);
  /// Before the first run.
  Status use(const std::vector<uint8_t> &algorithm);
  /// Instead, on the same handle: an equal one that has been prepared.
  void share(const DnnAttention &other) { plan.share(other.plan); }

  bool isComputed() const { return !form.isEmpty; }
  /// Where each run wants how many queries and keys each batch entry has, [B]
  /// of i32, if there is padding.
  struct Lengths {
    void *queries, *keys;
  };
  std::optional<Lengths> lengths(void *workspace) const;
  /// What run() needs of its workspace; after use().
  int64_t workspaceBytes() const {
    return places.library + plan.workspaceBytes();
  }
  /// Puts it on `stream`; does not wait. The workspace lies on the device,
  /// aligned to 256 bytes, is the stream's alone until it has ended, and is the
  /// same in all runs.
  Status run(Stream stream, void *workspace);

private:
  DnnAttention(const Dnn &dnn, AttentionForm form, std::string text,
               const DnnAttentionOptions &options);
  Status prepare();
  void add(int64_t name, const Operand &operand) {
    operands.emplace_back(name, operand.data);
  }
  void addForward(const AttentionArguments &arguments);
  Status noPlan(int64_t wanted) const;
  PreparedPlan::Addresses addresses(void *workspace) const;

  const Dnn &dnn;
  AttentionForm form;
  AttentionWorkspace places;
  std::string text;
  int64_t mostBytes;
  bool mayDiffer;
  std::unique_ptr<AttentionGraph> graph;
  PreparedPlan plan;
  std::vector<std::pair<int64_t, void *>> operands; // by name in a plan
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DNN_DNNATTENTION_H
