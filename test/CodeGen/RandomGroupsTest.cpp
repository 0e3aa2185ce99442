//===- RandomGroupsTest.cpp - groups that nobody thought of ---------------===//
//
// Element-wise operations, reductions and softmaxes of random operands, over
// dims of sizes around those of units, warps and blocks, with dims of size 1
// and operands that lie transposed. What can be one kernel is run on a CPU and,
// as PTX, on the interpreter.
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include <gtest/gtest.h>
#include <random>

using hocket::test::check;
using hocket::test::KernelText;
using hocket::test::RunOptions;

namespace {

using Shape = std::vector<int64_t>;

class Group {
public:
  explicit Group(unsigned seed) : random(seed) {
    static const int64_t choices[] = {1, 2, 3, 5, 8, 16, 33, 64, 130};
    do {
      for (int64_t &size : sizes)
        size = choices[below(std::size(choices))];
    } while (sizes[0] * sizes[1] * sizes[2] > 20000);
    type = below(4) ? "f32" : "f64";
    options.alignment = int64_t(4) << below(4);
    int inputs = 1 + below(3);
    for (int i = 0; i < inputs; ++i) {
      values.push_back(i == 0 ? sizes : someOf(sizes));
      signature +=
          (i ? ", %v" : "(%v") + std::to_string(i) + ": " + typeOf(values[i]);
      addStrides(values[i]);
    }
    for (int ops = 2 + below(7); ops > 0; --ops)
      addOperation();
    addOutputs();
  }

  std::string text() const { return signature + body; }
  RunOptions options;

private:
  unsigned below(unsigned count) { return random() % count; }
  std::string typeOf(const Shape &shape) const {
    std::string result = "$";
    for (int64_t size : shape)
      result += std::to_string(size) + "x";
    return result + type;
  }
  std::string named(int value) const { return "%v" + std::to_string(value); }
  int any() { return int(below(values.size())); }

  /// Some dims as they are, the others of size 1.
  Shape someOf(Shape shape) {
    for (int64_t &size : shape)
      size = below(3) ? size : 1;
    return shape;
  }

  /// Dense with the dims in a random order, sometimes with gaps.
  void addStrides(const Shape &shape) {
    std::vector<int> order = {0, 1, 2};
    if (below(2))
      std::shuffle(order.begin(), order.end(), random);
    int64_t next = 1;
    llvm::SmallVector<int64_t> strides(3);
    for (int dim : {2, 1, 0}) {
      strides[order[dim]] = next;
      next = next * shape[order[dim]] + (below(4) ? 0 : 4);
    }
    options.inputStrides.push_back(strides);
  }

  void add(const std::string &operation, const std::string &operands,
           const Shape &shape) {
    body += "  " + named(values.size()) + " = nn." + operation + " : (" +
            operands + ") -> " + typeOf(shape) + "\n";
    values.push_back(shape);
  }

  void addOperation() {
    int a = any(), b = any();
    Shape shape = values[a];
    switch (below(6)) {
    case 0: {
      const char *kinds[] = {"tanh", "sigmoid", "abs", "neg"};
      return add(std::string("unary ") + kinds[below(4)] + " " + named(a),
                 typeOf(shape), shape);
    }
    case 1: {
      // At least one dim; those of size 1 as well.
      std::string dims = std::to_string(below(3));
      for (int dim = 0; dim < 3; ++dim) {
        bool isReduced = dims.find(char('0' + dim)) != std::string::npos;
        if (!isReduced && below(3) == 0)
          dims += ", " + std::to_string(dim), isReduced = true;
        if (isReduced)
          shape[dim] = 1;
      }
      return add(std::string("reduce ") + (below(2) ? "max " : "mean ") +
                     named(a) + " {dims = array<i64: " + dims +
                     ">, keepdim = true}",
                 typeOf(values[a]), shape);
    }
    case 2:
      return add("softmax " + named(a) + " {dim = " + std::to_string(below(3)) +
                     " : i64}",
                 typeOf(shape), shape);
    default: {
      const char *kinds[] = {"add", "sub", "maximum", "minimum"};
      for (int dim = 0; dim < 3; ++dim)
        shape[dim] = std::max(shape[dim], values[b][dim]);
      return add(std::string("binary ") + kinds[below(4)] + " " + named(a) +
                     ", " + named(b),
                 typeOf(values[a]) + ", " + typeOf(values[b]), shape);
    }
    }
  }

  void addOutputs() {
    std::string names, types;
    unsigned count = 1 + below(3);
    for (unsigned i = 0; i < count; ++i) {
      int value = i == 0 ? int(values.size()) - 1 : any();
      names += (i ? ", " : "") + named(value);
      types += (i ? ", " : "") + typeOf(values[value]);
    }
    signature += ") -> (" + types + ") {\n";
    body += "  return " + names + " : " + types + " }";
  }

  std::mt19937 random;
  Shape sizes = {1, 1, 1};
  std::string type, signature, body;
  std::vector<Shape> values;
};

TEST(RandomGroups, areTheSameOnEachTarget) {
  unsigned kernels = 0;
  for (unsigned seed = 0; seed < 120; ++seed) {
    Group group(seed);
    SCOPED_TRACE(seed);
    KernelText text("func.func @f" + group.text());
    if (!hocket::codegen::whyNotKernel(text.body()).empty())
      continue;
    ++kernels;
    group.options.tolerance = 1e-4;
    check(group.text(), group.options);
    if (HasFailure())
      return;
  }
  EXPECT_GT(kernels, 40u);
}

} // namespace
