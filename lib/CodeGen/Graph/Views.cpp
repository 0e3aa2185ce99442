//===- Views.cpp - uses of kernel inputs through rearranges and slices ----===//

#include "GraphBuilder.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"

using namespace mlir;

namespace hocket::codegen {

bool GraphBuilder::isViewOfInput(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    bool moves = isa<nn::RearrangeOp, nn::SliceOp>(op);
    if (!isa<nn::ValueOp>(op) && !(moves && inputs != Inputs::Linked))
      return false;
    value = op->getOperand(0);
  }
  return true;
}

static SmallVector<SmallVector<int64_t>> factorsOf(RankedTensorType type) {
  SmallVector<SmallVector<int64_t>> dims;
  if (auto layout = dyn_cast_or_null<nn::LayoutAttr>(type.getEncoding())) {
    for (nn::DimAttr dim : layout.getDims()) {
      dims.emplace_back();
      for (nn::FactorAttr factor : dim.getFactors())
        dims.back().push_back(factor.getSize());
    }
    return dims;
  }
  for (int64_t size : type.getShape())
    dims.push_back({size});
  return dims;
}

/// One atom a factor, each with its stride (dense if `strides` is empty).
static bool bindStrides(Atoms &atoms, RankedTensorType type,
                        ArrayRef<int64_t> strides, bool dense, Access &result) {
  auto factors = factorsOf(type);
  SmallVector<int64_t> sizes;
  for (auto &dim : factors)
    llvm::append_range(sizes, dim);
  SmallVector<int64_t> all(strides);
  if (dense) {
    all.assign(sizes.size(), 1);
    for (int64_t i = int64_t(sizes.size()) - 2; i >= 0; --i)
      all[i] = all[i + 1] * sizes[i + 1];
  }
  if (all.size() != sizes.size())
    return false;
  size_t next = 0;
  for (auto &dim : factors) {
    AtomList &list = result.dims.emplace_back();
    for (int64_t size : dim) {
      for (int atom : atoms.make(size)) {
        list.push_back(atom);
        result.strides.push_back({atom, all[next]});
      }
      ++next;
    }
  }
  return true;
}

bool GraphBuilder::accessArgument(BlockArgument argument, Access &result) {
  auto type = cast<RankedTensorType>(argument.getType());
  result.argument = argument.getArgNumber();
  result.type = *dtypeOf(type.getElementType());
  bool dense = request.inputStrides.empty();
  ArrayRef<int64_t> strides;
  if (!dense)
    strides = request.inputStrides[result.argument];
  if (!bindStrides(atoms, type, strides, dense, result)) {
    reason = "input " + std::to_string(result.argument) + " has " +
             std::to_string(strides.size()) +
             " strides, not one for each factor of its type";
    return false;
  }
  return true;
}

bool GraphBuilder::bindOutputs(Operation *terminator) {
  bool dense = request.outputStrides.empty();
  for (OpOperand &operand : terminator->getOpOperands()) {
    if (!use(operand))
      return false;
    auto type = cast<RankedTensorType>(operand.get().getType());
    unsigned number = operand.getOperandNumber();
    Access &output = outputs.emplace_back();
    output.argument = number;
    output.type = *dtypeOf(type.getElementType());
    ArrayRef<int64_t> strides;
    if (!dense)
      strides = request.outputStrides[number];
    if (!bindStrides(atoms, type, strides, dense, output))
      return fail(terminator, "output " + Twine(number) + " has " +
                                  Twine(strides.size()) +
                                  " strides, not one for each factor of its "
                                  "type");
    if (inputs == Inputs::Joined)
      joinFactors(output);
    factorsCross = !unify(output.dims, dimsOf(operand));
    if (factorsCross)
      return fail(terminator, "output " + Twine(number) +
                                  " is laid out in factors that cross those "
                                  "that it is computed in");
  }
  return true;
}

bool GraphBuilder::rearrange(nn::RearrangeOp op, const Dims &from, Dims &to) {
  SmallVector<AtomList> flat;
  for (auto [dim, list] : llvm::zip(op.getSource().getDims(), from)) {
    AtomList joined;
    for (nn::FactorAttr factor : dim.getFactors()) {
      flat.push_back(atoms.make(factor.getSize()));
      llvm::append_range(joined, flat.back());
    }
    if (!atoms.unify(joined, list))
      return fail(op, "the rearrange cuts a dim across its factors");
  }
  for (Attribute entry : op.getOrder()) {
    AtomList &list = to.emplace_back();
    if (auto numbers = dyn_cast<DenseI64ArrayAttr>(entry)) {
      for (int64_t number : numbers.asArrayRef())
        llvm::append_range(list, flat[number]);
      continue;
    }
    for (Attribute number : cast<ArrayAttr>(entry))
      llvm::append_range(list, flat[cast<IntegerAttr>(number).getInt()]);
  }
  return true;
}

