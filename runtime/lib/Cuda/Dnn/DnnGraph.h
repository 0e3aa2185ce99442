//===- DnnGraph.h - a computation described to cuDNN -----------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DNN_DNNGRAPH_H
#define HOCKET_RUNTIME_LIB_CUDA_DNN_DNNGRAPH_H

#include "runtime/lib/Cuda/Dnn/DnnObject.h"
#include <functional>
#include <memory>

namespace hocket::runtime::cuda {

/// A tensor of a graph.
struct GraphTensor {
  enum class Place {
    Device,
    Nowhere, ///< between two operations
    Value,   ///< one number in memory of the host, read by each run
  };

  int64_t name = 0; // which its address has in a variant pack
  std::vector<int64_t> extents, strides; // elements
  DnnType type = DnnF32;
  int64_t alignment = 16; // bytes
  Place place = Place::Device;
};

/// An operation graph and the plans that the library has for it.
class DnnGraph {
public:
  /// `what` it computes, in errors. `dnn` outlives it.
  DnnGraph(const Dnn &dnn, std::string what)
      : dnn(dnn), what(std::move(what)) {}
  virtual ~DnnGraph() = default;

  /// An object for this computation.
  std::unique_ptr<DnnObject> object(DnnDescriptorType type) const {
    return std::make_unique<DnnObject>(dnn.library, type, what);
  }
  /// Whether the library said of a descriptor that it does not do this.
  bool isRefused() const;

protected:
  DnnObject &add(DnnDescriptorType type);
  DnnObject &addTensor(const GraphTensor &tensor);
  Status finish(const std::vector<DnnDescriptor> &operations);

  /// The text of the best plan that computes as Hocket wants it (mayCompute) in
  /// at most `workspace` bytes; empty if there is none. An engine that fails is
  /// passed over; where none is left that is the error. `wanted`: the least
  /// workspace that was too much, or 0.
  Status choose(DnnType type, bool mayDiffer, int64_t workspace,
                std::string &plan, int64_t &wanted) const;

  const Dnn &dnn;
  DnnObject *graph = nullptr; // once finished

private:
  bool isGood(const DnnObject &object) const;
  /// Shows `take` the library's configurations, the best first, until it
  /// returns true.
  Status forEachConfig(DnnHeuristicsKind kind,
                       const std::function<bool(DnnObject &)> &take) const;
  /// Whether its engine computes the same bits again, as far as its notes say,
  /// and no sum less exactly than in the type it is made in: of f32 no rounding
  /// of inputs (TF32, which the tensor cores have for it), none of partial
  /// sums, no transforms. `type` is that of the operands. `mayDiffer`: bits may
  /// be others in each run.
  bool mayCompute(DnnObject &config, DnnType type, bool mayDiffer) const;
  /// The text of its plan; false if the library has none, or one that wants
  /// more workspace: then `wanted` is that, or what it was if that is less and
  /// not 0.
  bool writePlan(DnnObject &config, int64_t workspace, std::string &text,
                 int64_t &wanted) const;

  /// The first failure of an engine, other than that it does not do this.
  mutable Status passedOver;
  std::string what;
  std::vector<std::unique_ptr<DnnObject>> objects;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DNN_DNNGRAPH_H
