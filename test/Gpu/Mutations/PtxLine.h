//===- PtxLine.h - an instruction in a line of PTX -------------*- C++ -*-===//
//
// As compilers write it: one in a line. What is changed of it is written back
// into the text, so that all other lines stay what they are.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_MUTATIONS_PTXLINE_H
#define HOCKET_TEST_GPU_MUTATIONS_PTXLINE_H

#include <optional>
#include <string>
#include <vector>

namespace hocket::mutations {

/// "\t{ @!%p1 ld.global.v2.f32 {%f1, %f2}, [%rd1+8]; }"
struct PtxLine {
  std::string before;                ///< "\t{ "
  std::string guard;                 ///< "@!%p1", or nothing
  std::vector<std::string> opcode;   ///< "ld", "global", "v2", "f32"
  std::vector<std::string> operands; ///< "{%f1, %f2}", "[%rd1+8]"
  std::string after;                 ///< "; }"

  const std::string &base() const { return opcode.front(); }
  bool has(const std::string &modifier) const;
  /// Puts one modifier for another; false if there is no such one.
  bool replace(const std::string &modifier, const std::string &by);
  /// 1 where the first operand is what the instruction writes, else 0.
  size_t firstSource() const;
  std::string text() const;
  /// The line without its instruction; braces are kept.
  std::string emptied() const;
};

/// Nothing of a label, a directive, a comment, or where several instructions
/// stand.
std::optional<PtxLine> readPtxLine(const std::string &line);

/// Of "{%f1, %f2}" its parts; of another operand nothing.
std::vector<std::string> partsOf(const std::string &operand);
std::string joined(const std::vector<std::string> &parts);

/// The registers in an operand, in order: "%rd1" of "[%rd1+8]".
std::vector<std::string> registersIn(const std::string &operand);
/// Whether it is a register and nothing else; special ones (%tid.x) are none.
bool isRegister(const std::string &operand);
/// "%rd" of "%rd12": those that have it are of one type.
std::string prefixOf(const std::string &name);

} // namespace hocket::mutations

#endif // HOCKET_TEST_GPU_MUTATIONS_PTXLINE_H
