//===- Syntax.h - a PTX module as it is written ----------------*- C++ -*-===//
//
// What the parser makes of a text: names and modifiers are kept as they stand,
// nothing is decided. Decode.h makes of it what is run.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_PTX_SYNTAX_H
#define HOCKET_TEST_GPU_PTX_SYNTAX_H

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace hocket::ptx {

/// A text that is no PTX, or PTX that the interpreter does not know. Thrown,
/// since whoever runs a kernel has nothing to go on with.
struct PtxError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws "file:line: text".
[[noreturn]] void refuse(const std::string &file, unsigned line,
                         const std::string &text);

struct Operand {
  enum Kind { Name, Number, Address, Vector } kind = Number;
  std::string name;           ///< Name and Address; empty for [64]
  bool negated = false;       ///< !%p1
  uint64_t bits = 0;          ///< Number: two's complement, or the float's bits
  int64_t offset = 0;         ///< Address: bytes after the name
  std::vector<Operand> parts; ///< Vector: {a, b}; the sink `_` is a Name
  std::vector<Operand> also;  ///< a|b: the second destination
};

/// @!%p1 ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16];
struct Statement {
  unsigned line = 0;
  std::string text; ///< as written, one space between words
  std::string guard;
  bool guardNegated = false;
  std::string opcode;                 ///< "ld"
  std::vector<std::string> modifiers; ///< "global", "v4", "f32"
  std::vector<Operand> operands;
};

/// A variable of a state space, or a parameter.
struct Variable {
  unsigned line = 0;
  std::string space; ///< "shared", "global", "const", "local", "param"
  std::string type;  ///< "b8", "f32"
  std::string name;
  uint64_t align = 0;        ///< 0: that of the type
  uint64_t pointedAlign = 0; ///< .ptr .align: of what a parameter points to
  uint64_t count = 1;        ///< elements; 0 for name[]
  bool isExtern = false;
  std::vector<uint64_t> values; ///< of the first elements; the others are 0
};

struct Function {
  unsigned line = 0;
  std::string name;
  bool isEntry = false;
  std::vector<Variable> parameters;
  std::vector<Variable> results; ///< of a .func
  /// Of all registers that are declared, "%r<3>" as %r0, %r1, %r2. A name that
  /// a nested block declares again has a number after a '#', variables too.
  std::map<std::string, std::string> registers;
  std::vector<Variable> variables;
  std::vector<Statement> body;
  std::map<std::string, size_t> labels; ///< index of the statement after it
  std::map<std::string, std::vector<std::string>> targets; ///< .branchtargets
  std::optional<std::vector<uint64_t>> mostThreads;        ///< .maxntid
  std::optional<std::vector<uint64_t>> exactThreads;       ///< .reqntid
};

struct Module {
  std::string file;
  std::string version, target;
  std::vector<Variable> variables;
  std::map<std::string, Function> functions;
};

/// Throws PtxError. `file` is the name that errors and findings begin with.
Module parse(const std::string &text, const std::string &file);

/// Bytes of a type: "b8" 1, "f16x2" 4, "pred" 1; 0 if there is none so called.
uint64_t bytesOf(const std::string &type);

} // namespace hocket::ptx

#endif // HOCKET_TEST_GPU_PTX_SYNTAX_H
