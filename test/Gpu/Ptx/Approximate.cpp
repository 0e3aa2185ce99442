//===- Approximate.cpp - roots, powers, sines: what hardware approximates -===//
//
// The ISA bounds the error of these and leaves the bits open. Here they are the
// host's functions of f64, rounded once to f32: nearer to the true value than
// hardware is. Those of f64 have the 20 bits of mantissa that the ISA says, for
// a code that trusts them more must not pass here. Forms with .rn and the other
// roundings are exact.
//
//===----------------------------------------------------------------------===//

#include "test/Gpu/Ptx/FloatValues.h"
#include "test/Gpu/Ptx/Lanes.h"
#include <cfenv>

using namespace hocket::ptx;

namespace {

struct Ex2 {
  static double of(double a) { return std::exp2(a); }
};
struct Lg2 {
  static double of(double a) { return std::log2(a); }
};
struct Sin {
  static double of(double a) { return std::sin(a); }
};
struct Cos {
  static double of(double a) { return std::cos(a); }
};
struct Tanh {
  static double of(double a) { return std::tanh(a); }
};
struct Rsqrt {
  static double of(double a) { return 1 / std::sqrt(a); }
};
struct Sqrt {
  template <typename T> static T of(T a) { return std::sqrt(a); }
};
struct Rcp {
  template <typename T> static T of(T a) { return 1 / a; }
};

template <typename Operation, bool ftz> struct Rounded {
  static float of(float a) {
    a = ftz ? flushed(a) : a;
    float value =
        canonical(static_cast<float>(Operation::of(static_cast<double>(a))));
    return ftz ? flushed(value) : value;
  }
};
/// In the type itself: .rn and the other roundings.
template <typename Operation, bool ftz> struct Exact {
  static float of(float a) {
    a = ftz ? flushed(a) : a;
    float value = canonical(Operation::of(a));
    return ftz ? flushed(value) : value;
  }
};

/// .approx of f64: what is computed from the upper 32 bits of `a`, rounded to
/// as many; the others are zeros. A subnormal number is a zero, and a NaN that
/// only the lower bits tell from infinity is infinity.
template <typename Operation> struct Gross {
  static double upper(double a) {
    return bitsAs<double>(bitsAs<uint64_t>(a) & ~uint64_t(0xffffffff));
  }
  static double flushed(double a) {
    return std::fabs(a) < 0x1p-1022 ? std::copysign(0.0, a) : a;
  }
  static double of(double a) {
    double seen = upper(flushed(a));
    if (seen != seen)
      return seen;
    double value = Operation::of(seen);
    if (std::isfinite(value))
      value = bitsAs<double>(bitsAs<uint64_t>(value) + 0x80000000u);
    return flushed(upper(value));
  }
};

template <Handler inner>
void directed(Warp &warp, const Step &step, uint32_t active) {
  static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                              FE_UPWARD};
  std::fesetround(modes[step.option]);
  inner(warp, step, active);
  std::fesetround(FE_TONEAREST);
}

template <typename Operation> void approximate(Decoder &decoder) {
  decoder.takeOne({"approx"});
  std::string type = decoder.takeType();
  if (isHalf(type))
    return halfArithmetic(decoder, type);
  bool ftz = decoder.take("ftz");
  decoder.step.kind = Class::Approximate;
  if (type == "f64") // rsqrt.approx.f64 and its like
    decoder.step.run = unary<double, double, Gross<Operation>>;
  else if (type == "f32")
    decoder.step.run = ftz ? unary<float, float, Rounded<Operation, true>>
                           : unary<float, float, Rounded<Operation, false>>;
  else
    decoder.refuse("the type '." + type + "' is not supported here");
  decoder.plain(bytesOf(type), 1);
}

template <typename Operation> void exact(Decoder &decoder) {
  bool approx = decoder.take("approx"), ftz = decoder.take("ftz");
  decoder.step.option = approx ? 0 : decoder.takeOne({"rn", "rz", "rm", "rp"});
  std::string type = decoder.takeType();
  decoder.step.kind =
      type == "f64" && !approx ? Class::Float64 : Class::Approximate;
  if (type == "f64" && approx)
    decoder.step.run = unary<double, double, Gross<Operation>>;
  else if (type == "f64")
    decoder.step.run = directed<unary<double, double, Operation>>;
  else if (type == "f32")
    decoder.step.run =
        ftz ? directed<unary<float, float, Exact<Operation, true>>>
            : directed<unary<float, float, Exact<Operation, false>>>;
  else
    decoder.refuse("the type '." + type + "' is not supported here");
  decoder.plain(bytesOf(type), 1);
}

} // namespace

void hocket::ptx::addApproximations(Opcodes &opcodes) {
  opcodes["ex2"] = approximate<Ex2>;
  opcodes["lg2"] = approximate<Lg2>;
  opcodes["sin"] = approximate<Sin>;
  opcodes["cos"] = approximate<Cos>;
  opcodes["tanh"] = approximate<Tanh>;
  opcodes["rsqrt"] = approximate<Rsqrt>;
  opcodes["sqrt"] = exact<Sqrt>;
  opcodes["rcp"] = exact<Rcp>;
}
