//===- Move.cpp - copies of registers, whole and in parts -----------------===//

#include "test/Gpu/Ptx/Lanes.h"

using namespace hocket::ptx;

namespace {

void copyDefined(Warp &warp, Slot to, uint32_t active, uint32_t defined) {
  Register &reg = warp.reg(to);
  reg.defined = (reg.defined & ~active) | (defined & active);
}

/// A copy of what has no value has none: compilers move such registers about.
template <typename T> void move(Warp &warp, const Step &step, uint32_t active) {
  T values[32];
  std::memcpy(values, warp.lanes<T>(step.operands[1]), sizeof values);
  copyDefined(warp, step.operands[0], active,
              warp.reg(step.operands[1]).defined);
  put(warp, step.operands[0], active, values);
}

void movePredicate(Warp &warp, const Step &step, uint32_t active) {
  const Register &from = warp.reg(step.operands[1]);
  copyDefined(warp, step.operands[0], active, from.defined);
  putBits(warp, step.operands[0], active, from.bits);
}

/// count parts of width bytes: {a, b} from one register.
void unpack(Warp &warp, const Step &step, uint32_t active) {
  const Register &from = warp.reg(step.operands[step.count]);
  unsigned whole = step.width * step.count;
  for (unsigned part = 0; part < step.count; ++part)
    copyDefined(warp, step.operands[part], active, from.defined);
  // The destination may be the source: parts come from a copy of it.
  std::byte bytes[32 * 8];
  std::memcpy(bytes, warp.lanes<std::byte>(step.operands[step.count]),
              whole * 32);
  eachLane(active, [&](unsigned lane) {
    for (unsigned part = 0; part < step.count; ++part)
      std::memcpy(warp.lanes<std::byte>(step.operands[part]) +
                      lane * step.width,
                  bytes + lane * whole + part * step.width, step.width);
  });
}

void pack(Warp &warp, const Step &step, uint32_t active) {
  unsigned whole = step.width * step.count;
  uint32_t defined = ~0u;
  std::byte bytes[32 * 8];
  for (unsigned part = 0; part < step.count; ++part) {
    defined &= warp.reg(step.operands[1 + part]).defined;
    const std::byte *from = warp.lanes<std::byte>(step.operands[1 + part]);
    for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
      std::memcpy(bytes + lane * whole + part * step.width,
                  from + lane * step.width, step.width);
  }
  copyDefined(warp, step.operands[0], active, defined);
  std::byte *to = warp.lanes<std::byte>(step.operands[0]);
  eachLane(active, [&](unsigned lane) {
    std::memcpy(to + lane * whole, bytes + lane * whole, whole);
  });
}

void setParts(Decoder &decoder, const Operand &vector, unsigned bytes) {
  decoder.step.count = vector.parts.size();
  if (!decoder.step.count || bytes % decoder.step.count)
    decoder.refuse("the parts do not make up the whole");
  decoder.step.width = bytes / decoder.step.count;
}

void decodeMove(Decoder &decoder) {
  std::string type = decoder.takeType();
  unsigned bytes = type == "pred" ? 0 : bytesOf(type);
  const Operand &to = decoder.operand(0), &from = decoder.operand(1);
  decoder.step.copies = true;
  if (to.kind == Operand::Vector) {
    setParts(decoder, to, bytes);
    decoder.step.run = unpack;
    decoder.toEach(to, decoder.step.width);
    return decoder.from(from, bytes);
  }
  if (from.kind == Operand::Vector) {
    setParts(decoder, from, bytes);
    decoder.step.run = pack;
    decoder.to(to, bytes);
    return decoder.fromEach(from, decoder.step.width);
  }
  decoder.step.run = bytes == 0   ? movePredicate
                     : bytes == 2 ? move<uint16_t>
                     : bytes == 4 ? move<uint32_t>
                                  : move<uint64_t>;
  decoder.plain(bytes, 1);
}

/// Between an address of a space and the generic one; only the window differs.
void convertAddress(Warp &warp, const Step &step, uint32_t active) {
  uint64_t values[32];
  const uint64_t *from = warp.lanes<uint64_t>(step.operands[1]);
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    values[lane] =
        step.flag ? from[lane] - step.offset : from[lane] + step.offset;
  put(warp, step.operands[0], active, values);
}

void decodeConvertAddress(Decoder &decoder) {
  static const uint64_t windows[] = {0, 0, sharedWindow, localWindow,
                                     parameterWindow};
  decoder.step.flag = decoder.take("to");
  unsigned space =
      decoder.take("shared::cta")
          ? 2
          : decoder.takeOne({"global", "const", "shared", "local", "param"});
  decoder.step.offset = windows[space];
  decoder.takeOne({"u64"});
  decoder.step.run = convertAddress;
  decoder.plain(8, 1);
}

void decodeIsSpace(Decoder &decoder) {
  static const Handler run = [](Warp &warp, const Step &step, uint32_t active) {
    static const uint64_t windows[] = {0, sharedWindow, localWindow,
                                       parameterWindow};
    const uint64_t *address = warp.lanes<uint64_t>(step.operands[1]);
    uint32_t bits = 0;
    for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
      bits |= uint32_t((address[lane] & windowMask) == windows[step.option])
              << lane;
    putBits(warp, step.operands[0], active, bits);
  };
  decoder.step.option = decoder.takeOne({"global", "shared", "local", "param"});
  decoder.step.run = run;
  decoder.to(decoder.operand(0), 0);
  decoder.from(decoder.operand(1), 8);
}

} // namespace

void hocket::ptx::addMoves(Opcodes &opcodes) {
  opcodes["mov"] = decodeMove;
  opcodes["cvta"] = decodeConvertAddress;
  opcodes["isspacep"] = decodeIsSpace;
}
