//===- Access.cpp - ld and st ---------------------------------------------===//

#include "test/Gpu/Ptx/Lanes.h"
#include "test/Gpu/Ptx/Touch.h"

using namespace hocket::ptx;

namespace {

/// Registers may be wider than what is loaded; a signed type fills them up.
template <typename Element, typename Reg>
void load(Warp &warp, const Step &step, uint32_t active) {
  Addresses addresses =
      addressesOf(warp, step, step.operands[step.destinations]);
  unsigned bytes = sizeof(Element) * step.count;
  Toucher toucher(warp, step);
  toucher.readOnly = step.flag;
  eachLane(active, [&](unsigned lane) {
    const std::byte *from =
        toucher.read(lane, step.space, addresses.of[lane], bytes);
    for (unsigned i = 0; i < step.count; ++i) {
      Element element = 0;
      if (from)
        std::memcpy(&element, from + i * sizeof element, sizeof element);
      warp.lanes<Reg>(step.operands[i])[lane] = static_cast<Reg>(element);
    }
  });
  countAccess(warp, step, addresses, active, bytes, false);
}

template <typename Element, typename Reg>
void store(Warp &warp, const Step &step, uint32_t active) {
  Addresses addresses = addressesOf(warp, step, step.operands[0]);
  unsigned bytes = sizeof(Element) * step.count;
  Toucher toucher(warp, step);
  eachLane(active, [&](unsigned lane) {
    Element data[8];
    for (unsigned i = 0; i < step.count; ++i)
      data[i] =
          static_cast<Element>(warp.lanes<Reg>(step.operands[1 + i])[lane]);
    toucher.write(lane, step.space, addresses.of[lane], bytes, data);
  });
  countAccess(warp, step, addresses, active, bytes, true);
}

template <typename Element> Handler loadTo(unsigned bytes) {
  if (bytes == sizeof(Element))
    return load<Element, std::make_unsigned_t<Element>>;
  if (bytes == 2 && sizeof(Element) < 2)
    return load<Element, uint16_t>;
  if (bytes == 4 && sizeof(Element) < 4)
    return load<Element, uint32_t>;
  if (bytes == 8 && sizeof(Element) < 8)
    return load<Element, uint64_t>;
  return nullptr;
}
template <typename Element> Handler storeFrom(unsigned bytes) {
  if (bytes == sizeof(Element))
    return store<Element, Element>;
  if (bytes == 2 && sizeof(Element) < 2)
    return store<Element, uint16_t>;
  if (bytes == 4 && sizeof(Element) < 4)
    return store<Element, uint32_t>;
  if (bytes == 8 && sizeof(Element) < 8)
    return store<Element, uint64_t>;
  return nullptr;
}

Handler chooseLoad(const std::string &type, unsigned bytes) {
  bool sign = isSigned(type);
  switch (bytesOf(type)) {
  case 1:
    return sign ? loadTo<int8_t>(bytes) : loadTo<uint8_t>(bytes);
  case 2:
    return sign ? loadTo<int16_t>(bytes) : loadTo<uint16_t>(bytes);
  case 4:
    return sign ? loadTo<int32_t>(bytes) : loadTo<uint32_t>(bytes);
  default:
    return loadTo<uint64_t>(bytes);
  }
}
Handler chooseStore(const std::string &type, unsigned bytes) {
  switch (bytesOf(type)) {
  case 1:
    return storeFrom<uint8_t>(bytes);
  case 2:
    return storeFrom<uint16_t>(bytes);
  case 4:
    return storeFrom<uint32_t>(bytes);
  default:
    return storeFrom<uint64_t>(bytes);
  }
}

/// Hints about caches change no value.
void dropHints(Decoder &decoder) {
  static const char *const hints[] = {
      "weak",    "volatile", "relaxed", "acquire", "release", "cta",
      "cluster", "gpu",      "sys",     "ca",      "cg",      "cs",
      "lu",      "cv",       "wb",      "wt",      "unified"};
  for (const char *hint : hints)
    decoder.take(hint);
  std::vector<std::string> leveled;
  for (const std::string &modifier : decoder.statement().modifiers)
    if (modifier.compare(0, 4, "L1::") == 0 ||
        modifier.compare(0, 4, "L2::") == 0)
      decoder.take(modifier);
}

Space takeSpace(Decoder &decoder, const Operand &address) {
  static const std::pair<const char *, Space> spaces[] = {
      {"global", Space::Global},      {"shared", Space::Shared},
      {"shared::cta", Space::Shared}, {"local", Space::Local},
      {"param", Space::Param},        {"param::func", Space::Param},
      {"param::entry", Space::Param}, {"const", Space::Const}};
  for (auto [name, space] : spaces)
    if (decoder.take(name))
      return space == Space::Param && decoder.isOfCall(address.name)
                 ? Space::Local
                 : space;
  return Space::Generic;
}

/// Bytes of the registers that hold the elements: all have the same.
unsigned registerBytes(Decoder &decoder, const Operand &data,
                       unsigned otherwise) {
  const Operand &first = data.kind == Operand::Vector ? data.parts.at(0) : data;
  for (const Operand &part : data.parts)
    if (decoder.bytesOfRegister(part) != 255)
      return decoder.bytesOfRegister(part);
  unsigned bytes = decoder.bytesOfRegister(first);
  return bytes == 255 ? otherwise : bytes;
}

void setVector(Decoder &decoder, const Operand &data) {
  unsigned count = decoder.take("v2")   ? 2
                   : decoder.take("v4") ? 4
                   : decoder.take("v8") ? 8
                                        : 1;
  size_t parts = data.kind == Operand::Vector ? data.parts.size() : 1;
  if (parts != count)
    decoder.refuse(std::to_string(parts) + " registers for " +
                   std::to_string(count) + " elements");
  decoder.step.count = count;
}

void decodeLoad(Decoder &decoder) {
  Step &step = decoder.step;
  step.kind = Class::Memory;
  step.space = takeSpace(decoder, decoder.operand(1));
  step.flag = decoder.take("nc");
  dropHints(decoder);
  std::string type = decoder.takeType();
  const Operand &data = decoder.operand(0);
  setVector(decoder, data);
  step.width = bytesOf(type);
  unsigned bytes = registerBytes(decoder, data, step.width);
  step.run = chooseLoad(type, bytes);
  if (!step.run || step.width * step.count > 32)
    decoder.refuse("registers of " + std::to_string(bytes) +
                   " bytes cannot be loaded so");
  decoder.toEach(data, bytes);
  decoder.fromAddress(decoder.operand(1));
}

void decodeStore(Decoder &decoder) {
  Step &step = decoder.step;
  step.kind = Class::Memory;
  step.space = takeSpace(decoder, decoder.operand(0));
  dropHints(decoder);
  std::string type = decoder.takeType();
  const Operand &data = decoder.operand(1);
  setVector(decoder, data);
  step.width = bytesOf(type);
  unsigned bytes = registerBytes(decoder, data, step.width);
  step.run = chooseStore(type, bytes);
  if (!step.run || step.width * step.count > 32)
    decoder.refuse("registers of " + std::to_string(bytes) +
                   " bytes cannot be stored so");
  decoder.fromAddress(decoder.operand(0));
  decoder.fromEach(data, bytes);
}

} // namespace

void hocket::ptx::addAccesses(Opcodes &opcodes) {
  opcodes["ld"] = decodeLoad;
  opcodes["ldu"] = decodeLoad;
  opcodes["st"] = decodeStore;
}
