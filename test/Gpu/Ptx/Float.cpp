//===- Float.cpp - arithmetic of f32 and f64 ------------------------------===//
//
// Exact as IEEE 754 says: rounded to nearest even, or as .rz, .rm and .rp ask.
// An add and a mul without a rounding modifier may be fused by ptxas; they are
// not here.
//
//===----------------------------------------------------------------------===//

#include "test/Gpu/Ptx/FloatValues.h"
#include "test/Gpu/Ptx/Lanes.h"
#include <cfenv>

using namespace hocket::ptx;

namespace {

struct Add {
  template <typename T> static T of(T a, T b) { return a + b; }
};
struct Sub {
  template <typename T> static T of(T a, T b) { return a - b; }
};
struct Mul {
  template <typename T> static T of(T a, T b) { return a * b; }
};
struct Div {
  template <typename T> static T of(T a, T b) { return a / b; }
};
struct Fma {
  template <typename T> static T of(T a, T b, T c) { return std::fma(a, b, c); }
};
struct Min {
  template <typename T> static T of(T a, T b) { return lesser(a, b); }
};
struct Max {
  template <typename T> static T of(T a, T b) { return greater(a, b); }
};
template <typename Operation> struct OfNaN {
  template <typename T> static T of(T a, T b) {
    return a != a || b != b ? bitsAs<float>(0x7fffffffu) : Operation::of(a, b);
  }
};
template <typename Operation> struct XorSign {
  static float of(float a, float b) {
    float value = Operation::of(std::fabs(a), std::fabs(b));
    return std::signbit(a) != std::signbit(b) ? -value : value;
  }
};
struct Neg {
  template <typename T> static T of(T a) { return -a; }
};
struct Abs {
  template <typename T> static T of(T a) { return std::fabs(a); }
};

/// With .ftz of operands and result, and .sat.
template <typename Operation, bool ftz, bool sat> struct Modified {
  template <typename T> static T in(T a) {
    if constexpr (ftz)
      return flushed(a);
    return a;
  }
  template <typename... T> static auto of(T... operands) {
    auto value = canonical(Operation::of(in(operands)...));
    if constexpr (ftz)
      value = flushed(value);
    if constexpr (sat)
      value = saturate(value);
    return value;
  }
};

template <typename T, typename Operation, unsigned sources>
constexpr Handler plainHandler() {
  if constexpr (sources == 1)
    return unary<T, T, Operation>;
  else if constexpr (sources == 2)
    return binary<T, Operation>;
  else
    return ternary<T, T, T, T, Operation>;
}

/// Under the rounding of step.option. Loads and stores stay between the calls.
template <Handler inner>
void directed(Warp &warp, const Step &step, uint32_t active) {
  static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                              FE_UPWARD};
  std::fesetround(modes[step.option]);
  inner(warp, step, active);
  std::fesetround(FE_TONEAREST);
}

/// Two f32 in 8 bytes.
template <typename Operation, unsigned sources>
void pairs(Warp &warp, const Step &step, uint32_t active) {
  const float *a = warp.lanes<float>(step.operands[1]);
  const float *b = warp.lanes<float>(step.operands[2]);
  const float *c = sources == 3 ? warp.lanes<float>(step.operands[3]) : b;
  struct Pair {
    float part[2];
  } values[32];
  for (unsigned i = 0; i < lanesOfWarp * 2; ++i) {
    if constexpr (sources == 2)
      values[i / 2].part[i % 2] = Operation::of(a[i], b[i]);
    else
      values[i / 2].part[i % 2] = Operation::of(a[i], b[i], c[i]);
  }
  put(warp, step.operands[0], active, values);
}

template <typename Operation, unsigned sources>
Handler pairsOf(Decoder &decoder) {
  if constexpr (sources == 1)
    decoder.refuse("the type '.f32x2' is not supported here");
  else
    return decoder.take("ftz")
               ? directed<pairs<Modified<Operation, true, false>, sources>>
               : directed<pairs<Modified<Operation, false, false>, sources>>;
}

