//===- InstructionCheck.cpp - the operands of each instruction ------------===//

#include "Boxes.h"
#include "Checker.h"
#include "PlanFields.h"
#include <algorithm>

namespace hocket::plan {

bool Checker::checkInstructions(const std::vector<Instruction> &list,
                                bool isLoad) {
  std::string front = where;
  inLoad = isLoad;
  for (size_t i = 0; i < list.size(); ++i) {
    const Instruction &instruction = list[i];
    where = whereOf(front, list, i);
    if (instruction.source < -1 ||
        instruction.source >= int64_t(plan.sources.size()))
      return fail("source " + std::to_string(instruction.source) +
                  " does not exist, there are " +
                  std::to_string(plan.sources.size()));
    if (!std::visit([&](const auto &body) { return checkBody(body); },
                    instruction.body) ||
        !checkWorkspace(instruction))
      return false;
  }
  return checkOpen(list, front);
}

/// "class 0, step 3 (matmul, a.b)"
std::string Checker::whereOf(const std::string &front,
                             const std::vector<Instruction> &list,
                             size_t at) const {
  const Instruction &one = list[at];
  std::string text = front + (inLoad ? ", load " : ", step ") +
                     std::to_string(at) + " (" +
                     instructionWords[one.body.index()];
  if (one.source >= 0 && one.source < int64_t(plan.sources.size()) &&
      !plan.sources[one.source].path.empty())
    text += ", " + plan.sources[one.source].path;
  return text + ")";
}

bool Checker::checkShape(const char *what, const View &view,
                         const std::vector<int64_t> &expected) {
  return view.shape == expected ||
         fail(std::string(what) + " has shape " + shapeToString(view.shape) +
              ", expected " + shapeToString(expected));
}

bool Checker::checkType(const char *what, const View &view, DType expected) {
  return typeOf(view) == expected ||
         fail(std::string(what) + " is " + toString(typeOf(view)) +
              ", expected " + toString(expected));
}

bool Checker::checkBody(const ReadParameter &read) {
  if (!inLoad)
    return fail("is allowed in load only");
  if (read.tensor < 0 || size_t(read.tensor) >= plan.parameters.size())
    return fail("parameter " + std::to_string(read.tensor) +
                " does not exist, there are " +
                std::to_string(plan.parameters.size()));
  if (!checkAxes(read.onlyFirstOf) || !checkWrite("dst", read.dst))
    return false;
  const GlobalTensor &tensor = plan.parameters[read.tensor];
  for (int64_t rank : ranksAlong(axesOf(tensor))) {
    int64_t expected = elementCount(boxOf(plan, tensor, rank).size);
    if (elementCount(read.dst.shape) != expected)
      return fail("dst has " + std::to_string(elementCount(read.dst.shape)) +
                  " elements, '" + tensor.name + "' on rank " +
                  std::to_string(rank) + " has " + std::to_string(expected));
  }
  if (elementCount(read.dst.shape) == 0)
    return true;
  int64_t stride = 1;
  for (size_t i = read.dst.shape.size(); i-- > 0;) {
    if (read.dst.shape[i] > 1 && read.dst.strides[i] != stride)
      return fail("dst is not dense: strides " +
                  shapeToString(read.dst.strides) + " for shape " +
                  shapeToString(read.dst.shape));
    stride *= read.dst.shape[i];
  }
  return true;
}

bool Checker::checkBody(const Kernel &kernel) {
  if (kernel.symbol.empty())
    return fail("has no symbol");
  // A GPU's grid, of which a rank without a part has no block; a CPU has no
  // threads of a block.
  bool isLaunch = plan.target == Target::Cuda;
  int64_t mostExtent = isLaunch ? INT32_MAX : largestNumber;
  if (kernel.extent < 0 || kernel.extent > mostExtent)
    return fail("extent " + std::to_string(kernel.extent) + " is out of range");
  if (kernel.threads < isLaunch || kernel.threads > (isLaunch ? 1024 : 0))
    return fail("has " + std::to_string(kernel.threads) +
                " threads a block, expected " + (isLaunch ? "1 to 1024" : "0"));
  if (kernel.flops < 0)
    return fail("has " + std::to_string(kernel.flops) +
                " flops, expected 0 or more");
  for (const View &view : kernel.inputs)
    if (!checkRead("an input", view))
      return false;
  for (const View &view : kernel.outputs)
    if (!checkWrite("an output", view))
      return false;
  for (const Scalar &scalar : kernel.scalars)
    if (!checkScalar("a scalar", scalar))
      return false;
  return true;
}

static bool areOne(const View &a, const View &b) {
  auto isSame = [](const Scalar &x, const Scalar &y) {
    return x.constant == y.constant && x.table == y.table && x.scale == y.scale;
  };
  return a.buffer == b.buffer && a.offset == b.offset && a.shape == b.shape &&
         a.strides == b.strides &&
         std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(),
                    b.terms.end(), isSame);
}

