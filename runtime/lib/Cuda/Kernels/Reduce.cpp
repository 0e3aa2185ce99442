//===- Reduce.cpp - launches of ordered sums over ranks -------------------===//

#include "runtime/lib/Cuda/Kernels/Reduce.h"
#include "runtime/lib/Cuda/Kernels/LoopNest.h"
#include "runtime/lib/Cuda/Kernels/ReduceParameters.h"
#include <algorithm>

namespace hocket::runtime::cuda {

constexpr unsigned threads = 256;
constexpr int64_t unitBytes = 16;

namespace {

/// The elements' numbers as dims, innermost first, and where each operand, dst
/// first, is: strides and addresses in bytes.
struct ReduceNest {
  ReduceNest(const Operand &out, const std::vector<Operand> &terms,
             const std::vector<int> &order);

  /// Whether whole units of 16 bytes lie at multiples of 16 in all operands.
  bool hasUnits() const;
  /// Counts units of so many elements from here on.
  void widen(int64_t elements);
  ReduceParameters parameters() const;

  int64_t bytes; // of an element
  std::vector<int64_t> extents;
  std::vector<std::vector<int64_t>> strides; // by dim, by operand
  std::vector<uint64_t> addresses;
};

} // namespace

ReduceNest::ReduceNest(const Operand &out, const std::vector<Operand> &terms,
                       const std::vector<int> &order)
    : bytes(plan::byteSize(out.type)) {
  std::vector<const Operand *> operands{&out};
  for (const Operand &term : terms)
    operands.push_back(&term);
  for (const Operand *operand : operands)
    addresses.push_back(addressOf(*operand));
  for (auto dim = order.rbegin(); dim != order.rend(); ++dim) {
    if (out.shape[*dim] == 1)
      continue;
    std::vector<int64_t> steps;
    bool merges = !extents.empty();
    for (size_t k = 0; k < operands.size(); ++k) {
      steps.push_back(operands[k]->strides[*dim] * bytes);
      merges = merges && steps[k] == strides.back()[k] * extents.back();
    }
    if (merges) {
      extents.back() *= out.shape[*dim];
      continue;
    }
    extents.push_back(out.shape[*dim]);
    strides.push_back(std::move(steps));
  }
}

bool ReduceNest::hasUnits() const {
  if (extents.empty() || extents[0] * bytes % unitBytes != 0)
    return false;
  auto isOfUnits = [](auto number) { return number % unitBytes == 0; };
  bool all = std::all_of(addresses.begin(), addresses.end(), isOfUnits);
  for (size_t dim = 1; all && dim < extents.size(); ++dim)
    all = std::all_of(strides[dim].begin(), strides[dim].end(), isOfUnits);
  return all && std::all_of(strides[0].begin(), strides[0].end(),
                            [&](int64_t step) { return step == bytes; });
}

void ReduceNest::widen(int64_t elements) {
  extents[0] /= elements;
  for (int64_t &step : strides[0])
    step *= elements;
  if (extents[0] == 1) {
    extents.erase(extents.begin());
    strides.erase(strides.begin());
  }
}

ReduceParameters ReduceNest::parameters() const {
  ReduceParameters p = {};
  p.termCount = int32_t(addresses.size()) - 1;
  p.dst = addresses[0];
  std::copy(addresses.begin() + 1, addresses.end(), p.terms);
  p.loops.rank = int32_t(extents.size());
  for (size_t dim = 0; dim < extents.size(); ++dim) {
    p.loops.dims[dim] = loopDim(extents[dim], {strides[dim][0]});
    for (int32_t term = 0; term < p.termCount; ++term)
      p.termStrides[term][dim] = strides[dim][term + 1];
  }
  return p;
}

static const char *nameOf(plan::Reduction reduction) {
  switch (reduction) {
  case plan::Reduction::Sum:
    return "Sum";
  case plan::Reduction::Max:
    return "Max";
  case plan::Reduction::Min:
    break;
  }
  return "Min";
}

static const char *nameOf(plan::DType type) {
  switch (type) {
  case plan::DType::F32:
    return "F32";
  case plan::DType::F64:
    return "F64";
  case plan::DType::F16:
    return "F16";
  case plan::DType::BF16:
    return "BF16";
  case plan::DType::I32:
    return "I32";
  case plan::DType::I64:
    return "I64";
  case plan::DType::Bool:
    break;
  }
  return "Bool";
}

static Status checkSizes(const Operand &out, size_t terms,
                         const ReduceNest &nest) {
  auto more = [](const std::string &what, int64_t most) {
    return Status::runtimeError("a reduction of " + what +
                                " is more than the " + std::to_string(most) +
                                " that CUDA kernels count");
  };
  constexpr int64_t mostElements = (int64_t(1) << 31) - 1;
  if (terms > size_t(ReduceParameters::mostTerms))
    return more(std::to_string(terms) + " ranks", ReduceParameters::mostTerms);
  if (nest.extents.size() > size_t(Loops::mostDims))
    return more(std::to_string(nest.extents.size()) +
                    " dims that do not lie one after another",
                Loops::mostDims);
  if (out.elements() > mostElements)
    return more(std::to_string(out.elements()) + " elements", mostElements);
  return Status::success();
}

Status addReduce(plan::Reduction reduction, const Operand &out,
                 const std::vector<Operand> &terms,
                 const std::vector<int> &order, int64_t begin, int64_t end,
                 KernelLaunches &launches) {
  ReduceNest nest(out, terms, order);
  Status status = checkSizes(out, terms.size(), nest);
  if (!status.ok())
    return status;
  std::string entry =
      std::string("reduce") + nameOf(reduction) + nameOf(out.type);
  auto launch = [&](const ReduceNest &loops, const char *suffix, int64_t from,
                    int64_t to) {
    if (from >= to)
      return;
    ReduceParameters p = loops.parameters();
    p.first = uint32_t(from);
    p.count = uint32_t(to - from);
    launches.add("Reduce", entry + suffix, (to - from + threads - 1) / threads,
                 threads, p);
  };
  int64_t elements = unitBytes / nest.bytes; // of a unit
  int64_t first = (begin + elements - 1) / elements, last = end / elements;
  if (!nest.hasUnits() || first >= last) {
    launch(nest, "", begin, end);
    return status;
  }
  ReduceNest units = nest;
  units.widen(elements);
  launch(nest, "", begin, first * elements);
  launch(units, "Unit", first, last);
  launch(nest, "", last * elements, end);
  return status;
}

} // namespace hocket::runtime::cuda
