//===- PrepareCudaCall.cpp - instructions as calls of a GPU ---------------===//

#include "runtime/lib/Cuda/Device/PrepareCudaCall.h"
#include "hocket/Plan/InstructionWords.h"
#include <cstring>

namespace hocket::runtime::cuda {

namespace {

/// A generated kernel: its parameters are 64 bits each.
class KernelCall : public Call {
public:
  KernelCall(CudaStream &stream, Function function, std::string name,
             std::vector<uint64_t> values, unsigned blocks, unsigned threads)
      : stream(stream), function(function), name(std::move(name)),
        values(std::move(values)), blocks(blocks), threads(threads) {
    for (uint64_t &value : this->values)
      parameters.push_back(&value);
  }
  Status run() override {
    Result result = stream.api->launchKernel(function, blocks, 1, 1, threads, 1,
                                             1, /*sharedBytes=*/0, stream.get(),
                                             parameters.data(), nullptr);
    return result == Success
               ? Status::success()
               : stream.api.status(result, "launching kernel '" + name + "'");
  }

private:
  CudaStream &stream;
  Function function;
  std::string name;
  std::vector<uint64_t> values;
  std::vector<void *> parameters;
  unsigned blocks, threads;
};

/// Integers that are known when compiling, written when loading.
class ConstantCall : public Call {
public:
  ConstantCall(CudaStream &stream, const Operand &to,
               const std::vector<int64_t> &values)
      : stream(stream), to(reinterpret_cast<DeviceAddress>(to.data)) {
    for (int64_t value : values)
      append(bytes, to.type == plan::DType::I32 ? 4 : 8, value);
  }
  Status run() override {
    return stream.copyIn(to, int64_t(bytes.size()), [&](void *host) {
      std::memcpy(host, bytes.data(), bytes.size());
      return Status::success();
    });
  }

private:
  static void append(std::string &bytes, size_t size, int64_t value) {
    bytes.append(reinterpret_cast<const char *>(&value), size);
  }
  CudaStream &stream;
  DeviceAddress to;
  std::string bytes;
};

/// One overload for each kind of instruction.
struct Preparer {
  const CudaCallContext &context;
  std::unique_ptr<Call> &call;

  Status operator()(const plan::Kernel &kernel) const;
  Status operator()(const plan::Constant &constant) const {
    call = std::make_unique<ConstantCall>(
        context.stream, context.book.operand(constant.dst), constant.values);
    return Status::success();
  }
  template <class Other> Status operator()(const Other &) const {
    return Status::userError("not supported yet on a GPU");
  }
};

} // namespace

Status Preparer::operator()(const plan::Kernel &kernel) const {
  Function function = nullptr;
  Status status = context.stream.gpu.find(kernel.symbol, function);
  if (!status.ok())
    return status;
  std::vector<uint64_t> values;
  for (const std::vector<plan::View> *views : {&kernel.inputs, &kernel.outputs})
    for (const plan::View &view : *views)
      values.push_back(
          reinterpret_cast<uint64_t>(context.book.operand(view).data));
  for (const plan::Scalar &scalar : kernel.scalars)
    values.push_back(uint64_t(context.book.value(scalar)));
  call = std::make_unique<KernelCall>(
      context.stream, function, kernel.symbol, std::move(values),
      unsigned(kernel.extent), unsigned(kernel.threads));
  return status;
}

Status prepareCudaCall(const plan::Instruction &instruction,
                       const CudaCallContext &context,
                       std::unique_ptr<Call> &call) {
  return std::visit(Preparer{context, call}, instruction.body);
}

} // namespace hocket::runtime::cuda
