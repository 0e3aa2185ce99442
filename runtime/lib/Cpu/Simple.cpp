//===- Simple.cpp - copy, fill and iota calls -----------------------------===//

#include "hocket/Cpu/Simple.h"
#include "hocket/Cpu/StridedCopy.h"
#include "hocket/Runtime/Elements.h"
#include <type_traits>

namespace hocket::runtime {

namespace {

class CopyCall : public Call {
public:
  CopyCall(const Operand &src, const Operand &dst)
      : copy(dst.shape, src.strides, dst.strides, plan::byteSize(dst.type)),
        src(src.data), dst(dst.data) {}
  Status run() override {
    copy.run(dst, src);
    return Status::success();
  }

private:
  StridedCopy copy;
  const void *src;
  void *dst;
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

} // namespace

std::unique_ptr<Call> makeCopy(const Operand &src, const Operand &dst) {
  return std::make_unique<CopyCall>(src, dst);
}

std::unique_ptr<Call> makeFill(const Operand &dst, double value) {
  return std::make_unique<RampCall>(dst, -1, value, 0);
}

std::unique_ptr<Call> makeIota(const Operand &dst, int dim, int64_t first) {
  return std::make_unique<RampCall>(dst, dim, static_cast<double>(first), 1);
}

} // namespace hocket::runtime
