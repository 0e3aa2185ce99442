//===- Problem.cpp - a convolution that a graph describes -----------------===//

#include "test/Gpu/Libraries/Dnn/Problem.h"
#include "test/Gpu/Libraries/Dnn/Packer.h"

namespace hocket::lookalike {

int64_t bytesOf(int64_t type) {
  switch (type) {
  case DnnF64:
    return 8;
  case DnnF32:
  case DnnI32:
    return 4;
  case DnnF16:
  case DnnBF16:
    return 2;
  case DnnBool:
    return 1;
  default:
    return 0;
  }
}

int64_t Tensor::elements() const {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

Numbers Tensor::places() const {
  Numbers all = {0};
  for (size_t dim = 0; dim < extents.size(); ++dim) {
    Numbers next;
    next.reserve(all.size() * extents[dim]);
    for (int64_t place : all)
      for (int64_t index = 0; index < extents[dim]; ++index)
        next.push_back(place + index * strides[dim]);
    all = std::move(next);
  }
  return all;
}

const Tensor &Problem::result() const {
  return operation == DnnOperationForward         ? y
         : operation == DnnOperationInputGradient ? x
                                                  : weight;
}

std::vector<const Tensor *> Problem::tensors() const {
  std::vector<const Tensor *> all = {&x, &weight, &y};
  if (hasBias)
    all.push_back(&bias);
  return all;
}

static std::string checkWindows(const Problem &problem) {
  size_t dims = problem.x.extents.size() - 2;
  if (problem.strides.size() != dims)
    return "the convolution and its tensors have other dims";
  for (size_t i = 0; i < dims; ++i) {
    int64_t taps = problem.weight.extents[i + 2];
    int64_t last = problem.x.extents[i + 2] + problem.lows[i] +
                   problem.highs[i] - problem.dilations[i] * (taps - 1) - 1;
    if (last < 0 || problem.y.extents[i + 2] != last / problem.strides[i] + 1)
      return "y has not the extents that windows over x have";
  }
  if (problem.operation != DnnOperationForward && problem.lows != problem.highs)
    return "the gradient's paddings are uneven, which some layouts do not bear";
  return "";
}

static std::string checkTensors(const Problem &problem) {
  for (const Tensor *tensor : problem.tensors()) {
    if (tensor->isVirtual)
      return "tensor " + std::to_string(tensor->id) + " has no memory";
    if (tensor->type != problem.x.type)
      return "the tensors have several types";
    if (tensor->type == DnnI32 || tensor->type == DnnBool)
      return "there is no convolution of this type";
    Numbers places = tensor->places();
    std::sort(places.begin(), places.end());
    if (std::adjacent_find(places.begin(), places.end()) != places.end())
      return "two elements of tensor " + std::to_string(tensor->id) +
             " are one";
    if (tensor == &problem.weight && places.back() + 1 != tensor->elements())
      return "the weight has gaps";
  }
  return "";
}

std::string Problem::check() const {
  if (y.extents.size() != x.extents.size() ||
      weight.extents.size() != x.extents.size())
    return "the tensors have other numbers of dims";
  if (x.extents[1] % weight.extents[1] != 0 ||
      weight.extents[0] % groups() != 0)
    return "the channels are not those of groups";
  if (x.extents[0] != y.extents[0] || weight.extents[0] != y.extents[1])
    return "batch or channels of y are not those of x and the weight";
  if (compute != (x.type == DnnF64 ? DnnF64 : DnnF32))
    return "there is no convolution of this type that computes in this one";
  Numbers perChannel(x.extents.size(), 1);
  perChannel[1] = y.extents[1];
  if (hasBias && bias.extents != perChannel)
    return "the bias is not one number a channel";
  std::string wrong = checkWindows(*this);
  return wrong.empty() ? checkTensors(*this) : wrong;
}

Numbers Problem::pack() const {
  Packer packer;
  for (int64_t number : {operation, compute, hasBias})
    packer.add(number);
  for (const Tensor *tensor : {&x, &weight, &y, &bias})
    packer.add(*tensor);
  for (const Numbers *list : {&strides, &dilations, &lows, &highs})
    packer.add(*list);
  return packer.all;
}

bool Problem::unpack(const Numbers &numbers) {
  Unpacker unpacker{numbers};
  for (int64_t *number : {&operation, &compute, &hasBias})
    unpacker.take(*number);
  for (Tensor *tensor : {&x, &weight, &y, &bias})
    unpacker.take(*tensor);
  for (Numbers *list : {&strides, &dilations, &lows, &highs})
    unpacker.take(*list);
  return unpacker.good && unpacker.next == numbers.size();
}

} // namespace hocket::lookalike
