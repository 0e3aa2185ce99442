//===- Objects.h - handles and descriptors of the look-alike ---*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_DNN_OBJECTS_H
#define HOCKET_TEST_GPU_LIBRARIES_DNN_OBJECTS_H

#include "test/Gpu/Libraries/Device.h"
#include "test/Gpu/Libraries/Dnn/Graph.h"
#include "test/Gpu/Libraries/Living.h"
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

struct cudnnContext {
  int device = 0;
  hocket::runtime::cuda::Stream stream = nullptr;
};

namespace hocket::lookalike {

/// What an attribute was set to.
struct Value {
  DnnAttributeType type;
  int64_t count;
  std::vector<char> bytes;
  std::vector<uint64_t> numbers; // of descriptors

  template <typename T> T at(int64_t index = 0) const {
    T element;
    std::memcpy(&element, bytes.data() + index * sizeof(T), sizeof(T));
    return element;
  }
};

/// A descriptor.
struct Object {
  DnnDescriptorType type = DnnPointwise;
  uint64_t number = 0; // no two have the same
  bool isFinal = false;
  std::map<int, Value> values; // by attribute
  // What a graph, a config and a plan stand for, and the last two's engine.
  std::shared_ptr<const Graph> graph;
  Engine engine;
  int device = 0; // of a graph's handle

  bool has(DnnAttribute attribute) const { return values.count(attribute); }
  /// Of an attribute that is set.
  template <typename T> T get(DnnAttribute attribute) const {
    return values.at(attribute).at<T>();
  }
  Numbers list(DnnAttribute attribute) const;
  const Object &object(DnnAttribute attribute, int64_t index = 0) const {
    return *values.at(attribute).at<Object *>(index);
  }
};

/// All state of the library; calls hold its mutex.
struct Dnn {
  std::mutex mutex;
  Living<cudnnContext> handles;
  Living<Object> objects;
  uint64_t made = 0; // descriptors
  std::string findings;
  size_t version = versionOf("CUDNN", 91900);
  int device = 0;
  size_t bestOffers = 100, fallbackOffers = 100;

  /// Tells of misuse; returns `code`.
  DnnStatus find(const char *function, const std::string &sentence,
                 DnnStatus code = DnnBadParam);
  /// A failure that is nobody's mistake.
  DnnStatus refuse(const std::string &reason, DnnStatus code);
  /// The descriptor, or null after a finding.
  Object *object(const char *function, DnnDescriptor descriptor);
  /// What is left, as a sentence, or nothing.
  std::string left() const;
};

Dnn &dnn();

/// "a tensor", "an engine".
const char *nameOf(DnnDescriptorType type);

/// What is missing in or wrong with a descriptor that is to be used, as a
/// sentence, or nothing; fills in its problem and engine. `code` is what the
/// library returns.
std::string finishObject(Object &object, DnnStatus &code);

/// Whether all descriptors that it was given are still there.
std::string checkLiving(const Object &object);

Tensor tensorOf(const Object &object);

/// The convolution that a graph of finished operations describes, or what of
/// others is computed as one.
std::string problemOf(const Object &graph, Problem &problem);
std::string fusedOf(const Object &graph, Fused &fused);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_DNN_OBJECTS_H
