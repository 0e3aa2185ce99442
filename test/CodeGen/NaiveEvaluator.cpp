//===- NaiveEvaluator.cpp - kernel bodies in double, element by element ---===//

#include "NaiveEvaluator.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "dialects/Spmd/Spmd.h"
#include "hocket/Random/Philox.h"
#include "hocket/Runtime/Half.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>
#include <functional>
#include <map>

using namespace mlir;

namespace hocket::test {

using Index = std::vector<int64_t>;

Tensor::Tensor(std::vector<int64_t> shape) : shape(std::move(shape)) {
  int64_t size = 1;
  for (int64_t n : this->shape)
    size *= n;
  data.assign(size, 0.0);
}

static int64_t flat(const std::vector<int64_t> &shape, const Index &index) {
  int64_t at = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    at = at * shape[i] + index[i];
  return at;
}

/// NumPy: aligned at the right, a dim of size 1 is read at 0.
static double read(const Tensor &x, const Index &index) {
  Index own(x.shape.size());
  size_t shift = index.size() - own.size();
  for (size_t i = 0; i < own.size(); ++i)
    own[i] = x.shape[i] == 1 ? 0 : index[i + shift];
  return x.data[flat(x.shape, own)];
}

static void forEach(const std::vector<int64_t> &shape,
                    const std::function<void(const Index &)> &visit) {
  Index index(shape.size());
  Tensor size(shape);
  for (int64_t n = 0; n < size.size(); ++n) {
    int64_t rest = n;
    for (size_t i = shape.size(); i-- > 0;) {
      index[i] = rest % shape[i];
      rest /= shape[i];
    }
    visit(index);
  }
}

static double unary(StringRef kind, double x) {
  static const std::map<std::string, double (*)(double)> table = {
      {"gelu", [](double v) { return 0.5 * v * std::erfc(-v / std::sqrt(2)); }},
      {"gelu_tanh",
       [](double v) {
         double u = std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v);
         return v / (1 + std::exp(-2 * u));
       }},
      {"silu", [](double v) { return v / (1 + std::exp(-v)); }},
      {"relu", [](double v) { return v > 0 ? v : 0.0; }},
      {"sigmoid", [](double v) { return 1 / (1 + std::exp(-v)); }},
      {"tanh", [](double v) { return std::tanh(v); }},
      {"exp", [](double v) { return std::exp(v); }},
      {"log", [](double v) { return std::log(v); }},
      {"sqrt", [](double v) { return std::sqrt(v); }},
      {"rsqrt", [](double v) { return 1 / std::sqrt(v); }},
      {"erf", [](double v) { return std::erf(v); }},
      {"abs", [](double v) { return std::fabs(v); }},
      {"neg", [](double v) { return -v; }},
      {"not", [](double v) { return double(v == 0); }},
      {"sin", [](double v) { return std::sin(v); }},
      {"cos", [](double v) { return std::cos(v); }}};
  return table.at(kind.str())(x);
}

static double binary(StringRef kind, double a, double b, bool isInteger) {
  if (kind == "div" && isInteger)
    return b == 0 ? 0 : std::trunc(a / b);
  if (kind == "pow" && isInteger)
    return std::trunc(std::pow(a, b));
  static const std::map<std::string, double (*)(double, double)> table = {
      {"add", [](double a, double b) { return a + b; }},
      {"sub", [](double a, double b) { return a - b; }},
      {"mul", [](double a, double b) { return a * b; }},
      {"div", [](double a, double b) { return a / b; }},
      {"pow", [](double a, double b) { return std::pow(a, b); }},
      {"maximum", [](double a, double b) { return a > b ? a : b; }},
      {"minimum", [](double a, double b) { return a < b ? a : b; }},
      {"and", [](double a, double b) { return double(a != 0 && b != 0); }},
      {"or", [](double a, double b) { return double(a != 0 || b != 0); }},
      {"eq", [](double a, double b) { return double(a == b); }},
      {"ne", [](double a, double b) { return double(a != b); }},
      {"lt", [](double a, double b) { return double(a < b); }},
      {"le", [](double a, double b) { return double(a <= b); }},
      {"gt", [](double a, double b) { return double(a > b); }},
      {"ge", [](double a, double b) { return double(a >= b); }}};
  return table.at(kind.str())(a, b);
}

