//===- Compute.cpp - the numbers of a convolution -------------------------===//

#include "test/Gpu/Libraries/Dnn/Compute.h"
#include "test/Gpu/Libraries/Dnn/Elements.h"

namespace hocket::lookalike {

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