template <typename T, typename Operation, unsigned sources, bool ftz, bool sat>
Handler modified(bool isDirected) {
  constexpr Handler plain =
      plainHandler<T, Modified<Operation, ftz, sat>, sources>();
  return isDirected ? directed<plain> : plain;
}

template <typename Operation, unsigned sources>
void choose(Decoder &decoder, const std::string &type) {
  Step &step = decoder.step;
  bool isDirected = false;
  const char *const modes[] = {"rn", "rz", "rm", "rp"};
  for (unsigned mode = 0; mode < 4; ++mode)
    if (decoder.take(modes[mode])) {
      step.option = mode;
      isDirected = mode != 0;
    }
  if (type == "f64") {
    step.kind = Class::Float64;
    step.run = modified<double, Operation, sources, false, false>(isDirected);
  } else if (type == "f32") {
    step.kind = Class::Float32;
    bool ftz = decoder.take("ftz"), sat = decoder.take("sat");
    step.run =
        ftz && sat ? modified<float, Operation, sources, true, true>(isDirected)
        : ftz ? modified<float, Operation, sources, true, false>(isDirected)
        : sat ? modified<float, Operation, sources, false, true>(isDirected)
              : modified<float, Operation, sources, false, false>(isDirected);
  } else if (type == "f32x2") {
    step.kind = Class::Float32;
    step.run = pairsOf<Operation, sources>(decoder);
  } else {
    decoder.refuse("the type '." + type + "' is not supported here");
  }
  decoder.plain(bytesOf(type), sources);
}

/// .approx and .full are rounded correctly, which hardware's are not.
void divide(Decoder &decoder, const std::string &type) {
  bool approximate = decoder.take("approx") || decoder.take("full");
  choose<Div, 2>(decoder, type);
  if (approximate || type == "f32")
    decoder.step.kind = Class::Approximate;
}

template <typename Operation>
void extreme(Decoder &decoder, const std::string &type) {
  bool nan = decoder.take("NaN"), sign = decoder.take("xorsign");
  if ((nan || sign) && type != "f32")
    decoder.refuse("the type '." + type + "' is not supported here");
  if (sign) {
    decoder.takeOne({"abs"});
    nan ? choose<XorSign<OfNaN<Operation>>, 2>(decoder, type)
        : choose<XorSign<Operation>, 2>(decoder, type);
  } else if (nan) {
    choose<OfNaN<Operation>, 2>(decoder, type);
  } else {
    choose<Operation, 2>(decoder, type);
  }
}

// copysign.type d, a, b: the sign of a, the rest of b.
struct CopySign {
  template <typename T> static T of(T a, T b) { return std::copysign(b, a); }
};

using Choose = void (*)(Decoder &, const std::string &);
const std::map<std::string, Choose> forms = {
    {"add", choose<Add, 2>}, {"sub", choose<Sub, 2>}, {"mul", choose<Mul, 2>},
    {"fma", choose<Fma, 3>}, {"mad", choose<Fma, 3>}, {"div", divide},
    {"min", extreme<Min>},   {"max", extreme<Max>},   {"neg", choose<Neg, 1>},
    {"abs", choose<Abs, 1>}};

} // namespace

void hocket::ptx::floatArithmetic(Decoder &decoder, const std::string &type) {
  auto form = forms.find(decoder.statement().opcode);
  if (form == forms.end())
    decoder.refuse("the type '." + type + "' is not supported here");
  form->second(decoder, type);
}

void hocket::ptx::addFloats(Opcodes &opcodes) {
  opcodes["copysign"] = [](Decoder &decoder) {
    std::string type = decoder.takeType();
    decoder.step.run = type == "f64" ? Handler(binary<double, CopySign>)
                                     : Handler(binary<float, CopySign>);
    decoder.step.kind = type == "f64" ? Class::Float64 : Class::Float32;
    decoder.plain(bytesOf(type), 2);
  };
}
