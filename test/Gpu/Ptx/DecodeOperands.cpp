//===- DecodeOperands.cpp - where the operands of a step lie --------------===//

#include "test/Gpu/Ptx/Decoder.h"

using namespace hocket::ptx;

Slot Decoder::laneConstant(unsigned bytes,
                           const std::function<uint64_t(int)> &value) {
  Slot slot = kernel.constants.size();
  kernel.constants.resize(slot + 32 + lanesOfWarp * bytes);
  uint32_t head[2] = {~0u, value(0) ? ~0u : 0u};
  std::memcpy(&kernel.constants[slot], head, sizeof head);
  for (unsigned lane = 0; bytes && lane < lanesOfWarp; ++lane) {
    uint64_t bits = value(lane);
    std::memcpy(&kernel.constants[slot + 32 + lane * bytes], &bits, bytes);
  }
  return slot | sharedBank;
}

Slot Decoder::constant(unsigned bytes, uint64_t bits) {
  if (bytes && bytes < 8)
    bits &= (uint64_t(1) << bytes * 8) - 1;
  auto [found, isNew] = numbers.try_emplace({bytes, bits}, 0);
  if (isNew)
    found->second = laneConstant(bytes, [&](int) { return bits; });
  return found->second;
}

Slot Decoder::sink(unsigned bytes) {
  auto [found, isNew] = sinks.try_emplace(bytes, 0);
  if (isNew)
    found->second = allocate(bytes);
  return found->second;
}

static const std::map<std::string, Special> specialNames = {
    {"%tid.x", Special::TidX},     {"%tid.y", Special::TidY},
    {"%tid.z", Special::TidZ},     {"%ctaid.x", Special::CtaidX},
    {"%ctaid.y", Special::CtaidY}, {"%ctaid.z", Special::CtaidZ},
    {"%warpid", Special::Warp}};

static const std::map<std::string, Common> commonNames = {
    {"%ntid.x", Common::NtidX},
    {"%ntid.y", Common::NtidY},
    {"%ntid.z", Common::NtidZ},
    {"%nctaid.x", Common::NctaidX},
    {"%nctaid.y", Common::NctaidY},
    {"%nctaid.z", Common::NctaidZ},
    {"%nwarpid", Common::Warps},
    {"%dynamic_smem_size", Common::DynamicShared},
    {"%total_smem_size", Common::TotalShared}};

static const std::map<std::string, uint64_t (*)(int)> laneValues = {
    {"%laneid", [](int lane) { return uint64_t(lane); }},
    {"%lanemask_eq", [](int lane) { return uint64_t(1) << lane; }},
    {"%lanemask_lt", [](int lane) { return (uint64_t(1) << lane) - 1; }},
    {"%lanemask_le", [](int lane) { return (uint64_t(2) << lane) - 1; }},
    {"%lanemask_gt",
     [](int lane) { return ~((uint64_t(2) << lane) - 1) & 0xffffffff; }},
    {"%lanemask_ge",
     [](int lane) { return ~((uint64_t(1) << lane) - 1) & 0xffffffff; }}};

Slot Decoder::special(const std::string &name, unsigned bytes) {
  bool isKnown = specialNames.count(name) || commonNames.count(name) ||
                 laneValues.count(name);
  if (!isKnown)
    refuse("the register '" + name +
           "' is not declared, nor supported as a "
           "special one");
  if (bytes != 4)
    refuse("'" + name + "' has 4 bytes, the operand " + std::to_string(bytes));
  auto [found, isNew] = specials.try_emplace(name, 0);
  if (!isNew)
    return found->second;
  Slot slot;
  if (specialNames.count(name)) {
    slot = allocate(4);
    kernel.specials.push_back({specialNames.at(name), slot});
  } else if (commonNames.count(name)) {
    slot = laneConstant(4, [](int) { return 0; });
    kernel.commons.push_back({commonNames.at(name), slot});
  } else {
    slot = laneConstant(4, laneValues.at(name));
  }
  return found->second = slot;
}

bool Decoder::symbol(const std::string &name, uint64_t &value) const {
  auto found = symbols.find(name);
  value = found == symbols.end() ? program.address(name) : found->second;
  return found != symbols.end() || value;
}

unsigned Decoder::bytesOfRegister(const Operand &operand) const {
  auto found = registers.find(operand.name);
  return operand.kind != Operand::Name || found == registers.end()
             ? 255
             : found->second.second;
}

Slot Decoder::slotOf(const Operand &operand, unsigned bytes) {
  if (operand.kind == Operand::Number)
    return constant(bytes, operand.bits);
  if (operand.kind != Operand::Name)
    refuse("an operand is neither a register nor a number");
  auto found = registers.find(operand.name);
  if (found != registers.end()) {
    if (found->second.second != bytes)
      refuse("'" + operand.name + "' has " +
             std::to_string(found->second.second) +
             " bytes, the instruction takes " + std::to_string(bytes));
    return found->second.first;
  }
  uint64_t value;
  if (symbol(operand.name, value))
    return constant(bytes, value);
  return special(operand.name, bytes);
}

void Decoder::to(const Operand &operand, unsigned bytes) {
  if (operand.kind != Operand::Name || bytesOfRegister(operand) == 255) {
    if (!isSink(operand))
      refuse("the destination is no register");
    kernel.operands.push_back(sink(bytes));
  } else {
    kernel.operands.push_back(slotOf(operand, bytes));
  }
  ++step.destinations;
}

void Decoder::from(const Operand &operand, unsigned bytes) {
  kernel.operands.push_back(slotOf(operand, bytes));
  ++step.sources;
}

Slot Decoder::carry() {
  auto [found, isNew] = specials.try_emplace("carry", 0);
  if (isNew)
    found->second = allocate(0);
  return found->second;
}

void Decoder::toCarry() {
  kernel.operands.push_back(carry());
  ++step.destinations;
}

void Decoder::fromCarry() {
  kernel.operands.push_back(carry());
  ++step.sources;
}

void Decoder::toEach(const Operand &operand, unsigned bytes) {
  if (operand.kind != Operand::Vector)
    return to(operand, bytes);
  for (const Operand &part : operand.parts)
    to(part, bytes);
}

void Decoder::fromEach(const Operand &operand, unsigned bytes) {
  if (operand.kind != Operand::Vector)
    return from(operand, bytes);
  for (const Operand &part : operand.parts)
    from(part, bytes);
}

void Decoder::fromAddress(const Operand &operand) {
  if (operand.kind != Operand::Address)
    refuse("an address is missing");
  step.offset = operand.offset;
  Operand base;
  base.kind = operand.name.empty() ? Operand::Number : Operand::Name;
  base.name = operand.name;
  unsigned bytes = bytesOfRegister(base);
  step.wide = bytes != 4;
  from(base, step.wide ? 8 : 4);
}

void Decoder::plain(unsigned bytes, unsigned sources) {
  if (operands() != sources + 1)
    refuse("expected " + std::to_string(sources + 1) + " operands, found " +
           std::to_string(operands()));
  to(operand(0), bytes);
  for (unsigned i = 1; i <= sources; ++i)
    from(operand(i), bytes);
}

uint64_t Decoder::number(const Operand &operand) const {
  if (operand.kind != Operand::Number)
    refuse("a number is missing");
  return operand.bits;
}
