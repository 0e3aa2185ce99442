//===- Compare.cpp - predicates and choices -------------------------------===//

#include "test/Gpu/Ptx/FloatValues.h"
#include "test/Gpu/Ptx/Lanes.h"

using namespace hocket::ptx;

namespace {

/// The names that a comparison has for integers, signed or not, and for floats.
/// A float's name with a `u` holds for NaN too.
struct Eq {
  template <typename T> static bool of(T a, T b) { return a == b; }
};
struct Ne {
  template <typename T> static bool of(T a, T b) {
    return a < b || a > b; // false for NaN
  }
};
struct Lt {
  template <typename T> static bool of(T a, T b) { return a < b; }
};
struct Le {
  template <typename T> static bool of(T a, T b) { return a <= b; }
};
struct Gt {
  template <typename T> static bool of(T a, T b) { return a > b; }
};
struct Ge {
  template <typename T> static bool of(T a, T b) { return a >= b; }
};
struct Num {
  template <typename T> static bool of(T a, T b) { return a == a && b == b; }
};
template <typename Operation> struct Not {
  template <typename T> static bool of(T a, T b) {
    return !Operation::of(a, b);
  }
};
template <typename Operation> struct Flushed {
  static bool of(float a, float b) {
    return Operation::of(flushed(a), flushed(b));
  }
};

template <typename T, typename Operation>
uint32_t compared(Warp &warp, const Slot *sources) {
  const T *a = warp.lanes<T>(sources[0]), *b = warp.lanes<T>(sources[1]);
  uint32_t bits = 0;
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    bits |= uint32_t(Operation::of(a[lane], b[lane])) << lane;
  return bits;
}

/// option: 0 alone, 1 and, 2 or, 3 xor with a predicate, which flag negates.
template <typename T, typename Operation>
void setPredicate(Warp &warp, const Step &step, uint32_t active) {
  const Slot *sources = step.operands + step.destinations;
  uint32_t bits = compared<T, Operation>(warp, sources), other = 0;
  uint32_t inverse = ~bits;
  if (step.option) {
    other = warp.reg(sources[2]).bits;
    other = step.flag ? ~other : other;
    auto join = [&](uint32_t with) {
      return step.option == 1   ? with & other
             : step.option == 2 ? with | other
                                : with ^ other;
    };
    bits = join(bits);
    inverse = join(inverse);
  }
  putBits(warp, step.operands[0], active, bits);
  if (step.destinations == 2)
    putBits(warp, step.operands[1], active, inverse);
}

/// set: a comparison whose result is all ones, or 1.0 where flag is true.
template <typename T, typename Operation>
void setValue(Warp &warp, const Step &step, uint32_t active) {
  uint32_t bits = compared<T, Operation>(warp, step.operands + 1);
  uint32_t values[32], truth = step.flag ? 0x3f800000u : ~0u;
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    values[lane] = bits >> lane & 1 ? truth : 0;
  put(warp, step.operands[0], active, values);
}

template <typename T, typename Operation> Handler form(bool isSet) {
  return isSet ? setValue<T, Operation> : setPredicate<T, Operation>;
}

template <typename T> Handler byName(const std::string &name, bool isSet) {
  if (name == "eq")
    return form<T, Eq>(isSet);
  if (name == "ne")
    return form<T, Ne>(isSet);
  if (name == "lt" || name == "lo")
    return form<T, Lt>(isSet);
  if (name == "le" || name == "ls")
    return form<T, Le>(isSet);
  if (name == "gt" || name == "hi")
    return form<T, Gt>(isSet);
  if (name == "ge" || name == "hs")
    return form<T, Ge>(isSet);
  return nullptr;
}

template <typename T, template <typename> class Wrap>
Handler byFloatName(const std::string &name, bool isSet) {
  if (name == "eq")
    return form<T, Wrap<Eq>>(isSet);
  if (name == "ne")
    return form<T, Wrap<Ne>>(isSet);
  if (name == "lt")
    return form<T, Wrap<Lt>>(isSet);
  if (name == "le")
    return form<T, Wrap<Le>>(isSet);
  if (name == "gt")
    return form<T, Wrap<Gt>>(isSet);
  if (name == "ge")
    return form<T, Wrap<Ge>>(isSet);
  if (name == "equ")
    return form<T, Wrap<Not<Ne>>>(isSet);
  if (name == "neu")
    return form<T, Wrap<Not<Eq>>>(isSet);
  if (name == "ltu")
    return form<T, Wrap<Not<Ge>>>(isSet);
  if (name == "leu")
    return form<T, Wrap<Not<Gt>>>(isSet);
  if (name == "gtu")
    return form<T, Wrap<Not<Le>>>(isSet);
  if (name == "geu")
    return form<T, Wrap<Not<Lt>>>(isSet);
  if (name == "num")
    return form<T, Wrap<Num>>(isSet);
  if (name == "nan")
    return form<T, Wrap<Not<Num>>>(isSet);
  return nullptr;
}

template <typename Operation> using AsIs = Operation;

Handler comparison(Decoder &decoder, const std::string &name,
                   const std::string &type, bool isSet) {
  bool ftz = decoder.take("ftz");
  Handler found = nullptr;
  if (type == "f32")
    found = ftz ? byFloatName<float, Flushed>(name, isSet)
                : byFloatName<float, AsIs>(name, isSet);
  else if (type == "f64")
    found = byFloatName<double, AsIs>(name, isSet);
  else if (type == "s16")
    found = byName<int16_t>(name, isSet);
  else if (type == "u16" || type == "b16")
    found = byName<uint16_t>(name, isSet);
  else if (type == "s32")
    found = byName<int32_t>(name, isSet);
  else if (type == "u32" || type == "b32")
    found = byName<uint32_t>(name, isSet);
  else if (type == "s64")
    found = byName<int64_t>(name, isSet);
  else if (type == "u64" || type == "b64")
    found = byName<uint64_t>(name, isSet);
  if (!found)
    decoder.refuse("no comparison '." + name + "' of '." + type + "'");
  return found;
}

void decodeSetp(Decoder &decoder) {
  std::string name = decoder.next();
  decoder.drop();
  Step &step = decoder.step;
  step.kind = Class::Compare;
  step.option = decoder.take("and")   ? 1
                : decoder.take("or")  ? 2
                : decoder.take("xor") ? 3
                                      : 0;
  std::string type = decoder.takeType();
  if (isHalf(type) && !step.option)
    return comparedHalves(decoder, name, type, false, false);
  step.run = comparison(decoder, name, type, false);
  decoder.to(decoder.operand(0), 0);
  for (const Operand &second : decoder.operand(0).also)
    decoder.to(second, 0);
  decoder.from(decoder.operand(1), bytesOf(type));
  decoder.from(decoder.operand(2), bytesOf(type));
  if (step.option) {
    step.flag = decoder.operand(3).negated;
    decoder.from(decoder.operand(3), 0);
  }
}

void decodeSet(Decoder &decoder) {
  std::string name = decoder.next();
  decoder.drop();
  std::string result = decoder.takeType(), type = decoder.takeType();
  decoder.step.kind = Class::Compare;
  if (isHalf(type))
    return comparedHalves(decoder, name, type, true, !isHalf(result));
  decoder.step.flag = result == "f32";
  decoder.step.run = comparison(decoder, name, type, true);
  decoder.to(decoder.operand(0), 4);
  decoder.from(decoder.operand(1), bytesOf(type));
  decoder.from(decoder.operand(2), bytesOf(type));
}

template <typename T>
void select(Warp &warp, const Step &step, uint32_t active) {
  const T *a = warp.lanes<T>(step.operands[1]);
  const T *b = warp.lanes<T>(step.operands[2]);
  uint32_t choice = warp.reg(step.operands[3]).bits;
  T values[32];
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    values[lane] = choice >> lane & 1 ? a[lane] : b[lane];
  put(warp, step.operands[0], active, values);
}

void decodeSelect(Decoder &decoder) {
  unsigned bytes = bytesOf(decoder.takeType());
  decoder.step.kind = Class::Compare;
  decoder.step.run = bytes == 2   ? select<uint16_t>
                     : bytes == 4 ? select<uint32_t>
                                  : select<uint64_t>;
  decoder.to(decoder.operand(0), bytes);
  decoder.from(decoder.operand(1), bytes);
  decoder.from(decoder.operand(2), bytes);
  decoder.from(decoder.operand(3), 0);
}

/// testp: what kind of number a float is.
template <typename T> void test(Warp &warp, const Step &step, uint32_t active) {
  const T *a = warp.lanes<T>(step.operands[1]);
  uint32_t bits = 0;
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane) {
    int kind = std::fpclassify(a[lane]);
    bool answers[] = {std::isfinite(a[lane]), kind == FP_INFINITE,
                      kind != FP_NAN,         kind == FP_NAN,
                      kind == FP_NORMAL,      kind == FP_SUBNORMAL};
    bits |= uint32_t(answers[step.option]) << lane;
  }
  putBits(warp, step.operands[0], active, bits);
}

void decodeTest(Decoder &decoder) {
  decoder.step.option = decoder.takeOne(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  std::string type = decoder.takeType();
  decoder.step.kind = Class::Compare;
  decoder.step.run = type == "f64" ? test<double> : test<float>;
  decoder.to(decoder.operand(0), 0);
  decoder.from(decoder.operand(1), bytesOf(type));
}

} // namespace

void hocket::ptx::addComparisons(Opcodes &opcodes) {
  opcodes["setp"] = decodeSetp;
  opcodes["set"] = decodeSet;
  opcodes["selp"] = decodeSelect;
  opcodes["testp"] = decodeTest;
}