static double castTo(Type type, double x) {
  if (type.isInteger(1))
    return x != 0;
  if (type.isInteger())
    return std::trunc(x);
  if (type.isBF16())
    return float(runtime::BFloat16(float(x)));
  if (type.isF16())
    return float(runtime::Float16(float(x)));
  return type.isF32() ? double(float(x)) : x;
}

static Index without(const Index &index, ArrayRef<int64_t> dims, bool keep) {
  Index result;
  for (size_t i = 0; i < index.size(); ++i)
    if (!llvm::is_contained(dims, int64_t(i)))
      result.push_back(index[i]);
    else if (keep)
      result.push_back(0);
  return result;
}

static void reduce(nn::ReduceOp op, const Tensor &x, Tensor &y) {
  if (op.getKind() == nn::ReduceKind::Max)
    y.data.assign(y.data.size(), -INFINITY);
  double count = double(x.size()) / std::max<int64_t>(y.size(), 1);
  forEach(x.shape, [&](const Index &i) {
    Index to = without(i, op.getDims(), op.getKeepdim());
    double &at = y.data[flat(y.shape, to)];
    if (op.getKind() == nn::ReduceKind::Max)
      at = std::isnan(at) || at > read(x, i) ? at : read(x, i);
    else
      at += read(x, i) / (op.getKind() == nn::ReduceKind::Mean ? count : 1);
  });
}

/// Applies `f` to every line along a dim.
static void lines(const Tensor &x, int64_t dim, Tensor &y,
                  const std::function<void(std::vector<double> &)> &f) {
  std::vector<int64_t> outer = x.shape;
  outer[dim] = outer[dim] != 0;
  forEach(outer, [&](const Index &start) {
    Index i = start;
    std::vector<double> line;
    for (i[dim] = 0; i[dim] < x.shape[dim]; ++i[dim])
      line.push_back(read(x, i));
    f(line);
    for (i[dim] = 0; i[dim] < x.shape[dim]; ++i[dim])
      y.data[flat(y.shape, i)] = line[i[dim]];
  });
}

static void softmax(std::vector<double> &line) {
  double largest = -INFINITY, sum = 0;
  for (double v : line)
    largest = std::max(largest, v);
  for (double &v : line)
    sum += v = std::exp(v - largest);
  for (double &v : line)
    v /= sum;
}

static void logSumExp(nn::LogSumExpOp op, const Tensor &x, Tensor &y) {
  Tensor largest = y;
  auto lineOf = [&](Index i) {
    i.erase(i.begin() + op.getDim());
    return flat(y.shape, i);
  };
  std::fill(largest.data.begin(), largest.data.end(), -INFINITY);
  forEach(x.shape, [&](const Index &i) {
    double &most = largest.data[lineOf(i)];
    most = std::max(most, read(x, i));
  });
  forEach(x.shape, [&](const Index &i) {
    double most = largest.data[lineOf(i)];
    y.data[lineOf(i)] += std::isinf(most) ? 0 : std::exp(read(x, i) - most);
  });
  for (size_t line = 0; line < y.data.size(); ++line)
    y.data[line] = std::isinf(largest.data[line])
                       ? largest.data[line]
                       : largest.data[line] + std::log(y.data[line]);
}

static void norm(std::vector<double> &line, double eps, bool centre,
                 const Tensor &weight, const Tensor *bias) {
  double mean = 0, variance = 0;
  for (double v : line)
    mean += centre ? v / line.size() : 0;
  for (double v : line)
    variance += (v - mean) * (v - mean) / line.size();
  for (size_t i = 0; i < line.size(); ++i) {
    double y = (line[i] - mean) / std::sqrt(variance + eps) * weight.data[i];
    line[i] = y + (bias ? bias->data[i] : 0);
  }
}

static int64_t firstOf(spmd::PositionsAttr positions, int64_t coordinate) {
  spmd::TableAttr begin = positions.getBegin();
  return begin.getValues()[begin.isConstant() ? 0 : coordinate];
}

