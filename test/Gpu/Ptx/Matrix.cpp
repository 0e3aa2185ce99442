//===- Matrix.cpp - mma, ldmatrix and stmatrix ----------------------------===//
//
// The ISA does not say how mma adds up. Here all products of f16, bf16 and tf32
// are summed in f64, from the first to the last, then C is added, and the sum
// is rounded once: nearer to the true value than hardware is.
//
//===----------------------------------------------------------------------===//

#include "test/Gpu/Ptx/Lanes.h"
#include "test/Gpu/Ptx/Rounding.h"
#include "test/Gpu/Ptx/Touch.h"

using namespace hocket::ptx;

namespace {

/// These take all lanes of a warp at once.
bool isWhole(Warp &warp, const Step &step, uint32_t active) {
  if (!warp.meet(step, warp.live, active))
    return false;
  if (active == ~0u)
    return true;
  warp.find(FindingKind::MissingThreads, step, __builtin_ctz(active),
            "needs all 32 lanes of its warp, " +
                std::to_string(__builtin_popcount(active)) + " are here");
  throw EndOfLaunch();
}

enum Elements : uint8_t { F16, BF16, TF32 };

double element(Elements type, uint32_t bits) {
  Float16 half;
  half.bits = bits;
  switch (type) {
  case F16:
    return static_cast<float>(half);
  case BF16:
    return bitsAs<float>(bits << 16);
  case TF32: // the lower digits do not count
    break;
  }
  return bitsAs<float>(bits & ~0x1fffu);
}

/// Element i of a lane's part of A: lane = 4 * row + column / each, where each
/// lane has `each` neighbours in a row: 2 of 16 bits, 1 of tf32. Four parts
/// follow each other: rows 0-7 and 8-15 of the first columns, then of the
/// columns behind them.
struct At {
  unsigned row, column;
};
At inA(unsigned lane, unsigned i, unsigned each) {
  unsigned part = i / each;
  return {lane / 4 + part % 2 * 8,
          lane % 4 * each + i % each + part / 2 * 4 * each};
}
At inB(unsigned lane, unsigned i, unsigned each) {
  return {lane % 4 * each + i % each + i / each * 4 * each, lane / 4};
}
At inC(unsigned lane, unsigned i) {
  return {lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2};
}

/// option: Elements; count: k; flag: C and D are f16.
/// Operands: D, A, B, C, of which A has count / 16 * 4 registers of 16-bit
/// elements or count / 2 of tf32, and B half of them.
void multiply(Warp &warp, const Step &step, uint32_t active) {
  if (!isWhole(warp, step, active))
    return;
  Elements type = Elements(step.option);
  unsigned k = step.count, each = type == TF32 ? 1 : 2;
  unsigned ofA = k / 2 / each, ofB = ofA / 2, ofC = step.flag ? 2 : 4;
  const Slot *d = step.operands, *a = d + ofC, *b = a + ofA, *c = b + ofB;
  auto read = [&](const Slot *slots, unsigned lane, unsigned i) {
    uint32_t bits = warp.lanes<uint32_t>(slots[i / each])[lane];
    return element(type, each == 1 ? bits : bits >> i % 2 * 16 & 0xffff);
  };
  double left[16][16], right[16][8], sums[16][8] = {};
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane) {
    for (unsigned i = 0; i < ofA * each; ++i) {
      At at = inA(lane, i, each);
      left[at.row][at.column] = read(a, lane, i);
    }
    for (unsigned i = 0; i < ofB * each; ++i) {
      At at = inB(lane, i, each);
      right[at.row][at.column] = read(b, lane, i);
    }
  }
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned inner = 0; inner < k; ++inner)
      for (unsigned column = 0; column < 8; ++column)
        sums[row][column] += left[row][inner] * right[inner][column];
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      At at = inC(lane, i);
      double sum = sums[at.row][at.column];
      if (step.flag) {
        const Float16 old = warp.lanes<Float16>(c[i / 2])[lane * 2 + i % 2];
        warp.lanes<Float16>(d[i / 2])[lane * 2 + i % 2] =
            toHalf<Float16>(cutToOdd(sum + static_cast<float>(old)));
      } else {
        float old = warp.lanes<float>(c[i])[lane];
        warp.lanes<float>(d[i])[lane] =
            canonical(static_cast<float>(sum + static_cast<double>(old)));
      }
    }
}

/// m8n8k4 of f64, by fused products from the first k on.
void multiplyF64(Warp &warp, const Step &step, uint32_t active) {
  if (!isWhole(warp, step, active))
    return;
  const double *a = warp.lanes<double>(step.operands[2]);
  const double *b = warp.lanes<double>(step.operands[3]);
  double values[2][32];
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    for (unsigned i = 0; i < 2; ++i) {
      double sum = warp.lanes<double>(step.operands[4 + i])[lane];
      for (unsigned k = 0; k < 4; ++k)
        sum = std::fma(a[lane / 4 * 4 + k], b[(lane % 4 * 2 + i) * 4 + k], sum);
      values[i][lane] = sum;
    }
  put(warp, step.operands[0], active, values[0]);
  put(warp, step.operands[1], active, values[1]);
}

void addParts(Decoder &decoder, const unsigned (&counts)[4], unsigned bytes) {
  for (unsigned i = 0; i < 4; ++i) {
    const Operand &operand = decoder.operand(i);
    size_t parts = operand.kind == Operand::Vector ? operand.parts.size() : 1;
    if (parts != counts[i])
      decoder.refuse("operand " + std::to_string(i + 1) + " has " +
                     std::to_string(parts) + " registers, not " +
                     std::to_string(counts[i]));
    i ? decoder.fromEach(operand, bytes) : decoder.toEach(operand, bytes);
  }
}

