//===- Compute.cpp - the numbers of a convolution -------------------------===//

#include "test/Gpu/Libraries/Dnn/Compute.h"
#include "hocket/Runtime/Half.h"
#include <algorithm>
#include <atomic>
#include <cstring>

namespace hocket::lookalike {

using runtime::BFloat16;
using runtime::Float16;

std::vector<HocketLookalikeRange> rangesOf(const Tensor &tensor,
                                           uint64_t address) {
  Numbers places = tensor.places();
  std::sort(places.begin(), places.end());
  uint64_t bytes = bytesOf(tensor.type);
  std::vector<HocketLookalikeRange> ranges;
  for (int64_t place : places) {
    uint64_t at = address + place * bytes;
    if (!ranges.empty() && ranges.back().address + ranges.back().bytes == at)
      ranges.back().bytes += bytes;
    else
      ranges.push_back({at, bytes});
  }
  return ranges;
}

namespace {

/// `T` is what sums are made in.
template <typename T> T load(int64_t type, const char *at) {
  auto as = [&](auto value) {
    std::memcpy(static_cast<void *>(&value), at, sizeof value);
    return static_cast<T>(value);
  };
  switch (type) {
  case DnnF64:
    return as(double());
  case DnnF32:
    return as(float());
  case DnnF16:
    return as(Float16());
  default:
    return as(BFloat16());
  }
}

template <typename T> void store(int64_t type, T value, char *at) {
  auto as = [&](auto narrow) { std::memcpy(at, &narrow, sizeof narrow); };
  switch (type) {
  case DnnF64:
    return as(double(value));
  case DnnF32:
    return as(float(value));
  case DnnF16:
    return as(Float16(float(value)));
  default:
    return as(BFloat16(float(value)));
  }
}

/// The bytes of a tensor from its first to its last element.
std::vector<char> spanOf(const Tensor &tensor, const Numbers &places) {
  int64_t last = *std::max_element(places.begin(), places.end());
  return std::vector<char>((last + 1) * bytesOf(tensor.type));
}

/// Row-major; nothing after a finding.
template <typename T>
std::vector<T> read(const Tensor &tensor, uint64_t address,
                    DeviceMemory &memory) {
  Numbers places = tensor.places();
  std::vector<char> bytes = spanOf(tensor, places);
  for (const HocketLookalikeRange &range : rangesOf(tensor, address))
    if (!memory.read(range.address, range.bytes,
                     &bytes[range.address - address]))
      return {};
  std::vector<T> values;
  for (int64_t place : places)
    values.push_back(
        load<T>(tensor.type, &bytes[place * bytesOf(tensor.type)]));
  return values;
}

template <typename T>
void write(const Tensor &tensor, uint64_t address, const std::vector<T> &values,
           DeviceMemory &memory) {
  Numbers places = tensor.places();
  std::vector<char> bytes = spanOf(tensor, places);
  for (size_t i = 0; i < places.size(); ++i)
    store(tensor.type, values[i], &bytes[places[i] * bytesOf(tensor.type)]);
  for (const HocketLookalikeRange &range : rangesOf(tensor, address))
    if (!memory.write(range.address, range.bytes,
                      &bytes[range.address - address]))
      return;
}

/// Adds the terms of a result in the order of an engine.
template <typename T> class Sum {
public:
  explicit Sum(Order order) : order(order) {}

  std::vector<T> terms;
  T halves[2] = {}; // of Order::Halves

  T add() {
    T sum = 0;
    if (order == Order::Halves) {
      halves[0] = halves[1] = 0;
      for (size_t i = terms.size(); i-- > 0;)
        halves[i >= terms.size() / 2] += terms[i];
      return halves[1] + halves[0];
    }
    if (order == Order::Chunks) {
      for (size_t first = 0; first < terms.size(); first += 8) {
        T chunk = 0;
        for (size_t i = first; i < std::min(first + 8, terms.size()); ++i)
          chunk += terms[i];
        sum += chunk;
      }
      return sum;
    }
    static std::atomic<size_t> runs = 0;
    size_t first = order == Order::Random ? ++runs : 0;
    for (size_t i = 0; i < terms.size(); ++i) {
      T term = terms[(first + i) % terms.size()];
      sum += order == Order::Rounded ? rounded(term) : term;
    }
    return sum;
  }

private:
  static T rounded(T value) {
    uint32_t bits = runtime::bitsOf(float(value));
    bits = (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu;
    return T(runtime::floatOf(bits));
  }

  Order order;
};

/// Visits all indices in a box, the last dim fastest.
template <typename Visit>
void forEach(const Numbers &extents, size_t from, const Visit &visit) {
  Numbers index(extents.size());
  for (bool more = true; more;) {
    visit(index);
    size_t dim = extents.size();
    while (dim > from && ++index[dim - 1] == extents[dim - 1])
      index[--dim] = 0;
    more = dim > from;
  }
}

template <typename T> class Convolution {
public:
  Convolution(const Call &call, DeviceMemory &memory)
      : call(call), problem(call.problem), memory(memory),
        sum(call.engine.order) {}

  void run() {
    if (!readOperands())
      return;
    const Tensor &result = problem.result();
    std::vector<T> values, partial;
    forEach(result.extents, 0, [&](const Numbers &at) {
      sum.terms.clear();
      addTerms(at);
      T value = sum.add();
      partial.insert(partial.end(), sum.halves, sum.halves + 2);
      values.push_back(problem.hasBias ? value + bias[at[1]] : value);
    });
    if (call.engine.order == Order::Halves &&
        !memory.write(call.workspace, partial.size() * sizeof(T),
                      partial.data()))
      return;
    write(result, addressOf(result), values, memory);
  }

private:
  uint64_t addressOf(const Tensor &tensor) const {
    return &tensor == &problem.x        ? call.x
           : &tensor == &problem.weight ? call.weight
                                        : call.y;
  }

  bool readOperands() {
    const Tensor &result = problem.result();
    auto get = [&](const Tensor &tensor, std::vector<T> &values) {
      if (&tensor != &result)
        values = read<T>(tensor, addressOf(tensor), memory);
      return &tensor == &result || !values.empty();
    };
    if (!get(problem.x, x) || !get(problem.weight, weight) ||
        !get(problem.y, y))
      return false;
    if (problem.hasBias)
      bias = read<T>(problem.bias, call.bias, memory);
    return !problem.hasBias || !bias.empty();
  }

  static T valueAt(const std::vector<T> &values, const Tensor &tensor,
                   const Numbers &at) {
    int64_t place = 0;
    for (size_t dim = 0; dim < at.size(); ++dim)
      place = place * tensor.extents[dim] + at[dim];
    return values[place];
  }

  /// Where in x an output meets a tap; false for padding.
  bool meet(const Numbers &output, const Numbers &tap, Numbers &input) const {
    for (size_t i = 0; i < problem.strides.size(); ++i) {
      int64_t place = output[i + 2] * problem.strides[i] +
                      tap[i + 2] * problem.dilations[i] - problem.lows[i];
      if (place < 0 || place >= problem.x.extents[i + 2])
        return false;
      input[i + 2] = place;
    }
    return true;
  }

  /// The output that meets an input at a tap, if there is one.
  bool meetOutput(const Numbers &input, const Numbers &tap,
                  Numbers &output) const {
    for (size_t i = 0; i < problem.strides.size(); ++i) {
      int64_t place =
          input[i + 2] + problem.lows[i] - tap[i + 2] * problem.dilations[i];
      if (place < 0 || place % problem.strides[i] != 0 ||
          place / problem.strides[i] >= problem.y.extents[i + 2])
        return false;
      output[i + 2] = place / problem.strides[i];
    }
    return true;
  }

  void addTerms(const Numbers &at) {
    if (problem.operation == DnnOperationForward)
      addForward(at);
    else if (problem.operation == DnnOperationInputGradient)
      addInputGradient(at);
    else
      addWeightGradient(at);
  }

  void addForward(const Numbers &at) {
    int64_t inGroup = problem.weight.extents[1];
    int64_t group = at[1] / (problem.weight.extents[0] / problem.groups());
    Numbers box = problem.weight.extents, input = at;
    box[0] = 1;
    forEach(box, 1, [&](Numbers tap) {
      tap[0] = at[1];
      input[1] = group * inGroup + tap[1];
      if (meet(at, tap, input))
        sum.terms.push_back(valueAt(x, problem.x, input) *
                            valueAt(weight, problem.weight, tap));
    });
  }

  void addInputGradient(const Numbers &at) {
    int64_t inGroup = problem.weight.extents[1];
    int64_t outGroup = problem.weight.extents[0] / problem.groups();
    Numbers box = problem.weight.extents, output = at;
    box[0] = outGroup;
    box[1] = 1;
    forEach(box, 0, [&](Numbers tap) {
      tap[0] += at[1] / inGroup * outGroup;
      tap[1] = at[1] % inGroup;
      output[1] = tap[0];
      if (meetOutput(at, tap, output))
        sum.terms.push_back(valueAt(y, problem.y, output) *
                            valueAt(weight, problem.weight, tap));
    });
  }

  void addWeightGradient(const Numbers &at) {
    int64_t outGroup = problem.weight.extents[0] / problem.groups();
    Numbers box = problem.y.extents, input = at;
    box[1] = 1;
    forEach(box, 0, [&](Numbers output) {
      output[1] = at[0];
      input[0] = output[0];
      input[1] = at[0] / outGroup * problem.weight.extents[1] + at[1];
      if (meet(output, at, input))
        sum.terms.push_back(valueAt(x, problem.x, input) *
                            valueAt(y, problem.y, output));
    });
  }

  const Call &call;
  const Problem &problem;
  DeviceMemory &memory;
  Sum<T> sum;
  std::vector<T> x, weight, y, bias;
};

} // namespace

void compute(const Call &call, DeviceMemory &memory) {
  if (call.problem.isDouble())
    Convolution<double>(call, memory).run();
  else
    Convolution<float>(call, memory).run();
}

} // namespace hocket::lookalike