static void rotary(spmd::RotaryOp op, const Tensor &x, Tensor &y,
                   int64_t first) {
  int64_t half = x.shape.back() / 2;
  bool split = op.getStyle() == nn::RotaryStyle::Half;
  forEach(x.shape, [&](const Index &i) {
    int64_t j = i.back();
    int64_t angle = split ? j % half : j / 2;
    bool second = split ? j >= half : j % 2;
    double rate =
        op.getFrequencies().empty()
            ? std::pow(op.getBase().convertToDouble(), -1.0 * angle / half)
            : op.getFrequencies()[angle];
    double theta = double(first + i[op.getDim()]) * rate;
    Index other = i;
    other.back() =
        split ? (second ? j - half : j + half) : (second ? j - 1 : j + 1);
    y.data[flat(y.shape, i)] =
        read(x, i) * std::cos(theta) +
        (second != op.getInverse() ? 1 : -1) * read(x, other) * std::sin(theta);
  });
}

static void rearrange(nn::RearrangeOp op, const Tensor &x, Tensor &y) {
  std::vector<int64_t> sizes;
  for (nn::DimAttr dim : op.getSource().getDims())
    for (nn::FactorAttr factor : dim.getFactors())
      sizes.push_back(factor.getSize());
  std::vector<int64_t> order;
  for (Attribute dim : op.getOrder()) {
    if (auto list = dyn_cast<DenseI64ArrayAttr>(dim)) {
      order.insert(order.end(), list.asArrayRef().begin(),
                   list.asArrayRef().end());
      continue;
    }
    for (Attribute number : cast<ArrayAttr>(dim))
      order.push_back(cast<IntegerAttr>(number).getInt());
  }
  int64_t next = 0;
  std::vector<int64_t> walk;
  for (int64_t factor : order)
    walk.push_back(sizes[factor]);
  forEach(walk, [&](const Index &i) {
    Index from(sizes.size());
    for (size_t k = 0; k < order.size(); ++k)
      from[order[k]] = i[k];
    y.data[next++] = x.data[flat(sizes, from)];
  });
}

static void concat(ArrayRef<Tensor> xs, int64_t dim, Tensor &y) {
  int64_t begin = 0;
  for (const Tensor &x : xs) {
    forEach(x.shape, [&](const Index &i) {
      Index to = i;
      to[dim] += begin;
      y.data[flat(y.shape, to)] = read(x, i);
    });
    begin += x.shape[dim];
  }
}

static void slice(nn::SliceOp op, const Tensor &x, Tensor &y) {
  int64_t next = 0;
  std::vector<int64_t> walk = x.shape;
  walk[op.getDim()] = op.getSize();
  forEach(walk, [&](const Index &i) {
    Index from = i;
    from[op.getDim()] += op.getStart();
    y.data[next++] = read(x, from);
  });
}

static void norms(Operation *op, ArrayRef<Tensor> in, Tensor &y) {
  if (auto layer = dyn_cast<nn::LayerNormOp>(op))
    lines(in[0], in[0].shape.size() - 1, y, [&](auto &line) {
      norm(line, layer.getEps().convertToDouble(), true, in[1],
           in.size() > 2 ? &in[2] : nullptr);
    });
  if (auto rms = dyn_cast<nn::RmsNormOp>(op))
    lines(in[0], in[0].shape.size() - 1, y, [&](auto &line) {
      norm(line, rms.getEps().convertToDouble(), false, in[1], nullptr);
    });
}

/// Of a rank whose elements are one row-major range of the global tensor.
static void dropout(spmd::DropoutOp op, const Tensor &x, uint32_t step,
                    Tensor &y, int64_t coordinate) {
  double p = op.getP().convertToDouble();
  spmd::DrawsAttr draws = op.getDraws();
  spmd::TableAttr first = draws.getFirst();
  int64_t begin = first.getValues()[first.isConstant() ? 0 : coordinate];
  for (int64_t n = 0; n < x.size(); ++n) {
    uint32_t word = runtime::wordOfElement(draws.getKey(), begin + n, step,
                                           runtime::Purpose::Dropout);
    y.data[n] = word >= runtime::dropThreshold(p) ? x.data[n] / (1 - p) : 0;
  }
}

