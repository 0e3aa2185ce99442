//===- Matrices.cpp - vectors of products of fragments --------------------===//

#include "test/Gpu/Ptx/Rounding.h"
#include "test/Gpu/Vectors/Compare.h"
#include "test/Gpu/Vectors/KernelText.h"
#include "test/Gpu/Vectors/Run.h"
#include "test/Gpu/Vectors/Values.h"
#include <cstdio>

using namespace hocket;
using namespace hocket::vectors;

namespace {

constexpr uint32_t warps = 32;

/// Shape and types of an mma, of which each warp does one.
struct Product {
  unsigned m, n, k;
  Type result, left, right, sum;
};

/// Registers of 32 bits hold pairs of 16 bits.
Type held(Type type) {
  if (type.bytes == 2)
    return {type.kind, 4, 2, true};
  return type;
}

/// Registers of a lane for a fragment of so many numbers.
unsigned registersOf(unsigned numbers, Type type) {
  return numbers / 32 / held(type).numbers;
}

std::optional<Product> productOf(const Form &form) {
  Product product;
  std::vector<std::string> types = form.types();
  for (const std::string &modifier : form.modifiers)
    if (std::sscanf(modifier.c_str(), "m%un%uk%u", &product.m, &product.n,
                    &product.k) == 3 &&
        types.size() == 4 && form.has("row") && form.has("col")) {
      product.result = typeOf(types[0]);
      product.left = typeOf(types[1]);
      product.right = typeOf(types[2]);
      product.sum = typeOf(types[3]);
      return product;
    }
  return std::nullopt;
}

uint64_t bitsOfNumber(Kind kind, int number) {
  switch (kind) {
  case Kind::Half:
    return ptx::Float16(float(number)).bits;
  case Kind::Brain:
    return ptx::BFloat16(float(number)).bits;
  case Kind::Double:
    return ptx::bitsAs<uint64_t>(double(number));
  default:
    return ptx::bitsAs<uint32_t>(float(number));
  }
}

bool hasSmallNumbers(uint32_t lane) { return lane / 32 % 2 == 0; }

/// Half of the warps get small integers, whose sums are exact whatever their
/// order; the others numbers near 1.
std::vector<std::byte> fragment(Type type, Random &random) {
  std::vector<uint64_t> values;
  for (uint32_t lane = 0; lane < warps * 32; ++lane) {
    uint64_t value = 0;
    for (unsigned i = 0; i < type.numbers; ++i) {
      int small = int(random() % 17) - 8;
      uint64_t bits = hasSmallNumbers(lane) ? bitsOfNumber(type.kind, small)
                                            : valueNearOne(type.kind, random);
      value |= bits << i * type.numberBytes() * 8;
    }
    values.push_back(value);
  }
  return bytesOfValues(type, values);
}

std::string fragmentOf(KernelText &text, unsigned numbers, Type type,
                       Random &random) {
  std::string list;
  for (unsigned i = 0; i < registersOf(numbers, type); ++i)
    list +=
        (i ? ", " : "") + text.source(held(type), fragment(held(type), random));
  return "{" + list + "}";
}

/// A sum of k products and one number may round at each of them, and what is
/// far below the largest is cut off: relative to the sum of all magnitudes.
double errorOf(Kind kind) {
  return kind == Kind::Double  ? 0x1p-50
         : kind == Kind::Float ? 0x1p-20
                               : 0x1p-9;
}

/// The bounds of all numbers of the result, by a product of magnitudes.
std::vector<double> boundsOf(const Vector &vector, Type result) {
  Vector magnitudes = vector;
  for (const Section &section : vector.inputs) {
    unsigned bytes = section.type.numberBytes();
    for (uint64_t i = 0; i < section.count * section.type.numbers; ++i)
      magnitudes.input[section.offset + (i + 1) * bytes - 1] &= std::byte(0x7f);
  }
  std::vector<std::byte> sums = runOnInterpreter(magnitudes);
  std::vector<double> bounds;
  for (const Section &section : vector.outputs)
    for (uint64_t i = 0; i < section.count * section.type.numbers; ++i) {
      uint32_t lane = uint32_t(i / section.type.numbers);
      double sum = numberAt(section.type, &sums[section.offset], i);
      bounds.push_back(hasSmallNumbers(lane) ? 0 : sum * errorOf(result.kind));
    }
  return bounds;
}

Vector productVector(const Form &form, const Product &product) {
  Random random = randomFor(form);
  KernelText text(form, warps, 32);
  std::string to;
  unsigned results = product.m * product.n;
  for (unsigned i = 0; i < registersOf(results, product.result); ++i)
    to += (i ? ", " : "") + text.destination(held(product.result));
  std::string left =
      fragmentOf(text, product.m * product.k, product.left, random);
  std::string right =
      fragmentOf(text, product.n * product.k, product.right, random);
  std::string sum = fragmentOf(text, results, product.sum, random);
  text.line(form.instruction() + " {" + to + "}, " + left + ", " + right +
            ", " + sum + ";");
  Vector vector = text.finish();
  vector.rule.of = Rule::Bounds;
  vector.rule.bounds = boundsOf(vector, product.result);
  return vector;
}

/// Each lane names a row of 16 bytes of the block's memory, in any order.
Vector loadedMatrices(const Form &form, unsigned count) {
  Random random = randomFor(form);
  KernelText text(form, warps, 32);
  std::vector<uint64_t> rows(warps * 32);
  for (uint32_t lane = 0; lane < rows.size(); ++lane)
    rows[lane] = (lane % 32 * 5 + lane / 32) % 32 * 16;
  text.variable(".shared .align 16 .b8 rows[512]");
  text.line("mov.u32 %w0, rows;");
  text.line("mad.lo.u32 %w1, %me, 16, %w0;");
  for (unsigned i = 0; i < 4; ++i)
    text.line("st.shared.u32 [%w1+" + std::to_string(i * 4) + "], " +
              text.source(word, drawValues({word}, warps * 32, random)) + ";");
  text.line("bar.sync 0;");
  text.line("add.u32 %w0, %w0, " +
            text.source(word, bytesOfValues(word, rows)) + ";");
  std::string to;
  for (unsigned i = 0; i < count; ++i)
    to += (i ? ", " : "") + text.destination(word);
  text.line(form.instruction() + " {" + to + "}, [%w0];");
  return text.finish();
}

} // namespace

std::optional<Vector> hocket::vectors::matrixVector(const Form &form) {
  if (form.opcode == "mma")
    if (std::optional<Product> product = productOf(form))
      return productVector(form, *product);
  if (form.opcode == "ldmatrix" && form.has("m8n8") && form.has("b16"))
    for (unsigned count : {1, 2, 4})
      if (form.has("x" + std::to_string(count)))
        return loadedMatrices(form, count);
  return std::nullopt;
}