SmallVector<std::pair<int, int64_t>>
GraphBuilder::stridesOfLeaves(const Access &access) const {
  SmallVector<std::pair<int, int64_t>> strides;
  for (auto [atom, stride] : access.strides) {
    int64_t step = stride;
    for (int leaf : llvm::reverse(atoms.leaves({atom}))) {
      strides.push_back({leaf, step});
      step *= atoms.size(leaf);
    }
  }
  return strides;
}

/// Makes one atom of factors of a dim that follow each other in memory, which
/// is cut again where an operation wants it to be: [2, 3] and [3, 2] are
/// both 6.
void GraphBuilder::joinFactors(Access &access) {
  SmallVector<std::pair<int, int64_t>> strides = stridesOfLeaves(access);
  access.strides.clear();
  for (AtomList &dim : access.dims) {
    SmallVector<std::pair<int64_t, int64_t>> runs; // sizes and strides
    for (int leaf : atoms.leaves(dim)) {
      int64_t size = atoms.size(leaf);
      int64_t stride = llvm::find_if(strides, [&](auto &s) {
                         return s.first == leaf;
                       })->second;
      if (runs.empty() || runs.back().second != stride * size)
        runs.push_back({size, stride});
      else
        runs.back() = {runs.back().first * size, stride};
    }
    dim.clear();
    for (auto [size, stride] : runs)
      for (int atom : atoms.make(size)) {
        dim.push_back(atom);
        access.strides.push_back({atom, stride});
      }
  }
}

/// Cuts [start, start + size) out of the atoms of one dim of an access. The
/// major leaf carries the cut if the minor ones are whole; else the dim must
/// step through memory evenly and becomes one new atom.
bool GraphBuilder::accessSlice(nn::SliceOp op, Access &result) {
  int64_t start = op.getStart(), size = op.getSize();
  AtomList &list = result.dims[op.getDim()];
  SmallVector<std::pair<int, int64_t>> strides = stridesOfLeaves(result);
  auto strideOf = [&](int leaf) {
    return llvm::find_if(strides, [&](auto &s) { return s.first == leaf; });
  };
  AtomList leaves = atoms.leaves(list);
  int64_t rest = 1;
  bool even = true;
  for (size_t i = leaves.size(); i-- > 1;) {
    rest *= atoms.size(leaves[i]);
    even &= strideOf(leaves[i - 1])->second ==
            strideOf(leaves[i])->second * atoms.size(leaves[i]);
  }
  size_t taken = 1;
  if (start % rest != 0 || size % rest != 0) {
    if (!even)
      return fail(op, "the slice [" + Twine(start) + ", " +
                          Twine(start + size) +
                          ") cuts through factors that do not lie one after "
                          "another in memory");
    rest = 1;
    taken = leaves.size();
  }
  AtomList cut = atoms.make(size / rest);
  if (!leaves.empty()) {
    int64_t step = strideOf(leaves[taken - 1])->second;
    result.offset += start / rest * step;
    for (int atom : cut)
      strides.push_back({atom, step});
  }
  cut.append(leaves.begin() + std::min(taken, leaves.size()), leaves.end());
  list = cut;
  if (op.getDrop())
    result.dims.erase(result.dims.begin() + op.getDim());
  result.strides.clear();
  // Leaves that the slice replaced are read at their start only.
  for (auto &[atom, stride] : strides)
    for (AtomList &dim : result.dims)
      if (llvm::is_contained(atoms.leaves(dim), atom))
        result.strides.push_back({atom, stride});
  return true;
}

bool GraphBuilder::access(Value value, Access &result) {
  SmallVector<Operation *> chain;
  while (Operation *op = value.getDefiningOp()) {
    chain.push_back(op);
    value = op->getOperand(0);
  }
  if (!accessArgument(cast<BlockArgument>(value), result))
    return false;
  for (Operation *op : llvm::reverse(chain)) {
    if (auto slice = dyn_cast<nn::SliceOp>(op)) {
      if (!accessSlice(slice, result))
        return false;
    } else if (auto view = dyn_cast<nn::RearrangeOp>(op)) {
      Dims to;
      if (!rearrange(view, result.dims, to))
        return false;
      result.dims = to;
    }
  }
  if (inputs == Inputs::Joined)
    joinFactors(result);
  return true;
}

} // namespace hocket::codegen
