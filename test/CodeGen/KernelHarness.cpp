//===- KernelHarness.cpp - compiles, runs and checks one kernel -----------===//

#include "KernelHarness.h"
#include "KernelMemory.h"
#include "PtxRun.h"
#include "dialects/Spmd/Spmd.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include <cmath>
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
// Checking
//===----------------------------------------------------------------------===//

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
    entry(arguments.data(), scalars.data(),
          info.launches.front().extent * part / parts,
          info.launches.front().extent * (part + 1) / parts);
}

void check(const std::string &function, const RunOptions &options) {
  SCOPED_TRACE(function);
  KernelCase test(function, options);
  CodeGenOptions target;
  target.cpu = options.cpu;
  KernelCompiler compiler(target);
  auto info = compiler.add(test.request);
  ASSERT_TRUE(succeeded(info));
  std::string error;
  auto bytes = compiler.finish(error);
  ASSERT_TRUE(bytes) << error;
  LoadedObject object(*bytes);

  auto expected = evaluate(*test.request.body, test.inputs, options.coordinate);
  auto compareAll = [&](const char *how) {
    for (size_t i = 0; i < expected.size(); ++i)
      compare(expected[i], test.memory[test.inputs.size() + i], options, how);
  };
  for (int parts : {1, 3}) {
    test.clearOutputs();
    run(object, *info, test.memory, test.inputs.size(), options, parts);
    compareAll(parts == 1 ? "whole" : "in parts");
  }
  std::vector<Memory> onCpu = test.memory;
  test.clearOutputs();
  if (!runPtx(test.request, test.memory, options.coordinate, nullptr,
              options.alignment))
    return;
  compareAll("as PTX");
  for (size_t i = 0; options.samePtx && i < onCpu.size(); ++i)
    EXPECT_EQ(onCpu[i].bytes, test.memory[i].bytes) << "argument " << i;
}

} // namespace hocket::test
