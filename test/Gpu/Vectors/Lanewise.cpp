//===- Lanewise.cpp - vectors of what a thread computes alone -------------===//

#include "test/Gpu/Vectors/KernelText.h"
#include "test/Gpu/Vectors/Values.h"
#include <algorithm>

using namespace hocket;
using namespace hocket::vectors;

namespace {

/// Destinations and sources, in the order of the operands.
struct Signature {
  std::vector<Type> to;
  std::vector<Source> from;
};

using Names = std::set<std::string>;

constexpr Type predicate{Kind::Predicate, 4, 1, false};

Type widened(Type type) {
  type.bytes *= 2;
  return type;
}

const Names ofOne = {"abs", "neg",  "not", "cnot",  "brev", "mov", "ex2",
                     "lg2", "tanh", "rcp", "rsqrt", "sqrt", "sin", "cos"};
const Names ofTwo = {"add", "sub", "mul", "div", "rem",     "min",
                     "max", "and", "or",  "xor", "copysign"};
const Names counts = {"popc", "clz", "bfind"};

Signature unary(const std::string &opcode, Type type) {
  bool isAngle = opcode == "sin" || opcode == "cos";
  return {{type}, {{type, isAngle ? Draw::Angle : Draw::Any}}};
}

Signature binary(const Form &form, Type type) {
  bool divides = form.opcode == "div" || form.opcode == "rem";
  if (divides && type.kind == Kind::Integer)
    return {{type}, {{type, Draw::NotLeast}, {type, Draw::NotZero}}};
  return {{form.has("wide") ? widened(type) : type}, {{type}, {type}}};
}

Signature comparison(const Form &form, Type type) {
  std::vector<Source> from = {{type}, {type}};
  if (form.operands.size() == 4) // .and with another predicate
    from.push_back({predicate});
  std::vector<Type> to = {predicate};
  if (form.operands[0] == "x|x")
    to.push_back(predicate);
  return {to, from};
}

/// What is written is the first type of the name, what is read the second.
Signature conversion(const Form &form, Type to, Type from) {
  std::vector<Source> sources(form.operands.size() - 1, Source{from});
  return {{to}, sources};
}

std::optional<Signature> signatureOf(const Form &form) {
  std::vector<std::string> types = form.types();
  if (types.empty())
    return std::nullopt;
  Type type = typeOf(types.back());
  const std::string &opcode = form.opcode;
  if (ofOne.count(opcode))
    return unary(opcode, type);
  if (ofTwo.count(opcode))
    return binary(form, type);
  if (counts.count(opcode))
    return Signature{{word}, {{type}}};
  if (opcode == "shl" || opcode == "shr")
    return Signature{{type}, {{type}, {word, Draw::Shift}}};
  if (opcode == "fma" || opcode == "sad")
    return Signature{{type}, {{type}, {type}, {type}}};
  if (opcode == "mad") {
    Type sum = form.has("wide") ? widened(type) : type;
    return Signature{{sum}, {{type}, {type}, {sum}}};
  }
  if (opcode == "bfe")
    return Signature{{type},
                     {{type}, {word, Draw::Place}, {word, Draw::Place}}};
  if (opcode == "bfi")
    return Signature{
        {type}, {{type}, {type}, {word, Draw::Place}, {word, Draw::Place}}};
  if (opcode == "prmt" || opcode == "lop3")
    return Signature{{type}, {{type}, {type}, {type}}};
  if (opcode == "shf")
    return Signature{{type}, {{type}, {type}, {word, Draw::Shift}}};
  if (opcode == "selp")
    return Signature{{type}, {{type}, {type}, {predicate}}};
  if (opcode == "setp")
    return comparison(form, type);
  if (opcode == "testp")
    return Signature{{predicate}, {{type}}};
  if ((opcode == "cvt" || opcode == "set") && types.size() == 2)
    return conversion(form, typeOf(types[0]), type);
  return std::nullopt;
}

/// What the ISA allows an approximation; wider where it states an absolute or
/// an average error.
Rule approximationRule(const Form &form, Type type) {
  Rule rule;
  rule.of = Rule::Relative;
  rule.relative = form.opcode == "div" ? 0x1p-21 : 0x1p-22;
  if (type.kind == Kind::Double) // 32 bits of the result are 0
    rule.relative = 0x1p-19;
  if (form.opcode == "tanh")
    rule.relative = 0x1p-10;
  if (form.opcode == "lg2" || form.opcode == "sin" || form.opcode == "cos")
    rule.absolute = 0x1p-20;
  if (type.kind == Kind::Half)
    rule.relative = 0x1p-9;
  if (type.kind == Kind::Brain)
    rule.relative = 0x1p-7;
  return rule;
}

/// The ISA names the NaN of arithmetic in f32 and f16, not that of f64 nor of
/// what is converted from it, nor what becomes of one whose sign is changed.
Rule ruleOf(const Form &form, Type type) {
  if (form.has("approx") || form.has("full"))
    return approximationRule(form, type);
  static const Names signs = {"abs", "neg", "copysign"};
  static const Names moves = {"mov", "selp"};
  Rule rule;
  bool isFloat = type.kind != Kind::Integer && type.kind != Kind::Predicate;
  std::vector<std::string> types = form.types();
  bool isOpen =
      std::count(types.begin(), types.end(), "f64") || signs.count(form.opcode);
  if (isFloat && isOpen && !moves.count(form.opcode))
    rule.of = Rule::AnyNan;
  return rule;
}

/// mov.b64 {%lo, %hi}, %x, and back.
std::optional<Vector> packedMove(const Form &form) {
  bool packs = form.isOperands("x v2"), unpacks = form.isOperands("v2 x");
  std::vector<std::string> types = form.types();
  if (form.opcode != "mov" || !(packs || unpacks) || types.size() != 1)
    return std::nullopt;
  Type whole = typeOf(types[0]), part = whole;
  part.bytes /= 2;
  Random random = randomFor(form);
  KernelText text(form, 8, 128);
  std::vector<Type> to(unpacks ? 2 : 1, unpacks ? part : whole);
  std::vector<Source> from(packs ? 2 : 1, {packs ? part : whole});
  for (const std::vector<std::byte> &values : drawTuples(from, 1024, random))
    text.source(from[0].type, values);
  for (Type type : to)
    text.destination(type);
  text.line(form.instruction() +
            (packs ? " %d0, {%s0, %s1};" : " {%d0, %d1}, %s0;"));
  return text.finish();
}

} // namespace

