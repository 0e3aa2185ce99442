//===- Fused.cpp - a graph that is computed as one kernel -----------------===//

#include "test/Gpu/Libraries/Dnn/Fused.h"
#include "test/Gpu/Libraries/Device.h"
#include "test/Gpu/Libraries/Dnn/Packer.h"
#include <algorithm>

namespace hocket::lookalike {

bool Fused::isWritten(size_t tensor) const {
  return std::any_of(
      operations.begin(), operations.end(),
      [&](const FusedOperation &one) { return one.result == int64_t(tensor); });
}

std::vector<size_t> Fused::placed() const {
  std::vector<size_t> list;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (!tensors[i].isVirtual && !tensors[i].isValue)
      list.push_back(i);
  return list;
}

const FusedOperation *Fused::lastProduct() const {
  const FusedOperation *last = nullptr;
  for (const FusedOperation &one : operations)
    if (one.type == DnnOperationMatmul)
      last = &one;
  return last;
}

bool Fused::addsInAnyOrder(const FusedOperation &operation) const {
  const Tensor &result = tensors[operation.result];
  return operation.type == DnnOperationMatmul && !result.isVirtual &&
         result.type == DnnF32;
}

namespace {

std::string nameOf(const Tensor &tensor) {
  return "tensor " + std::to_string(tensor.id);
}

/// Extents of a result whose operands have these: 1 repeats.
bool broadcasts(const Numbers &from, const Numbers &to) {
  bool fits = from.size() == to.size();
  for (size_t dim = 0; fits && dim < to.size(); ++dim)
    fits = from[dim] == to[dim] || from[dim] == 1;
  return fits;
}

class Checks {
public:
  explicit Checks(const Fused &fused) : fused(fused) {}

  std::string find() {
    for (const Tensor &tensor : fused.tensors)
      if (std::string wrong = checkTensor(tensor); !wrong.empty())
        return wrong;
    isMade.resize(fused.tensors.size());
    for (const FusedOperation &one : fused.operations) {
      std::string wrong = checkOrder(one);
      if (wrong.empty())
        wrong = checkOne(one);
      if (!wrong.empty())
        return wrong;
      isMade[one.result] = true;
    }
    return checkWhole();
  }

private:
  const Tensor &at(int64_t number) const { return fused.tensors[number]; }

  static std::string checkTensor(const Tensor &tensor) {
    if (tensor.extents.size() != 4)
      return nameOf(tensor) + " of a fused graph has not 4 dims";
    if (tensor.isVirtual || tensor.isValue)
      return "";
    Numbers places = tensor.places();
    std::sort(places.begin(), places.end());
    if (std::adjacent_find(places.begin(), places.end()) != places.end())
      return "two elements of " + nameOf(tensor) + " are one";
    return "";
  }

  /// What an operation reads lies in memory or was computed before.
  std::string checkOrder(const FusedOperation &one) const {
    for (int64_t operand : one.operands)
      if (operand != FusedOperation::none && !isMade[operand] &&
          (at(operand).isVirtual || fused.isWritten(operand)))
        return nameOf(at(operand)) + " is read before it is computed";
    if (isMade[one.result])
      return nameOf(at(one.result)) + " is computed twice";
    return at(one.result).isValue
               ? nameOf(at(one.result)) + " is a number and a result"
               : "";
  }

  std::string checkOne(const FusedOperation &one) const {
    switch (one.type) {
    case DnnOperationMatmul:
      return checkProduct(one);
    case DnnOperationPointwise:
      return checkPointwise(one);
    case DnnOperationReduction:
      return checkReduction(one);
    default:
      return checkReshape(one);
    }
  }

  std::string checkProduct(const FusedOperation &one) const {
    const Tensor &a = at(one.operand(0)), &b = at(one.operand(1));
    const Tensor &c = at(one.result);
    bool fits = a.extents[0] == b.extents[0] && a.extents[0] == c.extents[0] &&
                a.extents[1] == c.extents[1] &&
                a.extents[1] % b.extents[1] == 0 &&
                a.extents[3] == b.extents[2] && c.extents[2] == a.extents[2] &&
                c.extents[3] == b.extents[3];
    if (!fits)
      return "the extents of a product do not fit together";
    bool isHalf = b.type == DnnF16 || b.type == DnnBF16;
    // Gradients of scores are rounded where a product reads them.
    bool isRounded = a.type == b.type || (a.isVirtual && a.type == DnnF32);
    if (!isHalf || !isRounded || one.compute != DnnF32)
      return "a product is of f16 or bf16, added up in f32";
    if (c.type != DnnF32 && c.type != b.type)
      return "the result of a product is f32 or of its operands' type";
    for (size_t i = 2; i < 5; ++i)
      if (one.operand(i) != FusedOperation::none &&
          !isLengths(at(one.operand(i)), a.extents[0]))
        return "the lengths of a product are not one i32 a batch entry";
    return "";
  }

  static bool isLengths(const Tensor &tensor, int64_t batch) {
    return tensor.type == DnnI32 && tensor.extents == Numbers{batch, 1, 1, 1};
  }