static void apply(Operation *op, ArrayRef<Tensor> in, Tensor &y,
                  int64_t coordinate) {
  Type element = getElementTypeOrSelf(op->getResult(0));
  auto each = [&](const std::function<double(const Index &)> &f) {
    forEach(y.shape, [&](const Index &i) { y.data[flat(y.shape, i)] = f(i); });
  };
  if (auto u = dyn_cast<nn::UnaryOp>(op))
    return each([&](auto &i) {
      return unary(stringifyUnaryKind(u.getKind()), read(in[0], i));
    });
  if (auto b = dyn_cast<nn::BinaryOp>(op)) {
    bool whole = getElementTypeOrSelf(b.getA()).isInteger();
    return each([&](auto &i) {
      return binary(stringifyBinaryKind(b.getKind()), read(in[0], i),
                    read(in[1], i), whole);
    });
  }
  if (isa<nn::WhereOp>(op))
    return each([&](auto &i) {
      return read(in[0], i) != 0 ? read(in[1], i) : read(in[2], i);
    });
  if (isa<nn::CastOp>(op))
    return each([&](auto &i) { return castTo(element, read(in[0], i)); });
  if (auto fill = dyn_cast<nn::FillOp>(op))
    return each([&](auto &) { return fill.getValue().convertToDouble(); });
  if (auto iota = dyn_cast<spmd::IotaOp>(op))
    return each([&](auto &i) {
      return double(i[iota.getDim()] +
                    firstOf(iota.getPositions(), coordinate));
    });
  if (isa<spmd::KeepFirstOp>(op))
    return each([&](auto &i) { return coordinate ? 0.0 : read(in[0], i); });
  if (auto op_ = dyn_cast<nn::ReduceOp>(op))
    return reduce(op_, in[0], y);
  if (auto op_ = dyn_cast<nn::SoftmaxOp>(op))
    return lines(in[0], op_.getDim(), y, softmax);
  if (auto op_ = dyn_cast<nn::LogSumExpOp>(op))
    return logSumExp(op_, in[0], y);
  if (auto op_ = dyn_cast<spmd::RotaryOp>(op))
    return rotary(op_, in[0], y, firstOf(op_.getPositions(), coordinate));
  if (auto op_ = dyn_cast<nn::RearrangeOp>(op))
    return rearrange(op_, in[0], y);
  if (auto op_ = dyn_cast<nn::ConcatOp>(op))
    return concat(in, op_.getDim(), y);
  if (auto op_ = dyn_cast<nn::SliceOp>(op))
    return slice(op_, in[0], y);
  if (isa<nn::LayerNormOp, nn::RmsNormOp>(op))
    return norms(op, in, y);
  auto drop = dyn_cast<spmd::DropoutOp>(op);
  if (drop && drop.getStep())
    return dropout(drop, in[0], uint32_t(in[1].data[0]), y, coordinate);
  each([&](auto &i) { return read(in[0], i); }); // broadcast, value, dropout
}

std::vector<Tensor> evaluate(Block &body, const std::vector<Tensor> &inputs,
                             int64_t coordinate) {
  llvm::DenseMap<Value, Tensor> values;
  for (auto [argument, tensor] : llvm::zip(body.getArguments(), inputs))
    values[argument] = tensor;
  auto operandsOf = [&](Operation *op) {
    std::vector<Tensor> list;
    for (Value operand : op->getOperands())
      list.push_back(values[operand]);
    return list;
  };
  for (Operation &op : body.without_terminator()) {
    auto shape = cast<RankedTensorType>(op.getResult(0).getType()).getShape();
    Tensor y(std::vector<int64_t>(shape.begin(), shape.end()));
    std::vector<Tensor> operands = operandsOf(&op);
    apply(&op, operands, y, coordinate);
    values[op.getResult(0)] = y;
  }
  return operandsOf(body.getTerminator());
}

} // namespace hocket::test