bool Checker::checkBody(const Matmul &matmul) {
  if (!checkRead("a", matmul.a) || !checkRead("b", matmul.b) ||
      !checkWrite("c", matmul.c))
    return false;
  const auto &a = matmul.a.shape, &b = matmul.b.shape;
  size_t rank = a.size();
  if (rank < 2 || b.size() != rank)
    return fail("a has " + std::to_string(a.size()) + " dims and b " +
                std::to_string(b.size()) + ", expected 2 or more, equally");
  std::vector<int64_t> expectedB(a.begin(), a.end() - 2), expectedC = expectedB;
  expectedB.insert(expectedB.end(), {a[rank - 1], b[rank - 1]});
  expectedC.insert(expectedC.end(), {a[rank - 2], b[rank - 1]});
  if (!checkShape("b", matmul.b, expectedB) ||
      !checkShape("c", matmul.c, expectedC) ||
      !checkType("b", matmul.b, typeOf(matmul.a)))
    return false;
  if (matmul.hasBias != (matmul.bias.buffer >= 0))
    return fail(matmul.hasBias ? "bias is missing" : "has a bias but says no");
  if (matmul.hasBias && (!checkRead("bias", matmul.bias) ||
                         !checkShape("bias", matmul.bias, {b[rank - 1]})))
    return false;
  if (matmul.packedWeight < -1 || matmul.packedWeight >= current->packs ||
      (matmul.packedWeight >= 0 && !packed[matmul.packedWeight]))
    return fail("packed weight " + std::to_string(matmul.packedWeight) +
                " was never packed");
  if (matmul.packedWeight >= 0 &&
      !areOne(packed[matmul.packedWeight]->b, matmul.b))
    return fail("b is not what packed weight " +
                std::to_string(matmul.packedWeight) + " was packed from");
  return checkPostOps(matmul);
}

bool Checker::checkPostOps(const Matmul &matmul) {
  for (const FusedPostOp &post : matmul.post) {
    bool isBinary = post.op == PostOp::Add || post.op == PostOp::Mul;
    if (isBinary != (post.operand.buffer >= 0))
      return fail(std::string(words(PostOp())[size_t(post.op)]) +
                  (isBinary ? " needs an operand" : " takes no operand"));
    if (isBinary && (!checkRead("operand", post.operand) ||
                     !checkShape("operand", post.operand, matmul.c.shape)))
      return false;
  }
  return true;
}

bool Checker::checkBody(const PackWeight &pack) {
  if (!inLoad)
    return fail("is allowed in load only");
  if (plan.target != Target::Cpu)
    return fail("packs a weight, which only a CPU does");
  if (pack.packedWeight < 0 || pack.packedWeight >= current->packs)
    return fail("packed weight " + std::to_string(pack.packedWeight) +
                " does not exist, there are " + std::to_string(current->packs));
  if (packed[pack.packedWeight])
    return fail("packed weight " + std::to_string(pack.packedWeight) +
                " is packed twice");
  packed[pack.packedWeight] = &pack;
  if (!checkRead("b", pack.b))
    return false;
  if (pack.b.shape.size() < 2 || pack.m < 0 || pack.m > largestNumber)
    return fail("b has " + std::to_string(pack.b.shape.size()) +
                " dims and m is " + std::to_string(pack.m) +
                ", expected 2 or more and 0 or more");
  return true;
}

bool Checker::checkBody(const Copy &copy) {
  return checkRead("src", copy.src) && checkWrite("dst", copy.dst) &&
         checkShape("src", copy.src, copy.dst.shape) &&
         checkType("src", copy.src, typeOf(copy.dst));
}

bool Checker::checkBody(const Fill &fill) {
  return checkWrite("dst", fill.dst);
}

bool Checker::checkBody(const Hook &hook) {
  if (hook.name.empty())
    return fail("has no name");
  for (const View &view : hook.inputs)
    if (!checkRead("an input", view))
      return false;
  for (const View &view : hook.outputs)
    if (!checkWrite("an output", view))
      return false;
  return true;
}

bool Checker::checkBody(const Iota &iota) {
  if (!checkWrite("dst", iota.dst) || !checkScalar("first", iota.first))
    return false;
  return (iota.dim >= 0 && size_t(iota.dim) < iota.dst.shape.size()) ||
         fail("dim " + std::to_string(iota.dim) + " does not exist, dst has " +
              std::to_string(iota.dst.shape.size()));
}

bool Checker::checkBody(const Constant &constant) {
  if (!inLoad)
    return fail("is allowed in load only");
  if (!checkWrite("dst", constant.dst))
    return false;
  DType type = typeOf(constant.dst);
  if (type != DType::I32 && type != DType::I64)
    return fail(std::string("dst is ") + toString(type) +
                ", expected i32 or i64");
  int64_t least = type == DType::I32 ? INT32_MIN : INT64_MIN;
  int64_t most = type == DType::I32 ? INT32_MAX : INT64_MAX;
  for (int64_t value : constant.values)
    if (value < least || value > most)
      return fail("value " + std::to_string(value) + " is no " +
                  toString(type));
  return checkShape("dst", constant.dst, {int64_t(constant.values.size())});
}

} // namespace hocket::plan
