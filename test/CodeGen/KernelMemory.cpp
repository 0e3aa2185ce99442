//===- KernelMemory.cpp - the arguments of a kernel as they lie -----------===//

#include "KernelMemory.h"
#include "dialects/Nn/Nn.h"
#include "dialects/Spmd/Spmd.h"
#include "hocket/Runtime/Half.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace hocket::codegen;

namespace hocket::test {

Memory::Memory(RankedTensorType type, ArrayRef<int64_t> wanted)
    : element(type.getElementType()) {
  for (nn::DimAttr dim : nn::layoutOf(type).getDims())
    for (nn::FactorAttr factor : dim.getFactors())
      factors.push_back(factor.getSize());
  strides.assign(wanted.begin(), wanted.end());
  if (wanted.empty()) {
    strides.assign(factors.size(), 1);
    for (int64_t i = int64_t(factors.size()) - 2; i >= 0; --i)
      strides[i] = strides[i + 1] * factors[i + 1];
  }
  int64_t span = 1;
  for (size_t i = 0; i < factors.size(); ++i)
    span += strides[i] * std::max<int64_t>(factors[i] - 1, 0);
  bytes.assign(span * 8, 0x55);
}

int64_t Memory::size() const {
  unsigned bits = element.getIntOrFloatBitWidth();
  return int64_t(bytes.size()) / 8 * (bits == 1 ? 1 : bits / 8);
}

int64_t Memory::place(int64_t n) const {
  int64_t at = 0;
  for (size_t i = factors.size(); i-- > 0;) {
    at += n % factors[i] * strides[i];
    n /= factors[i];
  }
  return at;
}

template <typename T> static void write(uint8_t *at, T value) {
  std::memcpy(at, &value, sizeof value);
}
template <typename T> static T readAs(const uint8_t *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

void Memory::put(int64_t n, double value) {
  int64_t at = place(n);
  if (element.isF32())
    write(&bytes[at * 4], float(value));
  else if (element.isF64())
    write(&bytes[at * 8], value);
  else if (element.isF16())
    write(&bytes[at * 2], runtime::Float16(float(value)).bits);
  else if (element.isBF16())
    write(&bytes[at * 2], runtime::BFloat16(float(value)).bits);
  else if (element.isInteger(32))
    write(&bytes[at * 4], int32_t(value));
  else if (element.isInteger(64))
    write(&bytes[at * 8], int64_t(value));
  else
    bytes[at] = value != 0;
}

double Memory::get(int64_t n) const {
  int64_t at = place(n);
  if (element.isF32())
    return readAs<float>(&bytes[at * 4]);
  if (element.isF64())
    return readAs<double>(&bytes[at * 8]);
  if (element.isF16()) {
    runtime::Float16 half;
    half.bits = readAs<uint16_t>(&bytes[at * 2]);
    return float(half);
  }
  if (element.isBF16()) {
    runtime::BFloat16 half;
    half.bits = readAs<uint16_t>(&bytes[at * 2]);
    return float(half);
  }
  if (element.isInteger(32))
    return readAs<int32_t>(&bytes[at * 4]);
  if (element.isInteger(64))
    return double(readAs<int64_t>(&bytes[at * 8]));
  return bytes[at];
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

static double draw(std::mt19937 &random, Type element,
                   const RunOptions &options) {
  std::uniform_real_distribution<double> numbers(options.low, options.high);
  double value = numbers(random);
  if (element.isInteger(1))
    return value > (options.low + options.high) / 2;
  return element.isInteger() ? std::trunc(value) : value;
}

KernelCase::KernelCase(const std::string &function, const RunOptions &options)
    : text("func.func @f" + function) {
  request.body = &text.body();
  request.inputStrides = options.inputStrides;
  request.outputStrides = options.outputStrides;
  std::mt19937 random(7);
  for (auto [i, type] : llvm::enumerate(request.body->getArgumentTypes())) {
    auto tensor = cast<RankedTensorType>(type);
    memory.emplace_back(tensor, options.inputStrides.empty()
                                    ? ArrayRef<int64_t>()
                                    : options.inputStrides[i]);
    Tensor &values = inputs.emplace_back(tensor.getShape().vec());
    for (int64_t n = 0; n < values.size(); ++n) {
      double value = draw(random, tensor.getElementType(), options);
      if (options.element)
        value = options.element(i, n, value);
      memory[i].put(n, value);
    }
    // Elements may share memory (strides of 0).
    for (int64_t n = 0; n < values.size(); ++n)
      values.data[n] = memory[i].get(n);
  }
  clearOutputs();
}

void KernelCase::clearOutputs() {
  while (memory.size() > inputs.size())
    memory.pop_back();
  for (auto [i, type] :
       llvm::enumerate(request.body->getTerminator()->getOperandTypes()))
    memory.emplace_back(cast<RankedTensorType>(type),
                        request.outputStrides.empty()
                            ? ArrayRef<int64_t>()
                            : ArrayRef<int64_t>(request.outputStrides[i]));
}

int64_t valueOf(const KernelScalar &scalar, int64_t coordinate) {
  if (scalar.kind == KernelScalar::Kind::IsFirst)
    return coordinate == 0;
  if (scalar.kind == KernelScalar::Kind::Constant)
    return cast<IntegerAttr>(scalar.attribute).getInt();
  auto table = cast<spmd::TableAttr>(scalar.attribute);
  return table.getValues()[table.isConstant() ? 0 : coordinate];
}

void compare(const Tensor &expected, const Memory &actual,
             const RunOptions &options, const char *how) {
  for (int64_t n = 0; n < expected.size(); ++n) {
    double want = expected.data[n], got = actual.get(n);
    bool same = std::isnan(want) ? std::isnan(got) : want == got;
    double allowed = options.tolerance * (std::fabs(want) + options.floor);
    if (!same && !(std::fabs(want - got) <= allowed)) {
      ADD_FAILURE() << how << ", element " << n << ": expected " << want
                    << ", got " << got;
      return;
    }
  }
}

} // namespace hocket::test
