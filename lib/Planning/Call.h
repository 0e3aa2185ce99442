//===- Call.h - what an instruction is made of ------------------*- C++ -*-===//
//
// A compute of the buffers stage, as those see it who make an instruction of
// it: the operation on tensors, and where its operands and results lie.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_PLANNING_CALL_H
#define HOCKET_LIB_PLANNING_CALL_H

#include "Memory.h"
#include "PlanTables.h"
#include "hocket/Views/Strided.h"

namespace hocket::planning {

using views::Numbers;
using views::Strided;
using Body = decltype(plan::Instruction::body);

/// The numbers of buffers and packs, and views of buffers.
class Addresses {
public:
  Addresses(PlanTables &tables, Memory &memory)
      : tables(tables), memory(memory) {}

  void add(mlir::Value value, int number) { numbers[value] = number; }
  int numberOf(mlir::Value value) const { return numbers.lookup(value); }
  /// For the instruction that is made now, which keeps the buffer alive.
  plan::View view(const Strided &at) const;
  /// For one that does not look there.
  plan::View unread(const Strided &at) const;

private:
  PlanTables &tables;
  Memory &memory;
  llvm::DenseMap<mlir::Value, int> numbers;
};

class Call {
public:
  Call(buffers::ComputeOp compute, const Addresses &addresses)
      : compute(compute), addresses(addresses) {}

  /// Where an operand lies.
  Strided lies(mlir::Value operand) const;
  /// Where result number `index` goes.
  Strided result(unsigned index = 0) const;
  plan::View view(const Strided &at) const { return addresses.view(at); }
  plan::View view(mlir::Value operand) const { return view(lies(operand)); }
  plan::View unread(const Strided &at) const { return addresses.unread(at); }
  /// The same elements under these sizes. What cannot be read so is a problem.
  plan::View as(const Strided &at, llvm::ArrayRef<int64_t> sizes);
  /// Each dim as one size and stride.
  plan::View byDims(mlir::Value operand);
  plan::View resultByDims(unsigned index = 0);

  /// The pack that an operand is, or null.
  buffers::PackOp packOf(mlir::Value operand) const;
  int numberOf(buffers::PackOp pack) const {
    return addresses.numberOf(pack.getPack());
  }

  /// What lies so that no instruction can reach it; null: all fits.
  void setProblem(const Strided &at) { problem = at; }
  const std::optional<Strided> &getProblem() const { return problem; }

private:
  mlir::Value placeOf(mlir::Value operand) const;

  mutable buffers::ComputeOp compute; // a handle
  const Addresses &addresses;
  std::optional<Strided> problem;
};

} // namespace hocket::planning

#endif // HOCKET_LIB_PLANNING_CALL_H
