//===- Integer.cpp - arithmetic of integers -------------------------------===//

#include "test/Gpu/Ptx/Lanes.h"
#include "test/Gpu/Ptx/Wide.h"
#include <limits>

using namespace hocket::ptx;

namespace {

template <typename T> using Unsigned = std::make_unsigned_t<T>;

struct Add {
  template <typename T> static T of(T a, T b) {
    return static_cast<T>(Unsigned<T>(a) + Unsigned<T>(b));
  }
};
struct Sub {
  template <typename T> static T of(T a, T b) {
    return static_cast<T>(Unsigned<T>(a) - Unsigned<T>(b));
  }
};
template <typename T> T saturated(Wide<T> value) {
  if (value > std::numeric_limits<T>::max())
    return std::numeric_limits<T>::max();
  if (value < std::numeric_limits<T>::min())
    return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}
struct AddSat {
  static int32_t of(int32_t a, int32_t b) {
    return saturated<int32_t>(int64_t(a) + b);
  }
};
struct SubSat {
  static int32_t of(int32_t a, int32_t b) {
    return saturated<int32_t>(int64_t(a) - b);
  }
};
struct MulLo {
  template <typename T> static T of(T a, T b) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
};
struct MulHi {
  template <typename T> static T of(T a, T b) {
    return static_cast<T>((Wide<T>(a) * Wide<T>(b)) >> (sizeof(T) * 8));
  }
};
struct MulWide {
  template <typename T> static Wide<T> of(T a, T b) {
    return Wide<T>(a) * Wide<T>(b);
  }
};
template <typename Mul> struct Mad {
  template <typename T> static T of(T a, T b, T c) {
    return Add::of(Mul::of(a, b), c);
  }
};
struct MadWide {
  template <typename T> static Wide<T> of(T a, T b, Wide<T> c) {
    return Add::of(Wide<T>(a) * Wide<T>(b), c);
  }
};
/// By zero the ISA leaves the result open; hardware gives all ones.
struct Div {
  template <typename T> static T of(T a, T b) {
    if (b == 0)
      return static_cast<T>(~T(0));
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return Sub::of(T(0), a);
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <typename T> static T of(T a, T b) {
    if (b == 0)
      return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return 0;
    return static_cast<T>(a % b);
  }
};
struct Min {
  template <typename T> static T of(T a, T b) { return b < a ? b : a; }
};
struct Max {
  template <typename T> static T of(T a, T b) { return a < b ? b : a; }
};
struct Neg {
  template <typename T> static T of(T a) { return Sub::of(T(0), a); }
};
struct Abs {
  template <typename T> static T of(T a) { return a < 0 ? Neg::of(a) : a; }
};
struct Sad {
  template <typename T> static T of(T a, T b, T c) {
    return Add::of(a < b ? Sub::of(b, a) : Sub::of(a, b), c);
  }
};

template <typename Visitor>
Handler visit(Decoder &decoder, const std::string &type, Visitor visitor) {
  if (type == "u16" || type == "b16")
    return visitor(uint16_t());
  if (type == "s16")
    return visitor(int16_t());
  if (type == "u32" || type == "b32")
    return visitor(uint32_t());
  if (type == "s32")
    return visitor(int32_t());
  if (type == "u64" || type == "b64")
    return visitor(uint64_t());
  if (type == "s64")
    return visitor(int64_t());
  decoder.refuse("the type '." + type + "' is not supported here");
}

template <typename Operation>
Handler binaryOf(Decoder &decoder, const std::string &type) {
  return visit(decoder, type, [](auto t) -> Handler {
    return binary<decltype(t), Operation>;
  });
}
template <typename Operation>
Handler unaryOf(Decoder &decoder, const std::string &type) {
  return visit(decoder, type, [](auto t) -> Handler {
    return unary<decltype(t), decltype(t), Operation>;
  });
}
template <typename Operation>
Handler ternaryOf(Decoder &decoder, const std::string &type) {
  return visit(decoder, type, [](auto t) -> Handler {
    using T = decltype(t);
    return ternary<T, T, T, T, Operation>;
  });
}

template <typename T>
void mulWide(Warp &warp, const Step &step, uint32_t active) {
  const T *a = warp.lanes<T>(step.operands[1]);
  const T *b = warp.lanes<T>(step.operands[2]);
  Wide<T> values[32];
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    values[lane] = MulWide::of(a[lane], b[lane]);
  put(warp, step.operands[0], active, values);
}

/// The types that .wide takes.
template <typename Visitor>
Handler visitNarrow(Decoder &decoder, const std::string &type,
                    Visitor visitor) {
  if (type == "u16")
    return visitor(uint16_t());
  if (type == "s16")
    return visitor(int16_t());
  if (type == "u32")
    return visitor(uint32_t());
  if (type == "s32")
    return visitor(int32_t());
  decoder.refuse("the type '." + type + "' is not supported here");
}

void multiply(Decoder &decoder, const std::string &type) {
  unsigned bytes = bytesOf(type);
  bool isMad = decoder.statement().opcode == "mad";
  unsigned form = decoder.takeOne({"lo", "hi", "wide"});
  if (form != 2) {
    Handler mul = form == 0 ? binaryOf<MulLo>(decoder, type)
                            : binaryOf<MulHi>(decoder, type);
    Handler mad = form == 0 ? ternaryOf<Mad<MulLo>>(decoder, type)
                            : ternaryOf<Mad<MulHi>>(decoder, type);
    decoder.step.run = isMad ? mad : mul;
    return decoder.plain(bytes, isMad ? 3 : 2);
  }
  decoder.step.run = visitNarrow(decoder, type, [&](auto t) -> Handler {
    using T = decltype(t);
    return isMad ? ternary<Wide<T>, T, T, Wide<T>, MadWide> : mulWide<T>;
  });
  decoder.to(decoder.operand(0), bytes * 2);
  decoder.from(decoder.operand(1), bytes);
  decoder.from(decoder.operand(2), bytes);
  if (isMad)
    decoder.from(decoder.operand(3), bytes * 2);
}

using Choose = Handler (*)(Decoder &, const std::string &);
struct Form {
  Choose choose;
  unsigned sources;
};

const std::map<std::string, Form> forms = {
    {"add", {binaryOf<Add>, 2}}, {"sub", {binaryOf<Sub>, 2}},
    {"div", {binaryOf<Div>, 2}}, {"rem", {binaryOf<Rem>, 2}},
    {"min", {binaryOf<Min>, 2}}, {"max", {binaryOf<Max>, 2}},
    {"neg", {unaryOf<Neg>, 1}},  {"abs", {unaryOf<Abs>, 1}},
    {"sad", {ternaryOf<Sad>, 3}}};

} // namespace

void hocket::ptx::integerArithmetic(Decoder &decoder, const std::string &type) {
  const std::string &opcode = decoder.statement().opcode;
  decoder.step.kind = Class::Integer;
  if (decoder.take("cc"))
    return carryArithmetic(decoder, type, true);
  if (opcode == "mul" || opcode == "mad")
    return multiply(decoder, type);
  auto form = forms.find(opcode);
  if (form == forms.end())
    decoder.refuse("the type '." + type + "' is not supported here");
  decoder.step.run = form->second.choose(decoder, type);
  if ((opcode == "add" || opcode == "sub") && type == "s32" &&
      decoder.take("sat"))
    decoder.step.run = opcode == "add" ? Handler(binary<int32_t, AddSat>)
                                       : Handler(binary<int32_t, SubSat>);
  decoder.plain(bytesOf(type), form->second.sources);
}

void hocket::ptx::addIntegers(Opcodes &opcodes) {
  // What floats have as well goes by the type.
  auto byType = [](Decoder &decoder) {
    std::string type = decoder.takeType();
    decoder.step.kind = Class::Integer;
    if (isInteger(type))
      integerArithmetic(decoder, type);
    else if (isHalf(type))
      halfArithmetic(decoder, type);
    else
      floatArithmetic(decoder, type);
  };
  for (const char *name : {"add", "sub", "mul", "mad", "fma", "div", "rem",
                           "min", "max", "neg", "abs", "sad"})
    opcodes[name] = byType;
}
