//===- KernelHarness.cpp - compiles, runs and checks one kernel -----------===//

#include "KernelHarness.h"
#include "NaiveEvaluator.h"
#include "dialects/Spmd/Spmd.h"
#include "hocket/Runtime/Half.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <regex>
#include <unistd.h>

using namespace mlir;
using namespace hocket::codegen;

namespace hocket::test {

/// "4x(2,3)xf32" to a tensor type with its layout.
static std::string expandType(const std::string &text) {
  std::string shape, layout, dim;
  auto finish = [&] {
    if (dim.front() == '(') {
      int64_t size = 1;
      std::string factors;
      std::stringstream parts(dim.substr(1, dim.size() - 2));
      for (std::string part; std::getline(parts, part, ',');) {
        size *= std::stoll(part);
        factors += (factors.empty() ? "" : " ") + part;
      }
      shape += std::to_string(size) + "x";
      layout += (layout.empty() ? "[" : " [") + factors + "]";
    } else {
      shape += dim + "x";
      layout += (layout.empty() ? "[" : " [") + dim + "]";
    }
    dim.clear();
  };
  for (char c : text) {
    if (c == 'x')
      finish();
    else
      dim += c;
  }
  return "tensor<" + shape + dim + ", #nn.layout<" + layout + ">>";
}

static std::string expandTypes(const std::string &text) {
  static const std::regex type(R"(\$((\d+|\([\d,]+\))x)*(bf|f|i)\d+)");
  std::string result;
  auto last = text.begin();
  for (std::sregex_iterator at(text.begin(), text.end(), type), end; at != end;
       ++at) {
    result.append(last, (*at)[0].first);
    result += expandType(at->str().substr(1));
    last = (*at)[0].second;
  }
  result.append(last, text.end());
  return result;
}

KernelText::KernelText(const std::string &text) {
  context.loadDialect<nn::NnDialect, spmd::SpmdDialect, func::FuncDialect>();
  module = parseSourceString<ModuleOp>(expandTypes(text), &context);
}

Block &KernelText::body() {
  return (*module->getOps<func::FuncOp>().begin()).getBody().front();
}

LoadedObject::LoadedObject(const std::vector<uint8_t> &bytes) {
  std::string path = "/tmp/hocket-kernels-XXXXXX";
  int file = mkstemp(path.data());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  close(file);
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(handle, nullptr) << dlerror();
  unlink(path.c_str());
}

LoadedObject::~LoadedObject() {
  if (handle)
    dlclose(handle);
}

LoadedObject::Entry LoadedObject::find(const std::string &symbol) const {
  return handle ? reinterpret_cast<Entry>(dlsym(handle, symbol.c_str()))
                : nullptr;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

namespace {
/// The elements of one argument as they lie in memory.
struct Memory {
  Type element;
  std::vector<int64_t> factors, strides;
  std::vector<uint8_t> bytes;

  Memory(RankedTensorType type, ArrayRef<int64_t> wanted);
  int64_t place(int64_t n) const;
  void put(int64_t n, double value);
  double get(int64_t n) const;
};
} // namespace

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
  // Guard elements before and after would be found by the comparison below.
  bytes.assign(span * 8, 0x55);
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
// Checking
//===----------------------------------------------------------------------===//

static int64_t valueOf(const KernelScalar &scalar, int64_t coordinate) {
  if (scalar.kind == KernelScalar::Kind::IsFirst)
    return coordinate == 0;
  return cast<spmd::TableAttr>(scalar.attribute).getValues()[coordinate];
}

static double draw(std::mt19937 &random, Type element,
                   const RunOptions &options) {
  std::uniform_real_distribution<double> numbers(options.low, options.high);
  double value = numbers(random);
  if (element.isInteger(1))
    return value > (options.low + options.high) / 2;
  return element.isInteger() ? std::trunc(value) : value;
}

static void compare(const Tensor &expected, const Memory &actual,
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

static void run(const LoadedObject &object, const KernelInfo &info,
                std::vector<Memory> &memory, size_t inputs,
                const RunOptions &options, int parts) {
  std::vector<std::vector<double>> tables;
  std::vector<void *> arguments;
  for (size_t i = 0; i < inputs; ++i)
    arguments.push_back(memory[i].bytes.data());
  for (const KernelTable &table : info.tables) {
    int64_t size = 1, first = 0;
    for (int64_t n : table.shape)
      size *= n;
    tables.emplace_back(size);
    void *place = tables.back().data();
    if (table.scalar)
      first = valueOf(*table.scalar, options.coordinate);
    object.find(table.symbol)(&place, &first, 0, table.extent);
    arguments.push_back(place);
  }
  for (size_t i = inputs; i < memory.size(); ++i)
    arguments.push_back(memory[i].bytes.data());
  std::vector<int64_t> scalars;
  for (const KernelScalar &scalar : info.scalars)
    scalars.push_back(valueOf(scalar, options.coordinate));
  LoadedObject::Entry entry = object.find(info.symbol);
  ASSERT_NE(entry, nullptr);
  for (int part = 0; part < parts; ++part)
    entry(arguments.data(), scalars.data(), info.extent * part / parts,
          info.extent * (part + 1) / parts);
}

void check(const std::string &function, const RunOptions &options) {
  SCOPED_TRACE(function);
  KernelText text("func.func @f" + function);
  Block &body = text.body();
  CodeGenOptions target;
  target.cpu = options.cpu;
  KernelCompiler compiler(target);
  KernelRequest request;
  request.body = &body;
  request.inputStrides = options.inputStrides;
  request.outputStrides = options.outputStrides;
  auto info = compiler.add(request);
  ASSERT_TRUE(succeeded(info));
  std::string error;
  auto bytes = compiler.finish(error);
  ASSERT_TRUE(bytes) << error;
  LoadedObject object(*bytes);

  std::mt19937 random(7);
  std::vector<Tensor> inputs;
  std::vector<Memory> memory;
  auto shapeOf = [](Type type) {
    return cast<RankedTensorType>(type).getShape().vec();
  };
  for (auto [i, type] : llvm::enumerate(body.getArgumentTypes())) {
    auto tensor = cast<RankedTensorType>(type);
    memory.emplace_back(tensor, options.inputStrides.empty()
                                    ? ArrayRef<int64_t>()
                                    : options.inputStrides[i]);
    Tensor &values = inputs.emplace_back(shapeOf(type));
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
  auto expected = evaluate(body, inputs, options.coordinate);
  for (int parts : {1, 3}) {
    memory.resize(inputs.size(), memory.front());
    for (auto [i, type] :
         llvm::enumerate(body.getTerminator()->getOperandTypes()))
      memory.emplace_back(cast<RankedTensorType>(type),
                          options.outputStrides.empty()
                              ? ArrayRef<int64_t>()
                              : options.outputStrides[i]);
    run(object, *info, memory, inputs.size(), options, parts);
    for (size_t i = 0; i < expected.size(); ++i)
      compare(expected[i], memory[inputs.size() + i], options,
              parts == 1 ? "whole" : "in parts");
  }
}

} // namespace hocket::test
