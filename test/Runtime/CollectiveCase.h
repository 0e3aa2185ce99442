//===- CollectiveCase.h - a collective and its serial result ---*- C++ -*-===//

#ifndef HOCKET_TEST_RUNTIME_COLLECTIVECASE_H
#define HOCKET_TEST_RUNTIME_COLLECTIVECASE_H

#include "hocket/Runtime/Communicator.h"
#include "hocket/Runtime/Elements.h"
#include <vector>

namespace hocket::test {

enum class Layout { Dense, Padded, Reversed };

/// A collective among all ranks of `groups[i]`, each group by itself. `whole`
/// is the tensor's shape; dims that are cut are as long as the sum of sizes.
struct CollectiveCase {
  plan::CollectiveKind kind;
  plan::DType type = plan::DType::F32;
  plan::Reduction reduction = plan::Reduction::Sum;
  std::vector<int64_t> whole = {};
  int dim = 0, toDim = 1;
  std::vector<int64_t> size = {}, toSize = {}; // by member
  /// One after another, if they are empty; of an all_to_all parts may overlap.
  std::vector<int64_t> offset = {}, toOffset = {};
  int64_t root = 0;
  Layout layout = Layout::Dense;
};

/// A window of memory of its own, in one of the layouts, with a margin of
/// bytes that nobody may touch.
struct TestWindow {
  TestWindow(plan::DType type, std::vector<int64_t> shape, Layout layout);
  runtime::Window window();
  /// Element `flat` of the row-major numbering.
  void set(int64_t flat, double value);
  double get(int64_t flat) const;
  bool marginsIntact() const;
  int64_t elements() const;

  plan::DType type;
  std::vector<int64_t> shape, strides;
  std::vector<uint8_t> bytes;
  std::vector<bool> used; // by element
  int64_t place(int64_t flat) const;
};

/// The number that rank `rank` holds at element `flat` of its src.
double sourceValue(plan::DType type, int64_t rank, int64_t flat);

/// Shapes of src and dst of member `me`.
std::vector<int64_t> srcShape(const CollectiveCase &test, int64_t me);
std::vector<int64_t> dstShape(const CollectiveCase &test, int64_t me);

/// What dst must hold at element `flat`, worked out by one thread.
double expectedValue(const CollectiveCase &test,
                     const std::vector<int64_t> &members, int64_t me,
                     int64_t flat);

/// What member `me` must have received from each, and in all.
std::vector<int64_t> expectedFrom(const CollectiveCase &test, int64_t me);
int64_t expectedBytes(const CollectiveCase &test, int64_t me);

runtime::CollectiveSpec makeSpec(const CollectiveCase &test,
                                 const std::vector<int64_t> &members,
                                 int64_t me, TestWindow &src, TestWindow &dst);

/// Makes `spec` move what `other`, of the same kind and members, moves as well.
void addTensors(runtime::CollectiveSpec &spec,
                const runtime::CollectiveSpec &other);

} // namespace hocket::test

#endif // HOCKET_TEST_RUNTIME_COLLECTIVECASE_H