  std::string checkPointwise(const FusedOperation &one) const {
    const Tensor &y = at(one.result);
    bool takesB = one.kind != DnnExp && one.kind != DnnLog &&
                  one.kind != DnnIdentity && one.kind != DnnIndex;
    if (takesB != (one.operand(1) != FusedOperation::none) ||
        (one.kind == DnnSelect) != (one.operand(2) != FusedOperation::none))
      return "pointwise operation " + std::to_string(one.kind) +
             " has not as many operands as it takes";
    for (int64_t operand : one.operands)
      if (operand != FusedOperation::none &&
          !broadcasts(at(operand).extents, y.extents))
        return "the operands of a pointwise operation do not fit its result";
    bool compares = one.kind == DnnGreater || one.kind == DnnGreaterOrEqual ||
                    one.kind == DnnLess || one.kind == DnnAnd;
    if (compares != (y.type == DnnBool))
      return "a comparison, and nothing else, has a result of bool";
    if ((one.kind == DnnIndex) && y.type != DnnI32)
      return "an index is i32";
    if (one.kind == DnnSelect && at(one.operand(2)).type != DnnBool)
      return "a condition is of bool";
    return "";
  }

  std::string checkReduction(const FusedOperation &one) const {
    const Tensor &x = at(one.operand(0)), &y = at(one.result);
    for (size_t dim = 0; dim < 4; ++dim)
      if (y.extents[dim] < 1 || x.extents[dim] % y.extents[dim] != 0)
        return "the extents of a reduction do not divide those that it reads";
    return "";
  }

  std::string checkReshape(const FusedOperation &one) const {
    const Tensor &x = at(one.operand(0)), &y = at(one.result);
    Numbers from = x.places(), to = y.places();
    std::sort(from.begin(), from.end());
    std::sort(to.begin(), to.end());
    return from == to && y.isVirtual
               ? ""
               : "a reshape has not the places of what it reads";
  }

  /// What the library's engines for attention want of it.
  std::string checkWhole() const {
    size_t products = 0;
    for (const FusedOperation &one : fused.operations)
      products += one.type == DnnOperationMatmul;
    if (products != 2 && products != 5)
      return "a fused graph that is neither attention nor its gradient";
    for (size_t i : fused.placed()) {
      const Tensor &tensor = at(int64_t(i));
      bool isHalf = tensor.type == DnnF16 || tensor.type == DnnBF16;
      int64_t inner = std::min(tensor.strides[2], tensor.strides[3]);
      if (isHalf && (inner != 1 || tensor.alignment < 16))
        return nameOf(tensor) + " has no rows that begin at multiples of 16 "
                                "bytes";
      for (int64_t stride : tensor.strides)
        if (isHalf && stride != 1 && stride % 8 != 0)
          return nameOf(tensor) + " has no rows that begin at multiples of 16 "
                                  "bytes";
    }
    return "";
  }

  const Fused &fused;
  std::vector<bool> isMade; // by tensor: by an operation before
};

} // namespace

std::string Fused::check() const { return Checks(*this).find(); }

Numbers Fused::pack() const {
  Packer packer;
  packer.add(int64_t(tensors.size()));
  for (const Tensor &tensor : tensors)
    packer.add(tensor);
  for (const FusedOperation &one : operations) {
    for (int64_t number :
         {one.type, one.kind, one.axis, one.compute, one.result})
      packer.add(number);
    packer.add(one.operands);
  }
  return packer.all;
}

bool Fused::unpack(const Numbers &numbers) {
  Unpacker unpacker{numbers};
  int64_t count = 0;
  unpacker.take(count);
  tensors.resize(std::clamp<int64_t>(count, 0, 256));
  for (Tensor &tensor : tensors)
    unpacker.take(tensor);
  while (unpacker.good && unpacker.next < numbers.size()) {
    FusedOperation &one = operations.emplace_back();
    for (int64_t *number :
         {&one.type, &one.kind, &one.axis, &one.compute, &one.result})
      unpacker.take(*number);
    unpacker.take(one.operands);
  }
  return unpacker.good;
}

std::vector<Engine> bestEngines(const Fused &fused, int device,
                                size_t version) {
  const FusedOperation *last = fused.lastProduct();
  const Tensor &result = fused.tensors[last->result];
  bool isGradient = fused.operations.front().type == DnnOperationPointwise;
  int64_t workspace = 256;
  const std::vector<size_t> placed = fused.placed();
  auto written = std::count_if(placed.begin(), placed.end(),
                               [&](size_t i) { return fused.isWritten(i); });
  if (!isGradient && written < 2)
    return {}; // cuDNN 9.19 has none for an attention without its statistics
  if (isGradient) {
    auto padded = [](int64_t extent) { return (extent + 63) / 64 * 64; };
    int64_t heads = result.extents[0] * result.extents[1];
    int64_t keys = fused.tensors[last->operand(0)].extents[3];
    bool isQuadratic = result.type != DnnF32 && version < 92500;
    workspace += isQuadratic
                     ? 2 * heads * padded(result.extents[2]) * padded(keys)
                     : 4 * heads * result.extents[2] * result.extents[3];
  }
  std::vector<Engine> engines = {
      {21, Order::Taps, {DnnNoteTensorCore}, workspace},
      {22, Order::Chunks, {DnnNoteTensorCore}, workspace}};
  if (tasteOf(device) % 2)
    std::swap(engines[0], engines[1]);
  return engines;
}

} // namespace hocket::lookalike
