//===- Carries.cpp - vectors of sums longer than a register ---------------===//

#include "test/Gpu/Vectors/KernelText.h"
#include "test/Gpu/Vectors/Values.h"

using namespace hocket::vectors;

/// Sets the carry by a bit, runs the instruction, and stores the carry, if it
/// leaves one.
std::optional<Vector> hocket::vectors::carryVector(const Form &form) {
  static const std::set<std::string> sums = {"add", "addc", "mad", "madc"},
                                     differences = {"sub", "subc"};
  bool isSum = sums.count(form.opcode), leaves = form.has("cc");
  bool takes = form.opcode.back() == 'c';
  std::vector<std::string> types = form.types();
  if (!(isSum || differences.count(form.opcode)) || !(leaves || takes) ||
      types.size() != 1)
    return std::nullopt;
  Type type = typeOf(types[0]);
  constexpr uint32_t blocks = 16, threads = 256;
  Random random = randomFor(form);
  KernelText text(form, blocks, threads);
  std::vector<Source> from(form.opcode[0] == 'm' ? 3 : 2, Source{type});
  from.push_back({word, Draw::Bit});
  std::vector<std::vector<std::byte>> values =
      drawTuples(from, blocks * threads, random);
  std::string operands = text.destination(type);
  for (size_t i = 0; i + 1 < values.size(); ++i)
    operands += ", " + text.source(type, values[i]);
  std::string carry = text.source(word, values.back());
  if (takes)
    text.line(isSum ? "add.cc.u32 %w0, " + carry + ", 0xffffffff;"
                    : "sub.cc.u32 %w0, 0, " + carry + ";");
  text.line(form.instruction() + " " + operands + ";");
  if (leaves)
    text.line((isSum ? "addc.u32 " : "subc.u32 ") + text.destination(word) +
              ", 0, 0;");
  return text.finish();
}