Type hocket::vectors::typeOf(const std::string &name) {
  static const std::map<std::string, Type> floats = {
      {"pred", predicate},
      {"f16", {Kind::Half, 2, 1, true}},
      {"bf16", {Kind::Brain, 2, 1, true}},
      {"f16x2", {Kind::Half, 4, 2, true}},
      {"bf16x2", {Kind::Brain, 4, 2, true}},
      {"f32", {Kind::Float, 4, 1, true}},
      {"tf32", {Kind::Float, 4, 1, true}},
      {"f32x2", {Kind::Float, 8, 2, true}},
      {"f64", {Kind::Double, 8, 1, true}}};
  if (auto found = floats.find(name); found != floats.end())
    return found->second;
  unsigned bytes = static_cast<unsigned>(ptx::bytesOf(name));
  return {Kind::Integer, bytes < 2 ? 4 : bytes, 1, name[0] == 's'};
}

std::optional<Vector> hocket::vectors::lanewiseVector(const Form &form) {
  if (std::optional<Vector> moved = packedMove(form))
    return moved;
  std::optional<Signature> signature = signatureOf(form);
  if (!signature || form.has("cc") || form.opcode == "addc")
    return std::nullopt;
  constexpr uint32_t blocks = 24, threads = 256;
  Random random = randomFor(form);
  KernelText text(form, blocks, threads);
  std::vector<std::vector<std::byte>> values =
      drawTuples(signature->from, blocks * threads, random);
  std::string operands;
  for (size_t i = 0; i < signature->to.size(); ++i)
    operands += (i ? "|" : "") + text.destination(signature->to[i]);
  for (size_t i = 0; i < values.size(); ++i)
    operands += ", " + text.source(signature->from[i].type, values[i]);
  if (form.opcode == "lop3")
    operands += ", 0xca"; // takes bits of two by those of the third
  text.line(form.instruction() + " " + operands + ";");
  return text.finish(ruleOf(form, signature->to[0]));
}
