//===- Simple.cpp - calls that copy, and that write constants -------------===//

#include "hocket/Cpu/Simple.h"
#include "hocket/Cpu/StridedCopy.h"
#include "hocket/Runtime/Elements.h"
#include <type_traits>

namespace hocket::runtime {

namespace {

class CopyCall : public Call {
public:
  CopyCall(const Operand &src, const Operand &dst, int threads) {
    int64_t bytes = plan::byteSize(dst.type);
    // Waking threads costs as much as copying some hundred kilobytes.
    constexpr int64_t worthThreads = 1 << 19;
    int dim = dst.elements() * bytes < worthThreads ? -1 : cutDim(dst, threads);
    int64_t parts = dim < 0 ? 1 : threads;
    for (int64_t part = 0; part < parts; ++part) {
      std::vector<int64_t> shape = dst.shape;
      int64_t begin = 0;
      if (dim >= 0) {
        begin = dst.shape[dim] * part / parts;
        shape[dim] = dst.shape[dim] * (part + 1) / parts - begin;
      }
      auto at = [&](const Operand &operand) {
        int64_t offset = dim < 0 ? 0 : begin * operand.strides[dim];
        return static_cast<char *>(operand.data) + offset * bytes;
      };
      pieces.push_back({StridedCopy(shape, src.strides, dst.strides, bytes),
                        at(dst), at(src)});
    }
  }

  Status run() override {
    parallelFor(static_cast<int>(pieces.size()), [this](int part) {
      const Piece &piece = pieces[part];
      piece.copy.run(piece.dst, piece.src);
    });
    return Status::success();
  }

private:
  struct Piece {
    StridedCopy copy;
    char *dst;
    const char *src;
  };

  /// The dim of the largest stride that has a share for every thread.
  static int cutDim(const Operand &dst, int threads) {
    int best = -1;
    for (int dim = 0; dim < static_cast<int>(dst.shape.size()); ++dim)
      if (dst.shape[dim] >= threads &&
          (best < 0 || dst.strides[dim] > dst.strides[best]))
        best = dim;
    return threads > 1 ? best : -1;
  }

  std::vector<Piece> pieces;
};

/// Calls visit(address, index along `dim`) for every element.
template <typename T, typename Visit>
void forEachElement(const Operand &operand, size_t level, int dim,
                    int64_t index, T *data, const Visit &visit) {
  if (level == operand.shape.size())
    return visit(data, index);
  for (int64_t i = 0; i < operand.shape[level]; ++i)
    forEachElement(operand, level + 1, dim,
                   static_cast<int>(level) == dim ? i : index,
                   data + i * operand.strides[level], visit);
}

template <typename T> T fromNumber(double value) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)
    return T(static_cast<float>(value));
  else
    return T(value);
}

/// dst = base + step * (index along dim).
class RampCall : public Call {
public:
  RampCall(const Operand &dst, int dim, double base, double step)
      : dst(dst), dim(dim), base(base), step(step) {}
  Status run() override {
    visitType(dst.type, [&](auto zero) {
      using T = decltype(zero);
      forEachElement(dst, 0, dim, 0, static_cast<T *>(dst.data),
                     [&](T *element, int64_t index) {
                       *element = fromNumber<T>(base + step * index);
                     });
    });
    return Status::success();
  }

private:
  Operand dst;
  int dim;
  double base, step;
};

class ConstantCall : public Call {
public:
  ConstantCall(const Operand &dst, const std::vector<int64_t> &values)
      : dst(dst), values(values) {}
  Status run() override {
    visitType(dst.type, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T>)
        for (size_t i = 0; i < values.size(); ++i)
          static_cast<T *>(dst.data)[i * dst.strides[0]] = T(values[i]);
    });
    return Status::success();
  }

private:
  Operand dst;
  const std::vector<int64_t> &values;
};

} // namespace

std::unique_ptr<Call> makeCopy(const Operand &src, const Operand &dst,
                               int threads) {
  return std::make_unique<CopyCall>(src, dst, threads);
}

std::unique_ptr<Call> makeFill(const Operand &dst, double value) {
  return std::make_unique<RampCall>(dst, -1, value, 0);
}

std::unique_ptr<Call> makeIota(const Operand &dst, int dim, int64_t first) {
  return std::make_unique<RampCall>(dst, dim, static_cast<double>(first), 1);
}

std::unique_ptr<Call> makeConstant(const Operand &dst,
                                   const std::vector<int64_t> &values) {
  return std::make_unique<ConstantCall>(dst, values);
}

} // namespace hocket::runtime
