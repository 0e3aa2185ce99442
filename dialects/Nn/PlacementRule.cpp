//===- PlacementRule.cpp - common refinements of factor lists -------------===//

#include "dialects/Nn/PlacementRule.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

/// The borders of a dim, minor first, in elements: [2,3,4] has 4, 12, 24.
static SmallVector<int64_t> bordersOf(ArrayRef<FactorAttr> factors) {
  SmallVector<int64_t> borders;
  int64_t size = 1;
  for (FactorAttr factor : llvm::reverse(factors)) {
    size *= factor.getSize();
    if (factor.getSize() != 1)
      borders.push_back(size);
  }
  return borders; // minor first
}

/// The name of the factor that spans [minor, major), if the list has it.
static StringAttr nameOf(ArrayRef<FactorAttr> factors, int64_t minor,
                         int64_t major) {
  int64_t size = 1;
  for (FactorAttr factor : llvm::reverse(factors)) {
    int64_t next = size * factor.getSize();
    if (size == minor && next == major && !factor.getName().empty())
      return factor.getName();
    size = next;
  }
  return {};
}

static bool isNamed(FactorAttr factor) { return !factor.getName().empty(); }

FailureOr<SmallVector<FactorAttr>> nn::refineFactors(ArrayRef<FactorAttr> a,
                                                     ArrayRef<FactorAttr> b) {
  assert(!a.empty() && !b.empty() && "a dim has at least one factor");
  MLIRContext *context = a.front().getContext();
  SmallVector<int64_t> left = bordersOf(a), right = bordersOf(b);
  if (left.empty() && right.empty()) { // all of size 1
    for (FactorAttr factor : llvm::concat<const FactorAttr>(a, b))
      if (isNamed(factor))
        return SmallVector<FactorAttr>{factor};
    return SmallVector<FactorAttr>{a.front()};
  }
  if (left.empty() || right.empty() || left.back() != right.back())
    return failure();
  if (left.back() == 0) { // a local tensor without elements has no borders
    if (a.size() == 1 || b.size() == 1)
      return SmallVector<FactorAttr>(a.size() == 1 ? b : a);
    if (left == right && a.size() == b.size())
      return SmallVector<FactorAttr>(a);
    return failure();
  }

  SmallVector<int64_t> borders(left);
  llvm::append_range(borders, right);
  llvm::sort(borders);
  borders.erase(llvm::unique(borders), borders.end());
  SmallVector<FactorAttr> refined; // minor first
  int64_t minor = 1;
  for (int64_t major : borders) {
    if (major % minor != 0)
      return failure();
    StringAttr name = nameOf(a, minor, major);
    if (!name)
      name = nameOf(b, minor, major);
    if (!name)
      name = StringAttr::get(context, "");
    refined.push_back(FactorAttr::get(context, name, major / minor));
    minor = major;
  }
  std::reverse(refined.begin(), refined.end());
  return refined;
}
