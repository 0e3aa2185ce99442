//===- Form.h - an instruction as it is written in a kernel ----*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_VECTORS_FORM_H
#define HOCKET_TEST_GPU_VECTORS_FORM_H

#include "test/Gpu/Ptx/Syntax.h"
#include <set>

namespace hocket::vectors {

/// "ld.global.v4.f32 v4 m": opcode and modifiers, then a word for each operand:
/// x a register, number or name, vN a vector, m an address; a|b and a second
/// destination are x|x.
struct Form {
  std::string opcode;
  std::vector<std::string> modifiers;
  std::vector<std::string> operands;

  explicit Form(const ptx::Statement &statement);
  /// Throws PtxError for what `text` never gives.
  explicit Form(const std::string &text);

  /// "ld.global.v4.f32"
  std::string instruction() const;
  std::string text() const;
  bool has(const std::string &modifier) const;
  /// The modifiers that are types, in their order.
  std::vector<std::string> types() const;
  bool isOperands(const std::string &shape) const;
};

/// Adds those of all functions of a module.
void collect(const ptx::Module &module, std::set<std::string> &forms);

} // namespace hocket::vectors

#endif // HOCKET_TEST_GPU_VECTORS_FORM_H
