//===- Coverage.h - which rules and instructions were met -------*- C++ -*-===//
//
// A row is an operation, one of its operands, what that operand holds on a mesh
// axis (R, S or P) and what the rule says to it: the use of the split factor,
// or of a partial operand. A row that the rule refuses is met where a schedule
// (or `auto reshard`) had to move a value in front of the operation for it.
// Instructions are met by their kinds, see PlanKinds.h.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_RANDOM_COVERAGE_H
#define HOCKET_TEST_RANDOM_COVERAGE_H

#include "hocket/Plan/Plan.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace hocket::random {

class Coverage {
public:
  /// Adds the rows of the rules in a placed module, and those that it meets.
  void add(mlir::ModuleOp placed);
  /// Adds the kinds of instructions of a plan that ran.
  void add(const plan::Plan &plan);
  void merge(const Coverage &other);
  /// Adds the rows that `other` knows, as those that it has not met.
  void mergeRows(const Coverage &other);

  /// How often each row of a rule seen so far was met; 0: never.
  const std::map<std::string, int64_t> &rows() const { return counts; }
  int64_t met() const;
  /// How often each kind of instruction was met; 0: never.
  const std::map<std::string, int64_t> &kinds() const { return instructions; }
  /// Names of operations of nn that have a rule and were never seen.
  std::set<std::string> unseen(mlir::MLIRContext *context) const;

  /// What is met, and the rows that are not, as JSON and back.
  nlohmann::ordered_json json() const;
  static Coverage fromJson(const nlohmann::ordered_json &json);

private:
  std::map<std::string, int64_t> counts, instructions;
  std::set<std::string> operations;
};

} // namespace hocket::random

#endif // HOCKET_TEST_RANDOM_COVERAGE_H