void decodeMultiply(Decoder &decoder) {
  Step &step = decoder.step;
  step.kind = Class::Matrix;
  decoder.takeOne({"sync"});
  decoder.takeOne({"aligned"});
  unsigned shape =
      decoder.takeOne({"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"});
  decoder.takeOne({"row"});
  decoder.takeOne({"col"});
  std::string d = decoder.takeType(), a = decoder.takeType(),
              b = decoder.takeType(), c = decoder.takeType();
  if (shape == 0 && d == "f64" && a == d && b == d && c == d) {
    step.run = multiplyF64;
    return addParts(decoder, {2, 1, 1, 2}, 8);
  }
  bool half = a == "f16" || a == "bf16";
  bool known = a == b && c == d && (half || a == "tf32") &&
               (d == "f32" || (d == "f16" && a == "f16")) && shape != 0 &&
               shape != (half ? 1 : 3);
  if (!known)
    decoder.refuse("the shape and the types are not supported together");
  step.run = multiply;
  step.option = a == "f16" ? F16 : a == "bf16" ? BF16 : TF32;
  step.count = shape == 1 ? 4 : shape == 2 ? 8 : 16;
  step.flag = d == "f16";
  unsigned ofA = step.count / (half ? 4 : 2), ofC = step.flag ? 2 : 4;
  addParts(decoder, {ofC, ofA, ofA / 2, ofC}, 4);
}

/// count: matrices of 8 rows of 16 bytes, whose addresses lanes 0-7, 8-15, ...
/// hold. flag: transposed.
void loadMatrix(Warp &warp, const Step &step, uint32_t active) {
  if (!isWhole(warp, step, active))
    return;
  Addresses addresses = addressesOf(warp, step, step.operands[step.count]);
  uint32_t givers = step.count == 4 ? ~0u : (1u << step.count * 8) - 1;
  Toucher toucher(warp, step);
  for (unsigned matrix = 0; matrix < step.count; ++matrix) {
    uint16_t rows[8][8] = {};
    for (unsigned row = 0; row < 8; ++row) {
      unsigned lane = matrix * 8 + row;
      if (const std::byte *bytes =
              toucher.read(lane, Space::Shared, addresses.of[lane], 16))
        std::memcpy(rows[row], bytes, 16);
    }
    uint32_t values[32];
    for (unsigned lane = 0; lane < lanesOfWarp; ++lane) {
      unsigned row = lane / 4, column = lane % 4 * 2;
      values[lane] = step.flag
                         ? rows[column][row] | rows[column + 1][row] << 16
                         : rows[row][column] | rows[row][column + 1] << 16;
    }
    put(warp, step.operands[matrix], active, values);
  }
  countAccess(warp, step, addresses, givers, 16, false);
}

/// The way back: a row is written by the lane that holds its address.
void storeMatrix(Warp &warp, const Step &step, uint32_t active) {
  if (!isWhole(warp, step, active))
    return;
  Addresses addresses = addressesOf(warp, step, step.operands[0]);
  uint32_t givers = step.count == 4 ? ~0u : (1u << step.count * 8) - 1;
  Toucher toucher(warp, step);
  for (unsigned matrix = 0; matrix < step.count; ++matrix) {
    const uint32_t *values = warp.lanes<uint32_t>(step.operands[1 + matrix]);
    uint16_t rows[8][8];
    for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
      for (unsigned i = 0; i < 2; ++i) {
        unsigned row = lane / 4, column = lane % 4 * 2 + i;
        uint16_t value = values[lane] >> 16 * i;
        (step.flag ? rows[column][row] : rows[row][column]) = value;
      }
    for (unsigned row = 0; row < 8; ++row) {
      unsigned lane = matrix * 8 + row;
      toucher.write(lane, Space::Shared, addresses.of[lane], 16, rows[row]);
    }
  }
  countAccess(warp, step, addresses, givers, 16, true);
}

/// ldmatrix and stmatrix differ in the order of their operands.
void decodeMatrixAccess(Decoder &decoder) {
  Step &step = decoder.step;
  bool isLoad = decoder.statement().opcode == "ldmatrix";
  step.kind = Class::Matrix;
  decoder.takeOne({"sync"});
  decoder.takeOne({"aligned"});
  decoder.takeOne({"m8n8"});
  step.count = 1 << decoder.takeOne({"x1", "x2", "x4"});
  step.flag = decoder.take("trans");
  step.space = Space::Shared;
  decoder.takeOne({"shared", "shared::cta"});
  decoder.takeOne({"b16"});
  step.run = isLoad ? loadMatrix : storeMatrix;
  const Operand &matrices = decoder.operand(!isLoad);
  bool isVector = matrices.kind == Operand::Vector;
  if ((isVector ? matrices.parts.size() : 1) != step.count)
    decoder.refuse("the matrices need a register each");
  if (isLoad)
    decoder.toEach(matrices, 4);
  decoder.fromAddress(decoder.operand(isLoad));
  if (!isLoad)
    decoder.fromEach(matrices, 4);
}

} // namespace

void hocket::ptx::addMatrices(Opcodes &opcodes) {
  opcodes["mma"] = decodeMultiply;
  opcodes["ldmatrix"] = decodeMatrixAccess;
  opcodes["stmatrix"] = decodeMatrixAccess;
}
